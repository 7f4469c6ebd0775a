"""What the story of a service is about, for those who ask about it."""

from tests.faults.subject import Subject
from tests.fuzz.apis import Known
from tests.support.accounts import IDENTITY


def known_of(subject: Subject) -> Known:
    """What the story of a service is about."""
    known = Known()
    hear_of(subject, known)
    return known


def hear_of(subject: Subject, known: Known) -> None:
    """Keep what the story of a service is about."""
    for ask in subject.commands:
        known.hear(ask.body)
    for messages in (*subject.references.values(), *subject.records.values()):
        for message in messages:
            known.hear(message["data"] if isinstance(message, dict) else None)
    for name in ("version", "quarantine", "dismissal", "request", "number", "seq", "shard", "correction", "revision"):
        known.hear([1, 2], name)
    known.hear(1, "limit")
    known.know("identity", IDENTITY)
