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
"""The approved rules submissions: how vigorish is rounded."""

_ROUND: Final = ("property", "table_name", "round_id")

SUMS: Final = ("assessed_cents", "collected_cents", "waived_cents", "returned_cents")
"""The columns that sum a seat's vigorish."""

pit_events = pit_events_table(
    metadata,
    SCHEMA,
    *texts(*_ROUND, "dealer_id", null=True),
    *columns(SmallInteger, "seat", null=True),
    *columns(Boolean, "bank", null=True),
    *moments("at", null=True),
    Index("events_of_seat", *_ROUND, "seat", postgresql_where="round_id IS NOT NULL", info=COPIED),
)
"""Pit events about vigorish, with the entry in force and its seat."""

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
"""What a seat owes for a round, as a player or as the bank."""

lines = Table(
    "lines",
    metadata,
    *texts(*_ROUND, key=True),
    *columns(Integer, "revision", key=True),
    *columns(SmallInteger, "line", key=True),
    *columns(JSONB, "document"),  # the line as published
    schema=SCHEMA,
)
"""Lines assessed by revisions of rounds, needed to reverse them."""
