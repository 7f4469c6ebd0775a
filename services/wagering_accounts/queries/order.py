"""The journal in the order in which accounts and rounds were changed: what a rebuild projects.

A shard has its order, and an account or a round the order of its versions. Commands name the versions of accounts that
they gave; a settlement does not, for accounts may change until it is recorded: it takes, in the order of its shard,
those that nobody names. As far as these leave a choice, what was recorded first comes first.
"""

from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import BigInteger, Column, MetaData, Table, Text, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.books import AccountKey, RoundKey
from services.wagering_accounts.domain.evolving import OfRound, account_of, property_of
from services.wagering_accounts.tables import balances, rounds
from shared.contracts.facts import KINDS
from shared.contracts.topics import ACCOUNTS
from shared.journal import bulk
from shared.journal.entry import Entry
from shared.journal.reading import read_entries, with_fact
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables
from shared.runtime.errors import Stop

_AHEAD: Final = 500
"""Entries of each shard that are looked at together."""

_BATCH: Final = 1000

_named = Table(
    "named",
    MetaData(),
    Column("property", Text),
    Column("account", Text),
    Column("version", BigInteger),
    schema="pg_temp",
)
"""Every version that an entry names: its own account's is its sequence."""

_NAME: Final = """
    CREATE TEMP TABLE named ON COMMIT DROP AS
    SELECT data ->> 'property' AS property, moved ->> 'account' AS account, (moved ->> 'version')::bigint AS version
    FROM wagering_accounts.entries, json_array_elements(data -> 'movements') moved WHERE moved ->> 'version' IS NOT NULL
    UNION
    SELECT split_part(source, '/', 3), split_part(source, '/', 5), sequence
    FROM wagering_accounts.entries WHERE source LIKE '/properties/%'"""
_VERSIONS_OF: Final = bulk.select(balances, ("property", "account", "version"))
_ROUND_VERSIONS_OF: Final = bulk.select(rounds, ("property", "table", "round_id", "version"))


def _named_after() -> bulk.Statement:
    """Return the statement that finds the versions of accounts that are named and come after a given one."""
    key = ("property", "account")
    reached = bulk.given(_named, (*key, "version"))
    later = select(_named).join(reached, bulk.same(_named, reached, key)).where(_named.c.version > reached.c.version)
    return bulk.compiled(later, (*key, "version"))


_NAMED_AFTER: Final = _named_after()


@dataclass(slots=True)
class _Step:
    """An entry, and the accounts and the round to which it gives a version; the version where it names it."""

    recorded: Recorded
    accounts: dict[AccountKey, int | None]
    round: tuple[RoundKey, int] | None = None

    @classmethod
    def of(cls, entry: Entry) -> "_Step":
        recorded = _, fact = with_fact(entry)
        name = property_of(fact)
        accounts: dict[AccountKey, int | None] = {
            (name, each.account): each.version for each in getattr(fact, "movements", ())
        }
        own = account_of(fact)
        if own is not None:
            accounts[own] = entry.draft.sequence
        step = cls(recorded, accounts)
        if isinstance(fact, OfRound) and fact.round_version is not None:
            step.round = ((name, fact.table, fact.round_id), fact.round_version)
        return step


_OWN_KINDS: Final = frozenset(kind.name for kind in KINDS if kind.topic is ACCOUNTS)


@dataclass(slots=True)
class _Shard:
    """A shard: what is looked at of it, and whether there is more."""

    entries: AsyncIterator[Entry]
    ahead: deque[_Step] = field(default_factory=deque)
    more: bool = True

    async def look_ahead(self) -> None:
        """Read on until enough is looked at."""
        while self.more and len(self.ahead) < _AHEAD:
            entry = await anext(self.entries, None)
            if entry is None:
                self.more = False
            elif entry.draft.kind in _OWN_KINDS:  # those of the runtime change no account
                self.ahead.append(_Step.of(entry))


async def in_order(connection: AsyncConnection, journal: JournalTables) -> AsyncIterator[Sequence[Recorded]]:
    """All entries that change accounts, some at a time: the next ones come when these have been projected.

    Raises: Stop where the versions that entries name cannot have been given in any order.
    """
    await connection.execute(text(_NAME))
    await connection.execute(text("CREATE INDEX ON pg_temp.named (property, account)"))
    numbers = (await connection.execute(select(journal.shards.c.shard).order_by(journal.shards.c.shard))).scalars()
    shards = [_Shard(read_entries(connection, journal, number)) for number in numbers.all()]
    known = _Known()
    while True:
        for shard in shards:
            await shard.look_ahead()
        await known.look_ahead(connection, [step for shard in shards for step in shard.ahead])
        batch = _next(shards, known)
        if not batch:
            return
        yield batch


def _next(shards: Iterable[_Shard], known: "_Known") -> list[Recorded]:
    """Return the entries that come next, as far as is looked ahead."""
    batch: list[Recorded] = []
    while len(batch) < _BATCH:
        if any(shard.more and not shard.ahead for shard in shards):
            break
        heads = sorted(
            (shard for shard in shards if shard.ahead), key=lambda shard: shard.ahead[0].recorded[0].recorded_at
        )
        if not heads:
            break
        shard = next((shard for shard in heads if known.fits(shard.ahead[0])), None)
        if shard is None:
            first, _ = heads[0].ahead[0].recorded
            raise Stop(f"entry {first.shard}/{first.seq} names versions of accounts that it cannot have given")
        step = shard.ahead.popleft()
        known.take(step)
        batch.append(step.recorded)
    return batch


class _Known:
    """The accounts and rounds of the entries that are looked at: the version of each, and later ones that are named."""

    def __init__(self) -> None:
        self._versions: dict[AccountKey, int] = {}
        self._named: dict[AccountKey, set[int]] = {}
        self._rounds: dict[RoundKey, int] = {}

    async def look_ahead(self, connection: AsyncConnection, steps: Sequence[_Step]) -> None:
        """Learn of the accounts and rounds of these entries, and forget the others."""
        wanted = {account for step in steps for account in step.accounts}
        new = sorted(wanted - self._versions.keys())
        self._versions = {account: self._versions.get(account, 0) for account in wanted}
        self._named = {account: self._named.get(account, set()) for account in wanted}
        for row in await _VERSIONS_OF.read(connection, bulk.keyed(_VERSIONS_OF, new)):
            self._versions[row.property, row.account] = row.version
        reached = [(*account, self._versions[account]) for account in new]
        for row in await _NAMED_AFTER.read(connection, bulk.keyed(_NAMED_AFTER, reached)):
            self._named[row.property, row.account].add(row.version)
        wanted_rounds = {step.round[0] for step in steps if step.round is not None}
        new_rounds = sorted(wanted_rounds - self._rounds.keys())
        self._rounds = {key: self._rounds.get(key, 0) for key in wanted_rounds}
        for row in await _ROUND_VERSIONS_OF.read(connection, bulk.keyed(_ROUND_VERSIONS_OF, new_rounds)):
            self._rounds[row.property, row.table, row.round_id] = row.version

    def fits(self, step: _Step) -> bool:
        """Return whether an entry can be the next for all of its accounts and its round."""
        for account, version in step.accounts.items():
            following = self._versions[account] + 1
            if version is None and following in self._named[account]:
                return False
            if version is not None and following != version:
                return False
        return step.round is None or self._rounds[step.round[0]] + 1 == step.round[1]

    def take(self, step: _Step) -> None:
        """Give the accounts of an entry, and its round, their next versions."""
        for account in step.accounts:
            self._versions[account] += 1
        if step.round is not None:
            self._rounds[step.round[0]] += 1
