"""Reads the part of the books that some commands or settlements need, and writes what they changed.

Rows are locked in one order everywhere: rounds, then accounts, then patrons, each by their keys; so nobody waits for
somebody who waits for them.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Any

from psycopg import AsyncCursor
from sqlalchemy import Table, and_
from sqlalchemy import select as select_from
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import tables
from services.wagering_accounts.books import (
    FLOWS,
    Account,
    AccountKey,
    Adjustment,
    Books,
    Fact,
    Hold,
    Patron,
    PatronKey,
    Round,
    RoundAccount,
    RoundKey,
)
from services.wagering_accounts.decisions import Needs
from services.wagering_accounts.rows import row_of, thing_of
from shared.journal.bulk import Row, Statement, added, compiled, given, insert, keyed, same, select, update
from shared.journal.entry import Entry
from shared.journal.ledger import Fenced
from shared.journal.pipeline import Pipeline, pipeline


class _Kind:
    """Things of the books: their table, and the statements that write it."""

    def __init__(self, thing: type[Any], table: Table) -> None:
        self.thing = thing
        self.table = table
        self.add = insert(table, on_conflict="skip")
        self.change = update(table)


_KINDS = {
    "patrons": _Kind(Patron, tables.patrons),
    "accounts": _Kind(Account, tables.balances),
    "rounds": _Kind(Round, tables.rounds),
    "holds": _Kind(Hold, tables.holds),
    "round_accounts": _Kind(RoundAccount, tables.round_accounts),
    "adjustments": _Kind(Adjustment, tables.adjustments),
}
_ROUND = ("property", "table_name", "round_id")
_ADD_LINES = insert(tables.lines, on_conflict="skip")
_ADD_ANSWERS = insert(tables.journal.idempotency, on_conflict="skip")
_ADD_DAYS = insert(tables.liability_days, on_conflict=added(tables.liability_days, *FLOWS))


def _wallets() -> Statement:
    """Return the statement that finds the wallets of the patrons of accounts."""
    account, patron, key = tables.balances, tables.patrons, ("property", "account")
    wanted = given(account, key)
    owner = and_(patron.c.property == account.c.property, patron.c.patron == account.c.patron)
    found = account.join(wanted, same(account, wanted, key)).join(patron, owner)
    return compiled(select_from(patron.c.property, patron.c.wallet).select_from(found), key)


_WALLETS = _wallets()


@cache
def _select(name: str, by: tuple[str, ...], lock: bool) -> Statement:
    """Return the statement that selects things of which some columns are given, in the order of their keys."""
    return select(_KINDS[name].table, by=by, lock=lock)


class _Reading:
    """Asks for rows, and puts them into the books."""

    def __init__(self, sent: Pipeline) -> None:
        self._sent = sent
        self._asked: list[tuple[str, AsyncCursor[Any]]] = []

    async def ask(
        self, name: str, keys: Iterable[tuple[Any, ...]], *, by: tuple[str, ...] = (), lock: bool = False
    ) -> None:
        """Asks for the things with these keys, or with these values in the columns `by`; locked if need be."""
        if wanted := sorted(set(keys)):
            statement = _select(name, by, lock)
            self._asked.append((name, await self._sent.read(statement, keyed(statement, wanted))))

    async def know(self, books: Books) -> None:
        """What was asked for goes into the books."""
        for name, cursor in self._asked:
            for row in await cursor.fetchall():
                books.know(name, thing_of(_KINDS[name].thing, row))


@asynccontextmanager
async def _reading(connection: AsyncConnection, books: Books) -> AsyncIterator[_Reading]:
    """What is asked for in here is in the books afterwards."""
    async with pipeline(connection) as sent:
        reading = _Reading(sent)
        yield reading
    await reading.know(books)


async def read(connection: AsyncConnection, needs: Sequence[Needs]) -> Books:
    """What commands need, locked."""
    books = Books()
    accounts = {key for need in needs for key in need.accounts}
    if wallets := [key for need in needs for key in need.wallets_of]:
        found = await _WALLETS.read(connection, keyed(_WALLETS, wallets))
        accounts.update((row.property, row.wallet) for row in found)
    round_keys = {key for need in needs for key in (*need.opens, *need.rounds)}
    if hold_keys := {key for need in needs for key in need.holds}:
        seen = Books()
        async with _reading(connection, seen) as reading:
            await reading.ask("holds", hold_keys)
        round_keys |= seen.holds_by_round.keys()
        accounts |= {hold.account_key for hold in seen.holds.values()}
    with_holds = {key for need in needs for key in need.rounds}
    async with _reading(connection, books) as reading:
        await reading.ask("rounds", round_keys, lock=True)
        await reading.ask("holds", with_holds, by=_ROUND)
        await reading.ask("holds", hold_keys)
        if not with_holds:
            await reading.ask("accounts", accounts, lock=True)
    if with_holds:
        accounts |= {hold.account_key for hold in books.holds.values()}
        async with _reading(connection, books) as reading:
            await reading.ask("accounts", accounts, lock=True)
    await _read_others(connection, books, needs)
    return books


async def _read_others(connection: AsyncConnection, books: Books, needs: Sequence[Needs]) -> None:
    """The patrons of the accounts that are at hand, and what else the needs name."""

    def of(keys: Iterable[AccountKey]) -> set[PatronKey]:
        known = (books.accounts.get(key) for key in keys)
        return {(each.property_name, each.patron) for each in known if each is not None and each.patron is not None}

    changing = {key for need in needs for key in need.patrons} | of(key for need in needs for key in need.patrons_of)
    seen = of(books.accounts) - changing
    adjustments = {key for need in needs for key in need.adjustments}
    if changing or seen or adjustments:
        async with _reading(connection, books) as reading:
            await reading.ask("patrons", changing, lock=True)
            await reading.ask("patrons", seen)
            await reading.ask("adjustments", adjustments)


async def read_for_settling(
    connection: AsyncConnection, round_keys: Iterable[RoundKey], accounts: Iterable[AccountKey]
) -> Books:
    """What settlements need, not locked: `still_stands` makes sure of it when they are recorded.

    Raises: Fenced where wagers changed while they were read, so that accounts have not what is on hold of them.
    """
    books = await read_rounds(connection, round_keys)
    async with _reading(connection, books) as reading:
        await reading.ask("accounts", {*accounts, *(hold.account_key for hold in books.holds.values())})
    on_hold: dict[tuple[AccountKey, str], int] = {}
    for hold in books.holds.values():
        place = (hold.account_key, hold.state)
        on_hold[place] = on_hold.get(place, 0) + hold.cents
    for key, account in books.accounts.items():
        if on_hold.get((key, "held"), 0) > account.held or on_hold.get((key, "captured"), 0) > account.staked:
            raise Fenced(f"wagers of account {account.account} changed while they were read")
    return books


async def read_rounds(connection: AsyncConnection, keys: Iterable[RoundKey]) -> Books:
    """Rounds with their holds and with what they did on accounts, not locked."""
    books, wanted = Books(), set(keys)
    async with _reading(connection, books) as reading:
        await reading.ask("rounds", wanted)
        await reading.ask("holds", wanted, by=_ROUND)
        await reading.ask("round_accounts", wanted, by=_ROUND)
    return books


async def read_parts(connection: AsyncConnection, books: Books) -> None:
    """Adds what the rounds that are at hand did on accounts."""
    async with _reading(connection, books) as reading:
        await reading.ask("round_accounts", books.rounds, by=_ROUND)


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
    now = Books()
    async with _reading(connection, now) as reading:
        await reading.ask("rounds", read.rounds, lock=True)
        await reading.ask("accounts", read.accounts, lock=True)
    if {key: round_.version for key, round_ in now.rounds.items()} != read.rounds:
        raise Fenced("wagers of these rounds have changed meanwhile")
    for current in now.accounts.values():
        account, before = books.accounts[current.key], read.accounts[current.key]
        if current.available != before.available and current.key in read.short:
            raise Fenced(f"account {current.account} has changed meanwhile, and has a shortage")
        for name in ("available", "held", "staked"):
            setattr(account, name, getattr(current, name) + getattr(account, name) - getattr(before, name))
        if account.available < 0:
            raise Fenced(f"account {current.account} has less than before")
        account.status, account.version = current.status, current.version
    return now.accounts


def number(books: Books, recorded: Sequence[Recorded], starts: dict[AccountKey, Account]) -> list[Row]:
    """The lines of the statements, from where each account stood; gives the accounts their last versions."""
    lines: list[Row] = []
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
            lines.append(
                {
                    "property": at.property_name,
                    "account": at.account,
                    "version": at.version,
                    "shard": entry.shard,
                    "seq": entry.seq,
                    "kind": fact.kind,
                    "gaming_day": fact.gaming_day,
                    "recorded_at": entry.recorded_at,
                    "available_change": movement.available,
                    "held_change": movement.held,
                    "staked_change": movement.staked,
                    "available": at.available,
                    "held": at.held,
                    "staked": at.staked,
                    "table_name": table,
                    "round_id": round_id,
                }
            )
    for key, at in starts.items():
        account = books.accounts[key]
        if at.version != account.version:
            account.version = at.version
            books.change("accounts", account)
        assert (at.available, at.held, at.staked) == (account.available, account.held, account.staked), (at, account)
    return lines


def _nothing(account: Account) -> Account:
    return replace(account, version=0, available=0, held=0, staked=0)


async def save(
    sent: Pipeline,
    books: Books,
    recorded: Sequence[Recorded],
    lines: Sequence[Row],
    answers: Sequence[Row] = (),
) -> None:
    """Writes everything that changed, and answers to commands.

    The pipeline raises Fenced where something new was there already.
    """
    await sent.write(_ADD_LINES, lines, otherwise=Fenced("somebody else wrote the same statements"))
    for name, kind in _KINDS.items():
        things = getattr(books, name)
        new = [row_of(kind.table, things[key]) for of, key in sorted(books.new) if of == name]
        await sent.write(kind.add, new, otherwise=Fenced(f"somebody else wrote the same {name}"))
        changed = [row_of(kind.table, things[key]) for of, key in sorted(books.changed) if of == name]
        await sent.write(kind.change, changed, otherwise=Fenced(f"{name} that were read are gone"))
    await sent.write(_ADD_DAYS, _days(recorded))
    await sent.write(_ADD_ANSWERS, answers, otherwise=Fenced("another process answered one of these commands"))


def _days(recorded: Sequence[Recorded]) -> list[Row]:
    """Return what changed the liability, by gaming day and shard."""
    sums: dict[tuple[str, date, int], dict[str, int]] = {}
    for entry, fact in recorded:
        if fact.flows:
            day = sums.setdefault((fact.property_name, fact.gaming_day, entry.shard), dict.fromkeys(FLOWS, 0))
            for name, cents in fact.flows.items():
                day[name] += cents
    return [
        {"property": property_name, "gaming_day": gaming_day, "shard": shard, **day}
        for (property_name, gaming_day, shard), day in sums.items()
    ]
