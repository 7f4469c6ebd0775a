"""The tables of the progressive meters: the journal, and what follows from it.

Everything but the journal, the submissions and the days is a projection of the journal. Exact amounts are nanocents.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
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
from sqlalchemy.dialects.postgresql import ARRAY, JSON

from shared.journal.tables import journal_tables
from shared.runtime.command.versions import version_columns
from shared.runtime.consume.days import days_table
from shared.runtime.consume.submissions import submissions_table

SCHEMA = "progressive_meters"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _exact(name: str) -> Column[Any]:
    return Column(name, Numeric(38, 0), nullable=False)


def _pool() -> tuple[Column[Any], Column[Any]]:
    return Column("property", Text, primary_key=True), Column("pool", Text, primary_key=True)


def _round() -> tuple[Column[Any], ...]:
    return (
        Column("property", Text, primary_key=True),
        Column("table_name", Text, primary_key=True),
        Column("round_id", Text, primary_key=True),
    )


submissions = submissions_table(metadata, SCHEMA)
"""The approved rules submissions: the rates of the meters."""

pool_versions = Table("pool_versions", metadata, *_pool(), *version_columns(), schema=SCHEMA)
"""The terms of pools: filed, then approved or rejected."""

pools = Table(
    "pools",
    metadata,
    *_pool(),
    Column("number", BigInteger, nullable=False),  # of the last movement
    _exact("display"),
    _exact("reserve"),
    _exact("overflow"),
    Column("in_count", BigInteger, nullable=False),
    Column("in_cents", BigInteger, nullable=False),
    Column("hits", BigInteger, nullable=False),
    Column("wins_cents", BigInteger, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),  # when the last movement happened
    schema=SCHEMA,
)
"""What each pool's meters show."""

movements = Table(
    "movements",
    metadata,
    *_pool(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("gaming_day", Date, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("table_name", Text),
    Column("game", Text),
    Column("round_id", Text),
    Column("revision", Integer),
    Column("meter", Text),
    Column("in_count", BigInteger, nullable=False),
    Column("in_cents", BigInteger, nullable=False),
    _exact("contribution"),
    _exact("reserved"),
    _exact("overflow"),
    Column("award_cents", BigInteger, nullable=False),
    Column("hits", Integer, nullable=False),
    _exact("reset"),
    _exact("reserve_used"),
    _exact("seed"),
    _exact("transfer"),
    _exact("released"),
    _exact("display"),  # afterwards
    Column("document", JSON(none_as_null=True), nullable=False),  # the movement as published
    Column("shard", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    CheckConstraint("kind IN ('seed', 'round', 'taken_back', 'change')", name="known_kind"),
    CheckConstraint(
        "kind IN ('taken_back', 'change') OR award_cents > 0 OR contribution + reset + seed + transfer + released >= 0",
        name="no_meter_falls_by_itself",
    ),
    Index("movements_of_day", "property", "gaming_day", "pool"),
    Index("movements_in_time", "property", "pool", "at"),
    Index("movements_of_round", "property", "table_name", "round_id", "revision", postgresql_where="kind = 'round'"),
    schema=SCHEMA,
)
"""Everything that moved a pool."""

readings = Table(
    "readings",
    metadata,
    *_round(),
    Column("meter", Text, primary_key=True),
    Column("pool", Text, nullable=False),
    Column("number", BigInteger, nullable=False),  # of the movement
    Column("standing", Boolean, nullable=False),  # no longer where the round was taken back
    Column("game", Text, nullable=False),
    Column("gaming_day", Date, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    Column("closed_at", DateTime(timezone=True), nullable=False),
    Column("in_cents", BigInteger, nullable=False),
    Column("rate", Text, nullable=False),
    Column("settled_cents", BigInteger, nullable=False),
    Column("award_cents", BigInteger, nullable=False),
    Column("reset_cents", BigInteger, nullable=False),
    Column("before_cents", BigInteger),
    Column("after_cents", BigInteger),
    Column("findings", ARRAY(Text), nullable=False),
    Column("shard", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("readings_of_day", "property", "gaming_day", "pool"),
    schema=SCHEMA,
)
"""What tables said of their meters, and what the settlements of those rounds came to."""

hits = Table(
    "hits",
    metadata,
    *_pool(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),  # of the movement
    Column("line", SmallInteger, primary_key=True, autoincrement=False),
    Column("standing", Boolean, nullable=False),
    Column("gaming_day", Date, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("table_name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("round_id", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("wager", Text, nullable=False),
    Column("category", Text),
    Column("cents", BigInteger, nullable=False),
    Column("shard", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("hits_of_round", "property", "table_name", "round_id", "revision"),
    schema=SCHEMA,
)
"""The awards."""

changes = Table(
    "changes",
    metadata,
    Column("property", Text, primary_key=True),
    Column("change", Integer, primary_key=True, autoincrement=False),
    Column("pool", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("document", JSON(none_as_null=True), nullable=False),  # the data of what requested it, or approved it
    Column("approved_by", Text),
    Column("rejection", JSON(none_as_null=True)),  # the data of what rejected it
    CheckConstraint("status IN ('requested', 'approved', 'rejected')", name="known_status"),
    CheckConstraint("(status = 'approved') = (approved_by IS NOT NULL)", name="status_and_approval_agree"),
    CheckConstraint("(status = 'rejected') = (rejection IS NOT NULL)", name="status_and_rejection_agree"),
    CheckConstraint("approved_by <> requested_by", name="approved_by_somebody_else"),
    schema=SCHEMA,
)
"""What people changed, or wanted to."""

reconciliations = Table(
    "reconciliations",
    metadata,
    Column("property", Text, primary_key=True),
    Column("gaming_day", Date, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("rows_sha256", Text, nullable=False),
    Column("document", JSON(none_as_null=True), nullable=False),
    schema=SCHEMA,
)
"""What was reconciled, as it was known then."""

days = days_table(metadata, SCHEMA)
"""How far gaming days have come."""
