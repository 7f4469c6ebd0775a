"""Invoices from payees of taxes, compared with accruals: the accrued and the invoiced amount of each return."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import Cell, Figure, total
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import require_whole
from services.reporting.reports.tax.revenue import CountedRevenue, counted_periods
from shared.contracts.contests import ContestApproved
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.tax_invoices import TaxInvoiceApproved, TaxInvoiceEntered, TaxInvoiceRejected
from shared.contracts.win import WinStated
from shared.jurisdictions import PeriodKind, period_of

_PAYEE: Final = Column(name="payee", title="Payee")
_AMOUNTS: Final = (
    Column(
        name="accrued_cents",
        title="Accrued",
        unit="cents",
        added=True,
        formula=(
            "amount due with the return, as known now; empty while a table is uncounted or the period has not ended"
        ),
    ),
    Column(name="invoiced_cents", title="Invoiced", unit="cents", added=True, formula="approved invoices - credits"),
    Column(name="difference_cents", title="Difference", unit="cents", added=True, formula="invoiced - accrued"),
)

RETURNS: Final = Section(
    name="returns",
    title="Returns for periods ending in the period",
    key=("payee", "last_day"),
    columns=(
        _PAYEE,
        Column(name="filed", title="Return period"),
        Column(name="first_day", title="From", unit="day"),
        Column(name="last_day", title="To", unit="day"),
        *_AMOUNTS,
        Column(
            name="status",
            title="Status",
            formula=(
                "agrees; differs; not invoiced; not accrued: an invoice without an amount due; not counted yet; not "
                "due yet: the last gaming day of the return has not ended"
            ),
        ),
        Column(name="invoices", title="Invoices"),
    ),
)
PAYEES: Final = Section(
    name="payees",
    title="By payee",
    key=("payee",),
    columns=(_PAYEE, Column(name="returns", title="Returns", unit="count", formula="returns that are due"), *_AMOUNTS),
)
INVOICES: Final = Section(
    name="invoices",
    title="Invoices",
    key=("invoice", "revision"),
    columns=(
        Column(name="invoice", title="Invoice"),
        Column(name="revision", title="Revision"),
        _PAYEE,
        Column(name="last_day", title="Return period to", unit="day"),
        Column(name="received_on", title="Received", unit="day"),
        Column(name="cents", title="Amount", unit="cents"),
        Column(name="status", title="Status", formula="entered, approved, replaced by a later revision, or rejected"),
        Column(name="reason", title="Reason"),
        Column(name="entered_by", title="Entered by"),
        Column(name="decided_by", title="Decided by"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Invoice:
    """A revision of an invoice: the last fact about the revision, and its status."""

    listed: Listed
    status: str

    @property
    def figure(self) -> Figure:
        return Figure(self.listed.fact.cents, (self.listed.entry,))


@dataclass(frozen=True, slots=True)
class _Return:
    """A payee's return: the accrued amount (None while a table is not counted), and the approved invoices.

    The amounts are compared only once the last gaming day of the return has ended.
    """

    payee: str
    filed: PeriodKind
    first: date
    last: date
    accrued: Figure | None
    invoices: Sequence[_Invoice]
    is_due: bool

    @property
    def invoiced(self) -> Figure:
        return total(one.figure for one in self.invoices)

    def row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "payee": self.payee,
            "filed": self.filed,
            "first_day": self.first,
            "last_day": self.last,
            "invoiced_cents": self.invoiced,
            "invoices": Cell(
                ", ".join(one.listed.fact.invoice for one in self.invoices) or None,
                tuple(one.listed.entry for one in self.invoices),
            ),
        }
        if not self.is_due:
            return row | {"status": "not due yet"}
        if self.accrued is None:
            return row | {"status": "not counted yet"}
        return row | {
            "accrued_cents": self.accrued,
            "difference_cents": self.invoiced - self.accrued,
            "status": self._status(),
        }

    def _status(self) -> str:
        assert self.accrued is not None, "what is not counted has no difference"
        if self.invoices:
            if self.invoiced.value == self.accrued.value:
                return "agrees"
            return "differs" if self.accrued.value else "not accrued"
        return "not invoiced" if self.accrued.value else "agrees"


async def _fill(books: Books) -> Content:
    require_whole(books, "tax is due on the revenue of a whole property")
    invoices = await _invoices(books)
    ends = list(_ends(books))
    found = await counted_periods(books, ends) if ends else []
    today = books.place.gaming_day(books.question.known_at)
    place = books.place_on(books.question.first)
    began = place.gaming_day(place.document.effective_from)
    returns = [
        one
        for (kind, _), revenue in zip(ends, found, strict=True)
        for one in _returns(kind, revenue, invoices, today)
        if one.invoices or (one.first <= today and began <= one.last)
    ]
    mine = [one for one in invoices if books.question.first <= one.listed.fact.last_day <= books.question.last]
    approved = [one for one in mine if one.status == "approved"]
    identity = Identity(
        "invoices and returns",
        total(one.invoiced for one in returns),
        total(one.figure for one in approved),
        "every approved invoice belongs to exactly one return",
    )
    sections = (
        fill(RETURNS, (one.row() for one in returns)),
        fill(PAYEES, _payees(returns)),
        fill(INVOICES, map(_invoice, mine)),
    )
    return Content(sections, (identity,))


def _ends(books: Books) -> Iterator[tuple[PeriodKind, date]]:
    """Yield (kind of period, last gaming day) for each return that ends in the queried period."""
    law, question = books.place.law, books.question
    day = question.first
    while day <= question.last:
        begun = [one for one in law.taxes.values() if one.rate.root[0].effective_from <= day]
        for kind in sorted({one.period.on(day).value for one in begun}):
            if period_of(law, kind, day)[1] == day:
                yield kind, day
        day += timedelta(days=1)


async def _invoices(books: Books) -> list[_Invoice]:
    """Return the revisions of all invoices with the status of each revision, ordered by number."""
    last: dict[tuple[str, int], Listed] = {}
    for listed in await books.all_facts(TaxInvoiceEntered, TaxInvoiceApproved, TaxInvoiceRejected):
        last[listed.fact.invoice, listed.fact.revision] = listed
    stands = {
        invoice: revision
        for (invoice, revision), listed in sorted(last.items())
        if isinstance(listed.fact, TaxInvoiceApproved)
    }
    return [_Invoice(last[key], _status(last[key], stands.get(key[0]))) for key in sorted(last)]


def _status(listed: Listed, stands: int | None) -> str:
    match listed.fact:
        case TaxInvoiceApproved():
            return "approved" if listed.fact.revision == stands else "replaced"
        case TaxInvoiceRejected():
            return "rejected"
        case _:
            return "entered"


def _returns(kind: PeriodKind, revenue: CountedRevenue, invoices: Sequence[_Invoice], today: date) -> Iterator[_Return]:
    """Yield the returns of a period: one for each payee of a tax or of an approved invoice for the period."""
    sheet = revenue.sheet
    asked: dict[str, list[_Invoice]] = {}
    for one in invoices:
        fact = one.listed.fact
        if one.status == "approved" and (fact.first_day, fact.last_day) == (sheet.first, sheet.last):
            asked.setdefault(fact.payee, []).append(one)
    accrued = _accrued(kind, revenue)
    for payee in sorted({*accrued, *asked}):
        due, found = accrued.get(payee, Figure(0)), asked.get(payee, ())
        yield _Return(payee, kind, sheet.first, sheet.last, due, found, is_due=sheet.last < today)


def _accrued(kind: PeriodKind, revenue: CountedRevenue) -> Mapping[str, Figure | None]:
    """Return the amount due with the return of a period, keyed by payee; None while a table is not counted."""
    sheet = revenue.sheet
    filed = {line.layer: line.payee for day in sheet.sheets for line in day.layers if line.period == kind}
    lacking = {name for day, name in revenue.missing if sheet.first <= day <= sheet.last}
    found: dict[str, Figure | None] = {}
    for payee in filed.values():
        layers = {layer for layer, of in filed.items() if of == payee}
        if any(revenue.taxed(layer) & lacking for layer in layers):
            found[payee] = None
            continue
        lines = [line for line in sheet.layers if line.layer in layers]
        ahead = sum(one.change_cents for one in sheet.estimates if one.layer in layers)
        amounts = (
            revenue.figure(line.amount_cents, revenue.taxed(line.layer), line.first, line.last) for line in lines
        )
        found[payee] = total((*amounts, Figure(ahead)))
    return found


def _payees(returns: Sequence[_Return]) -> Iterator[dict[str, Any]]:
    for payee in sorted({one.payee for one in returns}):
        mine = [one for one in returns if one.payee == payee and one.is_due]
        accrued = total(one.accrued for one in mine if one.accrued is not None)
        invoiced = total(one.invoiced for one in mine if one.accrued is not None)
        yield {
            "payee": payee,
            "returns": len(mine),
            "accrued_cents": accrued,
            "invoiced_cents": invoiced,
            "difference_cents": invoiced - accrued,
        }


def _invoice(one: _Invoice) -> dict[str, Any]:
    fact = one.listed.fact
    decided_by = getattr(fact, "approved_by", None) or getattr(fact, "rejected_by", None)
    return {
        "invoice": Cell(fact.invoice, (one.listed.entry,)),
        "revision": str(fact.revision),
        "payee": fact.payee,
        "last_day": fact.last_day,
        "received_on": fact.received_on,
        "cents": one.figure,
        "status": one.status,
        "reason": fact.reason,
        "entered_by": fact.entered_by,
        "decided_by": decided_by,
    }


TAX_INVOICES: Final = Report(
    name="tax-invoices",
    title="Tax invoices and accrual",
    about=(
        "For each return whose period ends in the period of the report: the amount due to each payee as the "
        "books now show it, the amount invoiced by the payee and approved by a second person, and the "
        "difference. Returns without an invoice, invoices without an amount due, returns with uncounted "
        "tables and returns whose period has not ended are marked. Returns whose period has not begun, or "
        "precedes the property, are listed only if there is an invoice. The totals by payee contain the "
        "returns that are due and counted."
    ),
    sections=(RETURNS, PAYEES, INVOICES),
    sources=(
        *(WinStated, ContestApproved, SettlementPosted, SettlementReversed),
        *(TaxInvoiceEntered, TaxInvoiceApproved, TaxInvoiceRejected),
    ),
    fill=_fill,
    periods=("month", "quarter", "year"),
    signatures=("Revenue audit", "Controller"),
)
