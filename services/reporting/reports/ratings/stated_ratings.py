"""The ratings of a period according to their last statements, and ratings that are not closed."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from services.reporting.read_model.reading import Books, Listed
from shared.contracts.derived_rating import Rating, RecordedStep, rating_of
from shared.contracts.ratings import RatingRecorded, RatingStated, RatingTime, rated_at_once


class Stated(NamedTuple):
    """A rating as last stated, with the entry of the statement."""

    listed: Listed
    fact: RatingStated


async def stated_ratings(books: Books) -> list[Stated]:
    """Return the closed ratings of the queried gaming days, tables and games, ordered by patron and opening.

    Of each rating, the last revision on these days applies. A rating that was moved to another gaming day is not closed
    on the former day, because its last revision there reopened it.
    """
    closed = [one for one in await _last_statements(books) if one.fact.closed_at is not None]
    return sorted((one for one in closed if _is_asked(books, one.fact)), key=lambda one: _order(one.fact))


async def taken_back(books: Books) -> list[Stated]:
    """Return, ordered by name, the ratings of the queried days that were closed but now have contradictory steps."""
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
    """Return the ratings that overlap in time with another rating of the same patron, each with these others."""
    return rated_at_once(
        RatingTime(one.fact.rating, one.fact.patron, one.fact.opened_at, one.fact.closed_at)
        for one in ratings
        if one.fact.patron is not None and one.fact.opened_at is not None
    )


class Open(NamedTuple):
    """A rating that is not closed: the fact of its opening, and the rating after later amendments and moves."""

    opening: Listed
    rating: Rating


async def open_ratings(books: Books) -> list[Open]:
    """Return the ratings opened on the queried gaming days and not closed by the as-of time, ordered by opening.

    Each rating is derived from all of its steps: a rating whose opening was voided is left out, and a rating whose
    closing was voided is still open. If a table is queried, only ratings that are now at that table are returned.
    """
    everywhere = books.asked(table=None, game=None)
    question = books.question
    openings = {
        one.fact.rating: one for one in await everywhere.facts(RatingRecorded) if one.fact.event == "rating.opened"
    }
    later = await everywhere.facts(RatingRecorded, first=question.first, last=date.max) if openings else []
    steps: dict[str, list[RecordedStep]] = {name: [] for name in openings}
    for one in later:
        if one.fact.rating in steps:
            steps[one.fact.rating].append(RecordedStep(one.entry.shard, one.entry.seq, one.fact))
    found = [Open(openings[name], rating_of(of_rating)) for name, of_rating in steps.items()]
    return sorted(
        (
            one
            for one in found
            if one.rating.opened_at is not None
            and one.rating.closed_at is None
            and question.table in (None, one.rating.table)
        ),
        key=lambda one: one.opening.occurred_at,
    )
