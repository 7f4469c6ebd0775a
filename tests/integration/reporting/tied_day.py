"""A day of ratings by signed card readers and of rounds at their tables, and whose play each wager is, counted here."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, Final

from services.table_inventory.domain.rating_steps import record_step
from services.table_inventory.domain.ratings import Basis, stated_as, statement
from shared.contracts.derived_rating import RecordedStep, rating_of
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.ratings import STEPS, RatedDecisions, RatingReader, RatingStated
from shared.contracts.topics import RATING_EVENTS
from tests.support.devices import device, registered, system
from tests.support.properties import place, property_event
from tests.support.ratings import RatedTable
from tests.unit.reporting.entries import DAY, NOON

READ: Final = ("BJ-01", "BJ-02")
"""Tables at whose seats cards are read."""
TABLES: Final = (*READ, "BJ-03")
SEATS: Final = (1, 2, 3)
PATRONS: Final = ("p-1", "p-2", "p-3")
ACCOUNTS: Final = {"ga-1": "p-1", "ga-2": "p-2"}

_READER: Final = RatingReader(RATING_EVENTS, *STEPS)


def reader_of(table: str) -> str:
    """The key of a table's card reader."""
    return f"{table}-reader"


def _property() -> dict[str, Any]:
    at_tables = {
        table: {"devices": [device(registered(reader_of(table)), signs=("rating.events",), asset_number=f"D-{table}")]}
        for table in READ
    }
    casino = system("casino-management", signs=["rating.events"])
    return {"tables": at_tables | {TABLES[-1]: {}}, "systems": [casino]}


def with_readers(sequence: int = 3) -> dict[str, Any]:
    """The entry with the property's version whose tables have card readers."""
    return property_event("riverside", sequence=sequence, version=2, **_property())


def here() -> PropertySnapshot:
    """That property."""
    return place("riverside", **_property())


class Said:
    """What readers, systems and people say of ratings, and what table inventory states of it."""

    def __init__(self) -> None:
        self._streams = {table: RatedTable(table, property_name="riverside") for table in TABLES}
        self._steps: dict[str, list[RecordedStep]] = defaultdict(list)
        self._place = here()

    def say(self, kind: str, at: datetime, rating: str, table: str, key: str | None = None, **data: Any) -> None:
        """A step of a rating, signed with this key."""
        raw = json.dumps(self._streams[table].event(kind, at, rating, **data)).encode()
        signer = None if key is None else self._place.signers[key]
        fact = record_step(_READER.decode(raw), lambda *_: self._place, signer).fact
        number = sum(map(len, self._steps.values())) + 1
        self._steps[rating].append(RecordedStep(1, number, fact))  # type: ignore[arg-type]

    def stated(self, gaming_day: str = DAY) -> list[RatingStated]:
        """The statements of ratings that were closed, on this gaming day."""
        found: list[RatingStated] = []
        for steps in self._steps.values():
            rating = rating_of(steps)
            basis = Basis("blackjack", RatedDecisions(basis="rounds", number="0", rounds=0))
            bases = dict.fromkeys(range(len(rating.spans)), basis)
            found += stated_as(statement(rating, bases, date.fromisoformat(gaming_day)), None)
        return found


@dataclass
class _Playing:
    """A rating as the test sees it: where the patron plays, and whether readers alone said so."""

    rating: str
    patron: str
    table: str
    seat: int
    by_reader: bool
    tied: bool
    plays: bool = True


@dataclass(frozen=True)
class Wager:
    """A wager of a seat: an account funded it, or chips."""

    table: str
    seat: int
    stake: int
    payout: int
    account: str | None


@dataclass
class Day:
    """A random day: ratings, and rounds in between; whose the wagers are is told second by second."""

    chance: Random
    said: Said = field(default_factory=Said)
    rounds: list[tuple[datetime, list[Wager]]] = field(default_factory=list)
    rated: dict[str, list[Wager]] = field(default_factory=lambda: defaultdict(list))
    unrated: dict[str, list[Wager]] = field(default_factory=lambda: defaultdict(list))
    _open: list[_Playing] = field(default_factory=list)
    _holds: dict[tuple[str, int], _Playing] = field(default_factory=dict)

    def play(self, number: int) -> None:
        """Let so many things happen, one a minute, and close every rating in the end."""
        for minute in range(number):
            at = NOON + timedelta(minutes=minute)
            if self._open and self.chance.random() < 0.35:
                self._step(self.chance.choice(self._open), at)
            elif self.chance.random() < 0.3:
                self._opens(f"R-{minute}", at)
            else:
                self._deal(at)
        for last, playing in enumerate(list(self._open), start=number):
            self._close(playing, NOON + timedelta(minutes=last))

    def _key(self, table: str) -> str | None:
        """Whoever speaks: mostly the reader, sometimes the system of the casino, or nobody who signs."""
        keys = [reader_of(table)] * 4 if table in READ else []
        return self.chance.choice([*keys, "casino-management", None])

    def _opens(self, rating: str, at: datetime) -> None:
        table, seat, patron = self.chance.choice(TABLES), self.chance.choice(SEATS), self.chance.choice(PATRONS)
        key = self._key(table)
        self.said.say("opened", at, rating, table, key, patron=patron, seat=seat, average_bet_cents=50_00)
        is_read = key == reader_of(table)
        playing = _Playing(rating, patron, table, seat, by_reader=is_read, tied=is_read)
        self._open.append(playing)
        self._hold(playing, is_read)

    def _step(self, playing: _Playing, at: datetime) -> None:
        kind = self.chance.choice(["moved", "paused", "bet", "closed"]) if playing.plays else "resumed"
        if kind == "closed":
            self._close(playing, at)
            return
        table = self.chance.choice(TABLES) if kind == "moved" else playing.table
        key = self._key(table)
        is_read = key == reader_of(table)
        said: dict[str, Any] = {"average_bet_cents": self.chance.randrange(100, 900)} if kind == "bet" else {}
        if kind == "moved":
            said = {"seat": self.chance.choice(SEATS)}
            self._leave(playing)
            playing.table, playing.seat = table, said["seat"]
            self._hold(playing, is_read and playing.by_reader)
        elif kind == "paused":
            self._leave(playing)
            playing.plays = False
        elif kind == "resumed":
            playing.plays = True
            self._hold(playing, is_read and playing.tied)
        self.said.say(kind, at, playing.rating, table, key, **said)

    def _close(self, playing: _Playing, at: datetime) -> None:
        self.said.say("closed", at, playing.rating, playing.table, self._key(playing.table))
        self._leave(playing)
        self._open.remove(playing)

    def _hold(self, playing: _Playing, is_tied: bool) -> None:
        playing.tied = is_tied
        if is_tied:
            self._holds[playing.table, playing.seat] = playing

    def _leave(self, playing: _Playing) -> None:
        if self._holds.get((playing.table, playing.seat)) is playing:
            del self._holds[playing.table, playing.seat]

    def _deal(self, at: datetime) -> None:
        table = self.chance.choice(TABLES)
        wagers = list(self._wagers(table))
        self.rounds.append((at, wagers))
        for one in wagers:
            holder = self._holds.get((one.table, one.seat))
            owner = None if one.account is None else ACCOUNTS[one.account]
            if owner is None:
                if holder is not None:
                    self.rated[holder.patron].append(one)
                continue
            is_rated = any(
                playing.plays and (playing.patron, playing.table) == (owner, table) for playing in self._open
            )
            (self.rated if is_rated else self.unrated)[owner].append(one)

    def _wagers(self, table: str) -> Iterator[Wager]:
        for seat in self.chance.sample(SEATS, self.chance.randint(1, len(SEATS))):
            account = self.chance.choice([None, None, *ACCOUNTS])
            stake = self.chance.randrange(100, 90_000)
            yield Wager(table, seat, stake, self.chance.choice((0, 0, 3 * stake)), account)
