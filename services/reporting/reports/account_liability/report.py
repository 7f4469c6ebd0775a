"""Account liability: the amount owed to accounts at the beginning and the end, and its changes by day and cause."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final, get_args

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Section, fill
from services.reporting.framework.figures import NOTHING, Aggregate, Cell, Figure, Part, Value, total
from services.reporting.read_model.reading import Books
from services.reporting.reports.account_liability.promotional_money import PROMOTIONAL, promotional_money
from services.reporting.reports.common.account_balances import (
    DORMANT,
    GAME_ACCOUNT,
    VOUCHERS,
    WALLET,
    dormant,
    kind_of,
    marks_of_dormancy,
    vouchers,
)
from services.reporting.reports.common.cells import require_whole, sum_of, total_of
from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountBoughtIn,
    AccountCashedOut,
    Instrument,
    PromotionExpired,
    PromotionGranted,
    PromotionMoved,
    PromotionWrittenOff,
    WagerAuthorized,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.settlements import SettlementPosted, SettlementReversed

_BY_INSTRUMENT: Final = ("bought_in_cents", "cashed_out_cents")
_FLOWS: Final = (
    *("account_staked_cents", "account_credited_cents", "account_shortage_cents", "account_adjusted_cents"),
    *("promotional_granted_cents", "promotional_written_off_cents", "promotional_expired_cents"),
)
_TRANSFER: Final = "wallet"
"""The instrument of transfers between a wallet and a game account, which do not change the liability."""

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day",),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="opening_cents", title="Opening liability", unit="cents"),
        Column(
            name="deposits_cents",
            title="Deposits",
            unit="cents",
            added=True,
            formula="without transfers between accounts",
        ),
        Column(name="wagers_cents", title="Wagers", unit="cents", added=True, formula="staked in settled rounds"),
        Column(
            name="wins_cents",
            title="Wins",
            unit="cents",
            added=True,
            formula="credited by settled rounds, including returned stakes",
        ),
        Column(
            name="withdrawals_cents",
            title="Withdrawals",
            unit="cents",
            added=True,
            formula="without transfers between accounts",
        ),
        Column(name="adjustments_cents", title="Adjustments", unit="cents", added=True),
        Column(
            name="shortages_cents",
            title="Shortages",
            unit="cents",
            added=True,
            formula=(
                "amounts that a correction could not debit because the money was already paid out, less later "
                "recoveries"
            ),
        ),
        Column(name="granted_cents", title="Granted", unit="cents", added=True, formula="promotional money"),
        Column(name="written_off_cents", title="Written off", unit="cents", added=True, formula="promotional money"),
        Column(name="expired_cents", title="Expired", unit="cents", added=True, formula="promotional money"),
        Column(
            name="closing_cents",
            title="Closing liability",
            unit="cents",
            formula=(
                "opening + deposits - wagers + wins - withdrawals + adjustments + shortages + granted - written off "
                "- expired"
            ),
        ),
    ),
)
INSTRUMENTS: Final = Section(
    name="instruments",
    title="By instrument",
    key=("instrument",),
    columns=(
        Column(name="instrument", title="Instrument", formula="wallet: transfers to and from game accounts"),
        Column(name="deposits_cents", title="Into accounts", unit="cents"),
        Column(name="withdrawals_cents", title="Out of accounts", unit="cents"),
        Column(name="net_cents", title="Net", unit="cents", formula="in - out"),
    ),
)
BALANCES: Final = Section(
    name="balances",
    title="Balances at the end",
    key=("kind",),
    columns=(
        Column(name="kind", title="Kind"),
        Column(name="balance_cents", title="Balance", unit="cents", added=True),
        Column(
            name="promotional_cents",
            title="Promotional",
            unit="cents",
            added=True,
            formula="part of the balance that cannot be withdrawn",
        ),
        Column(
            name="held_cents",
            title="On hold",
            unit="cents",
            added=True,
            formula='part of the balance reserved for wagers before "no more bets"',
        ),
        Column(
            name="in_play_cents",
            title="In play",
            unit="cents",
            added=True,
            formula="part of the balance wagered in open rounds",
        ),
        Column(
            name="available_cents", title="Available", unit="cents", added=True, formula="balance - on hold - in play"
        ),
    ),
)


async def _fill(books: Books) -> Content:
    require_whole(books, "accounts are of a property")
    before = books.question.first - timedelta(days=1)
    opening = _change((await _flows(books, first=date.min, last=before)).get((), {}))
    days = _days(before, opening, await _flows(books, "gaming_day"))
    change = _change((await _flows(books)).get((), {}))
    balances = await _balances(books)
    promotional = await promotional_money(books)
    return Content(
        (days, promotional, await _instruments(books), balances, await dormant(books), await vouchers(books)),
        (
            Identity(
                "liability and balances",
                _owed(opening.value + change.value, books.question.last),
                total_of(balances, "balance_cents"),
                "the opening liability and its changes sum to the total of all balances",
            ),
            Identity(
                "promotional money and balances",
                total_of(promotional, "closing_cents"),
                total_of(balances, "promotional_cents"),
                "the opening promotional money and its changes sum to the promotional money on all accounts",
            ),
            *await rounds_and_accounts(books),
        ),
        marks_of_dormancy(books),
    )


async def _flows(
    books: Books, *by: str, first: date | None = None, last: date | None = None
) -> dict[tuple[str, ...], dict[str, Figure]]:
    """Return the liability's changes by cause, in cents, keyed by dimensions; without transfers between accounts."""
    found = await books.amounts(_FLOWS, by, first=first, last=last)
    money = await books.amounts(_BY_INSTRUMENT, (*by, "item"), first=first, last=last)
    for (*key, instrument), measures in money.items():
        if instrument != _TRANSFER:
            flows = found.setdefault(tuple(key), {})
            for name, figure in measures.items():
                flows[name] = flows.get(name, NOTHING) + figure
    return dict(sorted(found.items()))


def _change(flows: Mapping[str, Figure]) -> Figure:
    """Return the net change of the liability, in cents, given its changes by cause."""
    return total(flows[name] * sign for name, sign in _SIGNS.items() if name in flows)


_SIGNS: Final = {
    **dict.fromkeys(("bought_in_cents", "account_credited_cents", "account_adjusted_cents"), 1),
    **dict.fromkeys(("account_shortage_cents", "promotional_granted_cents"), 1),
    **dict.fromkeys(("cashed_out_cents", "account_staked_cents", "promotional_written_off_cents"), -1),
    "promotional_expired_cents": -1,
}
"""The sign with which each measure changes the liability."""


_COLUMNS: Final[Mapping[str, str]] = {
    "deposits_cents": "bought_in_cents",
    "wagers_cents": "account_staked_cents",
    "wins_cents": "account_credited_cents",
    "withdrawals_cents": "cashed_out_cents",
    "adjustments_cents": "account_adjusted_cents",
    "shortages_cents": "account_shortage_cents",
    "granted_cents": "promotional_granted_cents",
    "written_off_cents": "promotional_written_off_cents",
    "expired_cents": "promotional_expired_cents",
}


def _days(before: date, opening: Figure, flows: Mapping[tuple[str, ...], Mapping[str, Figure]]) -> Filled:
    rows: list[dict[str, Value | Figure | Cell]] = []
    first = at = _owed(opening.value, before)
    for (name,), found in flows.items():
        day = date.fromisoformat(name)
        closing = _owed(at.value + _change(found).value, day)
        figures = {column: found.get(measure, NOTHING) for column, measure in _COLUMNS.items()}
        rows.append({"gaming_day": day, "opening_cents": at, **figures, "closing_cents": closing})
        at = closing
    return fill(DAYS, rows, opening_cents=first, closing_cents=at)


def _owed(cents: int, day: date) -> Figure:
    """Return the liability at the end of a gaming day; its provenance is all changes since the first day."""
    flows = [Part(Aggregate("amounts", (measure,), date.min, day), _SIGNS[measure]) for measure in _FLOWS]
    money = [
        Part(Aggregate("amounts", (measure,), date.min, day, (("item", instrument),)), _SIGNS[measure])
        for measure in _BY_INSTRUMENT
        for instrument in get_args(Instrument)
        if instrument != _TRANSFER
    ]
    return Figure(cents, (*flows, *money))


async def _instruments(books: Books) -> Filled:
    rows: list[dict[str, Value | Figure | Cell]] = []
    for (instrument,), measures in (await books.amounts(_BY_INSTRUMENT, ("item",))).items():
        deposits, withdrawals = (measures.get(name, NOTHING) for name in _BY_INSTRUMENT)
        figures = {"deposits_cents": deposits, "withdrawals_cents": withdrawals, "net_cents": deposits - withdrawals}
        rows.append({"instrument": instrument, **figures})
    return fill(INSTRUMENTS, sorted(rows, key=lambda row: str(row["instrument"])))


async def _balances(books: Books) -> Filled:
    measures_of_balances = ("account_balance_cents", "promotional_balance_cents")
    at_tables = await books.amounts(measures_of_balances, ("table_name",), first=date.min)
    reserved = (await books.amounts(("held_cents", "in_play_cents"), first=date.min)).get((), {})
    rows: list[dict[str, Value | Figure | Cell]] = []
    for kind in (WALLET, GAME_ACCOUNT):
        of_kind = [measures for (table,), measures in at_tables.items() if kind_of(table) == kind]
        balance = sum_of(of_kind, "account_balance_cents")
        wagered = reserved if kind == GAME_ACCOUNT else {}  # only game accounts have wagers on hold
        held, in_play = (wagered.get(name, NOTHING) for name in ("held_cents", "in_play_cents"))
        figures = {"held_cents": held, "in_play_cents": in_play, "available_cents": balance - held - in_play}
        promotional = sum_of(of_kind, "promotional_balance_cents")
        rows.append({"kind": kind, "balance_cents": balance, "promotional_cents": promotional, **figures})
    return fill(BALANCES, rows)


async def rounds_and_accounts(books: Books) -> tuple[Identity, Identity]:
    """Return the identities that stakes and credits of rounds equal the movements in the accounts' journal."""
    rounds = (await books.rounds()).get((), {})
    moved = (await books.amounts(_FLOWS)).get((), {})
    return (
        Identity(
            "staked",
            rounds.get("account_staked_cents", NOTHING),
            moved.get("account_staked_cents", NOTHING),
            "amounts staked from accounts: by the settled rounds, and by the accounts' debits",
        ),
        Identity(
            "credited",
            rounds.get("account_credited_cents", NOTHING),
            moved.get("account_credited_cents", NOTHING),
            "amounts credited to accounts: by the settled rounds, and by the accounts' credits",
        ),
    )


ACCOUNT_LIABILITY: Final = Report(
    name="account-liability",
    title="Account liability",
    about=(
        "The liability of the house to wallets and game accounts, its changes by gaming day and instrument, "
        "and the accounts and vouchers that make it up. Accounts are listed by name; only the accounts "
        "service knows which patron owns them. Promotional money is included, and also shown separately: it "
        "may be wagered, but not withdrawn."
    ),
    sections=(DAYS, PROMOTIONAL, INSTRUMENTS, BALANCES, DORMANT, VOUCHERS),
    sources=(
        *(AccountBoughtIn, AccountCashedOut, AccountAdjustmentApproved, WagerAuthorized),
        *(PromotionGranted, PromotionMoved, PromotionWrittenOff, PromotionExpired),
        *(WagersSettled, WagersReversed, WagersVoided, SettlementPosted, SettlementReversed),
    ),
    fill=_fill,
    signatures=("Cage supervisor", "Revenue audit", "Controller"),
)
