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
        Column(name="kind", title="Kind", formula="as the property defines it; cage: for the location of that name"),
        Column(name="counts", title="Counts", unit="count", formula="verified in the period; 0: not counted"),
        Column(
            name="before_cents",
            title="Counted before",
            unit="cents",
            added=True,
            formula="at the last count before the period",
        ),
        Column(
            name="brought_forward_cents",
            title="Brought forward",
            unit="cents",
            added=True,
            formula="for a location first counted in this period: amount counted in excess of its recorded movements",
        ),
        Column(
            name="received_cents",
            title="Received",
            unit="cents",
            added=True,
            formula="transfers received or returned to the location",
        ),
        Column(name="issued_cents", title="Issued", unit="cents", added=True, formula="transfers sent; negative"),
        Column(
            name="from_tables_cents",
            title="From tables",
            unit="cents",
            added=True,
            formula="credits, and fills that were voided",
        ),
        Column(name="to_tables_cents", title="To tables", unit="cents", added=True, formula="fills; negative"),
        Column(
            name="from_patrons_cents",
            title="From patrons",
            unit="cents",
            added=True,
            formula=(
                "deposits, payments on counter checks, contest entry fees, tax withheld; and chips redeemed or checks "
                "cashed that were paid by a check on the casino's bank account"
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
            formula="counted - counted before - net of all movements; negative: short",
        ),
        Column(name="counted_cents", title="Counted", unit="cents", added=True, formula="at the last count"),
        Column(
            name="to_imprest_cents",
            title="Over or under imprest",
            unit="cents",
            formula="counted - imprest in effect at the count; empty: the location has no imprest",
        ),
        Column(name="counted_at", title="Counted at", unit="moment", formula="time of the last count"),
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
            formula="book balance at the time of the count; for a first count, the amount counted",
        ),
        Column(name="counted_cents", title="Counted", unit="cents"),
        Column(name="over_short_cents", title="Over or short", unit="cents", added=True, formula="counted - expected"),
        Column(name="cashier", title="Cashier", formula="the cashier accountable for the difference"),
        Column(
            name="next_cashier",
            title="Next cashier",
            formula="the cashier who took over the drawer with the amount counted",
        ),
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
        Column(name="what", title="Contents", formula="by kind and denomination"),
        Column(
            name="cents", title="Monetary value", unit="cents", formula="total of the items that have a monetary value"
        ),
        Column(name="status", title="Status", formula="at the end of the period"),
        Column(name="issued_by", title="Issued by"),
        Column(name="issued_at", title="Issued at", unit="moment"),
        Column(name="ended_by", title="Received or returned by"),
        Column(name="ended_at", title="Received or returned at", unit="moment"),
        Column(name="reason", title="Return reason"),
    ),
)

HOLDINGS: Final = Section(
    name="holdings",
    title="Contents at the last count",
    key=("location", "kind", "of", "piece", "each_cents"),
    columns=(
        Column(name="location", title="Location"),
        Column(name="kind", title="Kind"),
        Column(
            name="of",
            title="Chip set or issuer",
            formula="the chip set, or for foreign chips the property that issued them",
        ),
        Column(name="piece", title="Piece", formula="for chips: chip, coin or plaque"),
        Column(name="each_cents", title="Denomination", unit="cents"),
        Column(name="pieces", title="Pieces", unit="count"),
        Column(
            name="value_cents",
            title="Value",
            unit="cents",
            added=True,
            formula=(
                "pieces x denomination; empty for items without monetary value, such as promotional and non-negotiable "
                "chips and coupons"
            ),
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
        Column(name="each_cents", title="Denomination", unit="cents"),
        Column(
            name="brought_forward",
            title="Brought forward",
            unit="count",
            formula=(
                "chips in service at the beginning of the statement's gaming day, as entered and approved by "
                "two people; empty: no statement"
            ),
        ),
        Column(
            name="put_in",
            title="Put into service",
            unit="count",
            formula="received from the manufacturer - sent to destruction, since the beginning of that gaming day",
        ),
        Column(
            name="in_service",
            title="In service",
            unit="count",
            formula="brought forward + put into service; empty without a statement of the chips brought forward",
        ),
        Column(
            name="at_cage",
            title="At the cage",
            unit="count",
            formula="last count of each location, with transfers, fills and credits since; never below 0",
        ),
        Column(
            name="at_tables",
            title="At tables",
            unit="count",
            formula=(
                "last count of each table, with fills and credits since; attributed to the first set in use that has "
                "such chips"
            ),
        ),
        Column(
            name="in_transit", title="In transit", unit="count", formula="transfers, fills and credits not yet received"
        ),
        Column(
            name="outstanding",
            title="Outstanding",
            unit="count",
            formula="in service - at the cage - at tables - in transit; empty without chips in service",
        ),
        Column(
            name="outstanding_cents",
            title="Value outstanding",
            unit="cents",
            added=True,
            formula="outstanding x denomination: the chip liability of the house",
        ),
    ),
)

COUNTER_CHECKS: Final = Section(
    name="counter_checks",
    title="Counter checks",
    key=("through",),
    columns=(
        Column(name="through", title="Through", unit="day", formula="last gaming day of the period"),
        *FLOW_COLUMNS,
    ),
)

OTHERS: Final = Section(
    name="others",
    title="Comparison with tables, count room and accounts",
    key=("of",),
    columns=(
        Column(
            name="of",
            title="Other books",
            formula="books compared with those of the cage, since inception: tables, count room or accounts",
        ),
        Column(
            name="theirs_cents",
            title="Per the other books",
            unit="cents",
            formula=(
                "tables: fills - credits, as in the win statements; count room: currency and rake found in boxes; "
                "accounts: cash received - cash paid"
            ),
        ),
        Column(
            name="cage_cents",
            title="Per the cage",
            unit="cents",
            formula=(
                "tables: sent to tables - received from tables, up to the last count of the cage; others: transfers "
                "received - transfers sent"
            ),
        ),
        Column(
            name="between_cents",
            title="Difference",
            unit="cents",
            formula=(
                "per the other books - per the cage: for the count room and the accounts, the cash that they still "
                "hold; for tables, amounts in transit, moved since the last count, or of a shift with incomplete counts"
            ),
        ),
    ),
)
