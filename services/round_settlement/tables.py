"""The tables of round settlement: journal, copies of approved documents, rounds, corrections, voids of results."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Index, Integer, MetaData, Table
from sqlalchemy.dialects.postgresql import ARRAY

from shared.journal.columns import columns, counts, dates, entry_place, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.ingest.submission_copies import submissions_table

SCHEMA = "round_settlement"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

properties = properties_table(metadata, SCHEMA)

submissions = submissions_table(metadata, SCHEMA)

ROUND: Final = ("property", "table_name", "round_id")
"""The columns that name a round."""

rounds = Table(
    "rounds",
    metadata,
    *texts("round_id", "property", "table_name", key=True),  # the id first: a round may be asked for by it alone
    *counts("completed", null=True),  # the sequence of round.completed; none while only a void or correction has come
    *counts("seq", null=True),
    *columns(Integer, "shard", null=True),  # the entry whose postings stand; none where no money stands
    *columns(Integer, "revision"),
    *dates("gaming_day"),  # of what stands, or else of what happened last
    *texts("game"),
    *columns(ARRAY(BigInteger), "others"),  # the sequences of all other events about this round
    Index("rounds_of_day", "property", "gaming_day", "table_name"),  # without the id, its equal keys are kept as one
    schema=SCHEMA,
)

corrections = Table(
    "corrections",
    metadata,
    *texts("property", key=True),
    *columns(Integer, "correction", key=True),
    *texts("table_name", "round_id"),
    *dates("gaming_day"),
    *columns(Integer, "replaces"),
    *texts("reason", "proposed_by"),
    *moments("proposed_at"),
    *texts("status"),
    *texts("decided_by", "decision_reason", null=True),
    *moments("decided_at", null=True),
    *columns(Integer, "sequence", null=True),  # its place in the table's desk stream, once it is approved
    *entry_place(),  # of what was proposed; once it is approved, of that
    Index("corrections_of_round", "property", "table_name", "round_id"),
    Index("corrections_approved", "property", "table_name", "sequence", unique=True),
    schema=SCHEMA,
)
"""Corrections proposed at the desk, with the decision."""

correction_outcomes = Table(
    "correction_outcomes",
    metadata,
    *texts("property", key=True),
    *columns(Integer, "correction", key=True),
    *columns(Boolean, "posted"),
    *entry_place(),
    schema=SCHEMA,
)
"""Outcomes of approved corrections: the entry that was posted, or that recorded a later revision.

They follow from other shards than the corrections, and are in a separate table because a rebuild may read either first.
"""

result_voids = Table(
    "result_voids",
    metadata,
    *texts("property", "table_name", key=True),
    *counts("result", key=True),  # its place in the table's stream
    *counts("sequence"),  # that of its void
    schema=SCHEMA,
)
"""Results of counted tables that were voided."""
