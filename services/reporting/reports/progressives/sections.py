"""The sections of the progressive reconciliation, with their columns."""

from typing import Final

from services.reporting.framework.document import Column, Section


def _exact(name: str, title: str, formula: str = "", *, added: bool = True) -> Column:
    return Column(name=name, title=title, unit="exact_cents", formula=formula, added=added)


_WAGERS: Final = (
    Column(name="wagers", title="Wagers", unit="count", added=True, formula="number of qualifying wagers"),
    Column(name="wagered_cents", title="Wagered", unit="cents", added=True, formula="amount of the qualifying wagers"),
)

POOLS: Final = Section(
    name="pools",
    title="By pool",
    key=("pool",),
    columns=(
        Column(name="pool", title="Pool"),
        _exact("opening_cents", "Open meter", "closing value of the previous day"),
        *_WAGERS,
        _exact("contribution_cents", "Contributions", "rate x wagered - diverted to the overflow meter"),
        Column(name="hits", title="Hits", unit="count", added=True),
        Column(name="award_cents", title="Paid", unit="cents", added=True, formula="awards paid from the meter"),
        _exact("reset_cents", "Resets", "amounts that restored the meter after awards, and approved resets"),
        _exact("seed_cents", "Base", "initial funding by the house"),
        _exact("transfer_cents", "Transfers", "approved transfers in - transfers out"),
        _exact("adjusted_cents", "Adjustments", "approved adjustments, and reductions by resets"),
        _exact("released_cents", "From overflow", "returned from the overflow meter"),
        _exact(
            "closing_cents",
            "Close",
            "open + contributions - paid + resets + base + transfers + adjustments + from overflow",
        ),
        Column(name="shown_cents", title="Displayed", unit="cents", added=True, formula="closing value in whole cents"),
        _exact("reserve_opening_cents", "Open reserve"),
        _exact("reserved_cents", "To reserve", "hidden rate x wagered"),
        _exact("reserve_used_cents", "From reserve", "part of the resets funded from the reserve"),
        _exact("reserve_closing_cents", "Close of reserve", "open reserve + to reserve - from reserve"),
        _exact("overflow_opening_cents", "Open overflow"),
        _exact("overflow_cents", "To overflow", "contributions above the pool's limit"),
        _exact("overflow_closing_cents", "Close of overflow", "open overflow + to overflow - from overflow"),
    ),
)
CONTRIBUTIONS: Final = Section(
    name="contributions",
    title="By pool and table",
    key=("pool", "table"),
    columns=(
        Column(name="pool", title="Pool"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        *_WAGERS,
        _exact("increment_cents", "Increments", "rate x wagered, including amounts diverted to the overflow meter"),
        _exact("overflow_cents", "To overflow", "part of the increments above the pool's limit"),
        _exact("reserved_cents", "To reserve", "hidden rate x wagered"),
        Column(
            name="settled_cents",
            title="Settled",
            unit="cents",
            added=True,
            formula="whole cents, as settled by the rounds",
        ),
        _exact(
            "difference_cents", "Shares of a cent", "increments - settled: fractions of a cent, which each round drops"
        ),
        Column(name="hits", title="Hits", unit="count", added=True),
        Column(name="award_cents", title="Paid", unit="cents", added=True),
        _exact("reset_cents", "Resets"),
    ),
)
HITS: Final = Section(
    name="hits",
    title="Hits",
    key=("entry", "number"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="at", title="Time", unit="moment"),
        Column(name="pool", title="Pool"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="round_id", title="Round"),
        Column(name="seat", title="Seat", unit="count"),
        Column(name="wager", title="Wager"),
        Column(name="category", title="Hand"),
        Column(name="award_cents", title="Paid", unit="cents", added=True),
        Column(name="entry", title="Entry"),
        Column(name="number", title="Number", unit="count", formula="number among the hits of the same entry"),
    ),
)
CHANGES: Final = Section(
    name="changes",
    title="Manual changes",
    key=("change", "status"),
    columns=(
        Column(name="change", title="Change no.", unit="count"),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="status", title="Status"),
        Column(name="kind", title="Kind"),
        Column(name="pool", title="Pool"),
        Column(name="to", title="To pool"),
        Column(name="cents", title="Amount", unit="cents", formula="as requested; empty for a reset"),
        Column(name="before_cents", title="Before", unit="exact_cents"),
        Column(name="after_cents", title="After", unit="exact_cents"),
        Column(name="requested_by", title="Requested by"),
        Column(name="decided_by", title="Decided by"),
        Column(name="reason", title="Reason"),
        Column(name="entry", title="Entry"),
    ),
)
RECONCILED: Final = Section(
    name="reconciled",
    title="Days reconciled",
    key=("entry", "pool"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="pool", title="Pool"),
        Column(name="closing_cents", title="Closing value", unit="exact_cents"),
        Column(name="shown_cents", title="Displayed", unit="cents"),
        Column(
            name="difference_cents",
            title="Difference",
            unit="exact_cents",
            formula="closing reading - closing value computed from the movements",
        ),
        Column(
            name="readings", title="Readings", unit="count", formula="meter readings reported by tables before rounds"
        ),
        Column(
            name="readings_different",
            title="Differing readings",
            unit="count",
            formula="readings that differed from the meter",
        ),
        Column(name="liability_cents", title="Liability", unit="cents"),
        Column(name="by", title="Reconciled by"),
        Column(name="at", title="Reconciled at", unit="moment"),
        Column(name="entry", title="Entry"),
    ),
)
FINDINGS: Final = Section(
    name="findings",
    title="Rounds that differ from the meter terms",
    key=("entry", "pool"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="pool", title="Pool"),
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(name="rate", title="Rate"),
        Column(name="wagered_cents", title="Wagered", unit="cents"),
        Column(name="settled_cents", title="Settled", unit="cents"),
        Column(
            name="findings",
            title="Findings",
            formula=(
                "contribution: the settled amount differs from rate x wagered; reset: the reset amount of the "
                "submission differs from that of the pool"
            ),
        ),
        Column(name="entry", title="Entry"),
    ),
)
