"""Settled play of patrons while they were rated, and play from their accounts while they were not.

Wagers from an account belong to its owner. All other wagers in a seat belong to the patron whom a signed message of the
table's device names for the seat.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import text

from services.reporting.read_model.patrons import OWNERS
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.settled_play import ENTRIES, ROUNDS, SUMS, Play, plays_of, together
from services.reporting.reports.ratings.stated_ratings import Stated, stated_ratings
from shared.contracts.topics import SETTLEMENTS, publisher_of

_BY: Final = "patron, rating, by_account, by_seat, game, version, submission, wager"
_DAY: Final = timedelta(days=1)

# A rating may continue after the end of its gaming day: its rounds are then of the next gaming day.
_SUMS: Final = f"""
    SELECT {_BY}, {SUMS}{{entries}}
    FROM (
        SELECT *, {ROUNDS.format(whose="patron, rating")}
        FROM (
            SELECT w.*, coalesce(o.patron, t.patron) AS patron, coalesce(t.rating, s.rating, '') AS rating,
                   o.patron IS NOT NULL AS by_account, t.rating IS NOT NULL AS by_seat,
                   CAST(:service AS text) AS service, w.recorded_at AS occurred_at
            FROM reporting.seat_wagers w
            JOIN reporting.rounds r ON r.shard = w.shard AND r.seq = w.seq
            LEFT JOIN ({OWNERS}) o ON o.account = w.account AND o.patron IS NOT NULL
            LEFT JOIN unnest(CAST(:tie_ratings AS text[]), CAST(:tie_patrons AS text[]), CAST(:tie_tables AS text[]),
                             CAST(:tie_seats AS integer[]), CAST(:tie_begins AS timestamptz[]),
                             CAST(:tie_ends AS timestamptz[]))
                 AS t (rating, patron, of_table, seat, begins, ends)
              ON t.of_table = w.table_name AND t.seat = w.seat AND r.closed_at > t.begins AND r.closed_at <= t.ends
                 AND (o.patron IS NULL OR o.patron = t.patron)
            LEFT JOIN unnest(CAST(:ratings AS text[]), CAST(:patrons AS text[]), CAST(:tables AS text[]),
                             CAST(:begins AS timestamptz[]), CAST(:ends AS timestamptz[]))
                 AS s (rating, patron, of_table, begins, ends)
              ON s.patron = o.patron AND s.of_table = w.table_name AND r.closed_at > s.begins AND r.closed_at <= s.ends
                 AND t.rating IS NULL
            WHERE w.property = :property AND w.gaming_day BETWEEN :first AND :next AND w.recorded_at <= :known_at
              AND (CAST(:table AS text) IS NULL OR w.table_name = :table)
              AND (CAST(:game AS text) IS NULL OR w.game = :game)) wagered
        WHERE patron IS NOT NULL AND (rating <> '' OR gaming_day <= :last)) known
    GROUP BY {_BY} HAVING sum(stakes) <> 0 OR sum(payout_cents) <> 0 ORDER BY {_BY}"""  # noqa: S608 - our own text

TiedBy = Literal["account", "seat", "both"]
"""What ties wagers to a patron: the patron's account that paid for them, a device that tied the seat, or both."""


@dataclass(frozen=True)
class RatedWagers:
    """The settled play of a patron, and how it is attributed to the patron: by `account`, by `seat`, or both."""

    play: Play = field(default_factory=Play)
    ties: frozenset[Literal["account", "seat"]] = frozenset()

    @property
    def tied_by(self) -> TiedBy | None:
        """Return how the play is attributed to the patron; None if there is no play."""
        return "both" if len(self.ties) > 1 else next(iter(self.ties), None)


def all_of(parts: Iterable[RatedWagers]) -> RatedWagers:
    """Return the total of several parts of a patron's settled play."""
    listed = list(parts)
    return RatedWagers(together(one.play for one in listed), frozenset().union(*(one.ties for one in listed)))


class RatedPlay(NamedTuple):
    """The settled play within each rating, and each patron's play outside of ratings.

    `taken_by` lists, by rating, the ratings to which one of its seats was tied before the rating ended.
    """

    of_rating: Mapping[str, RatedWagers]
    unrated: Mapping[str, Play]
    taken_by: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Time:
    """A period in which a patron was rated at a table."""

    rating: str
    patron: str
    table: str
    begins: datetime
    ends: datetime


@dataclass(frozen=True)
class _TiedTime(_Time):
    """A period in which a device's message ties a seat to the rating's patron; the tie was made at `since`."""

    seat: int
    since: datetime

    @property
    def order(self) -> tuple[datetime, str]:
        """Return the sort key for ties of the same seat; the latest tie applies."""
        return self.since, self.rating


async def rated_play(books: Books) -> RatedPlay:
    """Return the settled play within ratings, and the play from accounts on the queried days outside of ratings.

    Ratings of the previous and the next day are read, too, because their play or a tie of a seat may extend to the
    queried days.
    """
    question = books.question
    near = await stated_ratings(books.asked(first=question.first - _DAY, last=question.last + _DAY))
    ties, taken_by = _one_patron_a_seat(_tied_times(near))
    asked = {
        **_columns(_one_rating_a_moment(_times(near)), "ratings", "patrons", "tables", "begins", "ends"),
        **_columns(ties, "tie_ratings", "tie_patrons", "tie_tables", "tie_begins", "tie_ends"),
        "tie_seats": [one.seat for one in ties],
        "first": question.first,
        "last": question.last,
        "next": question.last + _DAY,
        "table": question.table,
        "game": question.game,
    }
    statement = text(_SUMS.replace("{entries}", ENTRIES if books.explains else ""))
    rows = await books.read(statement, service=publisher_of(SETTLEMENTS), **asked)
    of_rating: dict[str, list[RatedWagers]] = defaultdict(list)
    unrated: dict[str, list[Play]] = defaultdict(list)
    for row, one in zip(rows, await plays_of(books, rows), strict=True):
        if row.rating:
            by: Mapping[Literal["account", "seat"], bool] = {"account": row.by_account, "seat": row.by_seat}
            of_rating[row.rating].append(RatedWagers(one.play, frozenset(name for name, holds in by.items() if holds)))
        else:
            unrated[row.patron].append(one.play)
    return RatedPlay(
        {name: all_of(parts) for name, parts in of_rating.items()},
        {patron: together(plays) for patron, plays in unrated.items()},
        taken_by,
    )


def _columns(times: Sequence[_Time], *names: str) -> dict[str, list[Any]]:
    """Return periods as query parameters: a list for each of the five fields, under the given `names`."""
    fields = ("rating", "patron", "table", "begins", "ends")
    return {name: [getattr(one, of) for one in times] for name, of in zip(names, fields, strict=True)}


def _times(ratings: Iterable[Stated]) -> Iterator[_Time]:
    """Yield the uninterrupted periods of ratings at tables; consecutive spans at a table are merged."""
    for _, fact in ratings:
        time: _Time | None = None
        for one in fact.spans if fact.patron is not None else ():
            if time is not None and (time.table, time.ends) == (one.table, one.begins):
                time = replace(time, ends=one.ends)
                continue
            if time is not None:
                yield time
            time = _Time(fact.rating, fact.patron or "", one.table, one.begins, one.ends)
        if time is not None:
            yield time


def _tied_times(ratings: Iterable[Stated]) -> Iterator[_TiedTime]:
    for _, fact in ratings:
        for one in fact.spans:
            if fact.patron is not None and one.seat is not None and one.tie is not None:
                when = (one.begins, one.ends)
                yield _TiedTime(fact.rating, fact.patron, one.table, *when, seat=one.seat, since=one.tie.since)


def _one_rating_a_moment(times: Iterable[_Time]) -> list[_Time]:
    """Return each patron's periods at each table, cut so that where ratings overlap, the latest one applies."""
    grouped: dict[tuple[str, str], list[_Time]] = defaultdict(list)
    for one in times:
        grouped[one.patron, one.table].append(one)
    found: list[_Time] = []
    for of_patron in grouped.values():
        moments = sorted({moment for one in of_patron for moment in (one.begins, one.ends)})
        for begins, ends in pairwise(moments):
            there = [one for one in of_patron if one.begins <= begins and ends <= one.ends]
            if there:
                last = max(there, key=lambda one: (one.begins, one.rating))
                found.append(replace(last, begins=begins, ends=ends))
    return found


def _one_patron_a_seat(times: Iterable[_TiedTime]) -> tuple[list[_TiedTime], dict[str, list[str]]]:
    """Return the periods of tied seats, each ended by the seat's next tie, and the ratings that took over seats.

    The second result maps a rating to the names of the ratings to which one of its seats was tied next.
    """
    grouped: dict[tuple[str, int], list[_TiedTime]] = defaultdict(list)
    for one in times:
        grouped[one.table, one.seat].append(one)
    found: list[_TiedTime] = []
    taken_by: dict[str, set[str]] = defaultdict(set)
    for of_seat in grouped.values():
        ties = sorted({one.order for one in of_seat})
        for one in of_seat:
            since, taker = next(iter(ties[bisect_right(ties, one.order) :]), (one.ends, one.rating))
            if since < one.ends:
                taken_by[one.rating].add(taker)
            if one.begins < (ends := min(since, one.ends)):
                found.append(replace(one, ends=ends))
    return found, {name: sorted(others) for name, others in taken_by.items()}
