"""The tables of the paytable registry: its journal, the versions of the submissions, and the answers already given."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSON

from shared.journal.tables import journal_tables

SCHEMA = "paytable_registry"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = Table(
    "submissions",
    metadata,
    Column("property", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("status", Text, nullable=False),
    Column("effective_from", DateTime(timezone=True), nullable=False),
    Column("hash", Text, nullable=False),
    Column("filed_by", Text, nullable=False),
    Column("filed_at", DateTime(timezone=True), nullable=False),
    Column("document", JSON(none_as_null=True), nullable=False),  # the data of submission.filed
    Column("approved_by", Text),
    Column("approved_at", DateTime(timezone=True)),
    Column("rejected_by", Text),
    Column("rejected_at", DateTime(timezone=True)),
    Column("rejection_reason", Text),
    CheckConstraint(
        """CASE status
            WHEN 'filed' THEN num_nonnulls(approved_by, approved_at, rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'approved' THEN num_nulls(approved_by, approved_at) = 0
                AND num_nonnulls(rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'rejected' THEN num_nulls(rejected_by, rejected_at, rejection_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END""",
        name="status_and_decision_agree",
    ),
    CheckConstraint("approved_by <> filed_by", name="approved_by_somebody_else"),
    Index(
        "one_beginning_one_version",
        "property",
        "game",
        "effective_from",
        unique=True,
        postgresql_where="status = 'approved'",
    ),
    schema=SCHEMA,
)
