"""Equipment of tables: cards and dice that were changed late, card readers and stubs that were not as they must be."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from services.reporting.books.exceptions import Exceptional
from services.reporting.books.reading import Books, Listed
from shared.contracts.pit import ChangedCards, ChangedDice, CountedStub, InspectedCardReader, OpenedTable, PitData
from shared.jurisdictions.equipment import deck_life


async def of_equipment(books: Books) -> list[Exceptional]:
    """Return what was wrong with the equipment of the question's gaming days, as the pit reported it."""
    found = [one for listed in await books.pit(InspectedCardReader, CountedStub) for one in _inspected(listed)]
    changed = {kind: await _with_earlier(books, kind) for kind in (ChangedCards, ChangedDice)}
    opened: dict[str, list[datetime]] = defaultdict(list)
    for opener in await _with_earlier(books, OpenedTable):
        opened[opener.fact.table].append(opener.occurred_at)
    for listed in changed.values():
        for before, change in _pairs(listed):
            found += _changed(books, before, change, opened[change.fact.table])
    return found


def _inspected(listed: Listed) -> Iterator[Exceptional]:
    match listed.fact.data:
        case InspectedCardReader(passed=False, inspected_by=person):
            yield _wrong(listed, "card_reader", "the card reader did not pass its inspection", person)
        case CountedStub(cards=cards, expected=expected, dealer=person) if cards != expected:
            yield _wrong(listed, "stub", f"the stub had {cards} cards, not {expected}", person)


async def _with_earlier(books: Books, event: type[PitData]) -> list[Listed]:
    """Return events of the question's days, and the last before them at each table, by table and moment."""
    during = await books.pit(event)
    tables = {one.fact.table for one in await books.pit(ChangedCards, ChangedDice)}
    before = await books.last_pit(tables, event, day=books.question.first)
    return sorted((*before.values(), *during), key=lambda one: (one.fact.table, one.occurred_at, one.fact.sequence))


def _pairs(listed: Sequence[Listed]) -> Iterator[tuple[Listed, Listed]]:
    """Yield each event with the one before it at its table."""
    return ((one, after) for one, after in pairwise(listed) if one.fact.table == after.fact.table)


def _changed(books: Books, before: Listed, change: Listed, opened: Sequence[datetime]) -> Iterator[Exceptional]:
    """Yield a change that was late: the time that the table was closed does not count.

    `opened` are the moments at which the table was opened, in order.
    """
    life, at = _life(books, before, change), change.occurred_at
    if life is None:
        return
    place = bisect_right(opened, at)
    due_at: datetime = max((before.occurred_at, *opened[max(place - 1, 0) : place])) + life
    if at > due_at:
        check = "cards" if isinstance(change.fact.data, ChangedCards) else "dice"
        yield _wrong(change, check, f"{check} were due at {due_at.isoformat()}", change.fact.data.changed_by)


def _life(books: Books, before: Listed, change: Listed) -> timedelta | None:
    """Return how long what was changed may have stayed on the table by the law of the day; None: for ever."""
    day = change.fact.gaming_day
    games = books.place_on(day).law.equipment
    match before.fact.data:
        case ChangedCards(regulation=regulation, dealing=dealing):
            return deck_life({name: game.deck_hours.on(day).value for name, game in games.items()}, regulation, dealing)
        case _:
            dice = [game.dice_hours.on(day).value for game in games.values() if game.dice_hours is not None]
            return timedelta(hours=min(dice)) if dice else None


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
