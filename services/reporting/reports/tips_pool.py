"""Tips pools: tips collected at the tables, and each dealer's share by hours, to the cent."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from services.reporting.domain.tip_shares import TipShare, shares_of
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import Cell, Figure, total
from services.reporting.read_model.pace_of_play import ratio
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import require_whole
from shared.contracts.inventory import PitRecorded, PitVoided
from shared.contracts.property_snapshot import place_of_day
from shared.contracts.tips import TipHoursApproved, TipHoursEntered, TipHoursRejected
from shared.contracts.tips_pools import PoolDays, pool_of
from shared.jurisdictions import days_of

_FIRST: Final = Column(name="first_day", title="From", unit="day")
_LAST: Final = Column(
    name="last_day", title="To", unit="day", formula="last gaming day of the pool, by which the pool is identified"
)
_HOURS: Final = Column(name="hours", title="Hours", unit="decimal", formula="minutes / 60")

POOLS: Final = Section(
    name="pools",
    title="Pools that end in the period",
    key=("last_day",),
    columns=(
        *(_FIRST, _LAST),
        Column(
            name="status",
            title="Status of hours",
            formula=(
                "missing; entered: awaiting another person's approval; or approved; rejected hours count as missing"
            ),
        ),
        Column(
            name="pooled_cents",
            title="Pooled",
            unit="cents",
            added=True,
            formula="tips collected at all tables on the pool's gaming days",
        ),
        Column(name="dealers", title="Dealers", unit="count"),
        _HOURS,
        Column(name="per_hour_cents", title="Per hour", unit="cents", formula="pooled / hours, rounded half to even"),
        Column(
            name="remainder",
            title="Remainder rule",
            formula=(
                "rule for the cents left after all shares are rounded down, one to each dealer: first those whose "
                "share lost the largest fraction of a cent, or those with the most hours; ties by name"
            ),
        ),
        Column(name="remainder_cents", title="Remaining cents", unit="cents"),
        Column(name="paid_cents", title="Paid out", unit="cents", added=True, formula="the shares of all dealers"),
        Column(
            name="since_approval_cents",
            title="Collected since the approval",
            unit="cents",
            formula="recorded after the approval of the hours; the shares include it",
        ),
        Column(name="entered_by", title="Entered by"),
        Column(name="approved_by", title="Approved by"),
    ),
)
SHARES: Final = Section(
    name="shares",
    title="Shares by dealer",
    key=("last_day", "dealer"),
    columns=(
        _LAST,
        Column(name="dealer", title="Dealer"),
        Column(name="minutes", title="Minutes", unit="count", added=True),
        _HOURS,
        Column(
            name="part_cents",
            title="Share by hours",
            unit="cents",
            added=True,
            formula="pooled x minutes / total minutes, rounded down to the cent",
        ),
        Column(name="remainder_cents", title="Remaining cents", unit="cents", added=True, formula="one cent or none"),
        Column(name="share_cents", title="Share", unit="cents", added=True, formula="share by hours + remaining cents"),
    ),
)
COLLECTED: Final = Section(
    name="collected",
    title="Collected by gaming day and table",
    key=("gaming_day", "table"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="pit", title="Pit"),
        Column(name="table", title="Table"),
        Column(
            name="tips_cents",
            title="Tips",
            unit="cents",
            added=True,
            formula=(
                "from the table's locked box, as reported by the people who collected and observed it; not part of "
                "any win"
            ),
        ),
    ),
)

_Collected = Mapping[tuple[str, str], Figure]


@dataclass(frozen=True)
class _Pool:
    """A tips pool: days and rules, tips, the entry with dealers' hours (approved, else pending), and the shares."""

    days: PoolDays
    pooled: Figure
    hours: Listed | None
    approved: bool
    since_approval: int | None
    shares: tuple[TipShare, ...]

    @property
    def paid(self) -> Figure:
        """Return the total of the dealers' shares."""
        return Figure(sum(one.cents for one in self.shares), self.pooled.origin)


async def _fill(books: Books) -> Content:
    require_whole(books, "a tips pool has the tips of all tables")
    hours = await _hours(books)
    days = _days(books, hours)
    question = books.question
    ended = [one for one in days if one.last_day <= question.last]
    first = min((one.first_day for one in ended), default=question.first)
    known = await books.amounts(("tips_cents",), ("gaming_day", "table_name"), first=min(first, question.first))
    collected = {(day, table): found["tips_cents"] for (day, table), found in known.items()}
    pools = [await _pool(books, one, collected, hours.get(one.last_day, [])) for one in ended]
    sections = (
        fill(POOLS, map(_row, pools)),
        fill(SHARES, (row for pool in pools for row in _shares(pool))),
        fill(COLLECTED, _collected(books, collected)),
    )
    shared = [pool for pool in pools if pool.approved]
    paid = Identity(
        "paid out and pooled",
        total(pool.paid for pool in shared),
        total(pool.pooled for pool in shared),
        "pools with approved hours are paid out in full",
    )
    of_pools = {day for day in {day for day, _ in collected} if _is_shared(books, days, date.fromisoformat(day))}
    pooled = [pool.paid if pool.approved else pool.pooled for pool in pools]
    going_on = [_tips(one, collected) for one in days if one.last_day > question.last]
    once = Identity(
        "collected and shared",
        total(tips for (day, _), tips in collected.items() if day in of_pools),
        total((*pooled, *going_on)),
        (
            "tips collected on gaming days of tips pools are in exactly one pool each: paid out, not yet paid "
            "out, or in a pool that ends after the period"
        ),
    )
    return Content(sections, (paid, once))


def _days(books: Books, hours: Mapping[date, list[Listed]]) -> list[PoolDays]:
    """Return days and rules of each tips pool that has gaming days in the queried period, in order.

    All pools with approved hours are included. If a day is in two of them, it is counted twice, and the report's
    identity is violated.
    """
    last_approved = (
        next((one.fact for one in reversed(listed) if _is_approved(one)), None) for listed in hours.values()
    )
    approved = [PoolDays(fact.first_day, fact.last_day, fact.pool) for fact in last_approved if fact is not None]
    first, last = books.question.first, books.question.last
    found = {one[:2]: one for one in approved if one.first_day <= last and one.last_day >= first}
    for day in days_of(first, last):
        pool = pool_of(books.versions, approved, day)
        if pool is not None:
            found[pool[:2]] = pool
    return [found[days] for days in sorted(found)]


def _is_approved(listed: Listed) -> bool:
    return isinstance(listed.fact, TipHoursApproved)


def _is_shared(books: Books, pools: Iterable[PoolDays], day: date) -> bool:
    """Return whether tips of a gaming day are pooled, by the property document of that day or by approved hours."""
    place = place_of_day(books.versions, day)
    said = None if place is None else place.document.tips_pool
    return said is not None or any(pool.has(day) for pool in pools)


def _tips(days: PoolDays, collected: _Collected) -> Figure:
    return total(tips for (day, _), tips in collected.items() if days.has(date.fromisoformat(day)))


async def _hours(books: Books) -> dict[date, list[Listed]]:
    """Return the facts about pools' hours, keyed by the last day of the pool, in the order of recording."""
    found: dict[date, list[Listed]] = {}
    kinds = (TipHoursEntered, TipHoursApproved, TipHoursRejected)
    for listed in await books.facts(*kinds, first=date.min, last=date.max):
        found.setdefault(listed.fact.last_day, []).append(listed)
    return found


async def _pool(books: Books, days: PoolDays, collected: _Collected, listed: list[Listed]) -> _Pool:
    pooled = _tips(days, collected)
    approved = [one for one in listed if _is_approved(one)]
    if not approved:
        decided = {one.fact.revision for one in listed if isinstance(one.fact, TipHoursRejected)}
        entered = [one for one in listed if one.fact.first_day == days.first_day]
        waits = [one for one in entered if one.fact.revision not in decided]
        return _Pool(days, pooled, waits[-1] if waits else None, False, None, ())
    latest, first, last = approved[-1], days.first_day, days.last_day
    before = await books.known_at(latest.recorded_at).amounts(("tips_cents",), first=first, last=last, explained=False)
    then = sum(found["tips_cents"].value for found in before.values())
    minutes = {one.dealer: one.minutes for one in latest.fact.hours}
    shares = tuple(shares_of(max(pooled.value, 0), minutes, days.rules))
    return _Pool(days, pooled, latest, True, pooled.value - then, shares)


def _row(pool: _Pool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "first_day": pool.days.first_day,
        "last_day": pool.days.last_day,
        "status": "missing" if pool.hours is None else "approved" if pool.approved else "entered",
        "pooled_cents": pool.pooled,
        "remainder": pool.days.rules.remainder.replace("_", " "),
    }
    if pool.hours is None:
        return row
    fact, because = pool.hours.fact, (pool.hours.entry,)
    minutes = sum(one.minutes for one in fact.hours)
    row |= {
        "dealers": Cell(len(fact.hours), because),
        "hours": Cell(ratio(minutes, 60), because),
        "entered_by": fact.entered_by,
    }
    if pool.approved:
        row |= {
            "per_hour_cents": Cell(round(pool.pooled.value * 60 / minutes), pool.pooled),
            "remainder_cents": sum(one.remainder_cents for one in pool.shares),
            "paid_cents": pool.paid,
            "since_approval_cents": pool.since_approval,
            "approved_by": fact.approved_by,
        }
    return row


def _shares(pool: _Pool) -> Iterator[dict[str, Any]]:
    for one in pool.shares:
        yield {
            "last_day": pool.days.last_day,
            "dealer": one.dealer,
            "minutes": one.minutes,
            "hours": ratio(one.minutes, 60),
            "part_cents": one.part_cents,
            "remainder_cents": one.remainder_cents,
            "share_cents": Cell(one.cents, pool.pooled),
        }


def _collected(books: Books, collected: _Collected) -> Iterator[dict[str, Any]]:
    for (written, table), tips in sorted(collected.items()):
        day = date.fromisoformat(written)
        yield {"gaming_day": day, "pit": books.pit_of(table, day), "table": table, "tips_cents": tips}


TIPS_POOL: Final = Report(
    name="tips-pool",
    title="Tips pools",
    about=(
        "Dealers' tips collected, and each dealer's share of the pool by hours, to the cent. The property's "
        "document defines whether a pool covers a day or a week, and who receives the remaining cents. Hours "
        "are entered by one person and approved by another, neither of whom has a share. A pool belongs to "
        "the period in which it ends."
    ),
    sections=(POOLS, SHARES, COLLECTED),
    sources=(PitRecorded, PitVoided, TipHoursEntered, TipHoursApproved, TipHoursRejected),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Tips committee", "Revenue audit"),
)
