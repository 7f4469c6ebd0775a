"""The tables of vigorish: the journal, copies of properties and submissions, and projections. Amounts are cents."""

from typing import Final

from sqlalchemy import Boolean, Index, Integer, MetaData, SmallInteger, Table
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.columns import COPIED, columns, counts, dates, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.ingest.pit_events import pit_events_table
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.ingest.submission_copies import submissions_table

SCHEMA = "vigorish"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their tables, gaming days and rates of vigorish."""

submissions = submissions_table(metadata, SCHEMA)
"""The approved rules submissions, which determine how vigorish is rounded."""

_ROUND: Final = ("property", "table_name", "round_id")

SUMS: Final = ("assessed_cents", "collected_cents", "waived_cents", "returned_cents")
"""The columns of `owed` that hold a seat's amounts."""

pit_events = pit_events_table(
    metadata,
    SCHEMA,
    *texts(*_ROUND, "dealer_id", null=True),
    *columns(SmallInteger, "seat", null=True),
    *columns(Boolean, "bank", null=True),
    *moments("at", null=True),
    Index("events_of_seat", *_ROUND, "seat", postgresql_where="round_id IS NOT NULL", info=COPIED),
)
"""Pit events about vigorish: the entry in force of each, and the seat that it is about."""

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
    *texts("settled_dealer_id", null=True),
    *moments("settled_at", null=True),
    Index("owed_of_day", "property", "gaming_day", "table_name"),
    schema=SCHEMA,
)
"""The vigorish of a seat in a round, as a player or as the bank, with the time and dealer of its last settlement."""

lines = Table(
    "lines",
    metadata,
    *texts(*_ROUND, key=True),
    *columns(Integer, "revision", key=True),
    *columns(SmallInteger, "line", key=True),
    *columns(JSONB, "document"),  # the line as published
    schema=SCHEMA,
)
"""Vigorish lines by round revision, kept so that a reversal can take them back."""
