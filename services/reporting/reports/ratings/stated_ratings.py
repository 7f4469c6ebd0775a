"""The ratings of a period as last stated, and those that are not closed."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from services.reporting.read_model.reading import Books, Listed
from shared.contracts.ratings import RatingRecorded, RatingStated, RatingTime, rated_at_once


class Stated(NamedTuple):
    """The last statement of a rating."""

    listed: Listed
    fact: RatingStated


async def stated_ratings(books: Books) -> list[Stated]:
    """Return the closed ratings of the queried gaming days, tables and games, by patron and opening.

    The last revision on these days counts. If a rating has moved to another day, its last revision on the former day
    took it back.
    """
    closed = [one for one in await _last_statements(books) if one.fact.closed_at is not None]
    return sorted((one for one in closed if _is_asked(books, one.fact)), key=lambda one: _order(one.fact))


async def taken_back(books: Books) -> list[Stated]:
    """Return the ratings of the queried gaming days, by name, that were closed but now have contradictory steps."""
    back = [one for one in await _last_statements(books) if one.fact.closed_at is None and one.fact.problems]
    return sorted(back, key=lambda one: one.fact.rating)


async def _last_statements(books: Books) -> list[Stated]:
    last: dict[str, Stated] = {}
    for one in await books.asked(table=None, game=None).facts(RatingStated):
        before = last.get(one.fact.rating)
        if before is None or before.fact.revision < one.fact.revision:
            last[one.fact.rating] = Stated(one, one.fact)
    return list(last.values())


def _is_asked(books: Books, fact: RatingStated) -> bool:
    table, game = books.question.table, books.question.game
    at_table = table is None or any(span.table == table for span in fact.spans)
    return at_table and (game is None or any(span.game == game for span in fact.spans))


def _order(fact: RatingStated) -> tuple[str, str, str]:
    return fact.patron or "", "" if fact.opened_at is None else fact.opened_at.isoformat(), fact.rating


def others_of(ratings: Sequence[Stated]) -> Mapping[str, Sequence[str]]:
    """Return, by rating, the other ratings of the same patron that were open at the same time."""
    return rated_at_once(
        RatingTime(one.fact.rating, one.fact.patron, one.fact.opened_at, one.fact.closed_at)
        for one in ratings
        if one.fact.patron is not None and one.fact.opened_at is not None
    )


async def open_ratings(books: Books) -> list[Listed]:
    """Return the openings, on the queried gaming days, of ratings not closed by the query's as-of time.

    A rating whose opening was voided is left out; a rating whose closing was voided is still open.
    """
    everywhere = books.asked(table=None, game=None)
    question = books.question
    steps = await everywhere.facts(RatingRecorded)
    openings = {one.fact.rating: one for one in steps if one.fact.event == "rating.opened"}
    later = await everywhere.facts(RatingRecorded, first=question.first, last=date.max) if openings else []
    amended: dict[tuple[str, str], Listed] = {}
    for one in sorted(later, key=lambda each: (each.occurred_at, each.entry.shard, each.entry.seq)):
        if one.fact.amends is not None:
            amended[one.fact.rating, one.fact.amends] = one
    void = {key for key, one in amended.items() if one.fact.values is None}
    closed = {
        one.fact.rating
        for one in later
        if one.fact.event == "rating.closed" and (one.fact.rating, one.fact.step) not in void
    }
    found = [one for name, one in openings.items() if name not in closed and (name, one.fact.step) not in void]
    if question.table is not None:
        found = [one for one in found if one.fact.table == question.table]
    return sorted(found, key=lambda one: one.occurred_at)
