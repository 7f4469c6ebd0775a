"""Reads the part of the books that some commands or settlements need, and writes what they changed.

Rows are locked in one order everywhere: rounds, then accounts, then patrons, each by their keys; so nobody waits for
somebody who waits for them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import rows
from services.wagering_accounts.books import FLOWS, Account, AccountKey, Books, Fact, PatronKey, RoundKey
from services.wagering_accounts.decisions import Needs
from services.wagering_accounts.tables import SCHEMA
from shared.journal.entry import Entry
from shared.journal.ledger import Fenced

_KINDS: dict[str, tuple[rows.Rows, Callable[[Any], tuple[Any, ...]]]] = {
    "patrons": (rows.PATRONS, rows.patron_row),
    "accounts": (rows.ACCOUNTS, rows.account_row),
    "rounds": (rows.ROUNDS, rows.round_row),
    "holds": (rows.HOLDS, rows.hold_row),
    "round_accounts": (rows.ROUND_ACCOUNTS, rows.round_account_row),
    "adjustments": (rows.ADJUSTMENTS, rows.adjustment_row),
}


def _select(table: rows.Rows, key: int, lock: bool) -> str:
    """Selects the rows whose first `key` columns are given, in the order of the whole key."""
    names = list(table.columns)
    wanted = rows.came({name: table.columns[name] for name in names[:key]})
    on = " AND ".join(f"t.{name} = v.{name}" for name in names[:key])
    order = ", ".join(f"t.{name}" for name in names[: table.key])
    return (
        f"SELECT t.* FROM {SCHEMA}.{table.table} t JOIN {wanted} ON {on} "  # noqa: S608 - our names
        f"ORDER BY {order}{' FOR UPDATE OF t' if lock else ''}"
    )


_SELECT = {
    (name, lock): _select(table, table.key, lock) for name, (table, _) in _KINDS.items() for lock in (True, False)
}
_PARTS_OF_ROUNDS = _select(rows.ROUND_ACCOUNTS, 3, lock=False)
_ROUND = {"property": "text", "table_name": "text", "round_id": "text"}
_HOLDS_OF_ROUNDS = f"SELECT t.* FROM {SCHEMA}.holds t JOIN {rows.came(_ROUND)} USING ({', '.join(_ROUND)})"  # noqa: S608
_WALLETS = f"""
    SELECT p.property, p.wallet FROM {SCHEMA}.balances a
    JOIN {rows.came({"property": "text", "account": "text"})} USING (property, account)
    JOIN {SCHEMA}.patrons p USING (property, patron)"""  # noqa: S608


async def _found(connection: AsyncConnection, name: str, keys: Iterable[tuple[Any, ...]], *, lock: bool) -> list[Any]:
    """The rows of a table with these keys, in order."""
    wanted = sorted(set(keys))
    if not wanted:
        return []
    table = _KINDS[name][0]
    arguments = rows.arguments(list(table.columns)[: table.key], wanted)
    return list(await connection.exec_driver_sql(_SELECT[name, lock], arguments))


async def read(connection: AsyncConnection, needs: Sequence[Needs]) -> Books:
    """What commands need, locked."""
    books = Books()
    accounts = {key for need in needs for key in need.accounts}
    if wallets := [key for need in needs for key in need.wallets_of]:
        found = await connection.exec_driver_sql(_WALLETS, rows.arguments(("property", "account"), wallets))
        accounts.update((row.property, row.wallet) for row in found)
    round_keys = {key for need in needs for key in (*need.opens, *need.rounds)}
    hold_keys = {key for need in needs for key in need.holds}
    for row in await _found(connection, "holds", hold_keys, lock=False):
        round_keys.add(rows.hold_from(row).round_key)
    await _read_rounds(connection, books, round_keys, lock=True)
    await _read_holds(connection, books, {key for need in needs for key in need.rounds})
    for row in await _found(connection, "holds", hold_keys, lock=False):
        books.know(rows.hold_from(row))
    accounts.update((hold.property_name, hold.account) for hold in books.holds.values())
    await _read_accounts(connection, books, accounts, lock=True)
    await _read_patrons(connection, books, needs)
    for row in await _found(connection, "adjustments", (key for need in needs for key in need.adjustments), lock=False):
        adjustment = rows.adjustment_from(row)
        books.adjustments[adjustment.key] = adjustment
    return books


async def _read_rounds(connection: AsyncConnection, books: Books, keys: Iterable[RoundKey], *, lock: bool) -> None:
    for row in await _found(connection, "rounds", keys, lock=lock):
        round_ = rows.round_from(row)
        books.rounds[round_.key] = round_


async def _read_holds(connection: AsyncConnection, books: Books, keys: Iterable[RoundKey]) -> None:
    if wanted := sorted(set(keys) & books.rounds.keys()):
        arguments = rows.arguments(_ROUND, wanted)
        for row in await connection.exec_driver_sql(_HOLDS_OF_ROUNDS, arguments):
            books.know(rows.hold_from(row))


async def _read_accounts(connection: AsyncConnection, books: Books, keys: Iterable[AccountKey], *, lock: bool) -> None:
    for row in await _found(connection, "accounts", keys, lock=lock):
        account = rows.account_from(row)
        books.accounts[account.key] = account


async def _read_patrons(connection: AsyncConnection, books: Books, needs: Sequence[Needs]) -> None:
    def of(keys: Iterable[AccountKey]) -> set[PatronKey]:
        known = (books.accounts.get(key) for key in keys)
        return {(each.property_name, each.patron) for each in known if each is not None and each.patron is not None}

    changing = {key for need in needs for key in need.patrons} | of(key for need in needs for key in need.patrons_of)
    for keys, lock in ((changing, True), (of(books.accounts) - changing, False)):
        for row in await _found(connection, "patrons", keys, lock=lock):
            patron = rows.patron_from(row)
            books.patrons[patron.key] = patron


async def read_for_settling(
    connection: AsyncConnection, round_keys: Iterable[RoundKey], accounts: Iterable[AccountKey]
) -> Books:
    """What settlements need, not locked: `still_stands` makes sure of it when they are recorded.

    Raises: Fenced where wagers changed while they were read, so that accounts have not what is on hold of them.
    """
    books, wanted = Books(), sorted(set(round_keys))
    await _read_rounds(connection, books, wanted, lock=False)
    await _read_holds(connection, books, wanted)
    await read_parts(connection, books)
    keys = {*accounts, *((hold.property_name, hold.account) for hold in books.holds.values())}
    await _read_accounts(connection, books, keys, lock=False)
    on_hold: dict[tuple[AccountKey, str], int] = {}
    for hold in books.holds.values():
        place = ((hold.property_name, hold.account), hold.state)
        on_hold[place] = on_hold.get(place, 0) + hold.cents
    for key, account in books.accounts.items():
        if on_hold.get((key, "held"), 0) > account.held or on_hold.get((key, "captured"), 0) > account.staked:
            raise Fenced(f"wagers of account {account.account} changed while they were read")
    return books


async def read_parts(connection: AsyncConnection, books: Books) -> None:
    """Adds what the rounds that are at hand did on accounts."""
    if known := sorted(books.rounds):
        arguments = rows.arguments(_ROUND, known)
        for row in await connection.exec_driver_sql(_PARTS_OF_ROUNDS, arguments):
            part = rows.round_account_from(row)
            books.round_accounts[part.key] = part


Recorded = tuple[Entry, Fact]
"""An entry, and the fact that it records."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read before settlements were derived: the versions of rounds, and the accounts."""

    rounds: dict[RoundKey, int]
    accounts: dict[AccountKey, Account]
    short: set[AccountKey] = field(default_factory=set)
    """Accounts with a shortage: what is taken or made good depends on all that they have."""

    @classmethod
    def of(cls, books: Books) -> "Snapshot":
        """What stands in the books now."""
        return cls(
            {key: round_.version for key, round_ in books.rounds.items()},
            {key: replace(account) for key, account in books.accounts.items()},
        )


async def still_stands(connection: AsyncConnection, books: Books, read: Snapshot) -> dict[AccountKey, Account]:
    """Locks what settlements were derived from, and brings the accounts up to what they have become meanwhile.

    Gives the accounts as they stand before the settlements. Raises: Fenced where a round has changed, or where an
    account has less than a settlement counted on.
    """
    rounds = {
        rows.round_from(row).key: row.version for row in await _found(connection, "rounds", read.rounds, lock=True)
    }
    if rounds != read.rounds:
        raise Fenced("wagers of these rounds have changed meanwhile")
    starts: dict[AccountKey, Account] = {}
    for row in await _found(connection, "accounts", read.accounts, lock=True):
        current = rows.account_from(row)
        account, before = books.accounts[current.key], read.accounts[current.key]
        if current.available != before.available and current.key in read.short:
            raise Fenced(f"account {current.account} has changed meanwhile, and has a shortage")
        starts[current.key] = current
        for name in ("available", "held", "staked"):
            setattr(account, name, getattr(current, name) + getattr(account, name) - getattr(before, name))
        if account.available < 0:
            raise Fenced(f"account {current.account} has less than before")
        account.status, account.version = current.status, current.version
    return starts


def number(books: Books, recorded: Sequence[Recorded], starts: dict[AccountKey, Account]) -> list[tuple[Any, ...]]:
    """The lines of the statements, from where each account stood; gives the accounts their last versions."""
    lines: list[tuple[Any, ...]] = []
    for entry, fact in recorded:
        moved = {movement.account: movement for movement in fact.movements}
        for key in sorted({*moved, *(() if fact.account is None else (fact.account,))}):
            at = starts.setdefault(key, _nothing(books.accounts[key]))
            at.version += 1
            movement = moved.get(key)
            if movement is None:
                continue
            at.available += movement.available
            at.held += movement.held
            at.staked += movement.staked
            table, round_id = fact.round or (None, None)
            entered = (entry.shard, entry.seq, fact.kind, fact.gaming_day, entry.recorded_at)
            changes = (movement.available, movement.held, movement.staked)
            lines.append((*key, at.version, *entered, *changes, at.available, at.held, at.staked, table, round_id))
    for key, at in starts.items():
        account = books.accounts[key]
        if at.version != account.version:
            account.version = at.version
            books.change("accounts", account)
        assert (at.available, at.held, at.staked) == (account.available, account.held, account.staked), (at, account)
    return lines


def _nothing(account: Account) -> Account:
    return replace(account, version=0, available=0, held=0, staked=0)


async def save(connection: AsyncConnection, books: Books, recorded: Sequence[Recorded], lines: Sequence[Any]) -> None:
    """Writes everything that changed. Raises: Fenced where something new was there already."""
    await rows.LINES.write(connection, rows.LINES.insert, lines)
    for name, (table, row_of) in _KINDS.items():
        things = getattr(books, name)
        new = [row_of(things[key]) for kind, key in sorted(books.new) if kind == name]
        if await table.write(connection, table.insert, new) != len(new):
            raise Fenced(f"somebody else wrote the same {name}")
        changed = [row_of(things[key]) for kind, key in sorted(books.changed) if kind == name]
        if await table.write(connection, table.update, changed) != len(changed):
            raise Fenced(f"{name} that were read are gone")
    await _save_days(connection, recorded)


async def _save_days(connection: AsyncConnection, recorded: Sequence[Recorded]) -> None:
    sums: dict[tuple[Any, ...], list[int]] = {}
    for entry, fact in recorded:
        if fact.flows:
            row = sums.setdefault((fact.property_name, fact.gaming_day, entry.shard), [0] * len(FLOWS))
            for name, cents in fact.flows.items():
                row[FLOWS.index(name)] += cents
    if sums:
        await connection.exec_driver_sql(_ADD_DAYS, rows.arguments(_DAY, [(*key, *row) for key, row in sums.items()]))


_DAY = {"property": "text", "gaming_day": "date", "shard": "int", **dict.fromkeys(FLOWS, "bigint")}
_ADD_DAYS = f"""
    INSERT INTO {SCHEMA}.liability_days AS d ({", ".join(_DAY)})
    SELECT {", ".join(_DAY)} FROM {rows.came(_DAY)}
    ON CONFLICT (property, gaming_day, shard)
    DO UPDATE SET {", ".join(f"{name} = d.{name} + excluded.{name}" for name in FLOWS)}"""  # noqa: S608
