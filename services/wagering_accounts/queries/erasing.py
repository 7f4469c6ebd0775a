"""Load the facts that an erasure depends on: a patron's accounts, last movement, filings, and shortages."""

from collections.abc import Collection

from sqlalchemy import and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.books import AccountKey, Books, PatronKey
from services.wagering_accounts.domain.filings import UNANSWERED
from services.wagering_accounts.tables import balances, filing_reports, filings, lines, round_accounts


async def accounts_of(connection: AsyncConnection, books: Books, patrons: Collection[PatronKey]) -> set[AccountKey]:
    """Return the accounts of patrons, and add to `books` the data on which their retention depends.

    The data are the last movement, the last filed period and its time of filing, unanswered filings, and shortages.
    """
    found: set[AccountKey] = set()
    f, n = filings.c, filing_reports.c
    for key in patrons:
        b, line, r = balances.c, lines.c, round_accounts.c
        own = select(b.account).where(b.property == key[0], b.patron == key[1])
        found |= {(key[0], name) for name in (await connection.execute(own)).scalars()}
        last = select(func.max(line.gaming_day)).where(line.property == key[0], line.account.in_(own))
        names = or_(n.reference == key[1], n.with_others.has_key(key[1]))
        named = (
            select(func.max(f.period_ends), func.max(f.filed_at))
            .join(filing_reports, and_(f.property == n.property, f.filing == n.filing))
            .where(n.property == key[0], n.kind == "patron", names, f.status != "withdrawn")
        )
        period_ends, filed_at = (await connection.execute(named)).one()
        days = [day for day in ((await connection.execute(last)).scalar_one(), period_ends) if day is not None]
        if days:
            books.last_days[key] = max(days)
        if filed_at is not None:
            books.last_filed[key] = filed_at
        holds = and_(n.kind == "account", n.reference.in_(own))
        unanswered = (
            select(f.filing, f.status)
            .join(filing_reports, and_(f.property == n.property, f.filing == n.filing))
            .where(f.property == key[0], f.status.in_(UNANSWERED), or_(and_(n.kind == "patron", names), holds))
            .distinct()
            .order_by(f.filing)
        )
        found_open = await connection.execute(unanswered)
        books.open_filings[key] = [f"filing {row.filing} is {row.status}" for row in found_open]
        owed = select(func.coalesce(func.sum(r.shortage_cents), 0)).where(r.property == key[0], r.account.in_(own))
        books.owed[key] = int((await connection.execute(owed)).scalar_one())
    return found
