"""Pace of play as of a given time: rounds, occupied seats, handle and time, by table and hour, and by dealer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache
from operator import add
from typing import Final, Literal, Self

from sqlalchemy import TextClause, text

from services.reporting.framework.figures import Aggregate, Figure
from services.reporting.read_model.reading import Books
from services.reporting.read_model.statements import PACE, added_up
from shared.contracts.reports import percent_of

_HOUR: Final = timedelta(hours=1)
_HOUR_MILLISECONDS: Final = 3_600_000
_INSTANT: Final = timedelta(microseconds=1)

Dimension = Literal["table_name", "game", "dealer", "clock_hour", "seats_usual"]
"""The dimensions by which pace is summed; `clock_hour` is the hour of closing on the property's clock, 0 to 23."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Sums of play over the hours that dealers worked at tables.

    `rounds` is the number of posted less reversed rounds. `seats` is the number of seats that wagered against the
    house, summed over rounds, and `handle_cents` the sum of their wagers. `milliseconds` is the time from the first
    opening to the last closing of a round that was not reversed, summed over the hours of each dealer at a table.
    """

    rounds: int = 0
    seats: int = 0
    handle_cents: int = 0
    milliseconds: int = 0

    def __add__(self, other: Self) -> Self:
        """Return the sum of two paces, field by field."""
        return type(self)(*map(add, self.numbers, other.numbers))

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """Return the values of all fields, in the order of declaration."""
        return (self.rounds, self.seats, self.handle_cents, self.milliseconds)

    @property
    def hours(self) -> str | None:
        """Return the hours of play, with two decimals."""
        return hours_of(self.milliseconds)

    @property
    def seats_per_round(self) -> str | None:
        """Return the average number of seats that wagered in a round; None without rounds."""
        return ratio(self.seats, self.rounds)

    @property
    def wager_cents(self) -> int | None:
        """Return the average total wagered per seat and round, in cents; None without seats."""
        return round(Fraction(self.handle_cents, self.seats)) if self.seats else None

    def per_hour(self, number: int | Fraction) -> Fraction | None:
        """Return a number per hour of play; None if there was no play."""
        return per_hour(number, self.milliseconds)


def ratio(part: int | Fraction, whole: int) -> str | None:
    """Return a quotient with two decimals, rounded half away from zero; None if the divisor is 0.

    >>> ratio(200, 3), ratio(1, 0)
    ('66.67', None)
    """
    return percent_of(Fraction(part) / 100, whole)


def hours_of(milliseconds: int) -> str | None:
    """Return milliseconds converted to hours, with two decimals."""
    return ratio(milliseconds, _HOUR_MILLISECONDS)


def per_hour(number: int | Fraction, milliseconds: int) -> Fraction | None:
    """Return a number per hour, given the time in milliseconds; None if the time is zero."""
    return Fraction(number) * _HOUR_MILLISECONDS / milliseconds if milliseconds > 0 else None


def count_per_hour(count: int, milliseconds: int) -> str | None:
    """Return a count per hour, with two decimals, given the time in milliseconds; None if the time is zero."""
    return ratio(count * _HOUR_MILLISECONDS, milliseconds)


@cache
def _statement(by: tuple[Dimension, ...]) -> TextClause:
    return text(added_up(PACE, by))


async def pace_by(books: Books, *by: Dimension) -> dict[tuple[str, ...], Pace]:
    """Return the sums of play on the queried gaming days, keyed by the values of the dimensions `by`."""
    question = books.question
    rows = await books.read(
        _statement(by),
        first=question.first,
        last=question.last,
        table=question.table,
        game=question.game,
        zone=str(books.place.zone),
        late=await books.late_days(question.first, question.last),
    )
    return {tuple(map(str, row[: len(by)])): Pace(*row[len(by) :]) for row in rows}


def rounds_figure(books: Books, pace: Pace, **where: str) -> Figure:
    """Return the number of rounds, with provenance; `where` selects a table, game, dealer or hour of the clock."""
    return _figure(books, pace.rounds, "played", "rounds", where)


def seats_figure(books: Books, pace: Pace, **where: str) -> Figure:
    """Return the number of seats that wagered, summed over rounds, with its provenance."""
    return _figure(books, pace.seats, "played", "seats", where)


def handle_figure(books: Books, pace: Pace, **where: str) -> Figure:
    """Return the handle of wagers against the house, in cents, with its provenance."""
    return _figure(books, pace.handle_cents, "rounds", "handle_cents", where)


def _figure(books: Books, value: int, book: Literal["played", "rounds"], measure: str, where: dict[str, str]) -> Figure:
    if not books.explains:
        return Figure(value)
    question, clock_hour = books.question, where.get("clock_hour")
    asked = {"table_name": question.table, "game": question.game}
    named = {name: one for name, one in (asked | where).items() if one is not None and name != "clock_hour"}
    dims = tuple(sorted(named.items()))
    hours = [None] if clock_hour is None else _hours(books, int(clock_hour))
    return Figure(value, tuple(Aggregate(book, (measure,), question.first, question.last, dims, at) for at in hours))


def _hours(books: Books, clock_hour: int) -> Sequence[tuple[datetime, datetime]]:
    """Return the periods with this hour of the clock in which rounds of the queried gaming days may have closed."""
    question, found = books.question, []
    zone, at = books.place.zone, books.place_on(question.first).begins_at(question.first)
    at = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    end = books.place_on(question.last).begins_at(question.last) + 2 * timedelta(days=1)
    while at < end:
        if at.astimezone(zone).hour == clock_hour:
            found.append((at - _INSTANT, at + _HOUR - _INSTANT))
        at += _HOUR
    return found
