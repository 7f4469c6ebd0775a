"""The balance of an account according to the journal: the sum of its entries, regardless of the tables.

Money is paid out only from an account proven in this way. Every version of the account must have an entry, in its own
stream or named by a line of its statement. Each entry must match its hash, the next entry must be chained to it, and it
must move the amounts of the line.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.books import Account, AccountKey, Books
from services.wagering_accounts.tables import AMOUNTS, CHANGES, journal, lines
from shared.contracts.accounts import AccountsFact
from shared.contracts.catalog import decode_fact
from shared.journal.entry import Entry, is_as_hashed
from shared.journal.reading import read_places, unlinked

_MOVED: Final = dict(zip(CHANGES, AMOUNTS, strict=True))


async def prove(connection: AsyncConnection, books: Books, keys: Iterable[AccountKey]) -> None:
    """Verify loaded accounts, and their patrons' wallets, against the journal; add failures to `books.altered`."""
    wanted: dict[AccountKey, Account] = {}
    for key in keys:
        if (account := books.accounts.get(key)) is None:
            continue
        patron = books.patron_of(account)
        wallet = None if patron is None else books.accounts.get((account.property, patron.wallet))
        wanted |= {Account.key_of(each): each for each in (account, wallet) if each is not None}
    for key, account in sorted(wanted.items()):
        if key not in books.altered and (why := await _not_as_posted(connection, account)) is not None:
            books.altered[key] = why


async def _not_as_posted(connection: AsyncConnection, account: Account) -> str | None:
    """Return the reason why an account does not match its entries, or None."""
    s, e = lines.c, journal.entries.c
    of_account = (s.property == account.property, s.account == account.account)
    statement = (await connection.execute(select(lines).where(*of_account).order_by(s.version))).all()
    source = f"/properties/{account.property}/accounts/{account.account}"
    own = (await connection.execute(select(e.shard, e.seq, e.sequence).where(e.source == source))).all()
    versions = {line.version for line in statement} | {entry.sequence for entry in own}
    if versions != set(range(1, account.version + 1)):
        return f"it has version {account.version}, and {len(versions)} entries"
    by_place = {(line.shard, line.seq): line._asdict() for line in statement}
    sums, seen = dict.fromkeys(AMOUNTS, 0), 0
    places = {*by_place, *((each.shard, each.seq) for each in own)}
    for shard, seq in sorted(await unlinked(connection, journal, places)):
        return f"entry {shard}/{seq} is not the one with which its journal goes on"
    async for name, entry in read_places(connection, journal, places):
        place = (entry.shard, entry.seq)
        moved = _moved(name, entry, account, by_place.get(place))
        if moved is None:
            return f"entry {entry.shard}/{entry.seq} is not what its statement says"
        sums = {amount: cents + moved.get(amount, 0) for amount, cents in sums.items()}
        seen += place in by_place
    if seen != len(statement):
        return f"{len(statement) - seen} lines of its statement have no entry"
    wrong = [amount for amount, cents in sums.items() if cents != getattr(account, amount)]
    return f"its entries come to another amount ({', '.join(wrong)})" if wrong else None


def _moved(shard_name: str, entry: Entry, account: Account, line: Mapping[str, Any] | None) -> Mapping[str, int] | None:
    """Return an entry's movements on an account by amount column; None if the entry is altered, or its line differs."""
    if not is_as_hashed(entry, shard_name):
        return None
    fact = decode_fact(entry.draft.kind, entry.draft.data)
    if not isinstance(fact, AccountsFact) or fact.property != account.property:
        return None
    found = [movement for movement in fact.moved() if movement.account == account.account]
    if line is None:
        return None if found else {}
    if len(found) != 1 or found[0].version not in (None, line["version"]):
        return None
    moved = {amount: getattr(found[0], amount) for amount in AMOUNTS}
    return moved if all(line[change] == moved[amount] for change, amount in _MOVED.items()) else None
