"""The tables of vigorish: the journal, and what follows from it.

Everything but the journal, the properties and the submissions is a projection of the journal, except for the shifts,
which are one of the topic `pit.events`. Amounts are cents.
"""

from typing import Final

from sqlalchemy import Boolean, Index, Integer, MetaData, Numeric, SmallInteger, Table
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.columns import MOMENT, columns, counts, dates, entry_place, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.consume.days import day_changes_table, days_table
from shared.runtime.consume.properties import properties_table
from shared.runtime.consume.submissions import submissions_table

SCHEMA = "vigorish"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their tables, gaming days and rates of vigorish."""

submissions = submissions_table(metadata, SCHEMA)
"""The approved rules submissions: how vigorish is rounded."""

_ROUND: Final = ("property", "table_name", "round_id")

SUMS: Final = ("assessed_cents", "collected_cents", "waived_cents", "returned_cents")
"""What became of the vigorish of a seat."""

owed = Table(
    "owed",
    metadata,
    *texts(*_ROUND, key=True),
    *columns(SmallInteger, "seat", key=True),
    *columns(Boolean, "bank", key=True),
    *dates("gaming_day"),
    *counts(*SUMS),
    # Unknown before the round was settled:
    *texts("game", "owed_by", "dealer_id", null=True),
    *moments("closed_at", null=True),
    # Unknown before something was collected or waived:
    *texts("shift", "settled_dealer_id", null=True),
    *moments("settled_at", null=True),
    *dates("claimed_day", null=True),  # another gaming day than that of its moment
    Index("owed_of_day", "property", "gaming_day", "table_name"),
    schema=SCHEMA,
)
"""What a seat owes of a round, as a player or as the bank."""

lines = Table(
    "lines",
    metadata,
    *texts(*_ROUND, key=True),
    *columns(Integer, "revision", key=True),
    *columns(SmallInteger, "line", key=True),
    *columns(Boolean, "standing", "bank", "agrees"),
    *dates("gaming_day"),
    *texts("game", "owed_by"),
    *moments("closed_at"),
    *texts("dealer_id", null=True),
    *columns(SmallInteger, "seat"),
    *counts("stake_cents", "base_cents", "cents"),
    *columns(Numeric(10, 9), "rate"),
    *columns(JSONB, "document"),  # the line as published
    *entry_place(),
    Index("lines_of_day", "property", "gaming_day", "table_name"),
    schema=SCHEMA,
)
"""What was assessed, line by line."""

days = days_table(metadata, SCHEMA)
day_changes = day_changes_table(metadata, SCHEMA)
"""How far gaming days have come."""

shifts = Table(
    "shifts",
    metadata,
    *texts("property", "table_name", key=True),
    *columns(MOMENT, "at", key=True),
    *texts("shift"),
    schema=SCHEMA,
)
"""Which shift was at work at a table from a moment on."""
