"""Tax invoices: entered by one person, approved by another. Pure; cents."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from services.table_inventory.domain.entered import Revision
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.tax_invoices import TaxInvoice
from shared.jurisdictions import period_of


class TaxInvoiceDocument(TaxInvoice, Revision):
    """An invoice of a tax payee, with its status."""

    @property
    def label(self) -> str:
        """Return the invoice's name for messages."""
        return f"revision {self.revision} of invoice {self.invoice}"


def require_change(invoice: TaxInvoice, revisions: Iterable[TaxInvoiceDocument]) -> None:
    """Check that an invoice differs from its latest approved revision; `revisions` must be latest first.

    A different `reason` alone does not count. Raises: Rejected; the error states the approved values.
    """
    approved = next((one for one in revisions if one.status == "approved"), None)
    if approved is None or any(getattr(invoice, name) != getattr(approved, name) for name in _FIGURES):
        return
    detail = (
        f"{approved.label}, approved by {approved.approved_by}, says the same: {amount(approved.cents)} for "
        f"{approved.payee}, of the return that ends on {approved.last_day}, received on {approved.received_on}"
    )
    raise Rejected(Reason.CONTRADICTS, detail)


_FIGURES: Final = ("payee", "last_day", "cents", "received_on")


def return_of(place: PropertySnapshot, payee: str, last_day: date) -> tuple[date, date]:
    """Return the first and last gaming day of the payee's tax return that ends on `last_day`.

    Raises: Rejected if the payee has no tax on that day, or no return of the payee ends on it.
    """
    begun = [one for one in place.law.taxes.values() if one.rate.root[0].effective_from <= last_day]
    payees = sorted({one.payee for one in begun})
    if payee not in payees:
        known = ", ".join(payees) or "nobody"
        raise Rejected(
            Reason.NOT_FOUND, f"no tax of {place.law.id} is paid to {payee!r} on {last_day}; payees: {known}"
        )
    kinds = {one.period.on(last_day).value for one in begun if one.payee == payee}
    returns = [period_of(place.law, kind, last_day) for kind in sorted(kinds)]
    ending = [one for one in returns if one[1] == last_day]
    if not ending:
        ends = " or ".join(str(last) for _, last in returns)
        raise Rejected(
            Reason.CONTRADICTS, f"no return of {payee} ends on {last_day}: the one that has that day ends on {ends}"
        )
    return ending[0]
