"""What must hold whatever happened: while a run goes on, on every record that is published, and when all is at rest."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

import psycopg

from loadtest.floor.books import Books
from shared.contracts.envelope import position, shard_source
from shared.contracts.topics import TABLE_EVENTS
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.database import reading
from shared.runtime.ingest.signature_check import content_digest
from shared.runtime.service.manifest import Manifest
from tests.faults.subjects import SUBJECTS
from tests.simulation.casino import ACCOUNTS, INVENTORY, METERS, REPORTING, SETTLEMENT, VIGORISH, Day
from tests.simulation.log import Log
from tests.simulation.rebuilding import check_rebuild
from tests.simulation.world import World
from tests.support.sealing import seals_of

Rows = Sequence[tuple[Any, ...]]

_DENSE: Final = """
    SELECT s.name, s.next_seq, e.last, e.count, r.published_seq
    FROM {schema}.shards s JOIN {schema}.relay r USING (shard)
    LEFT JOIN (SELECT shard, max(seq) AS last, count(*) AS count FROM {schema}.entries GROUP BY shard) e USING (shard)
    WHERE coalesce(e.last, 0) <> s.next_seq - 1 OR coalesce(e.count, 0) <> s.next_seq - 1
       OR r.published_seq >= s.next_seq"""
_BALANCE: Final = "SELECT coalesce(sum(cents), 0)::bigint FROM {schema}.postings"
_MONEY: Final = """
    SELECT a.property, a."table", a.wager, a.leg, e.gaming_day::text, sum(p.cents)::bigint
    FROM {schema}.postings p JOIN {schema}.accounts a USING (account) JOIN {schema}.entries e USING (shard, seq)
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(p.cents) <> 0"""
_FACTS: Final = """
    SELECT kind, data::json ->> 'table', data::json ->> 'round_id', data::json ->> 'revision', data::json ->> 'account',
        CASE WHEN "offset" IS NULL THEN event_id WHEN source LIKE '/properties/%' THEN source || ' ' || sequence END,
        count(*)
    FROM {schema}.entries WHERE kind NOT LIKE 'gap.%' AND kind NOT LIKE 'record.%' AND kind <> 'upstream.noted'
    GROUP BY 1, 2, 3, 4, 5, 6"""
"""What is recorded, without what depends on the order of arrival or on what comes twice: which round, event, command.
"""
_STREAMS: Final = """
    SELECT source, sequence, substring(digests FROM (32 * (sequence - first) + 1)::int FOR 32)
    FROM {schema}.taken, generate_series(first, last) sequence"""
_GAPS: Final = "SELECT source, first, last FROM {schema}.gaps"
_ENTRIES: Final = (
    "SELECT shard, seq, kind, event_id, \"offset\", encode(hash, 'hex') FROM {schema}.entries ORDER BY 1, 2"
)

_SUMS: Final = {
    REPORTING: (
        "SELECT sum(handle_cents), sum(payout_cents), sum(vigorish_cents) FROM reporting.wager_days",
        ("handle", "payout", "vigorish"),
    ),
    VIGORISH: ("SELECT sum(assessed_cents) FROM vigorish.owed", ("vigorish",)),
    METERS: ("SELECT sum(award_cents) FROM progressive_meters.readings WHERE standing", ("meter_payout",)),
}
"""By service: what it must have of the day, as the simulator's own settlements say it."""

_UNHASHED: Final = {"seal", "signature"}


class Published:
    """Looks at every record that a service publishes: nobody may be told an entry that follows from none before."""

    def __init__(self, log: Log) -> None:
        self.entries: dict[tuple[str, int], bytes] = {}
        self._last: Counter[str] = Counter()
        for name, topic in log.topics.items():
            for partition in topic.partitions:
                for record in partition.history:
                    self.look(name, record.value)

    def look(self, topic: str, value: bytes) -> None:
        """Look at a record before it is appended. Raises: AssertionError."""
        if topic in ("table.events", "pit.events"):
            return
        said = position(value)
        assert said is not None, f"{topic}: {value!r} is no entry"
        place = (said.source, said.sequence)
        before = self.entries.setdefault(place, value)
        assert before == value, f"{place} is published as {before!r} and then as {value!r}"
        if said.sequence > self._last[said.source]:
            follows = self._last[said.source] + 1
            assert said.sequence == follows, f"{said.source} is published up to {follows - 1} and then {said.sequence}"
            self._last[said.source] = said.sequence


def look_while_running(world: World) -> None:
    """Look at the journal of one service. Raises: AssertionError."""
    manifest = world.manifests[world.scheduler.steps // LOOK_EVERY % len(world.manifests)]
    rows = _query(world.store.control, manifest, _DENSE)
    assert not rows, f"{manifest.name} at step {world.scheduler.steps}: shards with holes: {rows}"
    balance = _query(world.store.control, manifest, _BALANCE)
    assert balance == [(0,)], f"{manifest.name} at step {world.scheduler.steps}: its postings sum to {balance}"


LOOK_EVERY: Final = 40
"""After so many steps somebody looks."""


def figures(world: World) -> dict[str, tuple[Rows, Rows]]:
    """Return what each service has recorded: facts and money, without what depends on the order of arrival."""
    control = world.store.control
    return {
        one.name: (sorted(_query(control, one, _FACTS), key=str), sorted(_query(control, one, _MONEY), key=str))
        for one in world.manifests
    }


def check_all(world: World, day: Day, published: Published) -> None:
    """Check everything that must hold when all is at rest, also where a partition is stopped for good reason."""
    for manifest in world.manifests:
        _check_dense(world, manifest)
        _check_read(world, manifest)
        _check_answers(world, manifest)
        _check_published(world, manifest, published)
        for subject in SUBJECTS:
            if subject.name == manifest.name:
                for name, statement in subject.identities.items():
                    found = world.store.control.execute(statement.encode()).fetchall()
                    assert not found, f"{manifest.name}: not so: {name}: {found}"
    assert world.holes or not world.stopped, f"nothing was deleted unread, and this is not read on: {world.stopped}"
    if not world.holes:
        _check_sums(world, day)


async def check_journals(world: World, *, rebuilt: bool) -> None:
    """Verify every journal; `rebuilt`: and compare every read model with what a rebuild makes of it."""
    for manifest in world.manifests:
        engine = world.engine_of_inspector()
        async with reading(engine) as connection:
            for shard in await read_shards(connection, manifest.journal):
                reached, seals = Verified(shard.name), seals_of(manifest.name)
                verifying = verify_shard(connection, manifest.journal, shard, reached, seals=seals)
                problems = [problem async for problem in verifying]
                assert not problems, f"{manifest.name}: {problems}"
        if rebuilt:
            await check_rebuild(world, manifest, engine)
        await engine.dispose()


def digest_of(world: World) -> str:
    """Return the hash of all that the services hold, in every table."""
    found = sha256()
    for manifest in world.manifests:
        tables = _query(world.store.control, manifest, "SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'")
        for (table,) in sorted(tables):
            rows = _query(world.store.control, manifest, f"SELECT to_jsonb(t) FROM {{schema}}.{table} t")
            texts = sorted(json.dumps(_without(row, _UNHASHED), sort_keys=True) for (row,) in rows)
            found.update(f"{manifest.schema}.{table}\n{texts}\n".encode())
    return found.hexdigest()


def _without(row: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _query(control: psycopg.Connection[Any], manifest: Manifest, statement: str) -> list[tuple[Any, ...]]:
    return control.execute(statement.format(schema=manifest.schema).encode()).fetchall()


# --- what was read ---


def _check_dense(world: World, manifest: Manifest) -> None:
    rows = _query(world.store.control, manifest, _DENSE)
    assert not rows, f"{manifest.name}: shards with holes: {rows}"
    balance = _query(world.store.control, manifest, _BALANCE)
    assert balance == [(0,)], f"{manifest.name}: its postings sum to {balance}"


def _check_read(world: World, manifest: Manifest) -> None:
    """Check that each record up to where a partition was read is taken or in quarantine, and nothing else is."""
    control = world.store.control
    positions = dict(_query(control, manifest, "SELECT name, next_offset FROM {schema}.shards"))
    taken = {(source, sequence): bytes(digest) for source, sequence, digest in _query(control, manifest, _STREAMS)}
    query = 'SELECT topic, partition, "offset" FROM {schema}.quarantine'
    quarantined = Counter(_query(control, manifest, query))
    assert not (twice := [place for place, count in quarantined.items() if count > 1]), f"quarantined twice: {twice}"
    accepted: set[tuple[str, int]] = set()
    for handler in manifest.readers:
        topic = world.log.topic(handler.reader.topic.name)
        for number, partition in enumerate(topic.partitions):
            place = f"{topic.name}/{number}"
            [read] = [at for name, at in positions.items() if name.startswith(f"{place}@")] or [0]
            why = world.stopped.get((manifest.name, topic.name, number))
            unseen = read < partition.begins == partition.end  # that all of it was deleted, the next record will show
            assert read == partition.end or why or unseen, f"{manifest.name} read {place} to {read} of {partition.end}"
            for record in partition.history[:read]:
                at, refused = position(record.value), (topic.name, number, record.offset) in quarantined
                if at is None:
                    assert refused, f"{manifest.name} has lost the record at {place}, offset {record.offset}"
                    continue
                where = f"{at} at {place}, offset {record.offset}"
                if refused:
                    assert (at.source, at.sequence) not in accepted, f"{manifest.name} took and then refused {where}"
                    continue
                digest = content_digest(handler.reader.topic, record)
                assert taken.get((at.source, at.sequence)) == digest, f"{manifest.name} has lost {where}"
                accepted.add((at.source, at.sequence))
    invented = taken.keys() - accepted
    assert not invented, f"{manifest.name} has taken what was refused or never sent: {sorted(invented)[:5]}"
    gaps = {(source, *gap) for source, *gap in _query(control, manifest, _GAPS)}
    wanted = set(_missing(accepted))
    assert gaps == wanted, f"{manifest.name} waits for {sorted(gaps - wanted)}, and not for {sorted(wanted - gaps)}"


def _missing(accepted: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield what is missing in each stream below its last event, as source, first and last."""
    last = 0
    for before, (source, sequence) in pairwise([("", 0), *sorted(accepted)]):
        last = last if before[0] == source else 0
        if sequence > last + 1:
            yield source, last + 1, sequence - 1
        last = sequence


def _check_answers(world: World, manifest: Manifest) -> None:
    """Check that what was answered is recorded once, under its key."""
    rows = _query(world.store.control, manifest, "SELECT person, key, reason, body FROM {schema}.idempotency")
    kept = {(person, key): (reason, body) for person, key, reason, body in rows}
    recorded = Counter(
        key for _, _, _, key, offset, _ in _query(world.store.control, manifest, _ENTRIES) if offset is None
    )
    for (service, person, key), answer in world.answers.items():
        if service == manifest.name:
            assert (person, key) in kept, f"{manifest.name} answered {key} and does not keep it"
            assert kept[person, key][1] == answer.body, f"{manifest.name} answered {key} otherwise than it keeps"
    for _, key in kept:
        assert recorded[key] == 1, f"{manifest.name} has {recorded[key]} entries of the command {key}"
    assert sum(recorded.values()) == len(kept), f"{manifest.name}: entries without an answer: {recorded}"


def _check_published(world: World, manifest: Manifest, published: Published) -> None:
    """Check that the log has every entry with its hash, and no other."""
    if manifest.publishes is None:
        return
    rows = _query(world.store.control, manifest, _ENTRIES)
    recorded = {(shard_source(manifest.name, shard), seq): digest for shard, seq, _, _, _, digest in rows}
    sources = {source for source, _ in recorded}
    told = {
        place: json.loads(value)["entryhash"]
        for place, value in published.entries.items()
        if place[0] in sources or place[0].startswith(f"/{manifest.name}/")
    }
    assert recorded == told, (
        f"{manifest.name} recorded and published differ: {sorted(recorded.items() ^ told.items())[:6]}"
    )


def _check_sums(world: World, day: Day) -> None:
    """Check the money of the day in every service against the simulator's own settlements."""
    books = Books()
    for message in day.messages:
        books.add(message)
    total = books.total()
    for manifest in world.manifests:
        if manifest.name in _SUMS:
            statement, names = _SUMS[manifest.name]
            [row] = world.store.control.execute(statement.encode()).fetchall()
            found = tuple(int(value or 0) for value in row)
            wanted = tuple(getattr(total, name) for name in names)
            assert found == wanted, f"{manifest.name} has {names} {found}; {wanted} follows from the rounds"


assert {SETTLEMENT, INVENTORY, ACCOUNTS}.isdisjoint(_SUMS), "their money is compared with that of a run without faults"
assert TABLE_EVENTS.name == "table.events", "rounds come from there"
