"""A corpus: what the tables of a pit send during a day, written once, compressed, and replayed as often as wanted.

A file of JSON lines under gzip. The first is the head: what the corpus was made from. Every other one is an event as it
goes to the topic, byte for byte, in the order in which it is sent. Everything but the head follows from the head.
"""

import gzip
import heapq
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from loadtest.floor import opening
from loadtest.game import TablePlan
from loadtest.games import pit, rules_submissions
from loadtest.messages import Message, day
from loadtest.property import property_document
from shared.contracts.properties import PropertyDocument
from shared.contracts.submissions import RulesSubmission

DIRECTORY: Final = Path("var/loadtest/corpora")
_FORMAT: Final = 1
_LEVEL: Final = 4
_AGE_DAYS_MAX: Final = 36_500
"""A corpus may be replayed for as long as a property can say that an event is not too old."""


class Record(NamedTuple):
    """An event as it is sent: the stream, the place in it, and the bytes."""

    key: str
    sequence: int
    value: bytes


class _Envelope(msgspec.Struct):
    source: str
    sequence: int


_envelope: Final = msgspec.json.Decoder(_Envelope)


@dataclass(frozen=True, slots=True)
class Site:
    """A property with its tables and its gaming day: the document that is filed for it, and its rules submissions."""

    plans: tuple[TablePlan, ...]
    gaming_day: date
    document: PropertyDocument
    submissions: tuple[RulesSubmission, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """What a corpus is made from: so many tables at each property. `hot_share` of all rounds are the first table's."""

    rounds: int
    tables: int
    properties: int = 1
    seed: int = 1
    hot_share: float = 0.0
    gaming_day: str = "2026-05-09"
    format: int = _FORMAT

    @property
    def day(self) -> date:
        """Return the gaming day."""
        return date.fromisoformat(self.gaming_day)

    @property
    def sites(self) -> tuple[Site, ...]:
        """Return the properties; they take events however old they are."""
        plans = pit(self.tables)
        return tuple(self._site(f"loadtest-{number}", plans) for number in range(1, self.properties + 1))

    def _site(self, name: str, plans: tuple[TablePlan, ...]) -> Site:
        document = property_document(name, plans, self.day)
        limits = document.plausibility.model_copy(update={"age_days_max": _AGE_DAYS_MAX})
        document = document.model_copy(update={"plausibility": limits})
        return Site(plans, self.day, document, rules_submissions(name, plans, opening(self.day)))

    def file_in(self, directory: Path) -> Path:
        """Return where the corpus is kept: another head is another file."""
        digest = sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]
        return directory / f"{self.rounds}-rounds-{self.tables * self.properties}-tables-{digest}.jsonl.gz"


def played(head: Head) -> Iterator[Record]:
    """Play the day: the tables take turns in the order of time; a hot table plays its share beside the others."""
    hot = round(head.rounds * head.hot_share)
    streams = []
    for number, site in enumerate(head.sites):
        rounds = (head.rounds - hot) // head.properties + (number < (head.rounds - hot) % head.properties)
        shares = [(site.plans, rounds)]
        if hot and not number:
            shares = [(site.plans[:1], hot), (site.plans[1:], rounds)]
        for plans, count in shares:
            streams.append(_day(head, site, plans, count))
    for message in heapq.merge(*streams, key=attrgetter("sent_at")):
        assert message.sequence is not None, "nothing is planted"
        yield Record(message.key, message.sequence, message.value)


def _day(head: Head, site: Site, plans: tuple[TablePlan, ...], rounds: int) -> Iterator[Message]:
    name = site.document.property
    return day(property_name=name, plans=plans, gaming_day=head.day, seed=head.seed, rounds=rounds, plants=False)


def corpus(head: Head, directory: Path = DIRECTORY) -> list[Record]:
    """Return the records of a corpus, which is written when it is asked for the first time."""
    path = head.file_in(directory)
    if not path.exists():
        write(head, path)
    return list(read(path))


def write(head: Head, path: Path) -> None:
    """Write a corpus, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with gzip.open(unfinished, "wb", compresslevel=_LEVEL) as file:
        file.write(json.dumps(asdict(head)).encode() + b"\n")
        for record in played(head):
            file.write(record.value + b"\n")
    unfinished.replace(path)


def head_of(path: Path) -> Head:
    """Return what a corpus was made from."""
    with gzip.open(path, "rb") as file:
        return Head(**json.loads(file.readline()))


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a corpus. Raises: ValueError where the file is not as it was written."""
    with gzip.open(path, "rb") as file:
        head = Head(**json.loads(file.readline()))
        count = 0
        for line in file:
            value = line.rstrip(b"\n")
            envelope = _envelope.decode(value)
            yield Record(envelope.source, envelope.sequence, value)
            count += 1
    if count != head.rounds:
        raise ValueError(f"{path} has {count} of {head.rounds} rounds: delete it, and it is written again")
