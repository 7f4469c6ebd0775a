"""Changes to meters that one person requests and another approves. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from services.progressive_meters.domain import pools
from services.progressive_meters.domain.pools import Moved, Pool
from services.progressive_meters.domain.versions import Pools
from shared.contracts.meters import ChangeRequested
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.approval import METER_CHANGE, Approval, Decision


def approval_of(requested: ChangeRequested, status: str) -> Approval:
    """Return the approval step of a change, with its current decision."""
    name = f"change {requested.change} at {requested.property}"
    return Approval(METER_CHANGE, name, requested.requested_by, Decision.of(status))


def changed(
    wanted: ChangeRequested, known: Mapping[str, Pool], versions: Pools, at: datetime, short_cents: int = 0
) -> Sequence[Moved]:
    """Return the movements by which a change takes effect at a moment.

    `known` maps names to the property's pools. `short_cents` is the amount by which the award of the named movement
    exceeded the meter. Raises: Rejected if the change cannot be made.
    """
    pool = _known(wanted.property, wanted.pool, known)
    if wanted.kind == "award":
        _require(
            wanted.movement is not None, "'movement' is missing: an 'award' names the movement that awarded too much"
        )
        _require(wanted.cents is None and wanted.to is None, "an 'award' has neither 'cents' nor 'to'")
        _require(
            short_cents > 0,
            f"'movement' {wanted.movement} of pool {pool.name} is no award above the meter, or it was accepted",
        )
        return [pools.accept_award(pool, short_cents)]
    _require(wanted.movement is None, f"'movement' {wanted.movement}: only an 'award' names one")
    if wanted.kind == "reset":
        _require(wanted.cents is None and wanted.to is None, "a 'reset' has neither 'cents' nor 'to'")
        terms = versions.current(wanted.property, wanted.pool, at)
        return [pools.reset(pool, terms.reset_cents)]
    cents = wanted.cents or 0
    _require(cents != 0, f"'cents' is missing: a '{wanted.kind}' says how many")
    if wanted.kind == "transfer":
        _require(cents > 0 and wanted.to is not None, "a 'transfer' has 'cents' above 0 and the pool 'to'")
        _require(wanted.to != wanted.pool, f"'to' {wanted.to} is the pool itself")
        return pools.transfer(pool, _known(wanted.property, wanted.to or "", known), cents)
    _require(wanted.to is None, f"'to' {wanted.to}: only a 'transfer' goes to another pool")
    if wanted.kind == "adjustment":
        return [pools.adjust(pool, cents)]
    _require(cents > 0, f"'cents' {cents}: what comes from the overflow meter is above 0")
    return [pools.release(pool, cents)]


def _known(property_name: str, name: str, known: Mapping[str, Pool]) -> Pool:
    if name not in known:
        raise Rejected(Reason.NOT_FOUND, f"there is no pool {name} at {property_name}")
    return known[name]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Rejected(Reason.NOT_ALLOWED, otherwise)
