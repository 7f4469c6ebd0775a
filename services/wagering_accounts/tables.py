"""The tables of the wagering accounts: the journal, and its read model: patrons, accounts, rounds, holds, statements.

The journal holds the money on control accounts; the lines are the accounts' own ledger beneath them. The hashes of
access codes are in neither: they are kept for themselves.
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
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from shared.journal.tables import journal_tables
from shared.runtime.consume.days import days_table

SCHEMA = "wagering_accounts"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _text(name: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    return Column(name, Text, primary_key=key, nullable=null)


def _cents(name: str) -> Column[Any]:
    return Column(name, BigInteger, nullable=False)


patrons = Table(
    "patrons",
    metadata,
    _text("property", key=True),
    _text("patron", key=True),
    _text("wallet"),
    Column("failed_codes", Integer, nullable=False),
    Column("locked_until", DateTime(timezone=True)),
    Column("excluded_at", DateTime(timezone=True)),
    Column("limits", JSONB, nullable=False),
    Column("bought_in_on", Date),
    _cents("bought_in_cents"),
    CheckConstraint("failed_codes >= 0 AND bought_in_cents >= 0", name="not_negative"),
    schema=SCHEMA,
)

patron_codes = Table(
    "patron_codes",
    metadata,
    _text("property", key=True),
    _text("patron", key=True),
    Column("salt", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    schema=SCHEMA,
)
"""The access codes: who has lost the row needs another code."""

balances = Table(
    "balances",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    _text("kind"),
    _text("table"),  # empty for a wallet
    _text("patron", null=True),
    _text("status"),
    Column("version", BigInteger, nullable=False),
    _cents("available_cents"),
    _cents("held_cents"),
    _cents("staked_cents"),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("available_cents >= 0 AND held_cents >= 0 AND staked_cents >= 0", name="never_negative"),
    CheckConstraint("(kind = 'wallet') = (\"table\" = '') AND kind IN ('wallet', 'game')", name="kind"),
    CheckConstraint("status IN ('open', 'closed')", name="status"),
    Index("balances_one_wallet", "property", "patron", unique=True, postgresql_where="kind = 'wallet'"),
    Index("balances_of_patron", "property", "patron"),
    schema=SCHEMA,
)
"""Wallets and game accounts. (The journal's `accounts` are its control accounts.)"""

rounds = Table(
    "rounds",
    metadata,
    _text("property", key=True),
    _text("table", key=True),
    _text("round_id", key=True),
    _text("status"),
    Column("version", BigInteger, nullable=False),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    # The revisions of the settlement that were posted and taken back; those that were only posted stand.
    Column("posted", ARRAY(Integer), nullable=False),
    Column("reversed", ARRAY(Integer), nullable=False),
    Column("voided", Boolean, nullable=False),
    CheckConstraint("status IN ('open', 'captured', 'settled', 'void')", name="status"),
    Index(
        "rounds_open",
        "property",
        "opened_at",
        "table",
        "round_id",
        postgresql_where="status IN ('open', 'captured')",
    ),
    schema=SCHEMA,
)

holds = Table(
    "holds",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    _text("table"),
    _text("round_id"),
    Column("seat", SmallInteger, nullable=False),
    _text("wager"),
    _cents("cents"),
    _text("status"),
    CheckConstraint("cents > 0", name="something_is_held"),
    CheckConstraint("status IN ('held', 'captured', 'settled', 'released')", name="status"),
    Index("holds_of_round", "property", "table", "round_id"),
    schema=SCHEMA,
)

round_accounts = Table(
    "round_accounts",
    metadata,
    _text("property", key=True),
    _text("table", key=True),
    _text("round_id", key=True),
    _text("account", key=True),
    Column("gaming_day", Date, nullable=False),
    _cents("staked_cents"),
    _cents("credited_cents"),
    _cents("covered_cents"),  # what was on hold for the round when its result came
    _cents("shortage_cents"),  # what could not be taken back, because it was gone
    CheckConstraint("covered_cents >= 0 AND shortage_cents >= 0", name="not_negative"),
    Index(
        "round_accounts_exceptions",
        "property",
        "gaming_day",
        postgresql_where="shortage_cents > 0 OR staked_cents > covered_cents",
    ),
    schema=SCHEMA,
)

adjustments = Table(
    "adjustments",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    _cents("cents"),
    _text("reason"),
    _text("status"),
    _text("entered_by"),
    Column("entered_at", DateTime(timezone=True), nullable=False),
    _text("decided_by", null=True),
    Column("decided_at", DateTime(timezone=True)),
    Column("before_cents", BigInteger),
    Column("after_cents", BigInteger),
    CheckConstraint("cents <> 0", name="something_changes"),
    CheckConstraint("status IN ('entered', 'approved', 'rejected')", name="status"),
    CheckConstraint("status <> 'approved' OR decided_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("(status = 'entered') = (decided_by IS NULL)", name="status_and_decision_agree"),
    CheckConstraint("status <> 'approved' OR after_cents = before_cents + cents", name="before_and_after_agree"),
    schema=SCHEMA,
)

lines = Table(
    "lines",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("shard", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    _text("kind"),
    Column("gaming_day", Date, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False),
    _cents("available_change_cents"),
    _cents("held_change_cents"),
    _cents("staked_change_cents"),
    _cents("available_cents"),
    _cents("held_cents"),
    _cents("staked_cents"),
    _text("table", null=True),
    _text("round_id", null=True),
    CheckConstraint("available_cents >= 0 AND held_cents >= 0 AND staked_cents >= 0", name="never_negative"),
    Index("lines_by_day", "property", "gaming_day"),
    schema=SCHEMA,
)

liability_days = Table(
    "liability_days",
    metadata,
    _text("property", key=True),
    Column("gaming_day", Date, primary_key=True),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    _cents("bought_in_cents"),
    _cents("cashed_out_cents"),
    _cents("staked_cents"),
    _cents("credited_cents"),
    _cents("adjusted_cents"),
    _cents("short_cents"),
    schema=SCHEMA,
)
"""What changed the liability on a gaming day, by shard, so that two writers never wait for each other."""

days = days_table(metadata, SCHEMA)

PROJECTIONS = (patrons, balances, rounds, holds, round_accounts, adjustments, lines, liability_days)
"""What follows from the journal."""
