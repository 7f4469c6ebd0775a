"""Declare the tables of a service's journal. Every service has its own, in its own database schema."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    TableClause,
    Text,
    UniqueConstraint,
    column,
    false,
    text,
)
from sqlalchemy import table as view
from sqlalchemy.dialects.postgresql import ARRAY, JSON
from sqlalchemy.schema import SchemaItem

from shared.journal.columns import columns, counts, dates, entry_place, moments, texts
from shared.journal.signed_rows import signature_column

COMMAND_INDEX: Final = "entries_of_command"
"""The unique index that refuses a second entry for one command."""

_OF_COMMAND: Final = '"offset" IS NULL AND record_hash IS NOT NULL'
OF_QUARANTINE: Final = "'record.quarantined', 'record.mended', 'quarantine.dismissed', 'quarantine.dismissed_together'"

OF_GAPS: Final = "'gap.opened', 'gap.filled'"


@dataclass(frozen=True, slots=True)
class JournalTables:
    """The tables of one journal.

    - shards: one row per input partition (or command stream): the next input offset, the next entry, the head.
    - entries, accounts: the ledger, append-only. An entry has its postings as arrays of account numbers and signed
      cents; postings: a view of these as rows.
    - inputs: the identity of each topic when it was first read, and of topics adopted later.
    - taken: the digest at each stream position, the shard that took it, and the version of the stream then; signed.
    - sources, gaps: the last sequence of every stream, and the missing sequences. A stream has the shard that took its
      last event and a version that counts the commits to it; it is `spread` once several shards have taken its events.
    - quarantine: refused records with their bytes. quarantine_requests, quarantine_dismissals: requests about one
      record, and about many records.
    - relay: the last published entry of each shard, signed. checkpoints: the signed Merkle roots. verified: the
      verified position of each shard, signed.
    - copies: digests of the service's copies of approved documents, signed, by table and property.
    - idempotency: the answers to commands, one for each (person, key), signed and never changed. Even if an answer is
      missing, its command is not executed again, because its entry has the hash of person and key, which no other
      entry can have.
    """

    schema: str
    shards: Table
    entries: Table
    accounts: Table
    postings: TableClause
    inputs: Table
    sources: Table
    gaps: Table
    taken: Table
    quarantine: Table
    quarantine_requests: Table
    quarantine_dismissals: Table
    relay: Table
    checkpoints: Table
    verified: Table
    copies: Table
    idempotency: Table


def journal_tables(metadata: MetaData, schema: str) -> JournalTables:
    """Declare the journal of a service in its schema."""

    def table(name: str, *items: SchemaItem) -> Table:
        return Table(name, metadata, *items, schema=schema)

    return JournalTables(
        schema=schema,
        shards=table(
            "shards",
            Column("shard", Integer, Identity(), primary_key=True),
            Column("name", Text, nullable=False, unique=True),
            *counts("next_offset", "next_seq"),
            *columns(LargeBinary, "head"),
            *columns(LargeBinary, "seal", null=True),  # the service's signature of the shard's state
        ),
        entries=table(
            "entries",
            *entry_place(key=True),  # columns of fixed width first, because PostgreSQL pads them between others
            *counts("sequence"),
            *counts("offset", null=True),
            *moments("occurred_at", "recorded_at"),
            *dates("gaming_day", null=True),
            *texts("kind", "source", "event_id"),
            *columns(LargeBinary, "record_hash", null=True),
            *columns(JSON(none_as_null=True), "data"),
            *columns(LargeBinary, "previous", "hash"),
            *columns(ARRAY(Integer), "accounts"),
            *columns(ARRAY(BigInteger), "cents"),
            UniqueConstraint("source", "sequence", "kind"),
            CheckConstraint(f"{schema}.balances(accounts, cents)", name="entries_balance"),
            Index("entries_of_quarantine", "shard", "seq", postgresql_where=f"kind IN ({OF_QUARANTINE})"),
            Index("entries_of_gaps", "source", postgresql_where=f"kind IN ({OF_GAPS})"),
            Index(COMMAND_INDEX, "record_hash", unique=True, postgresql_where=_OF_COMMAND),
        ),
        accounts=table(
            "accounts",
            Column("account", Integer, Identity(), primary_key=True),
            *texts("property", "table", "wager", "leg"),
            UniqueConstraint("property", "table", "wager", "leg"),
        ),
        postings=view("postings", *map(column, ("shard", "seq", "line", "account", "cents")), schema=schema),
        inputs=table(
            "inputs",
            *texts("topic", "cluster", key=True),
            *columns(Integer, "generation", key=True),
            *texts("topic_id"),
            *moments("recorded_at"),
        ),
        sources=table(
            "sources",
            *texts("source", key=True),
            *counts("last_sequence"),
            *_taken_by(),
            Column("spread", Boolean, nullable=False, server_default=false()),
        ),
        gaps=table("gaps", *texts("source", key=True), *counts("first", key=True), *counts("last")),
        taken=table(
            "taken",
            *texts("source", key=True),
            *counts("first", key=True),
            *counts("last"),
            *columns(LargeBinary, "digests"),
            *_taken_by(),
            signature_column(),
            CheckConstraint("octet_length(digests) = 32 * (last - first + 1)", name="taken_check"),
        ),
        quarantine=table(
            "quarantine",
            Column("id", BigInteger, Identity(), primary_key=True),
            *entry_place(),
            *texts("topic"),
            *columns(Integer, "partition"),
            *counts("offset"),
            *columns(LargeBinary, "key", null=True),
            *columns(LargeBinary, "value"),
            *columns(LargeBinary, "signature", null=True),  # by its publisher, or by the device that sent it
            *texts("source", null=True),
            *counts("sequence", null=True),
            *texts("reason"),
            *columns(Boolean, "stops"),  # whether its partition is halted while it is open
            *moments("quarantined_at"),
            *moments("resolved_at", null=True),
            # The properties in whose lists it appears, because it names them.
            Column("listed_under", ARRAY(Text), nullable=False, server_default="{}"),
            UniqueConstraint("shard", "seq"),
            Index("quarantine_open", "source", "sequence", postgresql_where="resolved_at IS NULL"),
        ),
        quarantine_requests=table(
            "quarantine_requests",
            *counts("quarantine", key=True),
            *columns(Integer, "request", key=True),
            *texts("action"),  # replay or dismissal
            *columns(JSON(none_as_null=True), "mended", null=True),  # the repaired record; null: replay unchanged
            *texts("reason", "asked_by"),
            *moments("asked_at"),
            *texts("decision"),
            *texts("decided_by", null=True),  # `decided_*`: null until another person decides
            *moments("decided_at", null=True),
            *texts("decided_reason", null=True),  # why it was rejected
        ),
        quarantine_dismissals=table(
            "quarantine_dismissals",
            *columns(Integer, "dismissal", key=True),
            *counts("until"),  # `until` to `before` are the filter
            *texts("topic", "reason_contains", "property", null=True),
            *moments("before", null=True),
            *counts("records"),
            *texts("digest"),  # of the positions of these records, in hexadecimal
            *texts("reason", "asked_by"),
            *moments("asked_at"),
            *texts("decision"),
            *texts("decided_by", null=True),  # `decided_*`: null until another person decides
            *moments("decided_at", null=True),
            *texts("decided_reason", null=True),  # why it was rejected
        ),
        relay=table("relay", *columns(Integer, "shard", key=True), *counts("published_seq"), signature_column()),
        checkpoints=table(
            "checkpoints",
            *columns(Integer, "shard", key=True),
            *counts("size", key=True),
            *texts("note"),
            *moments("signed_at"),
            *columns(LargeBinary, "tile_roots", null=True),  # of newly complete tiles, concatenated
        ),
        copies=table(
            "copies", *texts("name", "property", key=True), *columns(LargeBinary, "digest"), signature_column()
        ),
        verified=table("verified", *columns(Integer, "shard", key=True), *texts("note"), *moments("signed_at")),
        idempotency=table(
            "idempotency",
            *texts("person", "key", key=True),
            *texts("command"),  # the command's name
            *columns(LargeBinary, "content"),  # SHA-256 of the request
            *texts("reason", "location", null=True),  # reason: null if it was accepted
            *texts("body"),
            *moments("answered_at"),
            signature_column(),
        ),
    )


def _taken_by() -> tuple[Column[Any], ...]:
    """Return two columns: the shard that recorded stream positions, and the stream's version. Unknown values are 0."""
    return (
        Column("shard", Integer, nullable=False, server_default=text("0")),
        Column("version", BigInteger, nullable=False, server_default=text("0")),
    )
