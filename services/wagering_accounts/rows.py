"""How what stands becomes rows, and rows what stands: one statement a table, however many rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import (
    Account,
    Adjustment,
    Hold,
    Limit,
    Patron,
    Round,
    RoundAccount,
)
from services.wagering_accounts.tables import SCHEMA
from shared.journal.ledger import Fenced
from shared.journal.statements import Pipeline, arguments, came, insert, values


@dataclass(frozen=True, slots=True)
class Rows:
    """A table, and the statements that write it: the names and types of its columns, the key first."""

    table: str
    key: int
    columns: Mapping[str, str]
    insert: str = field(init=False)
    """Inserts rows; those whose keys are taken are passed over."""
    update: str = field(init=False)
    """Updates rows by their keys."""

    def __post_init__(self) -> None:
        names, table = list(self.columns), f"{SCHEMA}.{self.table}"
        object.__setattr__(self, "insert", f"{insert(table, self.columns)} ON CONFLICT DO NOTHING")
        given = values(self.columns)
        changes = ", ".join(f"{name} = {given[name]}" for name in names[self.key :])
        keys = " AND ".join(f"t.{name} = {given[name]}" for name in names[: self.key])
        update = f"UPDATE {table} t SET {changes} FROM {came(self.columns)} WHERE {keys}"  # noqa: S608 - our names
        object.__setattr__(self, "update", update)

    async def write(self, sent: Pipeline, statement: str, rows: Sequence[Sequence[Any]], otherwise: str) -> None:
        """Writes rows by `insert` or `update`. The pipeline raises Fenced, saying `otherwise`, where some were not."""
        if rows:
            given = arguments(self.columns, rows)
            await sent.write(statement, given, rows=len(rows), otherwise=Fenced(otherwise))


_MOMENT: Final = "timestamptz"

PATRONS: Final = Rows(
    "patrons",
    2,
    {
        "property": "text",
        "patron": "text",
        "wallet": "text",
        "salt": "bytea",
        "hash": "bytea",
        "failed_codes": "int",
        "locked_until": _MOMENT,
        "excluded_at": _MOMENT,
        "limits": "jsonb",
        "bought_in_on": "date",
        "bought_in": "bigint",
    },
)
ACCOUNTS: Final = Rows(
    "balances",
    2,
    {
        "property": "text",
        "account": "text",
        "kind": "text",
        "table_name": "text",
        "patron": "text",
        "status": "text",
        "version": "bigint",
        "available": "bigint",
        "held": "bigint",
        "staked": "bigint",
        "opened_at": _MOMENT,
    },
)
ROUNDS: Final = Rows(
    "rounds",
    3,
    {
        "property": "text",
        "table_name": "text",
        "round_id": "text",
        "state": "text",
        "version": "bigint",
        "opened_at": _MOMENT,
        "posted": "int[]",
        "reversed": "int[]",
        "voided": "boolean",
    },
)
HOLDS: Final = Rows(
    "holds",
    3,
    {
        "property": "text",
        "account": "text",
        "number": "bigint",
        "table_name": "text",
        "round_id": "text",
        "seat": "smallint",
        "wager": "text",
        "cents": "bigint",
        "state": "text",
    },
)
ROUND_ACCOUNTS: Final = Rows(
    "round_accounts",
    4,
    {
        "property": "text",
        "table_name": "text",
        "round_id": "text",
        "account": "text",
        "staked": "bigint",
        "credited": "bigint",
        "covered": "bigint",
        "shortage": "bigint",
    },
)
ADJUSTMENTS: Final = Rows(
    "adjustments",
    3,
    {
        "property": "text",
        "account": "text",
        "number": "bigint",
        "cents": "bigint",
        "reason": "text",
        "entered_by": "text",
        "entered_at": _MOMENT,
        "state": "text",
        "decided_by": "text",
        "decided_at": _MOMENT,
        "before": "bigint",
        "after": "bigint",
    },
)
LINES: Final = Rows(
    "lines",
    3,
    {
        "property": "text",
        "account": "text",
        "version": "bigint",
        "shard": "int",
        "seq": "bigint",
        "kind": "text",
        "gaming_day": "date",
        "recorded_at": _MOMENT,
        "available_change": "bigint",
        "held_change": "bigint",
        "staked_change": "bigint",
        "available": "bigint",
        "held": "bigint",
        "staked": "bigint",
        "table_name": "text",
        "round_id": "text",
    },
)
IDEMPOTENCY: Final = Rows(
    "idempotency",
    2,
    {
        "person": "text",
        "key": "text",
        "command": "text",
        "content": "bytea",
        "status": "smallint",
        "location": "text",
        "body": "text",
        "answered_at": _MOMENT,
    },
)


def patron_row(patron: Patron) -> tuple[Any, ...]:
    limits = {
        kind: [limit.cents, limit.next_cents, None if limit.next_at is None else limit.next_at.isoformat()]
        for kind, limit in patron.limits.items()
    }
    return (
        *patron.key,
        patron.wallet,
        patron.code.salt,
        patron.code.hash,
        patron.failed_codes,
        patron.locked_until,
        patron.excluded_at,
        limits,
        patron.bought_in_on,
        patron.bought_in,
    )


def patron_from(row: Any) -> Patron:
    limits = {
        kind: Limit(cents, next_cents, None if next_at is None else datetime.fromisoformat(next_at))
        for kind, (cents, next_cents, next_at) in row.limits.items()
    }
    return Patron(
        row.property,
        row.patron,
        row.wallet,
        HashedCode(row.salt, row.hash),
        row.failed_codes,
        row.locked_until,
        row.excluded_at,
        limits,
        row.bought_in_on,
        row.bought_in,
    )


def account_row(account: Account) -> tuple[Any, ...]:
    return (
        *account.key,
        account.kind,
        account.table,
        account.patron,
        account.status,
        account.version,
        account.available,
        account.held,
        account.staked,
        account.opened_at,
    )


def account_from(row: Any) -> Account:
    return Account(
        row.property,
        row.account,
        row.kind,
        row.table_name,
        row.patron,
        row.status,
        row.opened_at,
        row.version,
        row.available,
        row.held,
        row.staked,
    )


def round_row(round_: Round) -> tuple[Any, ...]:
    return (
        *round_.key,
        round_.state,
        round_.version,
        round_.opened_at,
        sorted(round_.posted),
        sorted(round_.reversed),
        round_.voided,
    )


def round_from(row: Any) -> Round:
    return Round(
        row.property,
        row.table_name,
        row.round_id,
        row.opened_at,
        row.state,
        row.version,
        set(row.posted),
        set(row.reversed),
        row.voided,
    )


def hold_row(hold: Hold) -> tuple[Any, ...]:
    return (*hold.key, hold.table, hold.round_id, hold.seat, hold.wager, hold.cents, hold.state)


def hold_from(row: Any) -> Hold:
    return Hold(
        row.property,
        row.account,
        row.number,
        row.table_name,
        row.round_id,
        row.seat,
        row.wager,
        row.cents,
        row.state,
    )


def round_account_row(part: RoundAccount) -> tuple[Any, ...]:
    return (*part.key, part.staked, part.credited, part.covered, part.shortage)


def round_account_from(row: Any) -> RoundAccount:
    return RoundAccount(
        row.property,
        row.table_name,
        row.round_id,
        row.account,
        row.staked,
        row.credited,
        row.covered,
        row.shortage,
    )


def adjustment_row(one: Adjustment) -> tuple[Any, ...]:
    return (
        *one.key,
        one.cents,
        one.reason,
        one.entered_by,
        one.entered_at,
        one.state,
        one.decided_by,
        one.decided_at,
        one.before,
        one.after,
    )


def adjustment_from(row: Any) -> Adjustment:
    return Adjustment(
        row.property,
        row.account,
        row.number,
        row.cents,
        row.reason,
        row.entered_by,
        row.entered_at,
        row.state,
        row.decided_by,
        row.decided_at,
        row.before,
        row.after,
    )
