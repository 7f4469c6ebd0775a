"""The sections of the cage accountability report."""

from typing import Final

from services.reporting.framework.document import Column, Section
from services.reporting.reports.common.credit_flows import FLOW_COLUMNS

LOCATIONS: Final = Section(
    name="locations",
    title="Locations",
    key=("location",),
    columns=(
        Column(name="location", title="Location"),
        Column(name="kind", title="Kind", formula="as the property has it; of cage itself: cage"),
        Column(name="counts", title="Counts", unit="count", formula="verified in the period; 0: none was"),
        Column(
            name="before_cents",
            title="Counted before",
            unit="cents",
            added=True,
            formula="by the last count before those of the period",
        ),
        Column(
            name="brought_forward_cents",
            title="Brought forward",
            unit="cents",
            added=True,
            formula="what the first count of a location found beyond what was recorded of it",
        ),
        Column(name="received_cents", title="Received", unit="cents", added=True, formula="by transfers, or returned"),
        Column(name="issued_cents", title="Issued", unit="cents", added=True, formula="by transfers; negative"),
        Column(name="from_tables_cents", title="From tables", unit="cents", added=True, formula="credits, void fills"),
        Column(name="to_tables_cents", title="To tables", unit="cents", added=True, formula="fills; negative"),
        Column(
            name="from_patrons_cents",
            title="From patrons",
            unit="cents",
            added=True,
            formula=(
                "deposits, payments on counter checks, fees of contests, tax withheld; chips redeemed and checks "
                "cashed by a check that the bank pays"
            ),
        ),
        Column(
            name="to_patrons_cents",
            title="To patrons",
            unit="cents",
            added=True,
            formula="withdrawals and winnings in currency, prizes of contests; negative",
        ),
        Column(
            name="over_short_cents",
            title="Over or short",
            unit="cents",
            added=True,
            formula="counted - counted before - all that came in and went out; negative: short",
        ),
        Column(name="counted_cents", title="Counted", unit="cents", added=True, formula="by the last count"),
        Column(
            name="to_imprest_cents",
            title="Beyond imprest",
            unit="cents",
            formula="counted - the imprest at the count; empty: the location has none",
        ),
        Column(name="counted_at", title="Counted at", unit="moment", formula="the last count"),
    ),
)

COUNTS: Final = Section(
    name="counts",
    title="Counts",
    key=("count",),
    columns=(
        Column(name="count", title="No."),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="location", title="Location"),
        Column(name="counted_at", title="Counted at", unit="moment"),
        Column(
            name="expected_cents",
            title="Expected",
            unit="cents",
            formula="the book at the count; at a first count, what was counted",
        ),
        Column(name="counted_cents", title="Counted", unit="cents"),
        Column(name="over_short_cents", title="Over or short", unit="cents", added=True, formula="counted - expected"),
        Column(name="cashier", title="Cashier", formula="who answers for it"),
        Column(name="next_cashier", title="Next cashier", formula="who took the drawer over with what was counted"),
        Column(name="reason", title="Reason"),
        Column(name="counted_by", title="Counted by"),
        Column(name="verified_by", title="Verified by"),
    ),
)

TRANSFERS: Final = Section(
    name="transfers",
    title="Transfers",
    key=("transfer",),
    columns=(
        Column(name="transfer", title="No."),
        Column(name="giver", title="From"),
        Column(name="receiver", title="To"),
        Column(name="what", title="What", formula="by kind and denomination"),
        Column(name="cents", title="Money", unit="cents", formula="without what has no value"),
        Column(name="status", title="Status", formula="at the end of the period"),
        Column(name="issued_by", title="Issued by"),
        Column(name="issued_at", title="Issued at", unit="moment"),
        Column(name="ended_by", title="Received or returned by"),
        Column(name="ended_at", title="Received or returned at", unit="moment"),
        Column(name="reason", title="Why it was returned"),
    ),
)

HOLDINGS: Final = Section(
    name="holdings",
    title="What was counted last",
    key=("location", "kind", "of", "piece", "each_cents"),
    columns=(
        Column(name="location", title="Location"),
        Column(name="kind", title="Kind"),
        Column(name="of", title="Of", formula="the chip set, or the property whose chips they are"),
        Column(name="piece", title="Piece", formula="of chips"),
        Column(name="each_cents", title="Each", unit="cents"),
        Column(name="pieces", title="Pieces", unit="count"),
        Column(
            name="value_cents",
            title="Value",
            unit="cents",
            added=True,
            formula="pieces x each; empty: it has none, as promotional and non-negotiable chips and coupons",
        ),
        Column(name="counted_at", title="Counted at", unit="moment"),
    ),
)

FLOAT: Final = Section(
    name="float",
    title="Chips outstanding",
    key=("chip_set", "piece", "each_cents"),
    columns=(
        Column(name="chip_set", title="Chip set"),
        Column(name="piece", title="Piece"),
        Column(name="each_cents", title="Each", unit="cents"),
        Column(
            name="brought_forward",
            title="Brought forward",
            unit="count",
            formula="in service as the gaming day of the statement began, as two people stated it; empty: nobody did",
        ),
        Column(
            name="put_in",
            title="Put into service",
            unit="count",
            formula="received from the manufacturer - given to destruction, since that gaming day began",
        ),
        Column(
            name="in_service",
            title="In service",
            unit="count",
            formula="brought forward + put into service; empty: what was brought forward is not stated",
        ),
        Column(
            name="at_cage",
            title="At the cage",
            unit="count",
            formula="by the last count of each location, with transfers, fills and credits since; never below 0",
        ),
        Column(
            name="at_tables",
            title="At tables",
            unit="count",
            formula=(
                "by the last count of each table, with fills and credits since; in the set in use that has such chips, "
                "the first of several"
            ),
        ),
        Column(name="in_transit", title="In transit", unit="count", formula="by transfers, fills and credits"),
        Column(
            name="outstanding",
            title="Outstanding",
            unit="count",
            formula="in service - at the cage - at tables - in transit; empty as in service is",
        ),
        Column(
            name="outstanding_cents",
            title="Value outstanding",
            unit="cents",
            added=True,
            formula="outstanding x each: what the house owes for chips",
        ),
    ),
)

COUNTER_CHECKS: Final = Section(
    name="counter_checks",
    title="Counter checks",
    key=("through",),
    columns=(Column(name="through", title="Through", unit="day", formula="the last gaming day"), *FLOW_COLUMNS),
)

OTHERS: Final = Section(
    name="others",
    title="Tables, count room and accounts",
    key=("of",),
    columns=(
        Column(name="of", title="Of", formula="whose books are compared with the cage's, since they began"),
        Column(
            name="theirs_cents",
            title="By their books",
            unit="cents",
            formula=(
                "tables: fills less credits, as their win states them; count room: currency and rake found in boxes; "
                "accounts: cash taken less cash paid"
            ),
        ),
        Column(
            name="cage_cents",
            title="By the cage",
            unit="cents",
            formula=(
                "tables: what went to tables less what came back, by the last count of cage; others: received of them "
                "by transfers, less what was given"
            ),
        ),
        Column(
            name="between_cents",
            title="Between",
            unit="cents",
            formula=(
                "by their books - by the cage: what the count room and the accounts still have; of tables, what is in "
                "transit, moved since the last count, or of a shift that lacks something"
            ),
        ),
    ),
)
