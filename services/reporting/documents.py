"""The daily win as a document: its form, its totals, its hash, and its CSV. Pure; amounts are cents."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from services.reporting.domain import RoundCounts
from services.reporting.figures import hold_percent, win_cents
from shared.contracts.envelope import canonical

TITLE = "Daily win by table, game and wager"

Status = Literal["preliminary"]
"""How far a report has come. Nothing closes a gaming day yet, so every report is preliminary."""


class Sums(NamedTuple):
    """What was added up, cents; `rounds` counts rounds with the wager, `bank_vigorish` is the part that banks gave."""

    rounds: int = 0
    handle: int = 0
    payout: int = 0
    vigorish: int = 0
    meter_contribution: int = 0
    meter_payout: int = 0
    meter_reset: int = 0
    account_staked: int = 0
    account_credited: int = 0
    banked_handle: int = 0
    banked_payout: int = 0
    bank_collected: int = 0
    bank_paid: int = 0
    house_in_bank: int = 0
    bank_vigorish: int = 0

    @property
    def win(self) -> int:
        """The casino's win, cents."""
        return win_cents(
            handle=self.handle, payout=self.payout, vigorish=self.vigorish, house_in_bank=self.house_in_bank
        )


def add_up(sums: Iterable[Sums]) -> Sums:
    """The sums of sums."""
    return Sums(*map(sum, zip(Sums(), *sums, strict=True)))


@dataclass(frozen=True, slots=True)
class WagerDay:
    """The sums of one wager type of a game at a table."""

    table: str
    game: str
    wager: str
    sums: Sums


@dataclass(frozen=True, slots=True)
class GameDay:
    """The rounds of a game at a table."""

    table: str
    game: str
    counts: RoundCounts


class Money(BaseModel):
    """Figures of a report in cents, US dollars.

    Win is handle + vigorish + house in bank - payout, before what the house put on meters; meter awards are part of the
    payout. Hold is win as a percentage of handle, to four decimals, null where nothing was wagered. The account columns
    are the electronic parts of what was wagered and paid. Vigorish comes from players and from players who banked.

    In rounds that a player banks, what was wagered against the bank and paid back by it is apart from handle and
    payout, for the house neither wins nor loses it; what was collected from the bank and paid to it is beside it. House
    in bank is what the house won there: by the dealer's wager, and as co-bank.
    """

    handle_cents: int
    payout_cents: int
    vigorish_cents: int
    win_cents: int
    hold_percent: str | None
    meter_contribution_cents: int
    meter_payout_cents: int
    meter_reset_cents: int
    account_staked_cents: int
    account_credited_cents: int
    player_vigorish_cents: int
    bank_vigorish_cents: int
    banked_handle_cents: int
    banked_payout_cents: int
    bank_collected_cents: int
    bank_paid_cents: int
    house_in_bank_cents: int


class Row(Money):
    """One wager type of a game at a table; `rounds` had it."""

    table: str
    game: str
    wager: str
    rounds: int


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


class TableTotal(Money):
    """All of a table."""

    table: str
    rounds: Rounds


class GameTotal(Money):
    """All of a game."""

    game: str
    rounds: Rounds


class Total(Money):
    """All of the report."""

    rounds: Rounds


class Reached(BaseModel):
    """How far a shard of the settlement journal has been read: up to entry `seq`, of which `missing` have not come."""

    service: str
    shard: int
    seq: int
    missing: int


class DailyWin(BaseModel):
    """What was wagered, paid and won on a gaming day, by table, game and wager.

    `through` says up to which entries of the settlement journal it counts; `exceptions_open` how many gaps and
    refused records are not settled, of this property or of none that is known. `rows_sha256` is taken over the rows as
    JSON with sorted keys and without white space.
    """

    title: str = TITLE
    property: str
    system_version: str
    gaming_day: date
    table: str | None = Field(description="the table that was asked for; null: all")
    game: str | None = Field(description="the game that was asked for; null: all")
    status: Status = "preliminary"
    generated_at: datetime
    generated_by: str
    through: list[Reached]
    exceptions_open: int
    rows: list[Row]
    tables: list[TableTotal]
    games: list[GameTotal]
    total: Total
    rows_sha256: str


def daily_win(
    *,
    property_name: str,
    gaming_day: date,
    table: str | None,
    game: str | None,
    wagers: Sequence[WagerDay],
    games: Sequence[GameDay],
    through: Sequence[Reached],
    exceptions_open: int,
    system_version: str,
    generated_at: datetime,
    generated_by: str,
) -> DailyWin:
    """The report of what was added up, with its totals; wagers and games in the order of table, game and wager."""
    rows = [
        Row(table=day.table, game=day.game, wager=day.wager, rounds=day.sums.rounds, **dict(_money(day.sums)))
        for day in wagers
    ]
    tables = _totals(wagers, games, lambda day: day.table)
    by_game = _totals(wagers, games, lambda day: day.game)
    whole = _totals(wagers, games, lambda _: "")
    return DailyWin(
        property=property_name,
        system_version=system_version,
        gaming_day=gaming_day,
        table=table,
        game=game,
        generated_at=generated_at,
        generated_by=generated_by,
        through=list(through),
        exceptions_open=exceptions_open,
        rows=rows,
        tables=[TableTotal(table=name, **dict(total)) for name, total in tables.items()],
        games=[GameTotal(game=name, **dict(total)) for name, total in by_game.items()],
        total=whole.get("") or _total([], []),
        rows_sha256=rows_sha256(rows),
    )


def rows_sha256(rows: Sequence[BaseModel]) -> str:
    """The SHA-256 of rows as JSON with sorted keys and without white space, in hexadecimal."""
    return _sha256([row.model_dump(mode="json") for row in rows])


def etag(report: BaseModel, representation: str) -> str:
    """A weak entity tag: equal while the figures and exceptions are, whoever asks and when."""
    content = report.model_dump(mode="json", exclude={"generated_at", "generated_by", "through"})
    return f'W/"{_sha256([representation, content])[:32]}"'


def _sha256(content: object) -> str:
    return sha256(canonical(content)).hexdigest()


def _money(sums: Sums) -> Money:
    return Money(
        handle_cents=sums.handle,
        payout_cents=sums.payout,
        vigorish_cents=sums.vigorish,
        win_cents=sums.win,
        hold_percent=hold_percent(sums.win, sums.handle),
        meter_contribution_cents=sums.meter_contribution,
        meter_payout_cents=sums.meter_payout,
        meter_reset_cents=sums.meter_reset,
        account_staked_cents=sums.account_staked,
        account_credited_cents=sums.account_credited,
        player_vigorish_cents=sums.vigorish - sums.bank_vigorish,
        bank_vigorish_cents=sums.bank_vigorish,
        banked_handle_cents=sums.banked_handle,
        banked_payout_cents=sums.banked_payout,
        bank_collected_cents=sums.bank_collected,
        bank_paid_cents=sums.bank_paid,
        house_in_bank_cents=sums.house_in_bank,
    )


def _totals(
    wagers: Iterable[WagerDay], games: Iterable[GameDay], name: Callable[[WagerDay | GameDay], str]
) -> dict[str, Total]:
    """The totals by a name that the days have, in its order."""
    sums: dict[str, list[Sums]] = {}
    counts: dict[str, list[RoundCounts]] = {}
    for wager in wagers:
        sums.setdefault(name(wager), []).append(wager.sums)
    for game in games:
        counts.setdefault(name(game), []).append(game.counts)
    return {one: _total(sums.get(one, []), counts[one]) for one in sorted(counts)}


def _total(sums: Sequence[Sums], counts: Sequence[RoundCounts]) -> Total:
    posted, taken_back = sum(one.posted for one in counts), sum(one.reversed for one in counts)
    rounds = Rounds(
        counted=posted - taken_back,
        posted=posted,
        corrected=sum(one.corrected for one in counts),
        reversed=taken_back,
        voided=sum(one.voided for one in counts),
    )
    return Total(rounds=rounds, **dict(_money(add_up(sums))))


# --- CSV ---

_CENTS = tuple(name for name in Money.model_fields if name.endswith("_cents"))


def as_csv(report: DailyWin) -> str:
    """The rows as CSV (RFC 4180) with a header line: each amount in cents, and in dollars with two decimals."""
    text = io.StringIO()
    csv.writer(text).writerows(_lines(report))
    return text.getvalue()


def _lines(report: DailyWin) -> Iterator[list[str | int]]:
    amounts = [header for name in _CENTS for header in (name, f"{name.removesuffix('_cents')}_dollars")]
    yield ["property", "gaming_day", "status", "table", "game", "wager", "rounds", *amounts, "hold_percent"]
    for row in report.rows:
        cents: list[int] = [getattr(row, name) for name in _CENTS]
        money = [cell for amount in cents for cell in (amount, dollars(amount))]
        where = [report.property, report.gaming_day.isoformat(), report.status, row.table, row.game, row.wager]
        yield [*where, row.rounds, *money, row.hold_percent or ""]


def dollars(cents: int) -> str:
    """An amount in dollars, with two decimals."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02}"
