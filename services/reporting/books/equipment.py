"""Equipment of tables: cards and dice that were changed late, card readers and stubs that were not as they must be."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import text

from services.reporting.books.exceptions import Exceptional
from services.reporting.books.reading import Books, Listed
from shared.contracts.pit import ChangedCards, ChangedDice, CountedStub, InspectedCardReader, OpenedTable
from shared.jurisdictions.equipment import deck_life

_OF_DAYS: Final = """
    FROM reporting.facts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
      AND (CAST(:table AS text) IS NULL OR table_name = :table)"""

# Card readers and stubs are looked at every day, and nearly all of them are as they must be.
_WRONG: Final = text(f"""
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data {_OF_DAYS}
      AND event IN ('card_reader.inspected', 'stub.counted')
      AND (event = 'card_reader.inspected' AND data #>> '{{data,passed}}' = 'false'
           OR event = 'stub.counted' AND data #>> '{{data,cards}}' <> data #>> '{{data,expected}}')
    ORDER BY recorded_at, service, shard, seq""")

_OPENED: Final = text(f"""
    SELECT table_name, occurred_at {_OF_DAYS} AND event = 'table.opened' ORDER BY table_name, occurred_at""")


async def of_equipment(books: Books) -> list[Exceptional]:
    """Return what was wrong with the equipment of the question's gaming days, as the pit reported it."""
    found = [one for row in await books.read(_WRONG, **_asked(books)) for one in _inspected(Listed.of(row))]
    changes = await books.pit(ChangedCards, ChangedDice)
    tables, life = {one.fact.table for one in changes}, _lives(books)
    opened: dict[str, list[datetime]] = defaultdict(list)
    for table, opener in (await books.last_pit(tables, OpenedTable, day=books.question.first)).items():
        opened[table].append(opener.occurred_at)
    for row in await books.read(_OPENED, **_asked(books)):
        opened[row.table_name].append(row.occurred_at)
    for kind in (ChangedCards, ChangedDice):
        before = await books.last_pit(tables, kind, day=books.question.first)
        listed = (*before.values(), *(one for one in changes if isinstance(one.fact.data, kind)))
        for earlier, change in _pairs(sorted(listed, key=_place)):
            replaced = earlier.fact.data
            of_cards = (replaced.regulation, replaced.dealing) if isinstance(replaced, ChangedCards) else (None, None)
            found += _changed(life(change.fact.gaming_day, *of_cards), earlier, change, opened[change.fact.table])
    return found


def _asked(books: Books) -> dict[str, Any]:
    question = books.question
    return {"first": question.first, "last": question.last, "table": question.table}


def _place(listed: Listed) -> tuple[str, datetime, int]:
    return listed.fact.table, listed.occurred_at, listed.fact.sequence


def _inspected(listed: Listed) -> Iterator[Exceptional]:
    match listed.fact.data:
        case InspectedCardReader(passed=False, inspected_by=person):
            yield _wrong(listed, "card_reader", "the card reader did not pass its inspection", person)
        case CountedStub(cards=cards, expected=expected, dealer=person) if cards != expected:
            yield _wrong(listed, "stub", f"the stub had {cards} cards, not {expected}", person)


def _pairs(listed: Sequence[Listed]) -> Iterator[tuple[Listed, Listed]]:
    """Yield each event with the one before it at its table."""
    return ((one, after) for one, after in pairwise(listed) if one.fact.table == after.fact.table)


def _changed(
    life: timedelta | None, before: Listed, change: Listed, opened: Sequence[datetime]
) -> Iterator[Exceptional]:
    """Yield a change that was late: the time that the table was closed does not count.

    What was changed may have stayed on the table for its `life`; None: for ever. `opened` are the moments at which the
    table was opened, in order.
    """
    if life is None:
        return
    at = change.occurred_at
    place = bisect_right(opened, at)
    due_at: datetime = max((before.occurred_at, *opened[max(place - 1, 0) : place])) + life
    if at > due_at:
        check = "cards" if isinstance(change.fact.data, ChangedCards) else "dice"
        yield _wrong(change, check, f"{check} were due at {due_at.isoformat()}", change.fact.data.changed_by)


def _lives(books: Books) -> Callable[[date, str | None, str | None], timedelta | None]:
    """Return how long cards under a regulation (None: dice) may stay on a table by the law of a day; None: for ever."""

    @cache
    def life(day: date, regulation: str | None, dealing: str | None) -> timedelta | None:
        games = books.place_on(day).law.equipment
        if regulation is not None and dealing is not None:
            return deck_life({name: game.deck_hours.on(day).value for name, game in games.items()}, regulation, dealing)
        dice = [game.dice_hours.on(day).value for game in games.values() if game.dice_hours is not None]
        return timedelta(hours=min(dice)) if dice else None

    return life


def _wrong(listed: Listed, check: str, reason: str, person: str) -> Exceptional:
    return Exceptional(
        kind="equipment",
        status="noted",
        since=listed.occurred_at,
        subject=f"{listed.fact.table}/{check}",
        reason=reason,
        entries=(listed.entry,),
        gaming_day=listed.gaming_day,
        table=listed.fact.table,
        by=person,
    )
