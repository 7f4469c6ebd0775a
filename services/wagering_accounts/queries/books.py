"""Reads the part of the books that some commands, settlements or facts need.

Rows are locked in one order everywhere: rounds, then accounts, then patrons, each by their keys; so nobody waits for
somebody who waits for them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import Table, and_, true
from sqlalchemy import select as select_from
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import tables
from services.wagering_accounts.domain.books import (
    Account,
    AccountKey,
    Adjustment,
    Books,
    Hold,
    HoldKey,
    Limit,
    Patron,
    PatronCode,
    PatronErasure,
    PatronIdentity,
    PatronKey,
    Promotion,
    Round,
    RoundAccount,
    RoundKey,
    ThingT,
)
from services.wagering_accounts.queries.erasing import accounts_of
from shared.contracts.accounts import LimitKind
from shared.contracts.places import PlaceAt
from shared.journal.bulk import Statement, compiled, given, keyed, same, select
from shared.journal.pipeline import pipeline

TABLES: Final[Mapping[type[Any], Table]] = {
    Patron: tables.patrons,
    PatronCode: tables.patron_codes,
    PatronIdentity: tables.patron_identities,
    PatronErasure: tables.patron_erasures,
    Account: tables.balances,
    Round: tables.rounds,
    Hold: tables.holds,
    RoundAccount: tables.round_accounts,
    Adjustment: tables.adjustments,
    Promotion: tables.promotions,
}
"""The table of each kind of thing in the books."""

_VALUES: Final = {kind: attrgetter(*(one.name for one in fields(kind))) for kind in TABLES}
_LIMITS: Final = TypeAdapter(dict[LimitKind, Limit])


class Needs(NamedTuple):
    """What deciding or projecting something must have at hand."""

    accounts: Collection[AccountKey] = ()
    wallets_of: Collection[AccountKey] = ()
    """Accounts with the wallets of their patrons."""
    patrons: Collection[PatronKey] = ()
    patrons_of: Collection[AccountKey] = ()
    """Accounts whose patrons change; of other accounts the patrons are only seen."""
    rounds: Collection[RoundKey] = ()
    """Rounds without their holds."""
    rounds_with_holds: Collection[RoundKey] = ()
    """Rounds with their holds, and the accounts of these."""
    results: Collection[RoundKey] = ()
    """What rounds did on accounts."""
    holds: Collection[HoldKey] = ()
    """Holds with their rounds."""
    adjustments: Collection[HoldKey] = ()
    promotions: Collection[HoldKey] = ()
    proven: Collection[AccountKey] = ()
    """Accounts that money leaves: they must be what their entries come to."""
    identities: Collection[PatronKey] = ()
    """Patrons with who they are, and with what is to be erased of them."""
    erased: Collection[PatronKey] = ()
    """Patrons with all of their accounts, and when money last moved there: what is looked at before they are erased."""


def known_thing(kind: type[ThingT], row: Any) -> ThingT:
    """Return what a row of the table of such things says."""
    thing = kind(*_VALUES[kind](row))
    if isinstance(thing, Patron):
        thing.limits = _LIMITS.validate_python(thing.limits)
    return thing


def _wallets() -> Statement:
    """Return the statement that finds the wallets of the patrons of accounts."""
    account, patron, key = tables.balances, tables.patrons, ("property", "account")
    wanted = given(account, key)
    owner = and_(patron.c.property == account.c.property, patron.c.patron == account.c.patron)
    found = account.join(wanted, same(account, wanted, key)).join(patron, owner)
    return compiled(select_from(patron.c.property, patron.c.wallet).select_from(found), key)


_WALLETS = _wallets()


@cache
def _things(kind: type[Any], *by: str, lock: bool = False) -> Statement:
    """Return the statement that selects things by these columns or their keys, in the order of their keys."""
    return select(TABLES[kind], by=by, lock=lock)


_Asked = tuple[type[Any], Statement, Iterable[tuple[Any, ...]]]
"""A kind of things, the statement that selects them, and its keys."""


def _last_lines() -> Statement:
    """Return the statement that finds the last lines of the statements of accounts."""
    line, key = tables.lines, ("property", "account")
    wanted = given(line, key)
    last = select_from(line).where(same(line, wanted, key)).order_by(line.c.version.desc()).limit(1).lateral("last")
    amounts = (last.c[name] for name in tables.AMOUNTS)
    return compiled(select_from(last.c.property, last.c.account, *amounts).select_from(wanted.join(last, true())), key)


_LAST_LINES = _last_lines()
_AMOUNTS_OF = attrgetter(*tables.AMOUNTS)
_NOTHING = (0,) * len(tables.AMOUNTS)


async def _know(
    connection: AsyncConnection, books: Books, *asked: _Asked, checked: Collection[AccountKey] = ()
) -> None:
    """Put what is asked for into the books, in one wait; note which accounts are not what their statements end with."""
    wanted = [(kind, statement, sorted(set(keys))) for kind, statement, keys in asked if keys]
    if not wanted and not checked:
        return
    async with pipeline(connection) as sent:
        found = [(kind, await sent.read(statement, keyed(statement, keys))) for kind, statement, keys in wanted]
        last = await sent.read(_LAST_LINES, keyed(_LAST_LINES, checked)) if checked else None
    for kind, cursor in found:
        for row in await cursor.fetchall():
            books.know(known_thing(kind, row))
    if last is not None:
        ends = {(row.property, row.account): _AMOUNTS_OF(row) for row in await last.fetchall()}
        for key in books.accounts.keys() & checked:
            if _AMOUNTS_OF(books.accounts[key]) != ends.get(key, _NOTHING):
                books.altered[key] = "its statement ends with another amount"


async def load(
    connection: AsyncConnection,
    needs: Sequence[Needs],
    *,
    lock: bool,
    check: bool = False,
    places: PlaceAt = lambda *_: None,
) -> Books:
    """Return what is needed; locked, so that it stays as it is until the transaction ends, if that is wanted.

    With `check` the accounts are held against their statements. What is decided on it finds the gaming day and the law
    of its property in `places`.
    """
    books = Books(places)
    wanted = Needs(*(set(chain.from_iterable(keys)) for keys in zip(*needs, strict=True)))
    accounts, rounds = {*wanted.accounts}, {*wanted.rounds, *wanted.rounds_with_holds}
    if wanted.wallets_of:
        found = await _WALLETS.read(connection, keyed(_WALLETS, wanted.wallets_of))
        accounts |= {(row.property, row.wallet) for row in found}
    if wanted.erased:
        accounts |= await accounts_of(connection, books, wanted.erased)
    if wanted.holds:
        seen = Books()
        await _know(connection, seen, (Hold, _things(Hold), wanted.holds))
        rounds |= seen.holds_by_round.keys()
    await _know(
        connection,
        books,
        (Round, _things(Round, lock=lock), rounds),
        (Hold, _things(Hold, "property", "table", "round_id"), wanted.rounds_with_holds),
        (Hold, _things(Hold), wanted.holds),
        (RoundAccount, _things(RoundAccount, "property", "table", "round_id"), wanted.results),
        (Account, _things(Account, lock=lock), () if wanted.rounds_with_holds else accounts),
        checked=accounts if check and not wanted.rounds_with_holds else (),
    )
    if wanted.rounds_with_holds:
        accounts |= {Account.key_of(hold) for hold in books.holds.values()}
        await _know(
            connection, books, (Account, _things(Account, lock=lock), accounts), checked=accounts if check else ()
        )
    changing = {*wanted.patrons, *_patrons_of(books, wanted.patrons_of)}
    await _know(
        connection,
        books,
        (Patron, _things(Patron, lock=lock), changing),
        (PatronCode, _things(PatronCode), changing),
        (PatronIdentity, _things(PatronIdentity), wanted.identities),
        (PatronErasure, _things(PatronErasure), wanted.identities),
        (Patron, _things(Patron), _patrons_of(books, books.accounts) - changing),
        (Adjustment, _things(Adjustment), wanted.adjustments),
        (Promotion, _things(Promotion), wanted.promotions),
    )
    return books


def _patrons_of(books: Books, keys: Iterable[AccountKey]) -> set[PatronKey]:
    """Return whose the accounts are that are at hand."""
    known = (books.accounts.get(key) for key in keys)
    return {(each.property, each.patron) for each in known if each is not None and each.patron is not None}


async def kept_code(connection: AsyncConnection, property_name: str, account: str) -> PatronCode | None:
    """Return the access code of the patron whose account it is."""
    code, owned = tables.patron_codes, tables.balances
    query = (
        select_from(code)
        .join(owned, (owned.c.property == code.c.property) & (owned.c.patron == code.c.patron))
        .where(owned.c.property == property_name, owned.c.account == account)
    )
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else known_thing(PatronCode, row)
