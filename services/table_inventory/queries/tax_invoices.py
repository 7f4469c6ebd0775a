"""Read tax invoices."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.tax_invoices import TaxInvoiceDocument
from services.table_inventory.tables import tax_invoices
from shared.runtime.reference_search import references_like
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def invoices_of(connection: AsyncConnection, property_name: str, last_day: date) -> list[TaxInvoiceDocument]:
    """Return every revision of the invoices for tax returns that end on a day, by number, latest revision first."""
    query = rows_of(tax_invoices, property=property_name, last_day=last_day)
    order = (tax_invoices.c.invoice, tax_invoices.c.revision.desc())
    return await things_of(TaxInvoiceDocument, connection, query.order_by(*order))


async def invoices_like(connection: AsyncConnection, property_name: str, typed: str) -> list[TaxInvoiceDocument]:
    """Return the first revisions of invoices whose number was typed in any case, whole or by its last characters."""
    query = references_like(tax_invoices, "invoice", property_name, typed).order_by(tax_invoices.c.revision.desc())
    return await things_of(TaxInvoiceDocument, connection, query)


async def revisions_of(connection: AsyncConnection, property_name: str, invoice: str) -> list[TaxInvoiceDocument]:
    """Return the revisions of an invoice, latest first."""
    query = rows_of(tax_invoices, property=property_name, invoice=invoice)
    return await things_of(TaxInvoiceDocument, connection, query.order_by(tax_invoices.c.revision.desc()))


async def find_invoice(
    connection: AsyncConnection, property_name: str, invoice: str, revision: int
) -> TaxInvoiceDocument:
    """Return a revision of an invoice. Raises: Rejected if it does not exist."""
    missing = f"there is no revision {revision} of invoice {invoice} at {property_name}"
    key = {"property": property_name, "invoice": invoice, "revision": revision}
    return thing_of(TaxInvoiceDocument, await find_row(connection, tax_invoices, missing, **key))
