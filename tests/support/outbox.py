"""What a service sends to Kafka by itself, without a broker: replays of records and approved corrections."""

from shared.runtime.commands.record_replay import NotSent, Replay


class Outbox:
    """Keeps what is sent, but for the next `failures`."""

    def __init__(self) -> None:
        self.sent: list[Replay] = []
        self.failures = 0

    async def cluster_id(self) -> str:
        """The cluster of the test."""
        return "test"

    async def send(self, replay: Replay) -> tuple[int, int]:
        """Take it, or not."""
        if self.failures:
            self.failures -= 1
            raise NotSent("the broker is away")
        self.sent.append(replay)
        return replay.partition or 0, len(self.sent)
