"""Equipment exceptions: cards and dice changed late, and card readers and stubs that failed a check."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, Final

from sqlalchemy import Row, text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.derived import stands
from services.reporting.read_model.exceptions import Exceptional
from services.reporting.read_model.reading import Books
from shared.contracts.pit import OpenedTable
from shared.jurisdictions.equipment import deck_life

_OF_DAYS: Final = f"""
    FROM reporting.facts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
      AND (CAST(:table AS text) IS NULL OR table_name = :table) AND {stands()}"""

# Card readers and stubs are checked every day, and nearly all pass, so only failures are read.
_WRONG: Final = text(f"""
    SELECT service, shard, seq, event, table_name, gaming_day, occurred_at, data #>> '{{data,cards}}' AS cards,
           data #>> '{{data,expected}}' AS expected,
           coalesce(data #>> '{{data,inspected_by}}', data #>> '{{data,dealer}}') AS person {_OF_DAYS}
      AND event IN ('card_reader.inspected', 'stub.counted')
      AND (event = 'card_reader.inspected' AND data #>> '{{data,passed}}' = 'false'
           OR event = 'stub.counted' AND data #>> '{{data,cards}}' <> data #>> '{{data,expected}}')
    ORDER BY recorded_at, service, shard, seq""")

# Cards are changed every day, and nearly always in time. So a change is read (together with the previous one) only if
# it was later than the shortest of all limits (`least`).
_CHANGED: Final = text(f"""
    WITH changes AS (
        SELECT service, shard, seq, event, table_name, occurred_at, CAST(data ->> 'sequence' AS bigint) AS sequence
        {_OF_DAYS} AND event IN ('cards.changed', 'dice.changed')),
    pairs AS (
        SELECT service, shard, seq, event, table_name, occurred_at, sequence,
               lag(occurred_at) OVER one_by_one AS before_at, lag(service) OVER one_by_one AS before_service,
               lag(shard) OVER one_by_one AS before_shard, lag(seq) OVER one_by_one AS before_seq
        FROM (
            SELECT * FROM changes
            UNION ALL
            SELECT b.* FROM (SELECT DISTINCT event, table_name FROM changes) c CROSS JOIN LATERAL (
                SELECT service, shard, seq, event, table_name, occurred_at,
                       CAST(data ->> 'sequence' AS bigint) AS sequence
                FROM reporting.facts
                WHERE property = :property AND table_name = c.table_name AND event = c.event AND gaming_day < :first
                  AND recorded_at <= :known_at AND {stands()}
                ORDER BY occurred_at DESC, sequence DESC LIMIT 1) b) known
        WINDOW one_by_one AS (PARTITION BY event, table_name ORDER BY occurred_at, sequence))
    SELECT p.service, p.shard, p.seq, p.event, p.table_name, f.gaming_day, p.occurred_at, p.before_at,
           b.data #>> '{{data,regulation}}' AS regulation, b.data #>> '{{data,dealing}}' AS dealing,
           f.data #>> '{{data,changed_by}}' AS changed_by
    FROM pairs p
    CROSS JOIN LATERAL (  -- OFFSET 0: few of all facts are looked up
        SELECT gaming_day, data FROM reporting.facts
        WHERE service = p.service AND shard = p.shard AND seq = p.seq OFFSET 0) f
    CROSS JOIN LATERAL (
        SELECT data FROM reporting.facts
        WHERE service = p.before_service AND shard = p.before_shard AND seq = p.before_seq OFFSET 0) b
    WHERE p.occurred_at - p.before_at > :least
    ORDER BY p.event, p.table_name, p.occurred_at, p.sequence""")  # noqa: S608 - our own text

_OPENED: Final = text(f"""
    SELECT table_name, occurred_at {_OF_DAYS} AND event = 'table.opened' AND table_name = ANY(:tables)
    ORDER BY table_name, occurred_at""")


async def of_equipment(books: Books) -> list[Exceptional]:
    """Return the equipment exceptions of the queried gaming days."""
    found = [_inspected(row) for row in await books.read(_WRONG, **_asked(books))]
    life, least = _lives(books), _least(books)
    changes = [] if least is None else await books.read(_CHANGED, least=least, **_asked(books))
    opened = await _opened(books, {one.table_name for one in changes})
    for change in changes:
        of_life = life(change.gaming_day, change.regulation, change.dealing)
        found += _changed(of_life, change, opened[change.table_name])
    return found


async def _opened(books: Books, tables: Collection[str]) -> Mapping[str, Sequence[datetime]]:
    """Return each table's opening times: the last before the queried gaming days, and all on these days."""
    found: dict[str, list[datetime]] = defaultdict(list)
    if tables:
        for table, opener in (await books.last_pit(tables, OpenedTable, day=books.question.first)).items():
            found[table].append(opener.occurred_at)
        for row in await books.read(_OPENED, tables=list(tables), **_asked(books)):
            found[row.table_name].append(row.occurred_at)
    return found


def _asked(books: Books) -> dict[str, Any]:
    question = books.question
    return {"first": question.first, "last": question.last, "table": question.table}


def _inspected(row: Row[Any]) -> Exceptional:
    if row.event == "card_reader.inspected":
        return _wrong(row, "card_reader", "the card reader did not pass its inspection", row.person)
    return _wrong(row, "stub", f"the stub had {row.cards} cards, not {row.expected}", row.person)


def _changed(life: timedelta | None, change: Row[Any], opened: Sequence[datetime]) -> Iterator[Exceptional]:
    """Yield an exception if equipment was changed late; time while the table was closed does not count.

    `life` is how long the equipment may stay on the table (None: no limit). `opened` are the table's opening times, in
    order.
    """
    if life is None:
        return
    at = change.occurred_at
    place = bisect_right(opened, at)
    due_at: datetime = max((change.before_at, *opened[max(place - 1, 0) : place])) + life
    if at > due_at:
        check = "cards" if change.event == "cards.changed" else "dice"
        yield _wrong(change, check, f"{check} were due at {due_at.isoformat()}", change.changed_by)


def _lives(books: Books) -> Callable[[date, str | None, str | None], timedelta | None]:
    """Return a function that returns how long cards or dice may be used on a day; None means no limit."""

    @cache
    def life(day: date, regulation: str | None, dealing: str | None) -> timedelta | None:
        games = books.place_on(day).law.equipment
        if regulation is not None and dealing is not None:
            return deck_life({name: game.deck_hours.on(day).value for name, game in games.items()}, regulation, dealing)
        dice = [game.dice_hours.on(day).value for game in games.values() if game.dice_hours is not None]
        return timedelta(hours=min(dice)) if dice else None

    return life


def _least(books: Books) -> timedelta | None:
    """Return the shortest time for which cards or dice may be used on the queried days; None means no limit."""
    first, last = books.question.first, books.question.last
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    laws = {law.title: law for law in (books.place_on(day).law for day in days)}
    games = [game for law in laws.values() for game in law.equipment.values()]
    hours = [
        hours for game in games for dated in game.deck_hours.root for hours in (dated.value.hand, dated.value.shoe)
    ]
    hours += [dated.value for game in games if game.dice_hours is not None for dated in game.dice_hours.root]
    return timedelta(hours=min(hours)) if hours else None


def _wrong(row: Row[Any], check: str, reason: str, person: str) -> Exceptional:
    return Exceptional(
        kind="equipment",
        status="noted",
        since=row.occurred_at,
        subject=f"{row.table_name}/{check}",
        reason=reason,
        entries=(EntryRef(row.service, row.shard, row.seq),),
        gaming_day=row.gaming_day,
        table=row.table_name,
        by=person,
    )
