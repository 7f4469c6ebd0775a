"""Commands about tax invoices: one person enters them, another approves them."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.domain.entered import next_revision
from services.table_inventory.domain.tax_invoices import TaxInvoiceDocument, require_change, return_of
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.tax_invoices import find_invoice, revisions_of
from shared.contracts.envelope import DocumentNumber, Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.properties import Label
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.tax_invoices import TaxInvoiceApproved, TaxInvoiceEntered, TaxInvoiceRejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import TAX_INVOICE
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded

COMMANDS: Final = Commands()


class EnterTaxInvoice(Command):
    """Enter an invoice of a tax payee.

    The invoice belongs to the payee's tax return that ends on `last_day`. Another person must approve each entry. A
    further entry under the same number, ignoring case, replaces the approved invoice; its `reason` explains the
    difference. An entry without a difference is rejected.
    """

    property: Name
    invoice: Annotated[DocumentNumber, Field(description="the number of the invoice, as printed on it")]
    last_day: Annotated[date, Field(description="the last gaming day of the invoiced tax return")]
    payee: Annotated[Label, Field(description="the payee, as named in the jurisdiction pack")]
    cents: Annotated[int, Field(ge=-(10**13), le=10**13, description="the invoiced amount; negative for a credit")]
    received_on: Annotated[date, Field(description="the day on which it was received")]
    reason: Annotated[Text, Field(description="the source of the invoice; for a later revision, why it differs")]


class Entering(NamedTuple):
    """A property as of the last gaming day of a tax return, and the revisions of the invoice, latest first."""

    place: PropertySnapshot
    revisions: list[TaxInvoiceDocument]


async def _entering(connection: AsyncConnection, command: EnterTaxInvoice) -> Entering:
    place = await find_place(connection, command.property, command.last_day)
    return Entering(place, await revisions_of(connection, command.property, command.invoice))


@COMMANDS.handles(EnterTaxInvoice, load=_entering)
def enter(command: EnterTaxInvoice, state: Entering, now: Now) -> Accepted:
    """Enter an invoice as the next revision."""
    place, revisions = state
    first_day, last_day = return_of(place, command.payee, command.last_day)
    today = now.at.astimezone(place.zone).date()
    if not last_day <= command.received_on <= today:
        detail = f"'received_on' {command.received_on} is not between the end of the return, {last_day}, and {today}"
        raise Rejected(Reason.CONTRADICTS, detail)
    entered = {"revision": next_revision(revisions), "entered_by": now.by, "entered_at": now.at}
    invoice = revisions[0].invoice if revisions else command.invoice  # as it was typed first
    fact = TaxInvoiceEntered(**{**dict(command), "invoice": invoice}, first_day=first_day, **entered)
    require_change(fact, revisions)
    return Accepted(recording=FactWithPostings(fact=fact), answer=TaxInvoiceDocument(**dict(fact)))


class _OfInvoice(Command):
    property: Name
    invoice: DocumentNumber
    revision: Number


class ApproveTaxInvoice(_OfInvoice, Approving):
    """Approve an invoice of a tax payee.

    The accrual of its tax return is then reconciled with it.
    """


class RejectTaxInvoice(_OfInvoice):
    """Reject an invoice of a tax payee.

    The accrual does not change.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfInvoice) -> TaxInvoiceDocument:
    return await find_invoice(connection, command.property, command.invoice, command.revision)


_INVOICES: Final = EnteredKind(TAX_INVOICE, TaxInvoiceEntered, TaxInvoiceApproved, TaxInvoiceRejected)


@COMMANDS.handles(ApproveTaxInvoice, load=_entered, subject=as_loaded)
def approve(command: ApproveTaxInvoice, entered: TaxInvoiceDocument, now: Now) -> Accepted:
    """Approve an invoice."""
    del command
    return _INVOICES.approve(entered, now)


@COMMANDS.handles(RejectTaxInvoice, load=_entered)
def reject(command: RejectTaxInvoice, entered: TaxInvoiceDocument, now: Now) -> Accepted:
    """Reject an invoice."""
    return _INVOICES.reject(entered, command.reason, now)
