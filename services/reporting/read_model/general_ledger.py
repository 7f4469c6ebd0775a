"""Amounts posted on a gaming day, by leg, as of the seal and each later change; and the property's mapping.

Postings of rounds are derived from the rounds' totals; other entries state their postings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, NamedTuple

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, Figure, total
from services.reporting.read_model.postings import POSTED, UNPOSTED
from services.reporting.read_model.reading import Books
from shared.contracts.general_ledger import LedgerMappingApproved, LedgerRule
from shared.contracts.properties import PropertyTable
from shared.contracts.topics import INVENTORY, SETTLEMENTS
from shared.contracts.versions import in_effect
from shared.contracts.wager_totals import FIGURES, Figures

_CHIPS: Final = "chips"
_SETTLING: Final = str(SETTLEMENTS.publisher)
_COUNTING: Final = str(INVENTORY.publisher)
_OF_CHIPS: Final = ((_COUNTING, "inventory", 1), (_COUNTING, "rounds", -1))
"""The legs that table inventory posts for a round's chips: (service, leg, sign). Those entries have their own topic."""


_NO_FIGURES: Final = dict.fromkeys(FIGURES, 0)


def _legs_of_figures() -> Mapping[str, Mapping[str, int]]:
    """Return the sign (1, or -1 if deducted) with which each wager figure is posted, keyed by leg and figure."""
    found: dict[str, dict[str, int]] = {}
    for figure in FIGURES:
        for leg, times in Figures.construct_unvalidated(_NO_FIGURES | {figure: 1}).legs():
            if times:
                found.setdefault(leg, {})[figure] = times
                rest = found.setdefault(_CHIPS, {})
                rest[figure] = rest.get(figure, 0) - times
    legs = {leg: {figure: times for figure, times in figures.items() if times} for leg, figures in found.items()}
    assert all(abs(times) == 1 for figures in legs.values() for times in figures.values()), "each is posted once"
    return legs


_LEGS_OF_FIGURES: Final = _legs_of_figures()

_CHANGED: Final = text("""
    WITH sealed AS (
        SELECT gaming_day, min(recorded_at) AS at FROM reporting.facts
        WHERE property = :property AND kind = 'day.final' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at
        GROUP BY gaming_day)
    SELECT gaming_day, at AS moment FROM sealed
    UNION SELECT gaming_day, a.recorded_at FROM sealed s JOIN reporting.amounts a USING (gaming_day)
    WHERE a.property = :property AND a.measure = 'posted_cents' AND a.recorded_at > s.at AND a.recorded_at <= :known_at
    UNION SELECT gaming_day, r.recorded_at FROM sealed s JOIN reporting.rounds r USING (gaming_day)
    WHERE r.property = :property AND r.recorded_at > s.at AND r.recorded_at <= :known_at
    ORDER BY gaming_day, moment""")
"""The seal of each sealed gaming day, and each later moment at which an entry about the day's money was recorded."""


class PostedLeg(NamedTuple):
    """The key of a posted amount: a service's posting leg, and the item, table and game of the posting.

    `item` is a wager type, an instrument, a coupon, a slip or a pool. Item, table and game may be empty.
    """

    service: str
    leg: str
    item: str
    table: str
    game: str


@dataclass(frozen=True, slots=True)
class Placed:
    """An amount posted on a gaming day, with pit and class of its table, and the mapping rule for it, if any."""

    posted: PostedLeg
    pit: str
    table_class: str
    rule: LedgerRule | None
    cents: Figure


@dataclass(frozen=True, slots=True)
class LedgerVersion:
    """A version of a gaming day: the amounts posted as of a given time, without legs that sum to zero."""

    known_at: datetime
    placed: Sequence[Placed]


MappingOn = Callable[[date], LedgerMappingApproved | None]
"""A function that returns the mapping in effect when a gaming day begins; None if there is none."""


async def mappings_of(books: Books) -> MappingOn:
    """Return a function that returns the property's ledger mapping in effect on a gaming day, or None."""
    approved = [one.fact for one in await books.documents(LedgerMappingApproved)]

    def mapping_on(day: date) -> LedgerMappingApproved | None:
        found: LedgerMappingApproved | None = in_effect(approved, books.place_on(day).begins_at(day))
        return found

    return mapping_on


async def posted(
    books: Books, *, first: date | None = None, last: date | None = None
) -> dict[date, dict[PostedLeg, Figure]]:
    """Return the amounts posted by gaming day and leg, without legs that sum to zero."""
    parts: dict[tuple[date, PostedLeg], list[Figure]] = {}
    tables: dict[date, Mapping[str, PropertyTable]] = {}
    by = ("gaming_day", "table_name", "item")
    for (day, table, item), measures in (await books.amounts((POSTED,), by, first=first, last=last)).items():
        gaming_day = date.fromisoformat(day)
        service, leg, of = item.split(" ", 2)
        if gaming_day not in tables:
            tables[gaming_day] = _tables(books, gaming_day)
        game = tables[gaming_day][table].game if table in tables[gaming_day] else ""
        key = PostedLeg(service, leg, of, table, game)
        parts.setdefault((gaming_day, key), []).append(measures[POSTED])
    rounds = await books.rounds(("gaming_day", "table_name", "game", "wager"), figures=FIGURES, first=first, last=last)
    for (day, table, game, wager), figures in rounds.items():
        for leg, times in _LEGS_OF_FIGURES.items():
            moved = [figures[name] if sign > 0 else -figures[name] for name, sign in times.items()]
            for service, leg_there, sign in ((_SETTLING, leg, 1), *(_OF_CHIPS if leg == _CHIPS else ())):
                key = PostedLeg(service, leg_there, "" if leg == _CHIPS else wager, table, game)
                signed = (one if sign > 0 else -one for one in moved if one.value)
                parts.setdefault((date.fromisoformat(day), key), []).extend(signed)
    found: dict[date, dict[PostedLeg, Figure]] = {}
    for (gaming_day, key), figures_of_leg in sorted(parts.items()):
        cents = total(figures_of_leg)
        if cents.value:
            found.setdefault(gaming_day, {})[key] = cents
    return found


def _tables(books: Books, day: date) -> Mapping[str, PropertyTable]:
    return {table.table: table for table in books.place_on(day).tables_on(day)}


def placed_on(
    books: Books, day: date, mapping: LedgerMappingApproved | None, legs: Mapping[PostedLeg, Figure]
) -> list[Placed]:
    """Return the amounts posted on a gaming day, each with the mapping rule that applies."""
    found, tables = list[Placed](), _tables(books, day)
    for leg, cents in legs.items():
        table = tables.get(leg.table)
        pit, table_class = ("", "") if table is None else (table.pit, table.revenue_class)
        rule = None
        if mapping is not None:
            rule = mapping.rule_for(
                leg.service, leg.leg, item=leg.item, game=leg.game, pit=pit, table_class=table_class
            )
        found.append(Placed(leg, pit, table_class, rule, cents))
    return found


async def versions_of(
    books: Books, mapping_on: MappingOn, now: Mapping[date, Sequence[Placed]]
) -> dict[date, list[LedgerVersion]]:
    """Return the versions of the posted amounts, keyed by sealed day: as of the seal, and of each later change.

    `now` are the amounts posted on each day, as of the query's as-of time.
    """
    question = books.question
    moments: dict[date, list[datetime]] = {}
    for row in await books.read(_CHANGED, first=question.first, last=question.last):
        moments.setdefault(row.gaming_day, []).append(row.moment)
    found: dict[date, list[LedgerVersion]] = {}
    for day, known in moments.items():
        versions = found[day] = list[LedgerVersion]()
        for moment in known:
            if moment == known[-1]:
                placed = now.get(day, ())
            else:
                placed = placed_on(
                    books,
                    day,
                    mapping_on(day),
                    (await posted(books.known_at(moment), first=day, last=day)).get(day, {}),
                )
            if not versions or _values(placed) != _values(versions[-1].placed):
                versions.append(LedgerVersion(moment, placed))
    return found


def _values(placed: Sequence[Placed]) -> dict[PostedLeg, int]:
    return {one.posted: one.cents.value for one in placed}


async def unposted(books: Books) -> Figure:
    """Return the number of entries that moved money but do not state their postings."""
    return (await books.amounts((UNPOSTED,))).get((), {}).get(UNPOSTED, NOTHING)
