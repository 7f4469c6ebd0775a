"""Routes of tax invoices: entered by one person and approved by another."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import APPROVE_DAYS, AUDIT_DAYS, BY_OTHERS, DECIDED, DayReader, NumberPath
from services.table_inventory.commands.tax_invoices import ApproveTaxInvoice, EnterTaxInvoice, RejectTaxInvoice
from services.table_inventory.domain.tax_invoices import TaxInvoiceDocument
from services.table_inventory.queries.tax_invoices import find_invoice, invoices_like, invoices_of
from shared.contracts.envelope import DocumentNumber
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, Day, PropertyPath, TypedReference, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext

_ONE: Final = "/{invoice}/{revision}"
InvoicePath = Annotated[DocumentNumber, Path(description="the number of the invoice")]
LastDay = Annotated[Day, Query(description="the last gaming day of the return")]


class TaxInvoices(BaseModel):
    """Invoices for tax returns with the decision on each, by number, latest revision first."""

    items: list[TaxInvoiceDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of tax invoices."""
    router = APIRouter(prefix="/tax-invoices/{property}", tags=["tax invoices"])
    command = partial(command_route, router, context.commands, answers=TaxInvoiceDocument)
    rejects = (Reason.NOT_FOUND, Reason.CONTRADICTS)
    command(EnterTaxInvoice, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    decide = partial(command, role=APPROVE_DAYS, subject=router.prefix + _ONE)
    decide(ApproveTaxInvoice, f"{_ONE}/approve", rejects=BY_OTHERS)
    decide(RejectTaxInvoice, f"{_ONE}/reject", rejects=DECIDED)

    @router.get("", response_model_exclude_none=True, summary="List invoices of payees of taxes")
    async def list_invoices(reader: DayReader, property_name: PropertyPath, last_day: LastDay) -> TaxInvoices:
        """List the invoices, in all their revisions, for the return periods that end on a gaming day."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return TaxInvoices(items=await invoices_of(connection, property_name, last_day))

    @router.get("/find", response_model_exclude_none=True, summary="Search invoices of payees of taxes")
    async def find_by_number(reader: DayReader, property_name: PropertyPath, typed: TypedReference) -> TaxInvoices:
        """Find the revisions of invoices by number, at most 20."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return TaxInvoices(items=await invoices_like(connection, property_name, typed))

    @router.get(
        _ONE,
        response_model=TaxInvoiceDocument,
        summary="Read a revision of an invoice of a payee of taxes",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_invoice(
        request: Request, reader: DayReader, property_name: PropertyPath, invoice: InvoicePath, revision: NumberPath
    ) -> Response:
        """Return an invoice as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_invoice(connection, property_name, invoice, revision)
        return document_response(request, found)

    return router
