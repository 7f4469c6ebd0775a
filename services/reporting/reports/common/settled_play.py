"""Settled play of accounts on gaming days, as of a given time, with the theoretical win by wager type."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, text

from services.reporting.domain.house_edges import HouseEdge
from services.reporting.framework.figures import NOTHING, Cell, Figure, share, total
from services.reporting.read_model.reading import Books, entries_of, parts_of
from services.reporting.read_model.seat_wagers import WAGERED
from services.reporting.reports.common.theoretical_win import TheoreticalWin, stated_edge
from services.reporting.reports.common.theoretical_win import together as theoretical_together
from shared.contracts.topics import SETTLEMENTS, publisher_of

_BY: Final = "account, game, version, submission, wager"

_PLAYED: Final = ("rounds", *WAGERED)

SUMS: Final = ", ".join(f"CAST(sum({name}) AS bigint) AS {name}" for name in _PLAYED)
"""The figures of play as SQL sums over rows of `reporting.seat_wagers`, which include the column `rounds` (ROUNDS)."""

ROUNDS: Final = """CASE WHEN row_number() OVER (PARTITION BY shard, seq, {whose} ORDER BY stakes = 0, seat, wager) = 1
                        THEN CAST(sign(stakes) AS integer) ELSE 0 END AS rounds"""
"""SQL for the number of rounds that a row of `reporting.seat_wagers` adds.

The number is 1 (-1 if reversed) for a player's first wager in a round, else 0. `{whose}` stands for the column that
identifies the player.
"""

_SUMS: Final = f"""
    SELECT {_BY}, {SUMS}{{entries}}
    FROM (SELECT w.*, CAST(:service AS text) AS service, w.recorded_at AS occurred_at,
                 {ROUNDS.format(whose="account")}
          FROM reporting.seat_wagers w
          WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
            AND account IS NOT NULL AND (CAST(:table AS text) IS NULL OR table_name = :table)
            AND (CAST(:game AS text) IS NULL OR game = :game)) known
    GROUP BY {_BY} HAVING sum(stakes) <> 0 OR sum(payout_cents) <> 0 ORDER BY {_BY}"""  # noqa: S608 - our own text


ENTRIES: Final = entries_of(*_PLAYED)
"""SQL for a further column with the entries behind the sums of a statement, as `plays_of` reads it."""


@dataclass(frozen=True)
class Play:
    """The settled play of an account, of a patron, or of several: rounds, stakes, handle and payout (cents).

    `funded` is the part of the handle that was taken from accounts; the rest was wagered in chips. `theoretical` covers
    the wagers that have a house edge. `variance` is the variance of the payout by chance (cents squared) for the wagers
    whose return has an exact distribution; `inexact` is true if there are other wagers.
    """

    rounds: Figure = NOTHING
    stakes: Figure = NOTHING
    handle: Figure = NOTHING
    payout: Figure = NOTHING
    funded: Figure = NOTHING
    theoretical: TheoreticalWin = field(default_factory=TheoreticalWin)
    variance: Fraction = Fraction(0)
    inexact: bool = False

    @property
    def win(self) -> Figure:
        """Return the house's win from the play in cents, before progressive meters."""
        return self.handle - self.payout

    @property
    def without_house_edge(self) -> str | None:
        """Return the wagers without a house edge, each with its share of the handle; None if there are none."""
        return self.theoretical.lacking(self.handle.value)

    @property
    def stated_house_edge(self) -> str | None:
        """Return the wagers with the licensee's own house edge, each with its source and its share of the handle."""
        return self.theoretical.by_licensee(self.handle.value)

    @property
    def without_percent(self) -> Cell:
        """Return the percentage of the handle that was staked on wagers without a house edge."""
        return share(self.handle - self.theoretical.handle, self.handle)

    @property
    def deviation(self) -> Cell:
        """Return the standard deviation of the win by chance, in cents; empty if a wager has no exact distribution."""
        return Cell(None if self.inexact else (isqrt(int(4 * self.variance)) + 1) // 2, self.handle)


@dataclass(frozen=True)
class PlayOfAccount:
    """The play of an account on one wager type under a submission (a hash), and the wager's house edge, if known."""

    account: str
    game: str
    version: str
    submission: str
    wager: str
    edge: HouseEdge | None
    play: Play


def together(plays: Iterable[Play]) -> Play:
    """Return the sum of several plays."""
    listed = list(plays)
    return Play(
        total(one.rounds for one in listed),
        total(one.stakes for one in listed),
        total(one.handle for one in listed),
        total(one.payout for one in listed),
        total(one.funded for one in listed),
        theoretical=theoretical_together(one.theoretical for one in listed),
        variance=sum((one.variance for one in listed), Fraction(0)),
        inexact=any(one.inexact for one in listed),
    )


async def settled_play(books: Books) -> list[PlayOfAccount]:
    """Return each account's play on the queried gaming days, one item per wager type and submission, in order."""
    question = books.question
    asked = {"first": question.first, "last": question.last, "table": question.table, "game": question.game}
    statement = text(_SUMS.replace("{entries}", ENTRIES if books.explains else ""))
    rows = await books.read(statement, service=publisher_of(SETTLEMENTS), **asked)
    return [
        PlayOfAccount(row.account, row.game, str(row.version), row.submission, row.wager, *found)
        for row, found in zip(rows, await plays_of(books, rows), strict=True)
    ]


class PlayOfWager(NamedTuple):
    """The play on one wager type under a submission, and the wager's house edge, if known."""

    edge: HouseEdge | None
    play: Play


async def plays_of(books: Books, rows: Sequence[Row[Any]]) -> list[PlayOfWager]:
    """Return the play of each row, in order; a row contains the sums of one wager type under one submission."""
    edges = await books.house_edges({row.submission for row in rows})
    found: list[PlayOfWager] = []
    for row in rows:
        entries: Sequence[Sequence[str]] = row.entries if books.explains else ()
        of = {name: Figure(getattr(row, name), parts_of(entries, number)) for number, name in enumerate(_PLAYED)}
        edge = edges.get((row.submission, row.wager))
        figures = (of["rounds"], of["stakes"], of["handle_cents"], of["payout_cents"], of["funded_cents"])
        inexact = row.handle_cents != 0 and (edge is None or edge.returns is None)
        variance = row.squared * edge.returns.variance if edge and edge.returns else Fraction(0)
        found.append(PlayOfWager(edge, Play(*figures, _theoretical(row, edge, of), variance, inexact)))
    return found


def _theoretical(row: Row[Any], edge: HouseEdge | None, of: Mapping[str, Figure]) -> TheoreticalWin:
    handle, cents = of["handle_cents"], row.handle_cents
    if edge is None or edge.house_edge is None:
        is_bonus = edge is None and not cents and row.payout_cents  # without a stake of its own: it wins nothing
        return TheoreticalWin(without={} if is_bonus else {row.wager: cents})
    errors = {(row.game, edge.counted_with): cents * edge.standard_error} if edge.standard_error else {}
    kept, own = ((edge.house_edge, handle),), stated_edge(row.wager, edge)
    stated = {} if own is None else {own: cents}
    return TheoreticalWin(
        handle, handle - of["payout_cents"], cents * edge.house_edge, kept, errors=errors, stated=stated
    )
