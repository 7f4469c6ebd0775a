"""The order in which a rebuild reads the journal: that in which accounts and rounds were changed.

The entries of a shard are ordered by their numbers, those of an account or a round by its versions. An entry made by a
command contains the version of the account. An entry made by a settlement does not, since the account may change until
the entry is recorded: it gets the next version of the account that no command has. If the rules leave several entries
to be next, the one that was recorded first is next.
"""

from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.apply_facts import OfRound, account_of
from services.wagering_accounts.domain.books import Round
from services.wagering_accounts.tables import balances, rounds
from shared.contracts.accounts import AccountsFact
from shared.journal import bulk
from shared.journal.entry import Entry
from shared.journal.fact_replay import with_fact_or_why
from shared.journal.reading import read_entries
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables
from shared.runtime.projector import OutOfOrder

Key = tuple[str, ...]
"""A versioned item: an account (property, account), or a round (property, table, round id)."""

_AHEAD: Final = 500
"""Entries of each shard that are read ahead."""

_BATCH: Final = 1000

# Every version that an entry names; the version of its own account is its sequence. Projected entries are dropped.
_BEGIN: Final = (
    """
    CREATE TEMP TABLE IF NOT EXISTS named (
        shard integer, seq bigint, property text, account text, version bigint
    )""",
    "CREATE INDEX IF NOT EXISTS named_by_account ON pg_temp.named (property, account)",
    "CREATE INDEX IF NOT EXISTS named_by_place ON pg_temp.named (shard, seq)",
    "CREATE TEMP TABLE IF NOT EXISTS named_until (shard integer PRIMARY KEY, seq bigint NOT NULL)",
)
_FORGET_ALL: Final = ("DELETE FROM pg_temp.named", "DELETE FROM pg_temp.named_until")
_FORGET: Final = "DELETE FROM pg_temp.named WHERE shard = :shard AND seq <= :after"
_UNTIL: Final = """
    SELECT s.shard, coalesce(u.seq, 0), s.next_seq - 1 FROM wagering_accounts.shards s
    LEFT JOIN pg_temp.named_until u USING (shard)"""
_NAME: Final = """
    INSERT INTO pg_temp.named
    SELECT shard, seq, data ->> 'property', moved ->> 'account', (moved ->> 'version')::bigint
    FROM wagering_accounts.entries, json_array_elements(data -> 'movements') moved
    WHERE moved ->> 'version' IS NOT NULL AND shard = :shard AND seq > :after
    UNION
    SELECT shard, seq, split_part(source, '/', 3), split_part(source, '/', 5), sequence
    FROM wagering_accounts.entries WHERE source LIKE '/properties/%' AND shard = :shard AND seq > :after"""
_NAMED: Final = """
    INSERT INTO pg_temp.named_until VALUES (:shard, :until)
    ON CONFLICT (shard) DO UPDATE SET seq = excluded.seq"""
_NAMED_AFTER: Final = bulk.Statement(
    """
    SELECT named.property, named.account, named.version
    FROM json_to_recordset(%(rows)s::json) AS given (property text, account text, version bigint)
    JOIN pg_temp.named USING (property, account) WHERE named.version > given.version""",
    ("property", "account", "version"),
)
_ACCOUNTS: Final = bulk.select(balances, ("property", "account", "version"))
_ROUNDS: Final = bulk.select(rounds, ("property", "table", "round_id", "version"))

Step = tuple[Recorded, Mapping[Key, int | None]]
"""An entry with its fact, and the version for each item that it changes; None for a version not in the entry."""


def _step(entry: Entry, fact: AccountsFact) -> Step:
    versions: dict[Key, int | None] = {(fact.property, each.account): each.version for each in fact.moved()}
    own = account_of(fact)
    if own is not None:
        versions[own] = entry.draft.sequence
    if isinstance(fact, OfRound) and fact.round_version is not None:
        versions[Round.key_of(fact)] = fact.round_version
    return (entry, fact), versions


@dataclass(slots=True)
class _Shard:
    """A shard, with the entries read ahead; `more` is true if further entries follow."""

    entries: AsyncIterator[Entry]
    ahead: deque[Step] = field(default_factory=deque)
    more: bool = True

    async def look_ahead(self) -> None:
        """Read until enough entries are available."""
        while self.more and len(self.ahead) < _AHEAD:
            entry = await anext(self.entries, None)
            if entry is None:
                self.more = False
                break
            _, fact = recorded = with_fact_or_why(entry)
            # Entries of the runtime change no account, so they may come at any time.
            self.ahead.append(_step(entry, fact) if isinstance(fact, AccountsFact) else (recorded, {}))


async def in_order(
    connection: AsyncConnection, journal: JournalTables, after: Mapping[int, int]
) -> AsyncIterator[Sequence[Recorded]]:
    """Yield batches of entries after the given number of each shard; the caller must project each before the next.

    The versions stay in temporary tables of the database session, so that a later call in it reads only newer entries.
    Raises: OutOfOrder if the versions are not consistent with any order.
    """
    await _learn_names(connection, after)
    numbers = (await connection.execute(select(journal.shards.c.shard).order_by(journal.shards.c.shard))).scalars()
    shards = [
        _Shard(read_entries(connection, journal, number, first=after.get(number, 0) + 1)) for number in numbers.all()
    ]
    known = _Known()
    while True:
        for shard in shards:
            await shard.look_ahead()
        await known.look_ahead(connection, {key for shard in shards for _, versions in shard.ahead for key in versions})
        batch = _next(shards, known)
        if not batch:
            return
        yield batch


async def _learn_names(connection: AsyncConnection, after: Mapping[int, int]) -> None:
    """Load the versions named in entries since the last call, or in all entries if nothing is projected yet."""
    for statement in (*_BEGIN, *(() if after else _FORGET_ALL)):
        await connection.execute(text(statement))
    for shard, known, until in (await connection.execute(text(_UNTIL))).all():
        projected = after.get(shard, 0)
        known = max(known, projected)
        await connection.execute(text(_FORGET), {"shard": shard, "after": projected})
        if known < until:
            await connection.execute(text(_NAME), {"shard": shard, "after": known})
            await connection.execute(text(_NAMED), {"shard": shard, "until": until})


def _next(shards: Iterable[_Shard], known: "_Known") -> list[Recorded]:
    """Return the next entries among those read ahead. Raises: OutOfOrder if no entry can be next."""
    batch: list[Recorded] = []
    while len(batch) < _BATCH and not any(shard.more and not shard.ahead for shard in shards):
        heads = [shard.ahead for shard in shards if shard.ahead]
        if not heads:
            break
        heads.sort(key=lambda ahead: ahead[0][0][0].recorded_at)
        ahead = next((ahead for ahead in heads if known.fits(ahead[0][1])), None)
        if ahead is None:
            (first, _), _ = heads[0][0]
            what = "names versions of accounts that it cannot have given"
            raise OutOfOrder(first.shard, first.seq, first.draft.kind, what)
        recorded, versions = ahead.popleft()
        known.take(versions)
        batch.append(recorded)
    return batch


class _Known:
    """The accounts and rounds of the entries read ahead: current versions, and later versions in command entries."""

    def __init__(self) -> None:
        self._versions: dict[Key, int] = {}
        self._named: dict[Key, set[int]] = {}

    async def look_ahead(self, connection: AsyncConnection, wanted: set[Key]) -> None:
        """Load the versions of these accounts and rounds, and drop all others."""
        new = sorted(wanted - self._versions.keys())
        accounts, in_rounds = ([key for key in new if len(key) == parts] for parts in (2, 3))
        self._versions = {key: self._versions.get(key, 0) for key in wanted}
        self._named = {key: self._named.get(key, set()) for key in wanted}
        for row in await _ACCOUNTS.read(connection, bulk.keyed(_ACCOUNTS, accounts)):
            self._versions[row.property, row.account] = row.version
        for row in await _ROUNDS.read(connection, bulk.keyed(_ROUNDS, in_rounds)):
            self._versions[row.property, row.table, row.round_id] = row.version
        reached = [(*account, self._versions[account]) for account in accounts]
        for row in await _NAMED_AFTER.read(connection, bulk.keyed(_NAMED_AFTER, reached)):
            self._named[row.property, row.account].add(row.version)

    def fits(self, versions: Mapping[Key, int | None]) -> bool:
        """Return whether an entry with these versions can be next."""
        for key, version in versions.items():
            following = self._versions[key] + 1
            if following in self._named[key] if version is None else following != version:
                return False
        return True

    def take(self, versions: Iterable[Key]) -> None:
        """Advance accounts and rounds to their next versions."""
        for key in versions:
            self._versions[key] += 1
