"""What is checked before a patron is erased: all accounts, the last movement of money, and amounts owed."""

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.books import AccountKey, Books, PatronKey
from services.wagering_accounts.tables import balances, lines, round_accounts


async def accounts_of(connection: AsyncConnection, books: Books, patrons: Collection[PatronKey]) -> set[AccountKey]:
    """Return patrons' accounts; note the last movement of money on them, and the amounts owed."""
    found: set[AccountKey] = set()
    for key in patrons:
        b, line, r = balances.c, lines.c, round_accounts.c
        own = select(b.account).where(b.property == key[0], b.patron == key[1])
        found |= {(key[0], name) for name in (await connection.execute(own)).scalars()}
        last = select(func.max(line.gaming_day)).where(line.property == key[0], line.account.in_(own))
        if (day := (await connection.execute(last)).scalar_one()) is not None:
            books.last_days[key] = day
        owed = select(func.coalesce(func.sum(r.shortage_cents), 0)).where(r.property == key[0], r.account.in_(own))
        books.owed[key] = int((await connection.execute(owed)).scalar_one())
    return found
