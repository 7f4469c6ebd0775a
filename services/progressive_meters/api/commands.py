"""The commands of the meters over HTTP."""

from fastapi import APIRouter

from services.progressive_meters.api.parameters import APPROVE_METERS, CHANGE_METERS, RECONCILE_METERS
from services.progressive_meters.commands import (
    ApproveChange,
    ApprovePool,
    FilePool,
    ReconcileDay,
    RejectChange,
    RejectPool,
    RequestChange,
)
from services.progressive_meters.domain.documents import ChangeItem
from services.progressive_meters.domain.versions import PoolVersion
from shared.contracts.meters import DayReconciled
from shared.contracts.rejection import Reason
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import command_route

_DECIDED = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
_APPROVED = (*_DECIDED, Reason.SAME_PERSON)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router, engine = APIRouter(), context.commands
    pools, changes = APIRouter(prefix="/pools", tags=["pools"]), APIRouter(tags=["changes"])
    reports = APIRouter(prefix="/reconciliations", tags=["reports"])
    command_route(
        pools,
        engine,
        FilePool,
        "",
        role=CHANGE_METERS,
        answers=PoolVersion,
        status=201,
        rejects=(Reason.NOT_ALLOWED,),
    )
    command_route(
        pools,
        engine,
        ApprovePool,
        "/{property}/{pool}/versions/{version}/approve",
        role=APPROVE_METERS,
        answers=PoolVersion,
        rejects=(*_APPROVED, Reason.TOO_LATE, Reason.NOT_ALLOWED),
    )
    command_route(
        pools,
        engine,
        RejectPool,
        "/{property}/{pool}/versions/{version}/reject",
        role=APPROVE_METERS,
        answers=PoolVersion,
        rejects=_DECIDED,
    )
    command_route(
        changes,
        engine,
        RequestChange,
        "/pools/{property}/{pool}/changes",
        role=CHANGE_METERS,
        answers=ChangeItem,
        status=201,
        rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED),
    )
    command_route(
        changes,
        engine,
        ApproveChange,
        "/changes/{property}/{change}/approve",
        role=APPROVE_METERS,
        answers=ChangeItem,
        rejects=(*_APPROVED, Reason.CONTRADICTS),
    )
    command_route(
        changes,
        engine,
        RejectChange,
        "/changes/{property}/{change}/reject",
        role=APPROVE_METERS,
        answers=ChangeItem,
        rejects=_DECIDED,
    )
    command_route(
        reports,
        engine,
        ReconcileDay,
        "",
        role=RECONCILE_METERS,
        answers=DayReconciled,
        status=201,
        rejects=(Reason.NOT_FOUND,),
    )
    for part in (pools, changes, reports):
        router.include_router(part)
    return router
