"""The sections of the count variances report: each count with its expected amount, and sums by gaming day."""

from typing import Final

from services.reporting.framework.document import Column, Section
from services.reporting.reports.common.cases import CASE_COLUMNS

_PLACE: Final = (
    Column(name="gaming_day", title="Gaming day", unit="day"),
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="shift", title="Shift"),
)

INVENTORIES: Final = Section(
    name="inventories",
    title="Table inventories",
    key=("table", "slip"),
    columns=(
        *_PLACE,
        Column(name="slip", title="Slip", formula="sequence number of the count in the table's pit stream"),
        Column(name="purpose", title="Purpose"),
        Column(name="at", title="Counted at", unit="moment"),
        Column(name="dealer", title="Dealer", formula="who counted"),
        Column(name="floorperson", title="Floorperson", formula="who observed"),
        Column(name="before_cents", title="Count before", unit="cents"),
        Column(
            name="moved_cents",
            title="Movements outside rounds",
            unit="cents",
            added=True,
            formula=(
                "fills - credits - chips sold - counter checks - coupons paid - vigorish waived, since the previous "
                "count"
            ),
        ),
        Column(
            name="rounds_cents",
            title="Net chips of rounds",
            unit="cents",
            added=True,
            formula="net chips received in rounds closed since the previous count",
        ),
        Column(
            name="expected_cents",
            title="Expected",
            unit="cents",
            formula="count before + movements outside rounds + net chips of rounds",
        ),
        Column(name="counted_cents", title="Counted", unit="cents"),
        Column(
            name="counted_win_cents",
            title="Win by count",
            unit="cents",
            added=True,
            formula="counted - expected while a counted table was open: its win, not a variance",
        ),
        Column(
            name="variance_cents",
            title="Variance",
            unit="cents",
            added=True,
            formula="counted - expected, for all other counts",
        ),
        *CASE_COLUMNS,
    ),
)

IN_PLAY: Final = Section(
    name="in_play",
    title="Rounds in play at a count",
    key=("table", "slip", "in_play_at", "round"),
    columns=(
        *_PLACE,
        Column(name="slip", title="Slip", formula="the count whose variance the round explains"),
        Column(
            name="in_play_at", title="In play at", unit="moment", formula="time of that count, or of the previous one"
        ),
        Column(name="round", title="Round", formula="opened before the count and closed after it"),
        Column(name="opened_at", title="Opened at", unit="moment"),
        Column(name="closed_at", title="Closed at", unit="moment"),
        Column(name="wagered_cents", title="Wagered", unit="cents", formula="upper limit of the chips on the layout"),
        Column(
            name="explains_cents",
            title="Variance explained",
            unit="cents",
            added=True,
            formula="net chips of the round if they were in the tray at the count; reversed at the next count",
        ),
    ),
)

BOXES: Final = Section(
    name="boxes",
    title="Drop boxes",
    key=("table", "exchange"),
    columns=(
        *_PLACE,
        Column(name="box", title="Box no."),
        Column(
            name="exchange", title="Exchange", formula="sequence number of the box exchange in the table's pit stream"
        ),
        Column(name="removed_at", title="Removed at", unit="moment"),
        Column(
            name="recorded_currency_cents",
            title="Currency recorded",
            unit="cents",
            added=True,
            formula="chips sold for currency since the previous box",
        ),
        Column(
            name="recorded_checks_cents",
            title="Counter Checks recorded",
            unit="cents",
            added=True,
            formula="Counter Checks issued since the previous box",
        ),
        Column(name="expected_cents", title="Expected", unit="cents", added=True, formula="currency + Counter Checks"),
        Column(name="first_cents", title="First count", unit="cents"),
        Column(name="first_by", title="First counted by"),
        Column(name="second_cents", title="Second count", unit="cents", formula="made without knowledge of the first"),
        Column(name="second_by", title="Second counted by"),
        Column(name="further", title="Further counts", unit="count"),
        Column(name="agreed_cents", title="Agreed count", unit="cents", added=True),
        Column(name="currency_variance_cents", title="Currency variance", unit="cents", added=True),
        Column(name="checks_variance_cents", title="Counter Check variance", unit="cents", added=True),
        Column(
            name="unrecorded_cents",
            title="Win by count",
            unit="cents",
            added=True,
            formula="agreed count - expected, at a counted table that does not report each sale; part of its win",
        ),
        Column(
            name="variance_cents",
            title="Variance",
            unit="cents",
            added=True,
            formula="agreed count - expected - win by count",
        ),
        *CASE_COLUMNS,
    ),
)

SLIPS: Final = Section(
    name="slips",
    title="Fills and credits",
    key=("slip", "number"),
    columns=(
        *_PLACE,
        Column(name="slip", title="Slip"),
        Column(name="number", title="Slip no."),
        Column(name="received_at", title="Received at", unit="moment"),
        Column(name="sent_cents", title="Sent", unit="cents", added=True),
        Column(name="received_cents", title="Received", unit="cents", added=True),
        Column(name="variance_cents", title="Variance", unit="cents", added=True, formula="received - sent"),
        *CASE_COLUMNS,
    ),
)

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day", "of"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="of", title="Counted item", formula="inventory, drop, fill or credit"),
        Column(
            name="counts", title="Counts", unit="count", added=True, formula="counts compared with an expected amount"
        ),
        Column(name="off", title="With a variance", unit="count", added=True, formula="counts with a variance"),
        Column(name="short", title="Short", unit="count", added=True, formula="counts with a negative variance"),
        Column(name="variance_cents", title="Variance", unit="cents", added=True),
        Column(
            name="unresolved",
            title="Unresolved",
            unit="count",
            added=True,
            formula="unresolved variances above the limit for written reports",
        ),
        Column(name="not_counted", title="Not counted", unit="count", added=True),
    ),
)

AFTER_SEAL: Final = Section(
    name="after_seal",
    title="Open on sealed gaming days",
    key=("variance", "table", "number"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="variance", title="Counted item", formula="inventory, drop, fill or credit"),
        Column(name="table", title="Table"),
        Column(name="number", title="No.", formula="number of the count, the box exchange or the slip"),
        Column(name="variance_cents", title="Variance", unit="cents", added=True),
        *CASE_COLUMNS,
    ),
)
