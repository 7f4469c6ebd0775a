"""Owners of accounts, by patron reference. Only the service of wagering accounts stores patrons' names and numbers."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import text

from services.reporting.read_model.reading import Books

OWNERS: Final = """
    SELECT data ->> (CASE kind WHEN 'account.opened' THEN 'account' ELSE 'wallet' END) AS account,
           data ->> 'patron' AS patron
    FROM reporting.facts
    WHERE property = :property AND kind IN ('account.opened', 'patron.registered') AND recorded_at <= :known_at"""
"""SQL that returns accounts and wallets with their patrons; `patron` is null if unknown."""

_PATRONS: Final = text(
    "SELECT account, patron FROM ({owners}) o WHERE account = ANY(:accounts) AND patron IS NOT NULL".replace(
        "{owners}", OWNERS
    )
)
_ACCOUNTS: Final = text("SELECT account FROM ({owners}) o WHERE patron = ANY(:patrons)".replace("{owners}", OWNERS))


async def accounts_of(books: Books, patrons: Iterable[str]) -> list[str]:
    """Return the accounts of these patrons: game accounts and wallets."""
    wanted = sorted(set(patrons))
    return [row.account for row in await books.read(_ACCOUNTS, patrons=wanted)] if wanted else []


async def patrons_of(books: Books, accounts: Iterable[str]) -> dict[str, str]:
    """Return the patron of each account or wallet; accounts without a known patron are missing."""
    wanted = sorted(set(accounts))
    return {row.account: row.patron for row in await books.read(_PATRONS, accounts=wanted)} if wanted else {}
