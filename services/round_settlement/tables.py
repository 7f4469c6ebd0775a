"""The tables of round settlement: its journal, its copy of the rules submissions, and where each round stands."""

from sqlalchemy import BigInteger, Column, Date, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY

from shared.journal.tables import journal_tables
from shared.runtime.consume.submissions import submissions_table

SCHEMA = "round_settlement"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = submissions_table(metadata, SCHEMA)

rounds = Table(
    "rounds",
    metadata,
    Column("round_id", Text, primary_key=True),  # first: a round may be asked for by its id alone
    Column("property", Text, primary_key=True),
    Column("table_name", Text, primary_key=True),
    Column("gaming_day", Date, nullable=False),  # of what stands, or else of what happened last
    Column("game", Text, nullable=False),
    Column("completed", BigInteger),  # the sequence of round.completed; none while only a void or correction has come
    Column("sequences", ARRAY(BigInteger), nullable=False),  # those of all events about this round
    Column("revision", Integer, nullable=False),
    Column("shard", Integer),  # the entry whose postings stand; none where no money stands
    Column("seq", BigInteger),
    Index("rounds_of_day", "property", "gaming_day", "table_name", "round_id"),
    schema=SCHEMA,
)
