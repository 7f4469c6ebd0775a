"""The topic of checkpoints, with a broker of our own making."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.runtime.audit.witness_client import CheckpointTopic
from shared.runtime.settings import Settings

NOTES = {"pitledger/reporting/a": "note of a", "pitledger/reporting/b": "note of b"}


class Client:
    """A producer whose cluster answers these messages, each with its error or None."""

    def __init__(self, *answers: object) -> None:
        self._answers = answers
        self.sent: list[tuple[bytes, bytes]] = []
        self._told: list[Callable[[object, object], object]] = []

    def produce(self, topic: str, *, key: bytes, value: bytes, on_delivery: Any) -> None:
        assert "checkpoints" == topic
        self.sent.append((key, value))
        self._told.append(on_delivery)

    def flush(self, seconds: float) -> int:
        assert seconds > 0
        for tell, answer in zip(self._told, self._answers, strict=False):
            tell(answer, None)
        return len(self._told) - len(self._answers)


def published(monkeypatch: pytest.MonkeyPatch, client: Client) -> list[Client]:
    """Publish the notes; return the clients that were made."""
    made: list[Client] = []

    def make(settings: Settings, service: str) -> Client:
        assert (Settings(), "reporting") == (settings, service)
        made.append(client)
        return client

    monkeypatch.setattr("shared.runtime.audit.witness_client.new_producer", make)
    topic = CheckpointTopic(Settings(), "reporting")
    assert [] == made, "no client is kept"
    topic.publish(NOTES)
    return made


def test_all_notes_are_published_with_one_client_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    [client] = published(monkeypatch, Client(None, None))
    assert [(log.encode(), note.encode()) for log, note in NOTES.items()] == client.sent


@pytest.mark.parametrize("answers", [(), (None,), (None, "refused")], ids=str)
def test_a_note_that_was_not_acknowledged_is_told(answers: tuple[object, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConnectionError, match="checkpoints"):
        published(monkeypatch, Client(*answers))
