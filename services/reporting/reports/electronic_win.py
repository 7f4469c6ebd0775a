"""Electronic win: the rounds of tables with account wagers, compared with the accounts' movements."""

from dataclasses import asdict
from datetime import date, timedelta
from typing import Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value
from services.reporting.read_model.accounts import AccountOfRound
from services.reporting.read_model.reading import Books
from services.reporting.reports.account_liability.report import rounds_and_accounts
from services.reporting.reports.common.cells import PITS_OF_TABLE, total_of
from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountBoughtIn,
    AccountCashedOut,
    PromotionGranted,
    PromotionMoved,
    PromotionWrittenOff,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.settlements import SettlementPosted, SettlementReversed

_ROUNDS: Final = ("account_staked_cents", "account_credited_cents")
_SESSIONS: Final = ("bought_in_cents", "cashed_out_cents", "account_adjusted_cents")
_PROMOTIONAL: Final = ("promotional_granted_cents", "promotional_moved_cents", "promotional_written_off_cents")

_PLACE: Final = (
    PITS_OF_TABLE,
    Column(name="table", title="Table"),
    Column(name="game", title="Game"),
)
METERS: Final = Section(
    name="meters",
    title="Meter comparison",
    key=("gaming_day", "table"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        *_PLACE,
        Column(
            name="staked_cents",
            title="Withdrawn by rounds",
            unit="cents",
            added=True,
            formula="from the settlements of rounds",
        ),
        Column(
            name="account_staked_cents",
            title="Withdrawn from accounts",
            unit="cents",
            added=True,
            formula="from the entries of accounts",
        ),
        Column(
            name="staked_variance_cents",
            title="Variance of withdrawals",
            unit="cents",
            added=True,
            formula="withdrawn from accounts - withdrawn by rounds",
        ),
        Column(
            name="credited_cents",
            title="Deposited by rounds",
            unit="cents",
            added=True,
            formula="from the settlements of rounds",
        ),
        Column(
            name="account_credited_cents",
            title="Deposited to accounts",
            unit="cents",
            added=True,
            formula="from the entries of accounts",
        ),
        Column(
            name="credited_variance_cents",
            title="Variance of deposits",
            unit="cents",
            added=True,
            formula="deposited to accounts - deposited by rounds",
        ),
        Column(
            name="win_cents",
            title="Win",
            unit="cents",
            added=True,
            formula=(
                "withdrawn by rounds - deposited by rounds; awards from meters are not included in deposits by rounds"
            ),
        ),
    ),
)
SESSIONS: Final = Section(
    name="sessions",
    title="Money on the tables' game accounts",
    key=("table",),
    columns=(
        *_PLACE,
        Column(name="opening_cents", title="Opening balances", unit="cents", added=True),
        Column(name="bought_in_cents", title="Bought in", unit="cents", added=True),
        Column(name="cashed_out_cents", title="Cashed out", unit="cents", added=True),
        Column(name="adjusted_cents", title="Adjusted", unit="cents", added=True),
        Column(
            name="promotional_cents",
            title="Promotional",
            unit="cents",
            added=True,
            formula="granted + moved from wallets - written off",
        ),
        Column(
            name="wagered_cents", title="Won or lost", unit="cents", added=True, formula="closing - all other columns"
        ),
        Column(name="closing_cents", title="Closing balances", unit="cents", added=True),
    ),
)

UNCOVERED: Final = Section(
    name="uncovered",
    title="Rounds that debited more than was on hold",
    key=("table", "round_id", "account"),
    columns=(
        *_PLACE,
        Column(name="round_id", title="Round"),
        Column(name="account", title="Account"),
        Column(
            name="uncovered_cents",
            title="Excess over holds",
            unit="cents",
            added=True,
            formula="staked - on hold: debited from the available balance, or recorded as a shortage",
        ),
    ),
)

_Row = dict[str, Value | Figure | Cell]


async def _fill(books: Books) -> Content:
    sessions = await _sessions(books)
    identities: tuple[Identity, ...] = ()
    if books.question.game is None:  # movements of accounts have a table, but no game
        identities = await rounds_and_accounts(books)
    if books.question.game is None and books.question.table is None:  # a session may wager at another table
        identities = (*identities, await _sessions_and_results(books, sessions))
    return Content((await _meters(books), sessions, await _uncovered(books)), identities)


async def _meters(books: Books) -> Filled:
    by = ("gaming_day", "table_name")
    rounds = {
        key: figures
        for key, figures in (await books.rounds(by)).items()
        if any(figures[name].value for name in _ROUNDS)
    }
    accounts = {key: figures for key, figures in (await books.amounts(_ROUNDS, by)).items() if _is_of(books, key[1])}
    rows: list[_Row] = []
    for key in sorted(rounds.keys() | accounts.keys()):
        day, table = date.fromisoformat(key[0]), key[1]
        row: _Row = {"gaming_day": day, **_place(books, table), "pit": books.pit_of(table, day)}
        for name in _ROUNDS:
            of_rounds, of_accounts = (found.get(key, {}).get(name, NOTHING) for found in (rounds, accounts))
            column = name.removeprefix("account_")
            row |= {column: of_rounds, name: of_accounts}
            row[f"{column.removesuffix('_cents')}_variance_cents"] = of_accounts - of_rounds
        staked, credited = (rounds.get(key, {}).get(name, NOTHING) for name in _ROUNDS)
        rows.append(row | {"win_cents": staked - credited})
    return fill(METERS, rows)


async def _sessions(books: Books) -> Filled:
    before = books.question.first - timedelta(days=1)
    opening = await books.amounts(("account_balance_cents",), ("table_name",), first=date.min, last=before)
    moved = await books.amounts(("account_balance_cents", *_SESSIONS, *_PROMOTIONAL), ("table_name",))
    rows: list[_Row] = []
    for (table,) in sorted(opening.keys() | moved.keys()):
        if not table or not _is_of(books, table):
            continue
        opened = opening.get((table,), {}).get("account_balance_cents", NOTHING)
        found = moved.get((table,), {})
        change, bought_in, cashed_out, adjusted = (
            found.get(name, NOTHING) for name in ("account_balance_cents", *_SESSIONS)
        )
        granted, brought, written_off = (found.get(name, NOTHING) for name in _PROMOTIONAL)
        promotional = granted + brought - written_off
        rows.append(
            _place(books, table)
            | {
                "opening_cents": opened,
                "bought_in_cents": bought_in,
                "cashed_out_cents": cashed_out,
                "adjusted_cents": adjusted,
                "promotional_cents": promotional,
                "wagered_cents": change - bought_in + cashed_out - adjusted - promotional,
                "closing_cents": opened + change,
            }
        )
    return fill(SESSIONS, rows)


async def _uncovered(books: Books) -> Filled:
    found = await books.amounts(("account_uncovered_cents",), ("table_name", "item"))
    rows: list[_Row] = []
    for (table, item), measures in sorted(found.items(), key=lambda one: one[0]):
        uncovered = measures["account_uncovered_cents"]
        if uncovered.value > 0 and _is_of(books, table):
            of_round = asdict(AccountOfRound.of_item(item))
            rows.append(_place(books, table) | of_round | {"uncovered_cents": uncovered})
    return fill(UNCOVERED, rows)


async def _sessions_and_results(books: Books, sessions: Filled) -> Identity:
    results = (await books.amounts((*_ROUNDS, "account_shortage_cents"))).get((), {})
    staked, credited, short = (results.get(name, NOTHING) for name in (*_ROUNDS, "account_shortage_cents"))
    says = "net credits of wagers to game accounts: closing - other movements, and credited - staked + shortages"
    return Identity("balances and results", total_of(sessions, "wagered_cents"), credited - staked + short, says)


def _place(books: Books, table: str) -> _Row:
    return {"pit": books.pits_of(table), "table": table, "game": books.game_of(table)}


def _is_of(books: Books, table: str) -> bool:
    question = books.question
    return question.table in (None, table) and question.game in (None, books.game_of(table))


ELECTRONIC_WIN: Final = Report(
    name="electronic-win",
    title="Electronic win and meter comparison",
    about=(
        "Wagers and wins of accounts at each table: as its rounds settled them, and as the accounts recorded "
        "them. Each variance must be investigated."
    ),
    sections=(METERS, SESSIONS, UNCOVERED),
    sources=(
        *(AccountBoughtIn, AccountCashedOut, AccountAdjustmentApproved),
        *(PromotionGranted, PromotionMoved, PromotionWrittenOff),
        *(WagersSettled, WagersReversed, WagersVoided, SettlementPosted, SettlementReversed),
    ),
    fill=_fill,
    signatures=("Table games accounting", "Revenue audit"),
)
