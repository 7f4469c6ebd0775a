"""Commands on pools: file and approve terms, request and approve changes to meters, reconcile a gaming day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain import pools, versions
from services.progressive_meters.domain.changes import approval_of, changed
from services.progressive_meters.domain.documents import ChangeItem
from services.progressive_meters.domain.pools import Pool
from services.progressive_meters.domain.reconciling import Day
from services.progressive_meters.domain.versions import Pools, PoolVersion
from services.progressive_meters.queries.books import awards_above_the_meter, day_of
from services.progressive_meters.queries.lists import change_item, find_change
from services.progressive_meters.queries.pools import Submissions, approved_at, find_version, pools_at, submissions_of
from services.progressive_meters.tables import changes, journal, pool_versions, properties
from shared.contracts.envelope import Name, Reason, as_json
from shared.contracts.exact import exact_text
from shared.contracts.meters import (
    ChangeApproved,
    ChangeRejected,
    ChangeRequested,
    DayReconciled,
    PoolTerms,
    WantedChange,
)
from shared.contracts.property_snapshot import PropertyLookup, place_for_command
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.contracts.versions import VersionNumber, beginning, fields_of
from shared.journal.reading import input_open
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import known_places

COMMANDS: Final = Commands()

PropertyName = Annotated[Name, Field(description="the property")]
PoolName = Annotated[Name, Field(description="the pool")]

# --- terms ---


class FilePool(Command, PoolTerms):
    """File the next version of a pool's terms.

    Another person approves it before it takes effect.
    """


class _OfVersion(Command):
    property: PropertyName
    pool: PoolName
    version: VersionNumber


class ApprovePool(_OfVersion, Approving):
    """Approve a version of a pool's terms.

    The approval of the first version puts the base amount on the meter.
    """


class ReturnPool(_OfVersion):
    """Return a version of a pool's terms to the person who filed it.

    The version never takes effect.
    """

    reason: Reason


@dataclass(frozen=True, slots=True)
class _Known:
    """The state needed to decide a command: the properties, and a property's pools and approved terms."""

    places: PropertyLookup
    pools: Mapping[str, Pool]
    approved: Pools

    def check_limit(self, wanted: PoolTerms) -> None:
        """Raise Rejected if the new limit is below the pool's current display, which it would reduce."""
        pool = self.pools.get(wanted.pool)
        if pool is not None:
            versions.check_limit(wanted, pool.shown_cents)


def _require_begun(places: PropertyLookup, property_name: str, gaming_day: date, now: Now) -> None:
    """Raise Rejected if a gaming day has not begun at the property, or if there is no such property."""
    place = place_for_command(places, property_name, now.at)
    if gaming_day > place.gaming_day(now.at):
        raise Rejected(Why.TOO_EARLY, place.other_day(gaming_day, now.at))


async def _known(connection: AsyncConnection, property_name: str) -> _Known:
    places = await known_places(connection, properties)
    return _Known(places.place, await pools_at(connection, property_name), await approved_at(connection, property_name))


async def _before_filing(connection: AsyncConnection, command: FilePool) -> tuple[int, _Known, Submissions]:
    c = pool_versions.c
    query = select(func.count()).where(c.property == command.property, c.pool == command.pool)
    count = (await connection.execute(query)).scalar_one()
    return count, await _known(connection, command.property), await submissions_of(connection, command.property)


async def _version(connection: AsyncConnection, command: _OfVersion) -> PoolVersion:
    return await find_version(connection, command.property, command.pool, command.version)


async def _before_approving(
    connection: AsyncConnection, command: ApprovePool
) -> tuple[PoolVersion, _Known, Submissions]:
    filed, known = await _version(connection, command), await _known(connection, command.property)
    return filed, known, await submissions_of(connection, command.property)


@COMMANDS.handles(FilePool, load=_before_filing)
def _file(command: FilePool, state: tuple[int, _Known, Submissions], now: Now) -> Accepted:
    count, known, submissions = state
    place = place_for_command(known.places, command.property, beginning(command.effective_from))
    fact = versions.file(command, count, known.approved, place, submissions.of_feed, by=now.by, at=now.at)
    known.check_limit(fact)
    location = f"/pools/{fact.property}/{fact.pool}/versions/{fact.version}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=versions.after(fact, fact), location=location)


@COMMANDS.handles(ApprovePool, load=_before_approving, subject=first_loaded)
def _approve(command: ApprovePool, state: tuple[PoolVersion, _Known, Submissions], now: Now) -> Accepted:
    filed, known, submissions = state
    place = place_for_command(known.places, command.property, filed.effective_from)
    versions.check_approval(filed, known.approved, place, submissions.of_feed, by=now.by, at=now.at)
    if known.approved.versions(command.property, command.pool):
        known.check_limit(filed)
        fact = versions.approved(filed, None, by=now.by, at=now.at)
        return Accepted(recording=FactWithPostings(fact=fact), answer=versions.after(filed, fact))
    moved = pools.seed(Pool(command.property, command.pool), filed.base_cents)
    fact = versions.approved(filed, moved.movement, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact, postings=moved.postings), answer=versions.after(filed, fact))


@COMMANDS.handles(ReturnPool, load=_version)
def _return(command: ReturnPool, filed: PoolVersion, now: Now) -> Accepted:
    fact = versions.give_back(filed, by=now.by, at=now.at, reason=command.reason)
    return Accepted(recording=FactWithPostings(fact=fact), answer=versions.after(filed, fact))


# --- changes ---


class RequestChange(Command, WantedChange):
    """Request a change to a meter.

    It is a transfer, an adjustment, a reset, a release from the overflow meter, or the house's payment of the part of
    an award above the meter. Another person must approve it.
    """

    property: PropertyName
    pool: PoolName


class _OfChange(Command):
    property: PropertyName
    change: VersionNumber


class ApproveChange(_OfChange, Approving):
    """Approve a change to a meter.

    The change takes effect at once.
    """


class RejectChange(_OfChange):
    """Reject a change to a meter.

    The meter stays unchanged.
    """

    reason: Reason


@dataclass(frozen=True, slots=True)
class _Request:
    """A requested change, as recorded in the journal and as displayed."""

    requested: ChangeRequested
    item: ChangeItem


async def _short_cents(connection: AsyncConnection, property_name: str, wanted: WantedChange, pool: str) -> int:
    """Return the cents by which the award named in a change exceeded the meter; 0 if the change names no award."""
    if wanted.kind != "award" or wanted.movement is None:
        return 0
    found = await awards_above_the_meter(connection, property_name, pool=pool, number=wanted.movement)
    return sum(one.short_cents or 0 for one in found)


async def _next_change(connection: AsyncConnection, command: RequestChange) -> tuple[int, _Known, int]:
    count = select(func.count()).where(changes.c.property == command.property)
    number = (await connection.execute(count)).scalar_one() + 1
    short_cents = await _short_cents(connection, command.property, command, command.pool)
    return number, await _known(connection, command.property), short_cents


async def _request(connection: AsyncConnection, command: _OfChange) -> _Request:
    item = await find_change(connection, command.property, command.change)
    return _Request(ChangeRequested(**fields_of(item, ChangeRequested)), item)


async def _request_and_known(connection: AsyncConnection, command: ApproveChange) -> tuple[_Request, _Known, int]:
    request = await _request(connection, command)
    short_cents = await _short_cents(connection, command.property, request.requested, request.requested.pool)
    return request, await _known(connection, command.property), short_cents


def _shown(command: ApproveChange, state: tuple[_Request, _Known, int], now: Now) -> ChangeItem:
    del command, now
    return state[0].item


@COMMANDS.handles(RequestChange, load=_next_change)
def _request_change(command: RequestChange, state: tuple[int, _Known, int], now: Now) -> Accepted:
    number, known, short_cents = state
    _require_begun(known.places, command.property, command.gaming_day, now)
    fact = ChangeRequested(**dict(command), change=number, requested_by=now.by, requested_at=now.at)
    changed(fact, known.pools, known.approved, now.at, short_cents)  # refuses a change that cannot be made
    location = f"/changes/{fact.property}/{fact.change}"
    return Accepted(
        recording=FactWithPostings(fact=fact), answer=change_item(as_json(fact), "requested"), location=location
    )


@COMMANDS.handles(ApproveChange, load=_request_and_known, subject=_shown)
def _approve_change(command: ApproveChange, state: tuple[_Request, _Known, int], now: Now) -> Accepted:
    del command
    request, known, short_cents = state
    wanted = request.requested
    approval = approval_of(wanted, request.item.status)
    approval.approve(now.by)
    try:
        moved = changed(wanted, known.pools, known.approved, now.at, short_cents)
    except Rejected as rejected:
        raise Rejected(Why.CONTRADICTS, f"{approval.name} cannot be made any more: {rejected}") from rejected
    fact = ChangeApproved(
        **dict(wanted),
        approved_by=now.by,
        approved_at=now.at,
        display_before_cents=exact_text(known.pools[wanted.pool].display),
        movements=tuple(one.movement for one in moved),
    )
    postings = tuple(posting for one in moved for posting in one.postings)
    return Accepted(
        recording=FactWithPostings(fact=fact, postings=postings), answer=change_item(as_json(fact), "approved")
    )


@COMMANDS.handles(RejectChange, load=_request)
def _reject_change(command: RejectChange, request: _Request, now: Now) -> Accepted:
    approval_of(request.requested, request.item.status).reject()
    fact = ChangeRejected(
        property=command.property,
        pool=request.requested.pool,
        change=command.change,
        rejected_by=now.by,
        rejected_at=now.at,
        reason=command.reason,
    )
    return Accepted(
        recording=FactWithPostings(fact=fact), answer=change_item(as_json(request.requested), "rejected", as_json(fact))
    )


# --- days ---


class ReconcileDay(Command):
    """Record the reconciliation of a gaming day.

    The figures at the time of the command are recorded; record them again after late entries. Awards that exceeded
    their meter must be corrected or accepted first.
    """

    property: PropertyName
    gaming_day: date
    reason: Reason


async def _day(connection: AsyncConnection, command: ReconcileDay) -> tuple[PropertyLookup, Day, int]:
    places = await known_places(connection, properties)
    day = await day_of(connection, command.property, command.gaming_day)
    return places.place, day, await input_open(connection, journal)


@COMMANDS.handles(ReconcileDay, load=_day)
def _reconcile(command: ReconcileDay, state: tuple[PropertyLookup, Day, int], now: Now) -> Accepted:
    places, day, open_ = state
    _require_begun(places, command.property, command.gaming_day, now)
    if not day.rows:
        detail = f"no pool of {command.property} had moved by {command.gaming_day.isoformat()}"
        raise Rejected(Why.NOT_FOUND, detail)
    if day.awards:
        left = "; ".join(
            f"round {one.round_id} at {one.table} was awarded {one.short_cents} cents more than pool {one.pool} showed"
            for one in day.awards
        )
        way_out = "have the round corrected, or a change of kind 'award' approved that names its movement"
        raise Rejected(Why.TOO_EARLY, f"{left}: {way_out}")
    fact = DayReconciled(**day.figures, **dict(command), input_open=open_, reconciled_by=now.by, reconciled_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)
