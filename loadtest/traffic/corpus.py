"""A corpus: the messages of a pit's tables during a day, generated once, compressed, and replayed as often as needed.

A corpus is a gzip file of JSON lines. The first line is the head, with the parameters that determine the corpus's
content. Every other line is an event exactly as sent, in order.
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

from loadtest.floor.floor_day import opening
from loadtest.floor.game import TablePlan
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.messages import Message, day
from loadtest.floor.property import property_document
from shared.contracts.properties import PropertyDocument
from shared.contracts.submissions import RulesSubmission

DIRECTORY: Final = Path("var/loadtest/corpora")
_FORMAT: Final = 1
_LEVEL: Final = 4
_AGE_DAYS_MAX: Final = 36_500
"""The age limit of events in the corpus's property documents, so that the corpus can be replayed for a long time."""


class Record(NamedTuple):
    """A message: its stream as the key, its sequence, and the bytes of the event."""

    key: str
    sequence: int
    value: bytes


class _Envelope(msgspec.Struct):
    source: str
    sequence: int


_envelope: Final = msgspec.json.Decoder(_Envelope)


@dataclass(frozen=True, slots=True)
class Site:
    """A property of a corpus: its tables, gaming day, property document and rules submissions."""

    plans: tuple[TablePlan, ...]
    gaming_day: date
    document: PropertyDocument
    submissions: tuple[RulesSubmission, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The parameters of a corpus.

    `tables` is the number of tables per property. `hot_share` is the share of all rounds that the first table plays.
    """

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
        """Return the properties of the corpus, whose documents accept events up to 100 years old."""
        plans = pit(self.tables)
        return tuple(self._site(f"loadtest-{number}", plans) for number in range(1, self.properties + 1))

    def _site(self, name: str, plans: tuple[TablePlan, ...]) -> Site:
        document = property_document(name, plans, self.day)
        limits = document.plausibility.model_copy(update={"age_days_max": _AGE_DAYS_MAX})
        document = document.model_copy(update={"plausibility": limits})
        return Site(plans, self.day, document, rules_submissions(name, plans, opening(self.day)))

    def file_in(self, directory: Path) -> Path:
        """Return the path of the corpus file, which is unique for each head."""
        digest = sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]
        return directory / f"{self.rounds}-rounds-{self.tables * self.properties}-tables-{digest}.jsonl.gz"


def played(head: Head) -> Iterator[Record]:
    """Yield the messages of the day in order of time, with the hot table's share played in parallel to other rounds."""
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
    """Return the records of a corpus, which is generated on first use."""
    path = head.file_in(directory)
    if not path.exists():
        write(head, path)
    return list(read(path))


def write(head: Head, path: Path) -> None:
    """Generate a corpus, and write it atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with gzip.open(unfinished, "wb", compresslevel=_LEVEL) as file:
        file.write(json.dumps(asdict(head)).encode() + b"\n")
        for record in played(head):
            file.write(record.value + b"\n")
    unfinished.replace(path)


def head_of(path: Path) -> Head:
    """Return the head of a corpus file."""
    with gzip.open(path, "rb") as file:
        return Head(**json.loads(file.readline()))


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a corpus. Raises: ValueError if the file was altered."""
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
