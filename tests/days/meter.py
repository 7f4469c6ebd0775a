"""The meter without its database: settled rounds move the pool by the functions of the service, in any order."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple

from services.progressive_meters.domain import changes, pools, reconciling, rounds, versions
from services.progressive_meters.domain.reconciling import ExceptionItem
from services.progressive_meters.handlers import Settlements
from shared.contracts.exact import displayed, parse_exact
from shared.contracts.meters import ChangeRequested, Movement, PoolTerms
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlement_views import PostedRound
from shared.contracts.submissions import SubmissionApproved
from tests.days.acts import Act
from tests.days.difference import Difference
from tests.days.telling import BASE_CENTS, RESET_CENTS, RULES

POOL: Final = "major"
_BEGUN: Final = datetime(2020, 1, 1, tzinfo=UTC)
_THOUSANDTH: Final = 10**6
_TERMS: Final = rounds.meters_of(SubmissionApproved.model_validate(RULES["data"]))


class Metered(NamedTuple):
    """What is said of the meter on a gaming day: whether it balances, what it holds, and awards that were too much.

    `short` has by how many cents, by the act with which the round was first told.
    """

    balanced: bool
    thousandths: int
    shown_cents: int
    short: Mapping[int, int]


class _Moved(NamedTuple):
    """A row of the movements."""

    at: datetime
    movement: Movement
    day: date

    @property
    def delta(self) -> pools.Delta:
        """Return what it moved."""
        return pools.delta_of(self.movement)


@dataclass(frozen=True)
class _Reading:
    """A row of the readings: the last revision of a round, and how it moved the pool; it stands, or was taken back."""

    data: PostedRound
    act: Act
    moved: _Moved
    standing: bool = True


class Meter:
    """The pool that the tables of a property feed, and the rows of it."""

    def __init__(self, place: PropertySnapshot) -> None:
        self._property = place.document.property
        of: dict[str, Any] = {"property": self._property, "pool": POOL, "feeds": (), "reason": "the pit opens"}
        amounts = {"base_cents": BASE_CENTS, "reset_cents": RESET_CENTS}
        self._version = PoolTerms(**of, **amounts, effective_from=_BEGUN, gaming_day=_BEGUN.date())
        self._pool = pools.Pool(self._property, POOL)
        self._rows: list[_Moved] = []
        self._readings: dict[str, _Reading] = {}
        self._accepted: set[int] = set()
        self._accounts: Counter[str] = Counter()
        self._move(pools.seed(self._pool, BASE_CENTS), _BEGUN, _BEGUN.date())

    def take(self, event: bytes, act: Act) -> None:
        """Count a round, or take it back."""
        read = Settlements.reader.decode(event)
        data = read.data
        if not isinstance(data, PostedRound):
            reading = self._readings[data.round_id]
            self._readings[data.round_id] = replace(reading, standing=False)
            self._move(pools.take_back(self._pool, reading.moved.movement, table=act.table), read.time, act.day)
            return
        [(terms, one)] = rounds.played(data, _TERMS)
        moved, _ = rounds.count_round(self._pool, self._version, terms, one, table=act.table)
        at = data.closed_at if data.revision == 1 else read.time
        self._readings[data.round_id] = _Reading(data, act, self._move(moved, at, act.day))

    def accept(self, act: Act) -> None:
        """Let the house bear an award. Raises: Difference where it is another one than was seen to be too much."""
        [reading] = [one for one in self._readings.values() if one.act.number == act.of]
        short, number = self._short(reading), reading.moved.movement.number
        if short != act.cents:
            raise Difference(f"the award of round {act.of} is too much by {short} cents, seen {act.cents}")
        of: dict[str, Any] = {"property": self._property, "pool": POOL, "gaming_day": act.day, "reason": "it was paid"}
        asked: dict[str, Any] = {"change": 1, "requested_by": "audit.kim", "requested_at": act.at}
        wanted = ChangeRequested(**of, **asked, kind="award", movement=number)
        for moved in changes.changed(wanted, {POOL: self._pool}, versions.Pools(), act.at, short):
            self._move(moved, act.at, act.day)
        self._accepted.add(number)

    def metered(self, day: date) -> Metered:
        """Return what is said of a gaming day."""
        sums: defaultdict[str, pools.Delta] = defaultdict(pools.Delta)
        for row in self._rows:
            sums["before" if row.day < day else "day" if row.day == day else "later"] += row.delta
        listed = [row.delta for row in self._rows if row.day == day]
        standing = [one for one in self._readings.values() if one.standing]
        books = reconciling.PoolBooks(
            pool=self._pool,
            before=sums["before"],
            day=sums["day"],
            later=sums["later"],
            movements=len(self._rows),
            movements_of_day=len(listed),
            listed=(len(listed), sum(one.on_display for one in listed), 0, 0),
            accounts={leg: self._accounts[leg] for leg in pools.HELD},
            hits_cents=sum(one.act.award for one in standing),
        )
        short = {_round(one.act): cents for one in standing if one.act.day == day and (cents := self._short(one))}
        exceptions = [_exception(one.act, short[_round(one.act)]) for one in standing if _round(one.act) in short]
        found, wrong = reconciling.pool_day(books, readings=0, different=0), reconciling.wrong_with(books)
        figures = reconciling.Day(rows=(found,), wrong=tuple(wrong), exceptions=tuple(exceptions)).figures
        return Metered(figures["balanced"], parse_exact(found.closing_cents) // _THOUSANDTH, found.shown_cents, short)

    def _short(self, of: _Reading) -> int:
        """Return by how much an award exceeded the meter that was available for it, as PostgreSQL sums it up."""
        own = of.moved
        if not of.act.award or own.movement.number in self._accepted:
            return 0
        place = (own.at, own.movement.number)
        available = own.delta.contribution + sum(
            row.delta.on_display for row in self._rows if (row.at, row.movement.number) < place
        )
        for one in self._readings.values():
            elsewhere = one.data.table != of.data.table or one.data.opened_at > of.data.closed_at
            if elsewhere and one.data.opened_at <= own.at < one.data.closed_at:
                available += one.moved.delta.contribution
        return max(of.act.award - displayed(available), 0)

    def _move(self, moved: pools.Moved, at: datetime, day: date) -> _Moved:
        if moved.movement.shown_cents < 0 or sum(posting.cents for posting in moved.postings) != 0:
            raise Difference(f"the sign shows {moved.movement.shown_cents}, for {moved.postings}")
        self._pool = moved.pool
        for posting in moved.postings:
            self._accounts[posting.account.leg] -= posting.cents
        self._rows.append(_Moved(at, moved.movement, day))
        return self._rows[-1]


def _round(act: Act) -> int:
    return act.of or act.number


def _exception(act: Act, short_cents: int) -> ExceptionItem:
    of: dict[str, Any] = {"pool": POOL, "meter": "", "table": act.table, "game": "blackjack", "gaming_day": act.day}
    return ExceptionItem(kind="award", **of, round_id=f"r-{_round(act)}", short_cents=short_cents)
