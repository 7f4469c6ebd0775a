"""Load the accounts that commands, settlements or facts need.

Rows are locked in one order everywhere: rounds, then accounts, then patrons, each by key, so that deadlocks are
impossible.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from psycopg import AsyncCursor
from pydantic import TypeAdapter
from sqlalchemy import Table, and_, func, text, true
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
from shared.contracts.property_snapshot import PropertyLookup
from shared.journal.bulk import Statement, compiled, given, keyed, same, select
from shared.journal.pipeline import Pipeline, pipeline

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
"""The table of each kind of entity."""

_VALUES: Final = {kind: attrgetter(*(one.name for one in fields(kind))) for kind in TABLES}
_LIMITS: Final = TypeAdapter(dict[LimitKind, Limit])


class ReadSet(NamedTuple):
    """The rows that a decision or projection needs."""

    accounts: Collection[AccountKey] = ()
    wallets_of: Collection[AccountKey] = ()
    """Accounts with the wallets of their patrons."""
    patrons: Collection[PatronKey] = ()
    patrons_of: Collection[AccountKey] = ()
    """Accounts whose patrons change; patrons of other accounts are only read."""
    rounds: Collection[RoundKey] = ()
    """Rounds without their holds."""
    rounds_with_holds: Collection[RoundKey] = ()
    """Rounds with their holds, and the accounts of the holds."""
    results: Collection[RoundKey] = ()
    """Rounds' effects on accounts."""
    holds: Collection[HoldKey] = ()
    """Holds with their rounds."""
    adjustments: Collection[HoldKey] = ()
    promotions: Collection[HoldKey] = ()
    proven: Collection[AccountKey] = ()
    """Accounts that money leaves: their balance must match their entries."""
    identities: Collection[PatronKey] = ()
    """Patrons with their identity and pending erasure."""
    erased: Collection[PatronKey] = ()
    """Patrons with all of their accounts and the last movements there: checked before an erasure."""


def known_thing(kind: type[ThingT], row: Any) -> ThingT:
    """Return the entity in a row."""
    thing = kind(*_VALUES[kind](row))
    if isinstance(thing, Patron):
        thing.limits = _LIMITS.validate_python(thing.limits)
    return thing


def _wallets() -> Statement:
    """Return the SQL statement that selects the wallets of the patrons who own the given accounts."""
    account, patron, key = tables.balances, tables.patrons, ("property", "account")
    wanted = given(account, key)
    owner = and_(patron.c.property == account.c.property, patron.c.patron == account.c.patron)
    found = account.join(wanted, same(account, wanted, key)).join(patron, owner)
    return compiled(select_from(patron.c.property, patron.c.wallet).select_from(found), key)


_WALLETS = _wallets()


@cache
def _things(kind: type[Any], *by: str, lock: bool = False) -> Statement:
    """Return the SQL statement that selects entities by these columns or by their keys, in key order."""
    return select(TABLES[kind], by=by, lock=lock)


_Asked = tuple[type[Any], Statement, Collection[tuple[Any, ...]]]
"""A kind of entity, the statement that selects it, and its keys."""


def _last_lines() -> Statement:
    """Return the SQL statement that selects the last line of each given account's statement."""
    line, key = tables.lines, ("property", "account")
    wanted = given(line, key)
    last = select_from(line).where(same(line, wanted, key)).order_by(line.c.version.desc()).limit(1).lateral("last")
    amounts = (last.c[name] for name in tables.AMOUNTS)
    return compiled(select_from(last.c.property, last.c.account, *amounts).select_from(wanted.join(last, true())), key)


_LAST_LINES = _last_lines()
_AMOUNTS_OF = attrgetter(*tables.AMOUNTS)
_NOTHING = (0,) * len(tables.AMOUNTS)


class _Found(NamedTuple):
    """Pending results: the requested entities of each kind, and the last statement lines of the accounts."""

    things: Sequence[tuple[type[Any], AsyncCursor[Any]]]
    checked: Collection[AccountKey]
    last: AsyncCursor[Any] | None

    async def know(self, books: Books) -> None:
        """Add the results to the books, and mark accounts that differ from their last statement line as altered."""
        for kind, cursor in self.things:
            for row in await cursor.fetchall():
                books.know(known_thing(kind, row))
        if self.last is not None:
            ends = {(row.property, row.account): _AMOUNTS_OF(row) for row in await self.last.fetchall()}
            for key in books.accounts.keys() & self.checked:
                if _AMOUNTS_OF(books.accounts[key]) != ends.get(key, _NOTHING):
                    books.altered[key] = "its statement ends with another amount"


async def _ask(sent: Pipeline, *asked: _Asked, checked: Collection[AccountKey] = ()) -> _Found:
    wanted = [(kind, statement, sorted(set(keys))) for kind, statement, keys in asked if keys]
    things = [(kind, await sent.read(statement, keyed(statement, keys))) for kind, statement, keys in wanted]
    return _Found(things, checked, await sent.read(_LAST_LINES, keyed(_LAST_LINES, checked)) if checked else None)


async def _know(
    connection: AsyncConnection, books: Books, *asked: _Asked, checked: Collection[AccountKey] = ()
) -> None:
    """Load the requested entities, in one round trip."""
    if checked or any(keys for *_, keys in asked):
        async with pipeline(connection) as sent:
            found = await _ask(sent, *asked, checked=checked)
        await found.know(books)


class ReadSetLoader:
    """A loader of a read set; `lock` locks the rows until the transaction ends.

    With `check`, the accounts are compared with their statements.
    """

    def __init__(self, needs: Sequence[ReadSet], *, lock: bool, check: bool = False) -> None:
        self._wanted = wanted = ReadSet(*(set(chain.from_iterable(keys)) for keys in zip(*needs, strict=True)))
        self._accounts, self._rounds = {*wanted.accounts}, {*wanted.rounds, *wanted.rounds_with_holds}
        self._lock, self._check = lock, check
        self._found: _Found | None = None

    async def ask(self, sent: Pipeline) -> None:
        """Send the query in the caller's pipeline, unless it depends on the result of an earlier query."""
        if not (self._wanted.wallets_of or self._wanted.erased or self._wanted.holds):
            self._found = await self._ask_first(sent)

    async def read(self, connection: AsyncConnection, places: PropertyLookup = lambda *_: None) -> Books:
        """Return the loaded accounts; `places` provides the gaming day and the law of their properties."""
        books, wanted, lock = Books(places), self._wanted, self._lock
        if self._found is None:
            await self._say_what_is_needed(connection, books)
            async with pipeline(connection) as sent:
                self._found = await self._ask_first(sent)
        await self._found.know(books)
        if wanted.rounds_with_holds:
            accounts = self._accounts | {Account.key_of(hold) for hold in books.holds.values()}
            checked = accounts if self._check else ()
            await _know(connection, books, (Account, _things(Account, lock=lock), accounts), checked=checked)
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

    async def _say_what_is_needed(self, connection: AsyncConnection, books: Books) -> None:
        wanted = self._wanted
        if wanted.wallets_of:
            found = await _WALLETS.read(connection, keyed(_WALLETS, wanted.wallets_of))
            self._accounts |= {(row.property, row.wallet) for row in found}
        if wanted.erased:
            self._accounts |= await accounts_of(connection, books, wanted.erased)
        if wanted.holds:
            seen = Books()
            await _know(connection, seen, (Hold, _things(Hold), wanted.holds))
            self._rounds |= seen.holds_by_round.keys()

    async def _ask_first(self, sent: Pipeline) -> _Found:
        wanted, lock = self._wanted, self._lock
        accounts = () if wanted.rounds_with_holds else self._accounts  # those of the holds come with them
        return await _ask(
            sent,
            (Round, _things(Round, lock=lock), self._rounds),
            (Hold, _things(Hold, "property", "table", "round_id"), wanted.rounds_with_holds),
            (Hold, _things(Hold), wanted.holds),
            (RoundAccount, _things(RoundAccount, "property", "table", "round_id"), wanted.results),
            (Account, _things(Account, lock=lock), accounts),
            checked=accounts if self._check else (),
        )


async def load(
    connection: AsyncConnection, needs: Sequence[ReadSet], *, lock: bool, places: PropertyLookup = lambda *_: None
) -> Books:
    """Load the read set and return it."""
    return await ReadSetLoader(needs, lock=lock).read(connection, places)


def _patrons_of(books: Books, keys: Iterable[AccountKey]) -> set[PatronKey]:
    """Return the patrons of the loaded accounts."""
    known = (books.accounts.get(key) for key in keys)
    return {(each.property, each.patron) for each in known if each is not None and each.patron is not None}


_CODES: Final = (
    select_from(func.count())
    .select_from(tables.journal.entries)
    .where(
        text(f"{tables.OF_CODES} AND data ->> 'property' = :property AND data ->> 'patron' = :patron"),
    )
)
"""The query that counts the entries that issue codes; its condition matches their index."""


async def codes_given(connection: AsyncConnection, property_name: str, patron: str) -> int:
    """Return the number of access codes that a patron was issued, according to the journal."""
    return int((await connection.execute(_CODES, {"property": property_name, "patron": patron})).scalar_one())


async def kept_code(connection: AsyncConnection, property_name: str, account: str) -> PatronCode | None:
    """Return the stored access code of the patron of an account."""
    code, owned = tables.patron_codes, tables.balances
    query = (
        select_from(code)
        .join(owned, (owned.c.property == code.c.property) & (owned.c.patron == code.c.patron))
        .where(owned.c.property == property_name, owned.c.account == account)
    )
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else known_thing(PatronCode, row)
