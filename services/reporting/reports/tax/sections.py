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
        formula="the final win of the tables of the class, by the formula of the law; none while one is not counted",
    ),
    Column(
        name="counted_cents",
        title="Counted",
        unit="cents",
        formula="what of the revenue is taxed or divided: below zero as the jurisdiction's pack says",
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
        Column(name="basis", title="Basis", formula="how law computes the revenue of the class"),
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
            formula="tables that have no win yet: then their class has no revenue on the day",
        ),
    ),
)
TABLES: Final = Section(
    name="tables",
    title="Revenue by table",
    key=("revenue_class", "name"),
    columns=(
        Column(name="revenue_class", title="Class"),
        Column(name="name", title="Table", formula="or contest"),
        Column(name="game", title="Game"),
        KIND,
        PLAY,
        _DAYS,
        Column(
            name="revenue_cents",
            title="Revenue",
            unit="cents",
            added=True,
            formula="on these days; the tables of a class have all of its revenue",
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
        Column(name="filed", title="Return of", formula="the period of the return with which it is paid"),
        Column(name="rate", title="Rate", formula="exact, as the jurisdiction's pack has it"),
        *_LAW,
        Column(name="base_cents", title="Base", unit="cents", formula="counted revenue of the classes that it taxes"),
        Column(
            name="amount_cents", title="Tax", unit="cents", added=True, formula="base x rate, rounded as the pack says"
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
        Column(name="part", title="Part", formula="exact, as the jurisdiction's pack has it"),
        *_LAW,
        Column(name="base_cents", title="Base", unit="cents", formula="counted revenue of the classes that it divides"),
        Column(
            name="amount_cents", title="Amount", unit="cents", added=True, formula="the parties of a day have all of it"
        ),
        *_SOURCE,
    ),
)
ESTIMATES: Final = Section(
    name="estimates",
    title="Paid ahead",
    key=("layer", "month"),
    columns=(
        Column(name="layer", title="Layer"),
        Column(name="payee", title="Payee"),
        Column(name="month", title="Month", unit="day", formula="its first day"),
        Column(name="tax_cents", title="Tax", unit="cents", formula="of the month, as in the layers of tax"),
        Column(
            name="paid_with",
            title="Paid with",
            unit="day",
            formula="the month with whose return an estimate for this one was paid; none: nothing was",
        ),
        Column(
            name="paid_cents",
            title="Paid",
            unit="cents",
            formula="the estimate for this month, the tax of that one; none if it is not in these books",
        ),
        Column(name="ahead_from", title="Ahead from", unit="day", formula="the month that an estimate is paid for"),
        Column(name="ahead_months", title="Months", unit="count", formula="how many months are paid ahead"),
        Column(
            name="ahead_cents",
            title="Ahead",
            unit="cents",
            formula="the estimate: the tax of the month, for each of them",
        ),
        Column(
            name="change_cents",
            title="Change",
            unit="cents",
            added=True,
            formula="ahead - paid: what it adds to what is due",
        ),
        *_SOURCE,
    ),
)
DUE: Final = Section(
    name="due",
    title="Due",
    key=("payee", "filed"),
    columns=(
        Column(name="payee", title="Payee"),
        Column(name="filed", title="Return of"),
        Column(
            name="due_cents", title="Due", unit="cents", added=True, formula="its layers of tax, and what is paid ahead"
        ),
        Column(name="note", title="Note"),
    ),
)
