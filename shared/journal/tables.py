"""Declares the tables of a service's journal. Every service has its own, in its own database schema."""

from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSON


@dataclass(frozen=True, slots=True)
class JournalTables:
    """The tables of one journal.

    shards: one row per input partition (or command stream): the position reached, the next entry, the head.
    entries, postings, accounts: the ledger; entries and postings are append-only.
    sources, gaps: the last sequence of every stream, and the sequences that are missing.
    quarantine: records that were refused, with their bytes. quarantine_requests: what people ask for about them.
    relay: how far a shard has been published. checkpoints: the signed Merkle roots.
    idempotency: the answers given to commands, one for each (person, key), never changed.
    """

    schema: str
    shards: Table
    entries: Table
    accounts: Table
    postings: Table
    sources: Table
    gaps: Table
    quarantine: Table
    quarantine_requests: Table
    relay: Table
    checkpoints: Table
    idempotency: Table


def journal_tables(metadata: MetaData, schema: str) -> JournalTables:
    """Declare the journal of a service in its schema."""

    def moment(name: str) -> Column[object]:
        return Column(name, DateTime(timezone=True), nullable=False)

    return JournalTables(
        schema=schema,
        shards=Table(
            "shards",
            metadata,
            Column("shard", Integer, Identity(), primary_key=True),
            Column("name", Text, nullable=False, unique=True),
            Column("next_offset", BigInteger, nullable=False),
            Column("next_seq", BigInteger, nullable=False),
            Column("head", LargeBinary, nullable=False),
            schema=schema,
        ),
        entries=Table(
            "entries",
            metadata,
            Column("shard", Integer, primary_key=True, autoincrement=False),
            Column("seq", BigInteger, primary_key=True, autoincrement=False),
            Column("kind", Text, nullable=False),
            Column("source", Text, nullable=False),
            Column("sequence", BigInteger, nullable=False),
            Column("event_id", Text, nullable=False),
            Column("offset", BigInteger),
            Column("gaming_day", Date),
            moment("occurred_at"),
            moment("recorded_at"),
            Column("data", JSON(none_as_null=True), nullable=False),
            Column("previous", LargeBinary, nullable=False),
            Column("hash", LargeBinary, nullable=False),
            UniqueConstraint("source", "sequence", "kind"),
            schema=schema,
        ),
        accounts=Table(
            "accounts",
            metadata,
            Column("account", Integer, Identity(), primary_key=True),
            Column("property", Text, nullable=False),
            Column("table", Text, nullable=False),
            Column("wager", Text, nullable=False),
            Column("leg", Text, nullable=False),
            UniqueConstraint("property", "table", "wager", "leg"),
            schema=schema,
        ),
        postings=Table(
            "postings",
            metadata,
            Column("shard", Integer, primary_key=True, autoincrement=False),
            Column("seq", BigInteger, primary_key=True, autoincrement=False),
            Column("line", SmallInteger, primary_key=True, autoincrement=False),
            Column("account", Integer, ForeignKey(f"{schema}.accounts.account"), nullable=False),
            Column("cents", BigInteger, nullable=False),
            schema=schema,
        ),
        sources=Table(
            "sources",
            metadata,
            Column("source", Text, primary_key=True),
            Column("last_sequence", BigInteger, nullable=False),
            schema=schema,
        ),
        gaps=Table(
            "gaps",
            metadata,
            Column("source", Text, primary_key=True),
            Column("first", BigInteger, primary_key=True, autoincrement=False),
            Column("last", BigInteger, nullable=False),
            moment("opened_at"),
            schema=schema,
        ),
        quarantine=Table(
            "quarantine",
            metadata,
            Column("id", BigInteger, Identity(), primary_key=True),
            Column("shard", Integer, nullable=False),
            Column("seq", BigInteger, nullable=False),
            Column("topic", Text, nullable=False),
            Column("partition", Integer, nullable=False),
            Column("offset", BigInteger, nullable=False),
            Column("key", LargeBinary),
            Column("value", LargeBinary, nullable=False),
            Column("source", Text),
            Column("sequence", BigInteger),
            Column("reason", Text, nullable=False),
            moment("quarantined_at"),
            Column("resolved_at", DateTime(timezone=True)),
            UniqueConstraint("shard", "seq"),
            Index("quarantine_open", "source", "sequence", postgresql_where="resolved_at IS NULL"),
            schema=schema,
        ),
        quarantine_requests=Table(
            "quarantine_requests",
            metadata,
            Column("quarantine", BigInteger, primary_key=True, autoincrement=False),
            Column("request", Integer, primary_key=True, autoincrement=False),
            Column("action", Text, nullable=False),  # replay or dismissal
            Column("mended", JSON(none_as_null=True)),  # what is sent in place of the record; none: as it is
            Column("reason", Text, nullable=False),
            Column("asked_by", Text, nullable=False),
            moment("asked_at"),
            Column("decision", Text, nullable=False),
            Column("decided_by", Text),  # from here on: none while it waits for somebody else
            Column("decided_at", DateTime(timezone=True)),
            Column("decided_reason", Text),  # why it was rejected
            schema=schema,
        ),
        relay=Table(
            "relay",
            metadata,
            Column("shard", Integer, primary_key=True, autoincrement=False),
            Column("published_seq", BigInteger, nullable=False),
            schema=schema,
        ),
        checkpoints=Table(
            "checkpoints",
            metadata,
            Column("shard", Integer, primary_key=True, autoincrement=False),
            Column("size", BigInteger, primary_key=True, autoincrement=False),
            Column("note", Text, nullable=False),
            moment("signed_at"),
            schema=schema,
        ),
        idempotency=Table(
            "idempotency",
            metadata,
            Column("person", Text, primary_key=True),
            Column("key", Text, primary_key=True),
            Column("command", Text, nullable=False),  # the name of the command
            Column("content", LargeBinary, nullable=False),  # SHA-256 of what was asked for
            Column("reason", Text),  # why it was rejected; none where it was accepted
            Column("location", Text),
            Column("body", Text, nullable=False),
            moment("answered_at"),
            schema=schema,
        ),
    )
