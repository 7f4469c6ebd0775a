"""The journal in the order in which accounts were changed.

A shard has its order, and an account the order of its versions. Commands name the versions that they gave; a settlement
does not, for accounts may change until it is recorded: it takes, in the order of its shard, those that nobody names. As
far as these leave a choice, what was recorded first comes first.
"""

import json
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import BigInteger, Column, MetaData, Table, Text, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.books import AccountKey
from services.wagering_accounts.tables import balances, journal
from shared.journal import bulk
from shared.journal.entry import Entry
from shared.journal.reading import read_entries
from shared.runtime.errors import Stop

_AHEAD: Final = 500
"""Entries of each shard that are looked at together."""

_BATCH: Final = 1000

_OWN: Final = ("access.", "account.", "patron.", "wager.", "wagers.")
"""What the kinds of our entries begin with; those of others change no account."""

_STREAM: Final = "/properties/"
"""What the source of an entry about one account begins with."""

_named = Table(
    "named",
    MetaData(),
    Column("property", Text),
    Column("account", Text),
    Column("version", BigInteger),
    schema="pg_temp",
)
"""Every version that an entry names: its own account's is its sequence."""

_NAME = """
    CREATE TEMP TABLE named ON COMMIT DROP AS
    SELECT data ->> 'property' AS property, moved ->> 'account' AS account, (moved ->> 'version')::bigint AS version
    FROM wagering_accounts.entries, json_array_elements(data -> 'movements') moved WHERE moved ->> 'version' IS NOT NULL
    UNION
    SELECT split_part(source, '/', 3), split_part(source, '/', 5), sequence
    FROM wagering_accounts.entries WHERE source LIKE '/properties/%'"""
_VERSIONS_OF = bulk.select(balances, ("property", "account", "version"))


def _named_after() -> bulk.Statement:
    """Return the statement that finds the versions of accounts that are named and come after a given one."""
    key = ("property", "account")
    reached = bulk.given(_named, (*key, "version"))
    later = select(_named).join(reached, bulk.same(_named, reached, key)).where(_named.c.version > reached.c.version)
    return bulk.compiled(later, (*key, "version"))


_NAMED_AFTER = _named_after()


def account_of(entry: Entry) -> AccountKey | None:
    """The account that an entry is about; None where it is about none or several."""
    if not entry.draft.source.startswith(_STREAM):
        return None
    _, _, property_name, _, account = entry.draft.source.split("/")
    return (property_name, account)


@dataclass(slots=True)
class _Step:
    """An entry, and the accounts to which it gives a version; the version where it names it."""

    entry: Entry
    versions: dict[AccountKey, int | None]

    @classmethod
    def of(cls, entry: Entry) -> "_Step":
        data: dict[str, Any] = json.loads(entry.draft.data)
        moved = data.get("movements", ())
        versions: dict[AccountKey, int | None] = {
            (data["property"], each["account"]): each.get("version") for each in moved
        }
        account = account_of(entry)
        if account is not None:
            versions[account] = entry.draft.sequence
        return cls(entry, versions)


@dataclass(slots=True)
class _Shard:
    """A shard: what is looked at of it, and whether there is more."""

    entries: AsyncIterator[Entry]
    ahead: deque[_Step] = field(default_factory=deque)
    more: bool = True

    async def look_ahead(self) -> None:
        """Reads on until enough is looked at."""
        while self.more and len(self.ahead) < _AHEAD:
            entry = await anext(self.entries, None)
            if entry is None:
                self.more = False
            elif entry.draft.kind.startswith(_OWN):
                self.ahead.append(_Step.of(entry))


async def in_order(connection: AsyncConnection) -> AsyncIterator[Sequence[Entry]]:
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


def _next(shards: Iterable[_Shard], known: "_Known") -> list[Entry]:
    """The entries that come next, as far as is looked ahead."""
    batch: list[Entry] = []
    while len(batch) < _BATCH:
        if any(shard.more and not shard.ahead for shard in shards):
            break
        heads = sorted((shard for shard in shards if shard.ahead), key=lambda shard: shard.ahead[0].entry.recorded_at)
        if not heads:
            break
        shard = next((shard for shard in heads if known.fits(shard.ahead[0])), None)
        if shard is None:
            first = heads[0].ahead[0].entry
            raise Stop(f"entry {first.shard}/{first.seq} names versions of accounts that it cannot have given")
        step = shard.ahead.popleft()
        known.take(step)
        batch.append(step.entry)
    return batch


class _Known:
    """The accounts of the entries that are looked at: the version of each, and the later ones that entries name."""

    def __init__(self) -> None:
        self._versions: dict[AccountKey, int] = {}
        self._named: dict[AccountKey, set[int]] = {}

    async def look_ahead(self, connection: AsyncConnection, steps: Sequence[_Step]) -> None:
        """Learns of the accounts of these entries, and forgets the others."""
        wanted = {account for step in steps for account in step.versions}
        new = sorted(wanted - self._versions.keys())
        self._versions = {account: self._versions.get(account, 0) for account in wanted}
        self._named = {account: self._named.get(account, set()) for account in wanted}
        for row in await _VERSIONS_OF.read(connection, bulk.keyed(_VERSIONS_OF, new)):
            self._versions[row.property, row.account] = row.version
        reached = [(*account, self._versions[account]) for account in new]
        for row in await _NAMED_AFTER.read(connection, bulk.keyed(_NAMED_AFTER, reached)):
            self._named[row.property, row.account].add(row.version)

    def fits(self, step: _Step) -> bool:
        """Whether an entry can be the next for all of its accounts."""
        for account, version in step.versions.items():
            following = self._versions[account] + 1
            if version is None and following in self._named[account]:
                return False
            if version is not None and following != version:
                return False
        return True

    def take(self, step: _Step) -> None:
        """Gives the accounts of an entry their next versions."""
        for account in step.versions:
            self._versions[account] += 1
