"""The sections of the currency reports, with their columns."""

from typing import Final

from services.reporting.framework.document import Column, Section

FORM: Final = Column(name="form", title="Form")
DAY: Final = Column(name="gaming_day", title="Gaming day", unit="day")
PERSON: Final = Column(
    name="person",
    title="Person",
    formula="the patron's reference, or the account if no patron is known; unknown: not recorded",
)
DIRECTION: Final = Column(
    name="direction", title="Direction", formula="in: received by the casino; out: paid to the person"
)
AGENCY: Final = (
    Column(name="conducted_by", title="Conducted by", formula="the agent, if the transaction was conducted for others"),
    Column(name="on_behalf_of", title="On behalf of", formula="all principals, separated by commas"),
)
_CENTS: Final = Column(name="cents", title="Amount", unit="cents")
_MOVEMENTS: Final = Column(name="movements", title="Transactions", unit="count")
_ENTRY: Final = Column(name="entry", title="First entry")
_TOTAL: Final = (
    *(FORM, DAY, PERSON, DIRECTION, _MOVEMENTS, _CENTS),
    Column(name="threshold_cents", title="Threshold", unit="cents"),
)
_SOURCE: Final = (
    Column(name="source", title="Source", formula="of the threshold"),
    Column(name="status", title="Status", formula="whether the threshold was confirmed at its source"),
)
REPORTED_WITH: Final = Column(
    name="reported_with",
    title="Reported with",
    formula=(
        "the person whose report contains the whole amount, if the transaction was conducted for "
        "another person; empty: the person has a separate report"
    ),
)
SPECIFIED: Final = Column(
    name="specified",
    title="Specified",
    formula="purpose of the transaction, if the form has no line for it; or the country, for foreign currency",
)
_KEY: Final = ("form", "gaming_day", "person", "direction", "entry")

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day", "department"),
    columns=(
        DAY,
        Column(name="department", title="Department", formula="account, cage or table"),
        Column(name="in_cents", title="Currency in", unit="cents", added=True, formula="total of all amounts received"),
        Column(name="out_cents", title="Currency out", unit="cents", added=True, formula="total of all amounts paid"),
        Column(
            name="logged", title="Log lines", unit="count", added=True, formula="number of lines in the log of the day"
        ),
        Column(name="logged_cents", title="Currency in the logs", unit="cents", added=True),
        Column(
            name="unknown",
            title="Reportable transactions of unidentified persons",
            unit="count",
            added=True,
            formula="sales at tables that reach the threshold individually; listed in the report of the day",
        ),
        Column(name="unknown_cents", title="Reportable currency of unidentified persons", unit="cents", added=True),
    ),
)
REPORTABLE: Final = Section(
    name="reportable",
    title="Reportable totals",
    key=_KEY,
    columns=(
        *_TOTAL,
        Column(
            name="file_by", title="File by", unit="day", formula="due date: gaming day + the number of days in the pack"
        ),
        REPORTED_WITH,
        _ENTRY,
        *_SOURCE,
    ),
)
LINES: Final = Section(
    name="lines",
    title="Reportable totals, by kind",
    key=("form", "gaming_day", "person", "direction", "entry", "kind", "specified", "conducted_by", "on_behalf_of"),
    columns=(
        *(FORM, DAY, PERSON, DIRECTION),
        Column(name="kind", title="Kind"),
        SPECIFIED,
        *AGENCY,
        REPORTED_WITH,
        _MOVEMENTS,
        _CENTS,
        _ENTRY,
    ),
)
BELOW: Final = Section(
    name="below",
    title="Filed, but no longer reportable, by kind",
    key=LINES.key,
    columns=LINES.columns,
)
"""Totals of filed reports that are now below the threshold, as an amendment of the report must state them.

A person may have a total in the other direction that must be reported; that one is in `LINES`.
"""

LOG: Final = Section(
    name="log",
    title="Log of each department",
    key=("department", "form", "entry", "person", "direction"),
    columns=(
        Column(name="department", title="Department"),
        FORM,
        DAY,
        Column(name="moment", title="Time", unit="moment"),
        Column(name="place", title="Place", formula="the table, the window of the cage, or the wallet"),
        PERSON,
        *AGENCY,
        DIRECTION,
        Column(name="kind", title="Kind"),
        SPECIFIED,
        _CENTS,
        Column(
            name="in_cents",
            title="Currency in to date",
            unit="cents",
            formula="total of the person on the gaming day, over all places",
        ),
        Column(
            name="out_cents",
            title="Currency out to date",
            unit="cents",
            formula="total of the person on the gaming day, over all places",
        ),
        Column(name="entry", title="Entry"),
    ),
)
INSTRUMENTS: Final = Section(
    name="instruments",
    title="List of monetary instruments",
    key=("form", "entry", "direction"),
    columns=(
        FORM,
        DAY,
        Column(name="moment", title="Time", unit="moment"),
        Column(name="place", title="Place", formula="the window of the cage"),
        PERSON,
        *AGENCY,
        Column(name="direction", title="Direction", formula="in: received by the casino; out: issued by the casino"),
        Column(name="kind", title="Kind"),
        Column(name="instrument_type", title="Instrument"),
        Column(name="issuer", title="Drawee or issuer"),
        Column(name="references", title="Reference numbers", formula="all, separated by semicolons"),
        _CENTS,
        Column(name="by", title="Employee", formula="the employee who conducted the transaction"),
        Column(name="entry", title="Entry"),
    ),
)
"""Transactions by monetary instruments of a face value from the threshold on, oldest first (31 CFR § 1021.410(b)(9)).

Name and permanent address of a person are sealed with the wagering accounts.
"""

WARNINGS: Final = Section(
    name="warnings",
    title="Near a threshold",
    key=_KEY,
    columns=(
        *_TOTAL,
        Column(name="left_cents", title="Below the threshold by", unit="cents", formula="threshold - amount"),
        _ENTRY,
        *_SOURCE,
    ),
)
ALIKE: Final = Section(
    name="alike",
    title="References that differ only in case (totaled separately)",
    key=("person",),
    columns=(PERSON, Column(name="alike", title="Differs only in case from")),
)
PATTERNS: Final = Section(
    name="patterns",
    title="Patterns for review",
    key=("form", "pattern", "person", "direction", "first_day"),
    columns=(
        FORM,
        Column(name="pattern", title="Pattern"),
        PERSON,
        DIRECTION,
        Column(name="first_day", title="From", unit="day"),
        Column(name="last_day", title="To", unit="day"),
        Column(name="movements", title="Transactions", unit="count"),
        Column(name="cents", title="Amount", unit="cents"),
        Column(name="saw", title="Observation"),
        Column(name="why", title="Reason for listing"),
    ),
)
