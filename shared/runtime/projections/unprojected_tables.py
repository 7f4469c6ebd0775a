"""Check tables that are not projected: stream positions against the journal, signed rows by their signatures."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Integer, Table, cast, func, literal, select, text, tuple_
from sqlalchemy.dialects.postgresql import BYTEA, INT8MULTIRANGE, INT8RANGE, JSONB, aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.selectable import FromClause

from shared.contracts.facts import Fact
from shared.contracts.journal_facts import GapFilled, GapOpened
from shared.journal.entry import COMMAND_TAG
from shared.journal.signed_rows import SIGNATURE, as_written, is_signed, not_signed
from shared.journal.tables import OF_GAPS, JournalTables
from shared.journal.topic_identity import GENERATION
from shared.runtime.database import seals_of
from shared.runtime.differences import DIFFERENCES_MAX, ComparedTable, RowDifference
from shared.runtime.ingest.signed_copies import altered_copies
from shared.runtime.projections.quarantine_drift import compare_quarantine
from shared.runtime.projections.sql_comparison import compare_selected
from shared.runtime.service.manifest import Manifest, TableCheck

_AT_ONCE: Final = 100
_OF_SERVICE: Final = "of the service"
_PLACE: Final = ("source", "first")
_LOG: Final = ("topic", "cluster", "generation")


def kept_checks(manifest: Manifest) -> Mapping[Table, TableCheck]:
    """Return the checks of the journal's unprojected tables and of the service's signed rows, by table."""
    journal = manifest.journal
    checks: dict[Table, TableCheck] = {
        journal.entries: partial(_compare_entries, journal),
        journal.idempotency: partial(_compare_answers, journal),
        journal.quarantine: partial(compare_quarantine, journal),
        journal.sources: partial(_compare_sources, journal),
        journal.gaps: partial(_compare_gaps, journal),
        journal.inputs: partial(_compare_inputs, journal),
    }
    for table in signed_tables(manifest):
        checks[table] = partial(compare_signed, table)
    checks |= {journal.relay: partial(_compare_relay, journal), journal.taken: partial(_compare_taken, journal)}
    for handler in manifest.read_model_handlers:
        checks |= {table: partial(_compare_copy, table) for table in handler.copies}
    return {table: check for table, check in checks.items() if table not in manifest.checks}


def signed_tables(manifest: Manifest) -> Iterator[Table]:
    """Yield the tables with rows that the service signs, except stored answers, which are verified at each use."""
    for table in manifest.journal.shards.metadata.sorted_tables:
        if table.schema == manifest.schema and is_signed(table) and table is not manifest.journal.idempotency:
            yield table


async def compare_signed(table: Table, connection: AsyncConnection) -> ComparedTable:
    """Return the rows of a table that lack a valid signature of the service."""
    rows, different, first = 0, 0, list[RowDifference]()
    key = [each.name for each in table.primary_key]
    found = await connection.stream(select(*as_written(table)).order_by(*table.primary_key))
    async for part in found.mappings().partitions(_AT_ONCE):
        rows += len(part)
        for row in part:
            why = not_signed(seals_of(connection), table, dict(row))
            if why is not None:
                different += 1
                first.append(_unsigned({name: str(row[name]) for name in key}, why))
        await asyncio.sleep(0)  # yields to the event loop, because fetched parts arrive without waiting
    return ComparedTable(table.name, rows, different, tuple(first[:DIFFERENCES_MAX]))


async def _compare_relay(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Return the publish marks without a valid signature, and the shards that have no publish mark."""
    signed = await compare_signed(journal.relay, connection)
    was, should_be = select(journal.relay.c.shard), select(journal.shards.c.shard)
    return _both(signed, await _compare(connection, journal.relay, was, should_be, ["shard"]))


def _both(signed: ComparedTable, there: ComparedTable) -> ComparedTable:
    """Merge two comparisons of the same table: the check of its signatures, and the comparison of its rows."""
    first = (*signed.first, *there.first)[:DIFFERENCES_MAX]
    return ComparedTable(signed.table, signed.rows, signed.different + there.different, first)


async def _compare_copy(table: Table, connection: AsyncConnection) -> ComparedTable:
    """Return the properties whose rows in a copy do not match the service's signature."""
    altered = await altered_copies(connection, table)
    first = [_unsigned({"property": name}, why) for name, why in altered.items()]
    rows = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
    return ComparedTable(table.name, rows, len(altered), tuple(first[:DIFFERENCES_MAX]))


def _unsigned(key: Mapping[str, str], why: str) -> RowDifference:
    return RowDifference(key, {SIGNATURE: why}, {SIGNATURE: _OF_SERVICE})


async def _compare_entries(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Compare the first and the last entry of each shard with the shard's own row.

    This takes two index look-ups per shard, however long the journal is. Entries missing in between are found by the
    journal verifier, which checks that each entry follows the previous one.
    """
    e, s = journal.entries.c, journal.shards.c
    each = select(func.min(e.shard).label("shard")).cte("each", recursive=True)
    following = select(func.min(e.shard)).where(e.shard > each.c.shard).scalar_subquery()
    each = each.union_all(select(following).where(each.c.shard.is_not(None)))
    first, last = (select(end(e.seq)).where(e.shard == each.c.shard).scalar_subquery() for end in (func.min, func.max))
    was = select(each.c.shard, first.label("first"), last.label("last")).where(each.c.shard.is_not(None))
    should_be = select(s.shard, literal(1).label("first"), (s.next_seq - 1).label("last")).where(s.next_seq > 1)
    return await _compare(connection, journal.entries, was, should_be, ["shard"])


async def _compare_inputs(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Return the topic logs that were read but whose identity is not recorded; another log could take their place."""
    i, name = journal.inputs.c, journal.shards.c.name
    log = func.substring(name, "@(.+)$")
    cluster = func.split_part(log, GENERATION, 1).label("cluster")
    generation = func.coalesce(func.nullif(func.split_part(log, GENERATION, 2), ""), "1")
    read = select(
        func.substring(name, "^(.+)/[0-9]+@").label("topic"), cluster, cast(generation, Integer).label("generation")
    )
    should_be = read.where(name.regexp_match("^.+/[0-9]+@")).distinct()
    known = select(i.topic, i.cluster, i.generation)
    was = known.where(tuple_(*known.selected_columns).in_(should_be))
    return await _compare(connection, journal.inputs, was, should_be, _LOG)


async def _compare_sources(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Compare the row of each stream with its recorded positions, including their versions and shards."""
    s, t = journal.sources.c, journal.taken.c
    was = select(s.source, s.last_sequence, s.shard, s.version, s.spread, s.version.label("versions"))
    by_version = func.array_agg(aggregate_order_by(t.shard, t.version.desc()), type_=ARRAY(Integer))
    should_be = select(
        t.source,
        func.max(t.last).label("last_sequence"),
        by_version[1].label("shard"),
        func.max(t.version).label("version"),
        (func.count(t.shard.distinct()).filter(t.shard > 0) > 1).label("spread"),
        func.count(t.version.distinct()).filter(t.version > 0).label("versions"),
    ).group_by(t.source)
    return await _compare(connection, journal.sources, was, should_be, ["source"])


async def _compare_gaps(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Compare the stored gaps of streams with the gaps according to the journal."""
    g = journal.gaps.c
    return await _compare(connection, journal.gaps, select(g.source, g.first, g.last), _gaps(journal), _PLACE)


async def _compare_taken(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Return stored stream positions without a valid signature, and differences between missing positions and gaps."""
    signed = await compare_signed(journal.taken, connection)
    t, s = journal.taken.c, journal.sources.c
    places = func.range_agg(_places(t.first, t.last), type_=INT8MULTIRANGE)
    whole = func.int8multirange(_places(literal(1), func.max(s.last_sequence)), type_=INT8MULTIRANGE)
    joined = journal.sources.join(journal.taken, t.source == s.source, isouter=True)
    missing = func.unnest(whole - func.coalesce(places, _NONE)).label("range")
    left = select(s.source, missing).select_from(joined).group_by(s.source).subquery("left")
    return _both(signed, await _compare(connection, journal.taken, _ranges(left), _gaps(journal), _PLACE))


def _gaps(journal: JournalTables) -> Any:
    """Return the query for the gaps of streams that are open according to the journal."""
    e = journal.entries.c

    def said(kind: type[Fact], first: str, last: str) -> FromClause:
        data = cast(e.data, JSONB)
        places = _places(*(cast(data[name].astext, BigInteger) for name in (first, last)))
        source = data["source"].astext.label("source")
        ranges = func.range_agg(places, type_=INT8MULTIRANGE).label("ranges")
        of_gaps = text(f"kind IN ({OF_GAPS})"), e.kind.in_(kind.KIND.types)  # as in their index
        return select(source, ranges).where(*of_gaps).group_by(source).subquery(kind.KIND.name)

    opened, filled = said(GapOpened, "first", "last"), said(GapFilled, "sequence", "sequence")
    left = func.unnest(opened.c.ranges - func.coalesce(filled.c.ranges, _NONE)).label("range")
    both = opened.join(filled, filled.c.source == opened.c.source, isouter=True)
    return _ranges(select(opened.c.source, left).select_from(both).subquery("open"))


_NONE: Final = func.int8multirange(type_=INT8MULTIRANGE)


def _places(first: Any, last: Any) -> Any:
    return func.int8range(first, last, "[]", type_=INT8RANGE)


def _ranges(of: FromClause) -> Any:
    """Return the query for the bounds of ranges of stream positions: stream, first and last position."""
    bounds = func.lower(of.c.range).label("first"), (func.upper(of.c.range) - 1).label("last")
    return select(of.c.source, *bounds)


async def _compare_answers(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Return the recorded commands that have no stored answer."""
    e, answer = journal.entries.c, journal.idempotency.c
    of_command = (e.offset.is_(None), e.record_hash.is_not(None))
    should_be = select(func.encode(e.record_hash, "hex").label("command")).where(*of_command)
    digest = func.encode(_command_digest(answer.person, answer.key), "hex").label("command")
    answered = select(digest).where(digest.in_(should_be))
    return await _compare(connection, journal.idempotency, answered, should_be, ["command"])


def _command_digest(*fields: Any) -> Any:
    """Return the SQL expression that computes `command_digest` in the database."""
    written = _field(cast(literal(COMMAND_TAG), BYTEA))
    for field in fields:
        written = written.op("||")(_field(func.convert_to(field, "UTF8")))
    return func.sha256(written)


def _field(value: Any) -> Any:
    return func.int8send(func.octet_length(value)).op("||")(value)


async def _compare(
    connection: AsyncConnection, table: Table, was: Any, should_be: Any, key: Sequence[str]
) -> ComparedTable:
    return await compare_selected(connection, table.name, key, was.subquery("was"), should_be.subquery("should_be"))
