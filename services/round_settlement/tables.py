"""The tables of round settlement: its journal, its copies of what was approved, and where each round stands."""

from typing import Final

from sqlalchemy import BigInteger, Index, Integer, MetaData, Table
from sqlalchemy.dialects.postgresql import ARRAY

from shared.journal.columns import columns, counts, dates, texts
from shared.journal.tables import journal_tables
from shared.runtime.consume.properties import properties_table
from shared.runtime.consume.submissions import submissions_table

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
    *dates("gaming_day"),  # of what stands, or else of what happened last
    *texts("game"),
    *counts("completed", null=True),  # the sequence of round.completed; none while only a void or correction has come
    *columns(ARRAY(BigInteger), "sequences"),  # those of all events about this round
    *columns(Integer, "revision"),
    *columns(Integer, "shard", null=True),  # the entry whose postings stand; none where no money stands
    *counts("seq", null=True),
    Index("rounds_of_day", "property", "gaming_day", "table_name", "round_id"),
    schema=SCHEMA,
)
