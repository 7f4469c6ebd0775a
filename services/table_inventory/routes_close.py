"""Routes of revenue audit and the controller: variances, the stages of a gaming day, adjustments."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from services.table_inventory.days import (
    AdjustmentDocument,
    AdjustmentKey,
    AdjustmentWanted,
    Closing,
    DayCommands,
    DayDocument,
    DayKey,
    Rejection,
    read_adjustments,
    read_day,
)
from services.table_inventory.variances import (
    Conclusion,
    Owner,
    Variance,
    VarianceCommands,
    VarianceKey,
    variances_of_day,
)
from services.table_inventory.web import (
    ACCESS,
    BEARER,
    COMMAND,
    FOUND,
    READS,
    Controller,
    DayPath,
    DayQuery,
    NumberPath,
    PropertyPath,
    PropertyQuery,
    RevenueAudit,
    document,
    snapshot,
)
from shared.contracts.envelope import Name
from shared.contracts.inventory import VarianceKind
from shared.runtime.command.answers import IdempotencyKey, response
from shared.runtime.service.run import Parts

TablePath = Annotated[Name, Path(description="the table")]
KindPath = Annotated[VarianceKind, Path(description="what differs: an inventory at a count, a box, or a slip")]


class Variances(BaseModel):
    """The variances of a gaming day, in the order of table and time."""

    items: list[Variance]


class Adjustments(BaseModel):
    """The adjustments of a gaming day, in the order of their numbers."""

    items: list[AdjustmentDocument]


def variance_routes(parts: Parts) -> APIRouter:
    """Variances and who explains them."""
    commands = VarianceCommands(parts)
    router = APIRouter(prefix="/variances", tags=["variances"], dependencies=[BEARER])

    @router.get("", response_model_exclude_none=True, summary="List variances", dependencies=[READS], responses=ACCESS)
    async def list_variances(property_name: PropertyQuery, gaming_day: DayQuery) -> Variances:
        """Everything that was counted otherwise than expected, with owner and resolution."""
        async with snapshot(parts.engine) as connection:
            return Variances(items=await variances_of_day(connection, property_name, gaming_day))

    @router.post(
        "/{property}/{gaming_day}/{variance}/{table}/{number}/own",
        response_model=Variance,
        summary="Name who explains a variance",
        responses=FOUND,
    )
    async def own(
        property_name: PropertyPath,
        gaming_day: DayPath,
        variance: KindPath,
        table: TablePath,
        number: NumberPath,
        owner: Owner,
        person: RevenueAudit,
        key: IdempotencyKey,
    ) -> Response:
        """The number is that of the count or the box exchange in the table's pit stream, or of the slip."""
        which = VarianceKey(property_name, gaming_day, variance, table, number)
        return response(await commands.own(which, owner, person=person, key=key))

    @router.post(
        "/{property}/{gaming_day}/{variance}/{table}/{number}/resolve",
        response_model=Variance,
        summary="Resolve a variance",
        responses=FOUND,
    )
    async def resolve(
        property_name: PropertyPath,
        gaming_day: DayPath,
        variance: KindPath,
        table: TablePath,
        number: NumberPath,
        conclusion: Conclusion,
        person: RevenueAudit,
        key: IdempotencyKey,
    ) -> Response:
        """By its owner; the books follow what was counted."""
        which = VarianceKey(property_name, gaming_day, variance, table, number)
        return response(await commands.resolve(which, conclusion, person=person, key=key))

    return router


def day_routes(parts: Parts) -> APIRouter:
    """Gaming days and their adjustments."""
    commands = DayCommands(parts)
    router = APIRouter(prefix="/gaming-days/{property}/{gaming_day}", tags=["gaming days"], dependencies=[BEARER])

    @router.get(
        "",
        response_model=DayDocument,
        summary="Read how far a gaming day is closed",
        dependencies=[READS],
        responses={304: {"description": "unchanged"}, **ACCESS},
    )
    async def read(request: Request, property_name: PropertyPath, gaming_day: DayPath) -> Response:
        """With the sealed report and its hash once it is final."""
        async with parts.engine.connect() as connection:
            found = await read_day(connection, DayKey(property_name, gaming_day))
        return document(request, found)

    @router.post("/preliminary", response_model=DayDocument, summary="Close a gaming day", responses=COMMAND)
    async def preliminary(
        property_name: PropertyPath,
        gaming_day: DayPath,
        closing: Closing,
        person: RevenueAudit,
        key: IdempotencyKey,
    ) -> Response:
        """Every table has its record, every box is counted and every slip has arrived."""
        which = DayKey(property_name, gaming_day)
        return response(await commands.preliminary(which, closing, person=person, key=key))

    @router.post("/audited", response_model=DayDocument, summary="Audit a gaming day", responses=COMMAND)
    async def audited(
        property_name: PropertyPath, gaming_day: DayPath, person: RevenueAudit, key: IdempotencyKey
    ) -> Response:
        """By somebody who neither closed it nor took part in its count; reportable variances are resolved."""
        return response(await commands.audited(DayKey(property_name, gaming_day), person=person, key=key))

    @router.post("/final", response_model=DayDocument, summary="Seal a gaming day", responses=COMMAND)
    async def final(
        property_name: PropertyPath, gaming_day: DayPath, person: Controller, key: IdempotencyKey
    ) -> Response:
        """By somebody else than the auditor: from now on there are only adjusting entries."""
        return response(await commands.final(DayKey(property_name, gaming_day), person=person, key=key))

    @router.get(
        "/adjustments",
        response_model_exclude_none=True,
        summary="List adjustments",
        dependencies=[READS],
        responses=ACCESS,
    )
    async def list_adjustments(property_name: PropertyPath, gaming_day: DayPath) -> Adjustments:
        """Entered, approved and rejected."""
        async with parts.engine.connect() as connection:
            return Adjustments(items=await read_adjustments(connection, DayKey(property_name, gaming_day)))

    @router.post(
        "/adjustments",
        status_code=201,
        response_model=AdjustmentDocument,
        summary="Enter an adjustment",
        responses=FOUND,
    )
    async def enter(
        property_name: PropertyPath,
        gaming_day: DayPath,
        wanted: AdjustmentWanted,
        person: RevenueAudit,
        key: IdempotencyKey,
    ) -> Response:
        """Of a figure of § 601a.9, with a reason; somebody else approves it."""
        which = DayKey(property_name, gaming_day)
        return response(await commands.enter(which, wanted, person=person, key=key))

    @router.post(
        "/adjustments/{number}/approve",
        response_model=AdjustmentDocument,
        summary="Approve an adjustment",
        responses=FOUND,
    )
    async def approve(
        property_name: PropertyPath,
        gaming_day: DayPath,
        number: NumberPath,
        person: Controller,
        key: IdempotencyKey,
    ) -> Response:
        """An adjusting entry, dated now."""
        which = AdjustmentKey(property_name, gaming_day, number)
        return response(await commands.approve(which, person=person, key=key))

    @router.post(
        "/adjustments/{number}/reject",
        response_model=AdjustmentDocument,
        summary="Reject an adjustment",
        responses=FOUND,
    )
    async def reject(
        property_name: PropertyPath,
        gaming_day: DayPath,
        number: NumberPath,
        rejection: Rejection,
        person: Controller,
        key: IdempotencyKey,
    ) -> Response:
        """Nothing changes."""
        which = AdjustmentKey(property_name, gaming_day, number)
        return response(await commands.reject(which, rejection, person=person, key=key))

    return router
