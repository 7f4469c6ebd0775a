"""The general ledger of gaming days: journals of sealed days, trial balance, and the postings behind each line."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from services.reporting.domain.ledger_journals import LedgerJournal
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, Figure, total
from services.reporting.read_model.general_ledger import Placed, unposted
from services.reporting.read_model.reading import Books
from services.reporting.reports.general_ledger.books import LedgerPeriod, ledger_of
from shared.contracts.accounts import WagersSettled
from shared.contracts.general_ledger import LedgerAccount, LedgerMappingApproved
from shared.contracts.inventory import PitRecorded
from shared.contracts.legs import LEGS
from shared.contracts.meters import MeterRoundCounted
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.vigorish import VigorishAssessed

_DAY: Final = Column(name="gaming_day", title="Gaming day", unit="day")
_DESTINATION: Final = (
    Column(name="account", title="Account"),
    Column(name="account_title", title="Account title"),
    Column(name="department", title="Department"),
    Column(name="cost_center", title="Cost center"),
)
_SIDES: Final = (
    Column(name="debit_cents", title="Debit", unit="cents", added=True),
    Column(name="credit_cents", title="Credit", unit="cents", added=True),
)

JOURNALS: Final = Section(
    name="journals",
    title="Journals of sealed days",
    key=("journal", "account", "department", "cost_center"),
    columns=(
        Column(name="journal", title="Journal"),
        Column(
            name="kind",
            title="Kind",
            formula="posting; or reversal: reverses the previous posting line by line",
        ),
        _DAY,
        Column(name="version", title="Version", unit="count", formula="1: as sealed; higher: a restatement"),
        Column(name="journal_known_at", title="Known at", unit="moment"),
        *_DESTINATION,
        *_SIDES,
    ),
)
BALANCES: Final = Section(
    name="balances",
    title="Balances of sealed days",
    key=("account", "department", "cost_center"),
    columns=(*_DESTINATION[:2], Column(name="kind", title="Kind"), *_DESTINATION[2:], *_SIDES),
)
TRIAL_BALANCE: Final = Section(
    name="trial_balance",
    title="Trial balance of the services",
    key=("service", "leg"),
    columns=(
        Column(name="service", title="Service"),
        Column(name="leg", title="Leg"),
        Column(name="about", title="Description"),
        *_SIDES,
    ),
)
TRANSFERS: Final = Section(
    name="transfers",
    title="Transfers between services",
    key=("transfer",),
    columns=(
        Column(name="transfer", title="Transfer"),
        Column(
            name="cents",
            title="Unmatched amount",
            unit="cents",
            formula="sum of the transfer's legs in both services; zero when the transfer is complete",
        ),
    ),
)
POSTINGS: Final = Section(
    name="postings",
    title="Postings by leg",
    key=("gaming_day", "service", "leg", "item", "table", "game"),
    columns=(
        _DAY,
        Column(name="service", title="Service"),
        Column(name="leg", title="Leg"),
        Column(name="item", title="Wager, instrument, slip or pool"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="pit", title="Pit"),
        Column(name="table_class", title="Table class"),
        Column(
            name="account", title="Account", formula="account given by the most specific applicable rule of the mapping"
        ),
        *_DESTINATION[2:],
        Column(name="cents", title="Posted", unit="cents", formula="debits positive, credits negative", added=True),
    ),
)


async def _fill(books: Books) -> Content:
    ledger = await ledger_of(books)
    every = [one for placed in ledger.placed.values() for one in placed]
    journals = fill(JOURNALS, (row for journal in ledger.journals for row in _lines(ledger, journal)))
    balances = fill(BALANCES, _balances(ledger))
    transfers = fill(TRANSFERS, _transfers(every))
    return Content(
        (journals, balances, fill(TRIAL_BALANCE, _trial_balance(every)), transfers, fill(POSTINGS, _postings(ledger))),
        (
            _balanced("debits and credits of the journals", journals),
            _balanced("debits and credits of the balances", balances),
            *_of_services(every),
            Identity(
                "postings without a rule",
                Figure(len(ledger.unmapped)) if any(ledger.mappings.values()) else NOTHING,
                NOTHING,
                "the mapping has a rule for every leg with postings",
                "count",
            ),
            Identity(
                "entries that state no postings",
                await unposted(books),
                NOTHING,
                "every entry that moves money states its postings",
                "count",
            ),
        ),
        _marks(ledger),
    )


def _marks(ledger: LedgerPeriod) -> tuple[Mark, ...]:
    without = [day.isoformat() for day, mapping in ledger.mappings.items() if mapping is None]
    if not without:
        return ()
    note = f"no general-ledger mapping is in effect on {', '.join(without)}: these days have no journals"
    return (Mark("mapping", "docs/general-ledger.md", note, ("journals/account",)),)


def _account(mapping: LedgerMappingApproved | None, number: str) -> LedgerAccount:
    assert mapping is not None, f"account {number} is of a mapping"
    return mapping.chart[number]


def _sides(cents: Figure) -> dict[str, Figure]:
    """Return an amount as a cell of the debit column if it is positive; else, negated, of the credit column."""
    return {"debit_cents": cents} if cents.value > 0 else {"credit_cents": -cents}


def _lines(ledger: LedgerPeriod, journal: LedgerJournal) -> Iterator[dict[str, Any]]:
    for line in journal.lines:
        account = _account(ledger.mappings[journal.gaming_day], line.destination.account)
        yield {
            "journal": journal.number,
            "kind": journal.kind,
            "gaming_day": journal.gaming_day,
            "version": journal.version,
            "journal_known_at": journal.known_at,
            **line.destination._asdict(),
            "account_title": account.title,
            **_sides(line.cents),
        }


def _balances(ledger: LedgerPeriod) -> Iterator[dict[str, Any]]:
    charts = {number: one for mapping in ledger.mappings.values() if mapping for number, one in mapping.chart.items()}
    for line in ledger.balances:
        account = charts[line.destination.account]
        named = {"account_title": account.title, "kind": account.kind}
        yield {**line.destination._asdict(), **named, **_sides(line.cents)}


def _trial_balance(every: Iterable[Placed]) -> Iterator[dict[str, Any]]:
    parts: dict[tuple[str, str], list[Figure]] = {}
    for one in every:
        parts.setdefault((one.posted.service, one.posted.leg), []).append(one.cents)
    for (service, leg), figures in sorted(parts.items()):
        declared = LEGS[service].get(leg)
        about = None if declared is None else declared.about
        yield {"service": service, "leg": leg, "about": about, **_sides(total(figures))}


def _transfers(every: Iterable[Placed]) -> Iterator[dict[str, Any]]:
    parts: dict[str, list[Figure]] = {}
    for one in every:
        leg = LEGS[one.posted.service].get(one.posted.leg)
        if leg is not None and leg.transfer is not None:
            parts.setdefault(leg.transfer, []).append(one.cents)
    for transfer, figures in sorted(parts.items()):
        yield {"transfer": transfer, "cents": total(figures)}


def _postings(ledger: LedgerPeriod) -> Iterator[dict[str, Any]]:
    for day, placed in ledger.placed.items():
        for one in placed:
            rule = one.rule
            yield {
                "gaming_day": day,
                **one.posted._asdict(),
                "pit": one.pit,
                "table_class": one.table_class,
                "account": None if rule is None else rule.account,
                "department": None if rule is None else rule.department,
                "cost_center": None if rule is None else rule.cost_center,
                "cents": one.cents,
            }


def _balanced(name: str, filled: Filled) -> Identity:
    assert filled.total is not None, "both sides are added up"
    debit, credit = (filled.total.cells[column.name] for column in _SIDES)
    assert isinstance(debit, int), "cents are whole"
    assert isinstance(credit, int), "cents are whole"
    return Identity(name, Figure(debit), Figure(credit), "total debits equal total credits")


def _of_services(every: Iterable[Placed]) -> Iterator[Identity]:
    parts: dict[str, list[Figure]] = {}
    for one in every:
        parts.setdefault(one.posted.service, []).append(one.cents)
    for service, figures in sorted(parts.items()):
        yield Identity(f"postings of {service}", total(figures), NOTHING, "the postings of each service sum to zero")


GENERAL_LEDGER: Final = Report(
    name="general-ledger",
    title="General ledger: journals and trial balance",
    about=(
        "Postings of the services by gaming day, mapped to the property's general-ledger accounts: a balanced "
        "journal of each sealed day, a reversal and a new journal for each later change, and the trial "
        "balance behind them."
    ),
    sections=(JOURNALS, BALANCES, TRIAL_BALANCE, TRANSFERS, POSTINGS),
    sources=(
        *(LedgerMappingApproved, SettlementPosted, SettlementReversed, PitRecorded, VigorishAssessed),
        *(MeterRoundCounted, WagersSettled),
    ),
    fill=_fill,
    periods=("day", "week", "month", "quarter", "year"),
    signatures=("Accounting",),
)
