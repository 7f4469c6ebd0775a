"""The tables of the wagering accounts: the journal, and what stands: patrons, accounts, rounds, holds, statements.

What stands can be computed again from the journal, but for the hashes of access codes, which are nowhere else. The
journal holds the money on control accounts; the lines are the accounts' own ledger beneath them.
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
    Column("salt", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("failed_codes", Integer, nullable=False),
    Column("locked_until", DateTime(timezone=True)),
    Column("excluded_at", DateTime(timezone=True)),
    Column("limits", JSONB, nullable=False),
    Column("bought_in_on", Date),
    _cents("bought_in"),
    CheckConstraint("failed_codes >= 0 AND bought_in >= 0", name="not_negative"),
    schema=SCHEMA,
)

balances = Table(
    "balances",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    _text("kind"),
    _text("table_name"),  # empty for a wallet
    _text("patron", null=True),
    _text("status"),
    Column("version", BigInteger, nullable=False),
    _cents("available"),
    _cents("held"),
    _cents("staked"),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("available >= 0 AND held >= 0 AND staked >= 0", name="never_negative"),
    CheckConstraint("(kind = 'wallet') = (table_name = '') AND kind IN ('wallet', 'game')", name="kind"),
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
    _text("table_name", key=True),
    _text("round_id", key=True),
    _text("state"),
    Column("version", BigInteger, nullable=False),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    # The revisions of the settlement that were posted and taken back; those that were only posted stand.
    Column("posted", ARRAY(Integer), nullable=False),
    Column("reversed", ARRAY(Integer), nullable=False),
    Column("voided", Boolean, nullable=False),
    CheckConstraint("state IN ('open', 'captured', 'settled', 'void')", name="state"),
    Index(
        "rounds_open",
        "property",
        "opened_at",
        "table_name",
        "round_id",
        postgresql_where="state IN ('open', 'captured')",
    ),
    schema=SCHEMA,
)

holds = Table(
    "holds",
    metadata,
    _text("property", key=True),
    _text("account", key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    _text("table_name"),
    _text("round_id"),
    Column("seat", SmallInteger, nullable=False),
    _text("wager"),
    _cents("cents"),
    _text("state"),
    CheckConstraint("cents > 0", name="something_is_held"),
    CheckConstraint("state IN ('held', 'captured', 'settled', 'released')", name="state"),
    Index("holds_of_round", "property", "table_name", "round_id"),
    schema=SCHEMA,
)

round_accounts = Table(
    "round_accounts",
    metadata,
    _text("property", key=True),
    _text("table_name", key=True),
    _text("round_id", key=True),
    _text("account", key=True),
    _cents("staked"),
    _cents("credited"),
    _cents("covered"),  # what was on hold for the round when its result came
    _cents("shortage"),  # what could not be taken back, because it was gone
    CheckConstraint("covered >= 0 AND shortage >= 0", name="not_negative"),
    Index(
        "round_accounts_exceptions",
        "property",
        "table_name",
        "round_id",
        "account",
        postgresql_where="shortage > 0 OR staked > covered",
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
    _text("state"),
    _text("entered_by"),
    Column("entered_at", DateTime(timezone=True), nullable=False),
    _text("decided_by", null=True),
    Column("decided_at", DateTime(timezone=True)),
    Column("before", BigInteger),
    Column("after", BigInteger),
    CheckConstraint("cents <> 0", name="something_changes"),
    CheckConstraint("state IN ('entered', 'approved', 'rejected')", name="state"),
    CheckConstraint("state <> 'approved' OR decided_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("(state = 'entered') = (decided_by IS NULL)", name="state_and_decision_agree"),
    CheckConstraint("state <> 'approved' OR after = before + cents", name="before_and_after_agree"),
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
    _cents("available_change"),
    _cents("held_change"),
    _cents("staked_change"),
    _cents("available"),
    _cents("held"),
    _cents("staked"),
    _text("table_name", null=True),
    _text("round_id", null=True),
    CheckConstraint("available >= 0 AND held >= 0 AND staked >= 0", name="never_negative"),
    Index("lines_by_day", "property", "gaming_day"),
    schema=SCHEMA,
)

liability_days = Table(
    "liability_days",
    metadata,
    _text("property", key=True),
    Column("gaming_day", Date, primary_key=True),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    _cents("bought_in"),
    _cents("cashed_out"),
    _cents("staked"),
    _cents("credited"),
    _cents("adjusted"),
    _cents("short"),
    schema=SCHEMA,
)
"""What changed the liability on a gaming day, by shard, so that two writers never wait for each other."""

PROJECTIONS = (patrons, balances, rounds, holds, round_accounts, adjustments, lines, liability_days)
"""What follows from the journal; of patrons, the access codes do not."""
