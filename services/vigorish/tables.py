"""The tables of vigorish: the journal, and what follows from it.

Everything but the journal and the submissions is a projection of the journal, except for the shifts, which are one of
the topic `pit.events`. Amounts are cents.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    MetaData,
    Numeric,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.tables import journal_tables
from shared.runtime.consume.days import days_table
from shared.runtime.consume.submissions import submissions_table

SCHEMA = "vigorish"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = submissions_table(metadata, SCHEMA)
"""The approved rules submissions: how vigorish is rounded."""


def _round() -> tuple[Column[Any], ...]:
    return (
        Column("property", Text, primary_key=True),
        Column("table_name", Text, primary_key=True),
        Column("round_id", Text, primary_key=True),
    )


owed = Table(
    "owed",
    metadata,
    *_round(),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("bank", Boolean, primary_key=True),
    Column("gaming_day", Date, nullable=False),
    Column("game", Text),  # from here to `dealer_id`: unknown before the round was settled
    Column("owed_by", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("dealer_id", Text),
    Column("assessed_cents", BigInteger, nullable=False),
    Column("collected_cents", BigInteger, nullable=False),
    Column("waived_cents", BigInteger, nullable=False),
    Column("shift", Text),  # from here on: unknown before something was collected or waived
    Column("settled_dealer_id", Text),
    Column("settled_at", DateTime(timezone=True)),
    Column("returned_cents", BigInteger, nullable=False),
    Index("owed_of_day", "property", "gaming_day", "table_name"),
    schema=SCHEMA,
)
"""What a seat owes of a round, as a player or as the bank."""

lines = Table(
    "lines",
    metadata,
    *_round(),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("line", SmallInteger, primary_key=True, autoincrement=False),
    Column("standing", Boolean, nullable=False),
    Column("gaming_day", Date, nullable=False),
    Column("game", Text, nullable=False),
    Column("closed_at", DateTime(timezone=True), nullable=False),
    Column("dealer_id", Text),
    Column("seat", SmallInteger, nullable=False),
    Column("bank", Boolean, nullable=False),
    Column("owed_by", Text, nullable=False),
    Column("stake_cents", BigInteger, nullable=False),
    Column("base_cents", BigInteger, nullable=False),
    Column("rate", Numeric(10, 9), nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("agrees", Boolean, nullable=False),
    Column("document", JSONB, nullable=False),  # the line as published
    Column("shard", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("lines_of_day", "property", "gaming_day", "table_name"),
    schema=SCHEMA,
)
"""What was assessed, line by line."""

days = days_table(metadata, SCHEMA)
"""How far gaming days have come."""

shifts = Table(
    "shifts",
    metadata,
    Column("property", Text, primary_key=True),
    Column("table_name", Text, primary_key=True),
    Column("at", DateTime(timezone=True), primary_key=True),
    Column("shift", Text, nullable=False),
    schema=SCHEMA,
)
"""Which shift was at work at a table from a moment on."""
