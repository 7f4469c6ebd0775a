"""Measures of the progressive meters: everything that changes a pool. Pure; exact amounts are nanocents.

The item of an amount is its pool. The table is that of the round; it is empty for changes that people made. The display
of a pool is the sum of the measures `ON_DISPLAY` less the awards.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.exact import parse_exact, shown
from shared.contracts.meters import (
    ChangeApproved,
    ChangeKind,
    MeterRoundCounted,
    Movement,
    PoolApproved,
    RoundTakenBack,
)

_EXACT: Final[Mapping[str, str]] = {
    "meter_contribution_nanocents": "contribution_cents",
    "meter_reserved_nanocents": "reserved_cents",
    "meter_overflow_nanocents": "overflow_cents",
    "meter_reset_nanocents": "reset_cents",
    "meter_reserve_used_nanocents": "reserve_used_cents",
    "meter_seed_nanocents": "seed_cents",
    "meter_released_nanocents": "released_cents",
}
"""The exact field of a movement for each measure. The measure of a transfer depends on the kind of change."""

_COUNTS: Final[Mapping[str, str]] = {
    "meter_wagers": "in_count",
    "meter_wagered_cents": "in_cents",
    "meter_hits": "hits",
    "meter_award_cents": "award_cents",
}

ON_DISPLAY: Final = (
    *("meter_seed_nanocents", "meter_contribution_nanocents", "meter_reset_nanocents", "meter_transfer_nanocents"),
    *("meter_adjusted_nanocents", "meter_released_nanocents"),
)
"""The measures whose sum, less the awards, is the display."""

MEASURES: Final = (
    *_EXACT,
    *_COUNTS,
    *("meter_transfer_nanocents", "meter_adjusted_nanocents", "meter_settled_cents"),
)


@adds(PoolApproved)
def seeded(fact: PoolApproved) -> Iterator[Amount]:
    """Yield the starting amounts of a newly approved pool."""
    if fact.movement is not None:
        yield from amounts_of_movement(fact.movement)


@adds(MeterRoundCounted)
def counted(fact: MeterRoundCounted) -> Iterator[Amount]:
    """Yield the amounts that a round adds to pools, and its contributions as settlement rounded them to cents."""
    for one in fact.meters:
        yield from amounts_of_movement(one.movement, fact.table)
        yield Amount("meter_settled_cents", one.settled_cents, fact.table, item=one.movement.pool)


@adds(RoundTakenBack)
def taken_back(fact: RoundTakenBack) -> Iterator[Amount]:
    """Yield the amounts of a reversed round with the opposite sign, including contributions in whole cents."""
    for movement in fact.movements:
        yield from amounts_of_movement(movement, fact.table)
        added = parse_exact(movement.contribution_cents) + parse_exact(movement.overflow_cents)
        yield Amount("meter_settled_cents", -shown(-added), fact.table, item=movement.pool)


@adds(ChangeApproved)
def changed(fact: ChangeApproved) -> Iterator[Amount]:
    """Yield the amounts of a change that people made to a pool."""
    for movement in fact.movements:
        yield from amounts_of_movement(movement, kind=fact.kind)


def amounts_of_movement(movement: Movement, table: str = "", kind: ChangeKind = "transfer") -> Iterator[Amount]:
    """Yield the amounts of a pool's movement, made by a round at `table` or by people's change of this `kind`."""
    for measure, name in _COUNTS.items():
        yield Amount(measure, getattr(movement, name), table, item=movement.pool)
    for measure, name in _EXACT.items():
        yield Amount(measure, parse_exact(getattr(movement, name)), table, item=movement.pool)
    transferred = "meter_transfer_nanocents" if kind == "transfer" else "meter_adjusted_nanocents"
    yield Amount(transferred, parse_exact(movement.transfer_cents), table, item=movement.pool)
