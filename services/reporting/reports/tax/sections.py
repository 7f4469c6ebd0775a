"""The sections of the tax report, with their columns."""

from typing import Final

from services.reporting.framework.document import Column, Section
from services.reporting.reports.common.counted_win import KIND, PLAY

_DAYS: Final = Column(
    name="days", title="Days", unit="count", formula="gaming days on which every table of these classes has a win"
)
_REVENUE: Final = (
    Column(
        name="revenue_cents",
        title="Revenue",
        unit="cents",
        formula="final win of the class's tables by the legal formula; empty while a table is uncounted",
    ),
    Column(
        name="counted_cents",
        title="Counted revenue",
        unit="cents",
        formula=(
            "part of the revenue that is taxed or divided; negative revenue counts as the jurisdiction's pack defines"
        ),
    ),
)
_LAW: Final = (
    Column(name="first_day", title="From", unit="day"),
    Column(name="last_day", title="To", unit="day"),
    _DAYS,
)
_SOURCE: Final = (
    Column(name="effective_from", title="In force from", unit="day"),
    Column(name="source", title="Source"),
    Column(name="status", title="Status", formula="whether the value was confirmed at its source"),
)

CLASSES: Final = Section(
    name="classes",
    title="Revenue by class",
    key=("revenue_class",),
    columns=(
        Column(name="revenue_class", title="Class"),
        Column(name="basis", title="Basis", formula="how the law computes the revenue of the class"),
        _DAYS,
        *_REVENUE,
        Column(name="note", title="Note"),
    ),
)
DAYS: Final = Section(
    name="days",
    title="Revenue by class and gaming day",
    key=("gaming_day", "revenue_class"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="revenue_class", title="Class"),
        Column(name="tables", title="Tables", unit="count"),
        *_REVENUE,
        Column(
            name="missing",
            title="Missing",
            formula="tables without a win; until they have one, the class has no revenue for the day",
        ),
    ),
)
TABLES: Final = Section(
    name="tables",
    title="Revenue by table",
    key=("revenue_class", "name"),
    columns=(
        Column(name="revenue_class", title="Class"),
        Column(name="name", title="Table", formula="table or contest"),
        Column(name="game", title="Game"),
        KIND,
        PLAY,
        _DAYS,
        Column(
            name="revenue_cents",
            title="Revenue",
            unit="cents",
            added=True,
            formula="revenue on these days; the tables of a class sum to its revenue",
        ),
    ),
)
LAYERS: Final = Section(
    name="layers",
    title="Layers of tax",
    key=("layer", "first_day"),
    columns=(
        Column(name="layer", title="Layer"),
        Column(name="payee", title="Payee"),
        Column(name="filed", title="Return period", formula="period of the return with which the tax is paid"),
        Column(name="rate", title="Rate", formula="exact rate from the jurisdiction's pack"),
        *_LAW,
        Column(
            name="base_cents", title="Base", unit="cents", formula="counted revenue of the classes taxed by the layer"
        ),
        Column(
            name="amount_cents",
            title="Tax",
            unit="cents",
            added=True,
            formula="base x rate, rounded as the pack defines",
        ),
        *_SOURCE,
    ),
)
SHARES: Final = Section(
    name="shares",
    title="Shares",
    key=("share", "party", "first_day"),
    columns=(
        Column(name="share", title="Share"),
        Column(name="party", title="Party"),
        Column(name="part", title="Fraction", formula="exact fraction from the jurisdiction's pack"),
        *_LAW,
        Column(
            name="base_cents", title="Base", unit="cents", formula="counted revenue of the classes divided by the share"
        ),
        Column(
            name="amount_cents",
            title="Amount",
            unit="cents",
            added=True,
            formula="the amounts of the parties sum to the base for each day",
        ),
        *_SOURCE,
    ),
)
ESTIMATES: Final = Section(
    name="estimates",
    title="Prepaid estimates",
    key=("layer", "month"),
    columns=(
        Column(name="layer", title="Layer"),
        Column(name="payee", title="Payee"),
        Column(name="month", title="Month", unit="day", formula="first day of the month"),
        Column(name="tax_cents", title="Tax", unit="cents", formula="tax of the month, as in the layers of tax"),
        Column(
            name="paid_with",
            title="Prepaid with",
            unit="day",
            formula="month with whose return the estimate for this month was paid; empty: none was paid",
        ),
        Column(
            name="paid_cents",
            title="Prepaid before",
            unit="cents",
            formula=(
                "estimate already paid for this month: the tax of the month it was paid with; empty if that tax is "
                "not in these books"
            ),
        ),
        Column(
            name="ahead_from", title="Prepays from", unit="day", formula="first month for which an estimate is paid"
        ),
        Column(
            name="ahead_months",
            title="Months prepaid",
            unit="count",
            formula="number of months for which an estimate is paid",
        ),
        Column(
            name="ahead_cents",
            title="Prepayment",
            unit="cents",
            formula="estimate: tax of the month x months prepaid",
        ),
        Column(
            name="change_cents",
            title="Change",
            unit="cents",
            added=True,
            formula="prepayment - prepaid before: change of the amount due",
        ),
        *_SOURCE,
    ),
)
DUE: Final = Section(
    name="due",
    title="Amounts due",
    key=("payee", "filed"),
    columns=(
        Column(name="payee", title="Payee"),
        Column(name="filed", title="Return period"),
        Column(
            name="due_cents",
            title="Due",
            unit="cents",
            added=True,
            formula="layers of tax + change of prepayments",
        ),
        Column(name="note", title="Note"),
    ),
)
