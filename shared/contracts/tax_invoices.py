"""Facts about invoices from the payees of taxes, in the table-inventory ledger."""

from datetime import date
from typing import Annotated

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import DocumentNumber, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.properties import Label
from shared.contracts.topics import INVENTORY


class TaxInvoice(Fact):
    """An invoice from a payee of taxes, for the tax return from `first_day` to `last_day`.

    The `payee` is one of those in the jurisdiction's pack; a credit has negative `cents`. Each revision after the first
    replaces the approved one. An invoice belongs to no gaming day and posts nothing, because tax is computed from the
    figures of the tables.
    """

    property: Name
    invoice: DocumentNumber
    first_day: date
    last_day: date
    revision: Number
    payee: Label
    cents: Annotated[int, Field(strict=True, ge=-(10**13), le=10**13)]
    received_on: date
    reason: Reason
    entered_by: Person
    entered_at: AwareDatetime


@fact("tax_invoice.entered", INVENTORY, stream=DESK)
class TaxInvoiceEntered(TaxInvoice):
    """An invoice was entered; it awaits another person's approval."""


@fact("tax_invoice.approved", INVENTORY, stream=DESK)
class TaxInvoiceApproved(TaxInvoice, AsShown):
    """An invoice was approved: the accrual is reconciled with it."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("tax_invoice.rejected", INVENTORY, stream=DESK)
class TaxInvoiceRejected(TaxInvoice):
    """An invoice was rejected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
