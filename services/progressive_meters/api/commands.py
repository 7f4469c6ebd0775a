"""The commands of the meters over HTTP."""

from functools import partial

from fastapi import APIRouter

from services.progressive_meters.api.parameters import APPROVE_METERS, CHANGE_METERS, RECONCILE_METERS
from services.progressive_meters.commands import (
    ApproveChange,
    ApprovePool,
    FilePool,
    ReconcileDay,
    RejectChange,
    RequestChange,
    ReturnPool,
)
from services.progressive_meters.domain.documents import ChangeItem
from services.progressive_meters.domain.versions import PoolVersion
from shared.contracts.meters import DayReconciled
from shared.contracts.rejection import Reason
from shared.runtime.http import command_route
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext

_DECIDED = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
_APPROVED = (*_DECIDED, Reason.SAME_PERSON)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of all commands on meters."""
    engine = context.commands
    pools, changes = APIRouter(prefix="/pools", tags=["pools"]), APIRouter(tags=["changes"])
    days = APIRouter(prefix="/reconciliations", tags=["reconciliations"])
    file = partial(command_route, pools, engine, answers=PoolVersion)
    version, change = "/{property}/{pool}/versions/{version}", "/changes/{property}/{change}"
    file(FilePool, "", role=CHANGE_METERS, status=201, rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED))
    approvable = (*_APPROVED, Reason.TOO_LATE, Reason.NOT_ALLOWED)
    decide = partial(file, role=APPROVE_METERS, subject=pools.prefix + version)
    decide(ApprovePool, version + "/approve", rejects=approvable)
    decide(ReturnPool, version + "/return", rejects=_DECIDED)
    move = partial(command_route, changes, engine, answers=ChangeItem)
    requested = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY)
    pool = "/pools/{property}/{pool}"
    move(RequestChange, pool + "/changes", role=CHANGE_METERS, status=201, rejects=requested, subject=pool)
    decide = partial(move, role=APPROVE_METERS, subject=change)
    decide(ApproveChange, change + "/approve", rejects=(*_APPROVED, Reason.CONTRADICTS))
    decide(RejectChange, change + "/reject", rejects=_DECIDED)
    reconcile = partial(command_route, days, engine, answers=DayReconciled)
    reconcile(ReconcileDay, "", role=RECONCILE_METERS, status=201, rejects=(Reason.NOT_FOUND, Reason.TOO_EARLY))
    return merge_routers(pools, changes, days)
