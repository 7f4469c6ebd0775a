"""What patrons wagered from accounts within the times in which they were rated, and outside of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from sqlalchemy import text

from services.reporting.read_model.account_wagers import PLAYED_BY_ACCOUNT
from services.reporting.read_model.patrons import OWNERS
from services.reporting.read_model.reading import ENTRIES, Books
from services.reporting.reports.common.settled_play import Play, plays_of, together
from services.reporting.reports.ratings.stated_ratings import Stated
from shared.contracts.topics import SETTLEMENTS, publisher_of

_BY: Final = "account_of, rating, account, game, version, submission, wager"

# A rating may go on after the end of its gaming day: its rounds are of the next one then.
_SUMS: Final = f"""
    SELECT {_BY}, {", ".join(f"CAST(sum({name}) AS bigint) AS {name}" for name in PLAYED_BY_ACCOUNT)}{{entries}}
    FROM (
        SELECT w.*, o.patron AS account_of, coalesce(s.rating, '') AS rating, CAST(:service AS text) AS service,
               w.recorded_at AS occurred_at
        FROM reporting.account_wagers w
        JOIN ({OWNERS}) o ON o.account = w.account AND o.patron IS NOT NULL
        JOIN reporting.rounds r ON r.shard = w.shard AND r.seq = w.seq
        LEFT JOIN unnest(CAST(:ratings AS text[]), CAST(:patrons AS text[]), CAST(:tables AS text[]),
                         CAST(:begins AS timestamptz[]), CAST(:ends AS timestamptz[]))
             AS s (rating, patron, of_table, begins, ends)
          ON s.patron = o.patron AND s.of_table = w.table_name AND r.closed_at > s.begins AND r.closed_at <= s.ends
        WHERE w.property = :property AND w.gaming_day BETWEEN :first AND :next AND w.recorded_at <= :known_at
          AND (s.rating IS NOT NULL OR w.gaming_day <= :last)
          AND (CAST(:table AS text) IS NULL OR w.table_name = :table)
          AND (CAST(:game AS text) IS NULL OR w.game = :game)) known
    GROUP BY {_BY} HAVING sum(stakes) <> 0 OR sum(payout_cents) <> 0 ORDER BY {_BY}"""  # noqa: S608 - our own text


class RatedPlay(NamedTuple):
    """The settled play within each rating, by name, and that of each patron which no rating covers."""

    of_rating: Mapping[str, Play]
    unrated: Mapping[str, Play]


async def rated_play(books: Books, ratings: Iterable[Stated]) -> RatedPlay:
    """Return what patrons wagered from accounts within ratings, and on the question's days outside of them."""
    question = books.question
    spans = [(one.fact, span) for one in ratings for span in one.fact.spans if one.fact.patron is not None]
    asked = {
        "ratings": [fact.rating for fact, _ in spans],
        "patrons": [fact.patron for fact, _ in spans],
        "tables": [span.table for _, span in spans],
        "begins": [span.begins for _, span in spans],
        "ends": [span.ends for _, span in spans],
        "first": question.first,
        "last": question.last,
        "next": question.last + timedelta(days=1),
        "table": question.table,
        "game": question.game,
    }
    statement = text(_SUMS.replace("{entries}", ENTRIES if books.explains else ""))
    rows = await books.read(statement, service=publisher_of(SETTLEMENTS), **asked)
    of_rating: dict[str, list[Play]] = defaultdict(list)
    unrated: dict[str, list[Play]] = defaultdict(list)
    for row, one in zip(rows, await plays_of(books, rows), strict=True):
        (of_rating[row.rating] if row.rating else unrated[row.account_of]).append(one.play)
    return RatedPlay(
        {name: together(plays) for name, plays in of_rating.items()},
        {patron: together(plays) for patron, plays in unrated.items()},
    )
