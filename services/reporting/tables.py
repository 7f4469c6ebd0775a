"""The tables of reporting: its journal, the sums behind the reports, the exceptions, and what else it keeps of topics.

Everything but the journal follows from the topics; the exceptions also from the journal. Amounts are cents.
"""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, Date, DateTime, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import INT8MULTIRANGE

from shared.contracts.wager_totals import FIGURES
from shared.journal.tables import journal_tables
from shared.runtime.consume.days import days_table

SCHEMA = "reporting"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _entry_columns() -> tuple[Column[Any], ...]:
    """Return the columns of the entry that says what a row says."""
    return (
        Column("service", Text, primary_key=True),
        Column("shard", Integer, primary_key=True, autoincrement=False),
        Column("seq", BigInteger, primary_key=True, autoincrement=False),
        Column("hash", Text, nullable=False),
        Column("recorded_at", DateTime(timezone=True), nullable=False),
    )


def _game_columns() -> tuple[Column[Any], ...]:
    """Return the columns of a game at a table on a gaming day."""
    return (
        Column("gaming_day", Date, primary_key=True),
        Column("property", Text, primary_key=True),
        Column("table_name", Text, primary_key=True),
        Column("game", Text, primary_key=True),
    )


wager_days = Table(
    "wager_days",
    metadata,
    *_game_columns(),
    Column("wager", Text, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in FIGURES),
    schema=SCHEMA,
)
"""The sums of a report row."""

submission_days = Table(
    "submission_days",
    metadata,
    *_game_columns(),
    Column("wager", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("submission", Text, primary_key=True),  # its hash
    Column("handle_cents", BigInteger, nullable=False),
    schema=SCHEMA,
)
"""What of the handle of a report row was wagered under which rules submission."""

house_edges = Table(
    "house_edges",
    metadata,
    Column("submission", Text, primary_key=True),  # its hash
    Column("wager", Text, primary_key=True),
    Column("paytable", Text),  # its name, where the regulation names paytables
    Column("house_edge", Text),  # an exact fraction, such as 3/52
    Column("reason", Text),  # why there is none
    CheckConstraint("num_nonnulls(house_edge, reason) = 1", name="house_edge_or_reason"),
    schema=SCHEMA,
)
"""The house edge of each wager that a rules submission offers."""

game_days = Table(
    "game_days",
    metadata,
    *_game_columns(),
    *(Column(name, BigInteger, nullable=False) for name in ("posted", "corrected", "reversed", "voided")),
    Column("changed_at", DateTime(timezone=True), nullable=False),
    schema=SCHEMA,
)
"""How many rounds a game had at a table, and when settlement last recorded something about them."""

exceptions = Table(
    "exceptions",
    metadata,
    *_entry_columns(),
    Column("number", Integer, primary_key=True, autoincrement=False),  # among the notices of the entry; 0 for others
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("since", DateTime(timezone=True), nullable=False),
    Column("stream", Text),
    Column("first", BigInteger),
    Column("last", BigInteger),
    Column("missing", INT8MULTIRANGE),  # of a gap: the sequences that have still not come
    Column("property", Text),
    Column("table_name", Text),
    Column("game", Text),
    Column("gaming_day", Date),
    Column("round_id", Text),
    Column("topic", Text),
    Column("partition", Integer),
    Column("offset", BigInteger),
    Column("reason", Text),
    Column("entered_by", Text),
    Column("approved_by", Text),
    Column("revision", Integer),  # of the round, where it was reversed or noticed
    Column("code", Text),
    Column("seat", Integer),
    Column("paragraph", Text),
    Column("detail", Text),
    Column("settled_at", DateTime(timezone=True)),  # of a gap: when the last missing event came so far
    # The entry that closed a refused record or took back a notice's round, and who stands for it.
    Column("settled_shard", Integer),
    Column("settled_seq", BigInteger),
    Column("settled_hash", Text),
    Column("settled_by", Text),
    Column("settled_approved_by", Text),
    Column("settled_reason", Text),
    Index("exceptions_in_order", "since", "service", "shard", "seq", "number"),
    Index("exceptions_of_property", "property", "since", "service", "shard", "seq", "number"),
    Index("exceptions_gaps", "stream", "first", postgresql_where="kind = 'gap'"),
    Index("exceptions_open", "property", postgresql_where="status = 'open'"),
    Index(
        "exceptions_of_rounds",
        "property",
        "table_name",
        "round_id",
        postgresql_where="kind = 'notice' OR kind = 'reversed'",
    ),
    schema=SCHEMA,
)

filled_gaps = Table(
    "filled_gaps",
    metadata,
    *_entry_columns(),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("stream", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Index("filled_gaps_in_stream", "stream", "sequence"),
    schema=SCHEMA,
)
"""Missing events that came; kept because it may be known before that they were missing."""

closings = Table(
    "closings",
    metadata,
    *_entry_columns(),
    Column("closed_shard", Integer, primary_key=True, autoincrement=False),
    Column("closed_seq", BigInteger, primary_key=True, autoincrement=False),
    Column("status", Text, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("by", Text),
    Column("approved_by", Text),
    Column("reason", Text),
    Index("closings_of", "service", "closed_shard", "closed_seq"),
    schema=SCHEMA,
)
"""What closed refused records; kept because it may be known before that they were refused."""

OF_JOURNALS = (exceptions, filled_gaps, closings)
"""What journals say of their input: the one that is counted, and reporting's own."""

days = days_table(metadata, SCHEMA)
"""How far gaming days have come."""
