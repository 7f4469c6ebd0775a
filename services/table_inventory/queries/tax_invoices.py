"""Read tax invoices."""

from datetime import date
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.tax_invoices import TaxInvoiceDocument
from services.table_inventory.tables import tax_invoices
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.reference_search import is_reference, references_like
from shared.runtime.rows import rows_of, things_of


async def invoices_of(connection: AsyncConnection, property_name: str, last_day: date) -> list[TaxInvoiceDocument]:
    """Return every revision of the invoices for tax returns that end on a day, by number, latest revision first."""
    query = rows_of(tax_invoices, property=property_name, last_day=last_day)
    order = (tax_invoices.c.invoice, tax_invoices.c.revision.desc())
    return await things_of(TaxInvoiceDocument, connection, query.order_by(*order))


async def invoices_like(connection: AsyncConnection, property_name: str, typed: str) -> list[TaxInvoiceDocument]:
    """Return revisions of invoices whose number equals `typed` or ends with it, ignoring case; at most 20."""
    query = references_like(tax_invoices, "invoice", property_name, typed).order_by(tax_invoices.c.revision.desc())
    return await things_of(TaxInvoiceDocument, connection, query)


async def revisions_of(connection: AsyncConnection, property_name: str, invoice: str) -> list[TaxInvoiceDocument]:
    """Return the revisions of an invoice by its number, ignoring case, latest first."""
    return await things_of(TaxInvoiceDocument, connection, _revisions(property_name, invoice))


async def find_invoice(
    connection: AsyncConnection, property_name: str, invoice: str, revision: int
) -> TaxInvoiceDocument:
    """Return a revision of an invoice by its number, ignoring case. Raises: Rejected if it does not exist."""
    query = _revisions(property_name, invoice).where(tax_invoices.c.revision == revision)
    found = await things_of(TaxInvoiceDocument, connection, query)
    if not found:
        missing = f"there is no revision {revision} of invoice {invoice} at {property_name}"
        raise Rejected(Reason.NOT_FOUND, missing)
    return found[0]


def _revisions(property_name: str, invoice: str) -> Select[Any]:
    """Return the query for the revisions of an invoice, latest first."""
    c = tax_invoices.c
    query = rows_of(tax_invoices, property=property_name).where(is_reference(c.invoice, invoice))
    return query.order_by(c.revision.desc(), c.invoice != invoice)
