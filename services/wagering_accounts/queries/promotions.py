"""Read promotional money that may have expired: pools of accounts, and their changes."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.books import Account
from services.wagering_accounts.domain.promotions import Change
from services.wagering_accounts.queries.books import known_thing

_POOLS: Final = text("""
    SELECT b.* FROM wagering_accounts.balances b
    WHERE b.promotional_cents + b.promotional_held_cents + b.promotional_staked_cents > 0 AND EXISTS (
        SELECT FROM wagering_accounts.promotions p
        JOIN wagering_accounts.balances o ON o.property = p.property AND o.account = p.account
        WHERE p.status = 'granted' AND p.expires_on <= :latest AND o.property = b.property
          AND (o.account = b.account OR o.patron = b.patron))
    ORDER BY b.property, b.account""")

_CHANGES: Final = text("""
    SELECT sum(l.promotional_change_cents + l.promotional_held_change_cents + l.promotional_staked_change_cents)
               AS cents, bool_or(p.account IS NOT NULL) AS is_grant, max(p.expires_on) AS expires_on
    FROM wagering_accounts.balances b
    JOIN wagering_accounts.lines l ON l.property = b.property AND l.account = b.account
    LEFT JOIN wagering_accounts.promotions p ON p.property = l.property AND p.account = l.account
        AND p.version = l.version AND p.status = 'granted'
    WHERE b.property = :property AND (b.account = :account OR b.patron = :patron)
    GROUP BY l.recorded_at, l.shard, l.seq
    HAVING sum(l.promotional_change_cents + l.promotional_held_change_cents + l.promotional_staked_change_cents) <> 0
    ORDER BY l.recorded_at, l.shard, l.seq""")


class Pool(NamedTuple):
    """Accounts whose promotional money is pooled: those of a patron, or one anonymous account."""

    property: str
    patron: str | None
    accounts: Sequence[Account]


async def pools_to_look_at(connection: AsyncConnection, latest: date) -> list[Pool]:
    """Return the pools with promotional money and with a grant that expires on or before a gaming day.

    Each pool lists its accounts with promotional money that is available, on hold or in play.
    """
    found: defaultdict[tuple[str, str | None, str], list[Account]] = defaultdict(list)
    for row in await connection.execute(_POOLS, {"latest": latest}):
        account = known_thing(Account, row)
        found[account.property, account.patron, "" if account.patron else account.account].append(account)
    return [Pool(property_name, patron, accounts) for (property_name, patron, _), accounts in found.items()]


async def changes_of(connection: AsyncConnection, pool: Pool) -> list[Change]:
    """Return the changes of a pool's promotional money, in the order of recording."""
    asked = {"property": pool.property, "account": pool.accounts[0].account, "patron": pool.patron}
    return [Change(int(row.cents), row.is_grant, row.expires_on) for row in await connection.execute(_CHANGES, asked)]
