"""What the progressive meters add to measures: everything that moves a pool. Pure; exact shares are nanocents.

The item is the pool; the table is that of the round, empty for what people decide. A display gains what `ON_DISPLAY`
has and loses the awards.
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
"""The measure of each exact part of a movement; a transfer's follows from what it was."""

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
"""What a display gains besides the awards that come off it."""

MEASURES: Final = (
    *_EXACT,
    *_COUNTS,
    *("meter_transfer_nanocents", "meter_adjusted_nanocents", "meter_settled_cents"),
)


@adds(PoolApproved)
def seeded(fact: PoolApproved) -> Iterator[Amount]:
    """Say what the base of a new pool adds."""
    if fact.movement is not None:
        yield from amounts_of_movement(fact.movement)


@adds(MeterRoundCounted)
def counted(fact: MeterRoundCounted) -> Iterator[Amount]:
    """Say what a round added to its pools, and what of it was settled in whole cents."""
    for one in fact.meters:
        yield from amounts_of_movement(one.movement, fact.table)
        yield Amount("meter_settled_cents", one.settled_cents, fact.table, item=one.movement.pool)


@adds(RoundTakenBack)
def taken_back(fact: RoundTakenBack) -> Iterator[Amount]:
    """Say what is taken back; what had been settled is the whole cents of what the wagers added."""
    for movement in fact.movements:
        yield from amounts_of_movement(movement, fact.table)
        added = parse_exact(movement.contribution_cents) + parse_exact(movement.overflow_cents)
        yield Amount("meter_settled_cents", -shown(-added), fact.table, item=movement.pool)


@adds(ChangeApproved)
def changed(fact: ChangeApproved) -> Iterator[Amount]:
    """Say what a change that people made adds."""
    for movement in fact.movements:
        yield from amounts_of_movement(movement, kind=fact.kind)


def amounts_of_movement(movement: Movement, table: str = "", kind: ChangeKind = "transfer") -> Iterator[Amount]:
    """Say what a movement adds: of a round at a table, or of a change of a kind."""
    for measure, name in _COUNTS.items():
        yield Amount(measure, getattr(movement, name), table, item=movement.pool)
    for measure, name in _EXACT.items():
        yield Amount(measure, parse_exact(getattr(movement, name)), table, item=movement.pool)
    transferred = "meter_transfer_nanocents" if kind == "transfer" else "meter_adjusted_nanocents"
    yield Amount(transferred, parse_exact(movement.transfer_cents), table, item=movement.pool)
