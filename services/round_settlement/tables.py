"""The tables of round settlement: journal, copies of approved documents, rounds, corrections, voids of results."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Index, Integer, MetaData, Table, column
from sqlalchemy.dialects.postgresql import ARRAY

from shared.journal.columns import columns, counts, dates, entry_place, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.ingest.submission_copies import submissions_table
from shared.runtime.reference_search import reversed_reference

SCHEMA = "round_settlement"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

properties = properties_table(metadata, SCHEMA)

submissions = submissions_table(metadata, SCHEMA)

ROUND: Final = ("property", "table_name", "round_id")
"""The key columns of a round."""

rounds = Table(
    "rounds",
    metadata,
    *texts("round_id", "property", "table_name", key=True),  # the id first: rounds are also searched by id
    *counts("completed", null=True),  # the sequence of round.completed; null until that event has come
    *counts("seq", null=True),
    *columns(Integer, "shard", null=True),  # with seq, the entry in force; null if the round is void
    *columns(Integer, "revision"),
    *dates("gaming_day"),  # that of the entry in force, or else of the last event
    *texts("game"),
    *columns(ARRAY(BigInteger), "others"),  # the sequences of all other events about this round
    Index("rounds_of_day", "property", "gaming_day", "table_name"),  # without the id, equal keys are stored once
    Index("rounds_by_end", reversed_reference(column("round_id")), "property"),
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
    *columns(Integer, "sequence", null=True),  # its position in the table's desk stream, once it is approved
    *entry_place(),  # the entry of the proposal, then that of the approval
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
"""Outcomes of approved corrections: the entry that posted each, or that recorded it as superseded.

They have a database table of their own because they are derived from different shards from the corrections, and a
rebuild may read either shard first.
"""

result_voids = Table(
    "result_voids",
    metadata,
    *texts("property", "table_name", key=True),
    *counts("result", key=True),  # its sequence in the table's stream
    *counts("sequence"),  # the sequence of the event that voided it
    schema=SCHEMA,
)
"""Results of counted tables that were voided."""
