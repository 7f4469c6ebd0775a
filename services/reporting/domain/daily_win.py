"""The daily win as a document: its form, its totals, its hash, and its CSV. Pure; amounts are cents."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, computed_field

from services.reporting.domain.csv_lines import as_text, cells, headers
from shared.contracts.envelope import Name
from shared.contracts.reports import DayReportHeader, Percent, Reached, percent_of, rows_sha256
from shared.contracts.wager_totals import FIGURES, Figures, WagerTotals

BANK = "bank"
"""The wager type of a banking player's own line."""


@dataclass(frozen=True, slots=True)
class WagerDay:
    """What was added up of one wager type of a game at a table."""

    table: str
    game: str
    totals: WagerTotals


@dataclass(slots=True)
class RoundCounts:
    """How many settlements were posted (of which corrections), taken back, and how many rounds voided unposted."""

    posted: int = 0
    corrected: int = 0
    reversed: int = 0
    voided: int = 0


@dataclass(frozen=True, slots=True)
class GameDay:
    """The rounds of a game at a table."""

    table: str
    game: str
    counts: RoundCounts


class Money(Figures):
    """Figures of a report in cents, US dollars; `count` is how often a wager type was in a round.

    Win is handle + vigorish + house in bank - payout, before what the house put on meters; meter awards are part of the
    payout. `win_percent` is win as a percentage of handle, null where nothing was wagered. The account columns are the
    electronic parts of what was wagered and paid. Vigorish comes from players and from players who banked.

    In rounds that a player banks, what was wagered against the bank and paid back by it is apart from handle and
    payout, for the house neither wins nor loses it; so is what was collected from the bank and paid to it. House in
    bank is what the house won there: by the dealer's wager, and as co-bank.
    """

    bank_vigorish_cents: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def win_cents(self) -> int:
        """The casino's win."""
        return super().win_cents

    @computed_field  # type: ignore[prop-decorator]
    @property
    def win_percent(self) -> Percent | None:
        """Win as a percentage of handle."""
        return percent_of(self.win_cents, self.handle_cents)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def player_vigorish_cents(self) -> int:
        """What of the vigorish came from players who did not bank."""
        return self.vigorish_cents - self.bank_vigorish_cents


class Row(Money):
    """One wager type of a game at a table; `count` rounds had it."""

    table: str
    game: str
    wager: str


class Rounds(BaseModel):
    """How many rounds there were.

    `counted` are in the figures: settlements `posted` less those `reversed`. A round is reversed when it is voided, and
    when it is posted again as `corrected` (which `posted` counts too). `voided` were voided before they were posted.
    """

    counted: int
    posted: int
    corrected: int
    reversed: int
    voided: int


class Total(Money):
    """All of the report."""

    rounds: Rounds


class TableTotal(Total):
    """All of a table."""

    table: str


class GameTotal(Total):
    """All of a game."""

    game: str


class WinReport(DayReportHeader):
    """What the reports on win say of themselves.

    `through` says up to which entries of the settlement journal it counts; `exceptions_open` how many gaps and
    refused records are not settled, of this property or of none that is known. `rows_sha256` is taken over the rows as
    JSON with sorted keys and without white space.
    """

    table: Name | None = Field(description="the table that was asked for; null: all")
    game: Name | None = Field(description="the game that was asked for; null: all")
    through: list[Reached]
    exceptions_open: int
    rows_sha256: str


class DailyWin(WinReport):
    """What was wagered, paid and won on a gaming day, by table, game and wager."""

    title: str = "Daily win by table, game and wager"
    rows: list[Row]
    tables: list[TableTotal]
    games: list[GameTotal]
    total: Total


def daily_win(wagers: Sequence[WagerDay], games: Sequence[GameDay], **header: Any) -> DailyWin:
    """Return the report of what was added up, with its totals; wagers and games in the order of table, game, wager."""
    rows = [Row(table=day.table, game=day.game, wager=day.totals.wager, **dict(money([day.totals]))) for day in wagers]
    return DailyWin(
        **header,
        rows=rows,
        tables=[TableTotal(table=name, **total) for name, total in _totals(wagers, games, lambda day: day.table)],
        games=[GameTotal(game=name, **total) for name, total in _totals(wagers, games, lambda day: day.game)],
        total=Total(**_total(wagers, games)),
        rows_sha256=rows_sha256(rows),
    )


def money(totals: Iterable[WagerTotals]) -> Money:
    """Return what wagers together did."""
    totals = list(totals)
    sums = {name: sum(getattr(one, name) for one in totals) for name in FIGURES}
    return Money(**sums, bank_vigorish_cents=sum(one.vigorish_cents for one in totals if one.wager == BANK))


def _totals(
    wagers: Sequence[WagerDay], games: Sequence[GameDay], name: Callable[[WagerDay | GameDay], str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the totals by a name that the days have, in its order."""
    for one in sorted({name(game) for game in games}):
        yield one, _total([day for day in wagers if name(day) == one], [day for day in games if name(day) == one])


def _total(wagers: Iterable[WagerDay], games: Sequence[GameDay]) -> dict[str, Any]:
    counts = {name: sum(getattr(one.counts, name) for one in games) for name in RoundCounts.__slots__}
    rounds = Rounds(counted=counts["posted"] - counts["reversed"], **counts)
    return {"rounds": rounds, **dict(money(day.totals for day in wagers))}


_COLUMNS = ("table", "game", "wager", *Money.model_fields, *Money.model_computed_fields)


def as_csv(report: DailyWin) -> str:
    """Return the rows as CSV: each amount in cents, and in dollars with two decimals."""
    head = ("property", "gaming_day", "status")
    lines = ([*cells(report, head), *cells(row, _COLUMNS)] for row in report.rows)
    return as_text([*head, *headers(_COLUMNS)], lines)
