"""The tables of reporting: its journal, the sums behind the reports, the exceptions, and what else it keeps of topics.

Everything but the journal follows from the topics; the exceptions also from the journal. Amounts are cents.
"""

from typing import Any

from sqlalchemy import CheckConstraint, Column, Index, Integer, MetaData, Table
from sqlalchemy.dialects.postgresql import INT8MULTIRANGE

from shared.contracts.wager_totals import FIGURES
from shared.journal.columns import columns, counts, dates, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.consume.days import days_table

SCHEMA = "reporting"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _entry_columns() -> tuple[Column[Any], ...]:
    """Return the columns of the entry that says what a row says."""
    place = (*texts("service", key=True), *columns(Integer, "shard", key=True), *counts("seq", key=True))
    return (*place, *texts("hash"), *moments("recorded_at"))


def _game_columns() -> tuple[Column[Any], ...]:
    """Return the columns of a game at a table on a gaming day."""
    return (*dates("gaming_day", key=True), *texts("property", "table_name", "game", key=True))


wager_days = Table(
    "wager_days",
    metadata,
    *_game_columns(),
    *texts("wager", key=True),
    *counts(*FIGURES),
    schema=SCHEMA,
)
"""The sums of a report row."""

submission_days = Table(
    "submission_days",
    metadata,
    *_game_columns(),
    *texts("wager", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", key=True),  # its hash
    *counts("handle_cents"),
    schema=SCHEMA,
)
"""What of the handle of a report row was wagered under which rules submission."""

house_edges = Table(
    "house_edges",
    metadata,
    *texts("submission", "wager", key=True),  # the submission's hash
    *texts("paytable", null=True),  # its name, where the regulation names paytables
    *texts("house_edge", null=True),  # an exact fraction, such as 3/52
    *texts("reason", null=True),  # why there is none
    CheckConstraint("num_nonnulls(house_edge, reason) = 1", name="house_edge_or_reason"),
    schema=SCHEMA,
)
"""The house edge of each wager that a rules submission offers."""

game_days = Table(
    "game_days",
    metadata,
    *_game_columns(),
    *counts("posted", "corrected", "reversed", "voided"),
    *moments("changed_at"),
    schema=SCHEMA,
)
"""How many rounds a game had at a table, and when settlement last recorded something about them."""

exceptions = Table(
    "exceptions",
    metadata,
    *_entry_columns(),
    *columns(Integer, "number", key=True),  # among the notices of the entry; 0 for others
    *texts("kind", "status"),
    *moments("since"),
    *texts("stream", null=True),
    *counts("first", "last", null=True),
    *columns(INT8MULTIRANGE, "missing", null=True),  # of a gap: the sequences that have still not come
    *texts("property", "table_name", "game", "round_id", null=True),
    *dates("gaming_day", null=True),
    *texts("topic", null=True),
    *columns(Integer, "partition", null=True),
    *counts("offset", null=True),
    *texts("reason", "entered_by", "approved_by", null=True),
    *columns(Integer, "revision", null=True),  # of the round, where it was reversed or noticed
    *texts("code", "paragraph", "detail", null=True),
    *columns(Integer, "seat", null=True),
    *moments("settled_at", null=True),  # of a gap: when the last missing event came so far
    # The entry that closed a refused record or took back a notice's round, and who stands for it.
    *columns(Integer, "settled_shard", null=True),
    *counts("settled_seq", null=True),
    *texts("settled_hash", "settled_by", "settled_approved_by", "settled_reason", null=True),
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
    *moments("at"),
    *texts("stream"),
    *counts("sequence"),
    Index("filled_gaps_in_stream", "stream", "sequence"),
    schema=SCHEMA,
)
"""Missing events that came; kept because it may be known before that they were missing."""

closings = Table(
    "closings",
    metadata,
    *_entry_columns(),
    *columns(Integer, "closed_shard", key=True),
    *counts("closed_seq", key=True),
    *texts("status"),
    *moments("at"),
    *texts("by", "approved_by", "reason", null=True),
    Index("closings_of", "service", "closed_shard", "closed_seq"),
    schema=SCHEMA,
)
"""What closed refused records; kept because it may be known before that they were refused."""

OF_JOURNALS = (exceptions, filled_gaps, closings)
"""What journals say of their input: the one that is counted, and reporting's own."""

days = days_table(metadata, SCHEMA)
"""How far gaming days have come."""
