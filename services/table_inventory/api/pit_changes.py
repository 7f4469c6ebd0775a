"""Routes of changes to pit events: one person proposes a change, another compares both versions and decides."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query

from services.table_inventory.api.access import APPROVE_PIT_CHANGES, CHANGE_PIT_EVENTS
from services.table_inventory.commands.pit_changes import (
    ApprovePitChange,
    ProposePitChange,
    RejectPitChange,
    change_shown,
    void_shown,
)
from services.table_inventory.domain.pit_changes import (
    PitChangeDocument,
    PitChangeEffect,
    PitChangeItem,
    PitChangeStatus,
    PitEventDocument,
    PitVoidDocument,
)
from services.table_inventory.queries.pit_changes import effect_conditions, items_of, list_events, shown_event
from services.table_inventory.tables import pit_changes
from shared.contracts.envelope import Name
from shared.contracts.pit_changes import ChangeNumber
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    Asked,
    DayChoice,
    FromEnd,
    Page,
    PropertyPath,
    PropertyQuery,
    TableChoice,
    TableListing,
    command_route,
    problems,
    require_role,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.service.service_context import ServiceContext

CHANGES = TableListing(pit_changes, "change")

_WRONG = (Reason.NOT_FOUND, Reason.CONTRADICTS, Reason.NOT_ALLOWED)
_DECIDED = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)

Reader = Annotated[str, require_role(READ_REPORTS, CHANGE_PIT_EVENTS, APPROVE_PIT_CHANGES)]
TablePath = Annotated[Name, Path(description="the table")]
SequencePath = Annotated[int, Path(ge=1, le=2**31 - 1, description="the event's sequence in the table's pit stream")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of pit events and their changes."""
    router = APIRouter(tags=["pit-changes"])
    add = partial(command_route, router, context.commands, answers=PitChangeItem)
    event, one = "/pit-events/{property}/{table}/{sequence}", "/pit-changes/{property}/{change}"
    add(ProposePitChange, f"{event}/changes", role=CHANGE_PIT_EVENTS, status=201, rejects=_WRONG)
    decide = partial(add, role=APPROVE_PIT_CHANGES, subject=one)
    decide(ApprovePitChange, f"{one}/approve", rejects=(*_WRONG, Reason.ALREADY_DECIDED, Reason.SAME_PERSON))
    decide(RejectPitChange, f"{one}/reject", rejects=_DECIDED)

    @router.get(
        event,
        response_model_exclude_none=True,
        summary="Read a pit event",
        responses=problems(Reason.NOT_FOUND, Reason.NOT_ALLOWED),
    )
    async def show_event(
        reader: Reader,
        property_name: PropertyPath,
        table: TablePath,
        sequence: SequencePath,
    ) -> PitEventDocument:
        """Return a pit event in its version in force; if it is voided, its last version, who voided it, and why."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await shown_event(connection, property_name, table, sequence)

    @router.get(
        f"{event}/void",
        response_model_exclude_none=True,
        summary="Preview the effect of voiding a pit event",
        responses=problems(*_WRONG),
    )
    async def show_void(
        reader: Reader,
        property_name: PropertyPath,
        table: TablePath,
        sequence: SequencePath,
    ) -> PitVoidDocument:
        """Return the postings and restated gaming days that a void would cause, or why the event cannot be voided."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await void_shown(connection, property_name, table, sequence)

    @router.get(
        "/pit-events/{property}/{table}",
        response_model_exclude_none=True,
        summary="List the pit events of a table",
    )
    async def list_pit_events(
        reader: Reader,
        property_name: PropertyPath,
        table: TablePath,
        asked: Asked,
        gaming_day: DayChoice = None,
        from_end: FromEnd = False,
    ) -> Page[PitEventDocument]:
        """List pit events by sequence, each in its version in force, or in its last version if it is voided."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await list_events(connection, property_name, table, asked, gaming_day, from_end=from_end)

    @router.get("/pit-changes", response_model_exclude_none=True, summary="List changes of pit events")
    async def list_changes(
        reader: Reader,
        property_name: PropertyQuery,
        asked: Asked,
        table: TableChoice = None,
        sequence: Annotated[
            int | None, Query(ge=1, le=2**31 - 1, description="only changes of the event with this pit sequence")
        ] = None,
        gaming_day: DayChoice = None,
        status: Annotated[PitChangeStatus | None, Query(description="`proposed`: waiting for a decision")] = None,
        effect: Annotated[PitChangeEffect | None, Query(description="only changes with this outcome")] = None,
        from_end: FromEnd = False,
    ) -> Page[PitChangeItem]:
        """List changes by number, with proposer, reason, decision and outcome."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            of = {"table": table, "sequence": sequence, "gaming_day": gaming_day, "status": status}
            conditions = await effect_conditions(connection, property_name, effect)
            found = await CHANGES.read(
                connection, asked, lambda row: row, from_end, conditions, property=property_name, **of
            )
            return Page(items=await items_of(connection, found.items), next=found.next)

    @router.get(
        one,
        response_model_exclude_none=True,
        summary="Read a change of a pit event",
        responses=problems(Reason.NOT_FOUND),
    )
    async def show_change(
        reader: Reader, property_name: PropertyPath, change: Annotated[ChangeNumber, Path()]
    ) -> PitChangeDocument:
        """Return a change with the whole event before and after it, its postings and the restated gaming days."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await change_shown(connection, property_name, change)

    return merge_routers(router)
