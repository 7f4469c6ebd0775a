"""What the journal says that an account has: the sum of what its entries moved, whatever stands in the tables.

Money is paid out only from an account that is proven so. Every version of it has an entry: of its own stream, or one
that a line of its statement names. Each entry must be what its hash says, have the hash that the entry after it was
chained to, and move what the line says.
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
    """Prove accounts that are at hand, and the wallets of their patrons; note in `books.altered` what does not hold."""
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
    """Return why an account is not what its entries come to; None where it is."""
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
    """Return what an entry moves on an account, by amount; None where it is altered, or its line says otherwise."""
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
