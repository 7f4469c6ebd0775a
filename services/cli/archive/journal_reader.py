"""Read the entries of a gaming day from PostgreSQL into Arrow, a whole day from one database snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from adbc_driver_postgresql import dbapi

from services.cli.archive.database import url_of_archiver
from services.cli.archive.day_index import DAY, Place, property_of
from services.cli.exits import CheckFailed, NotFound
from shared.journal.archive.columns import ACCOUNTS, CHECKPOINTS, ENTRIES
from shared.journal.archive.manifest import ArchivedService, ArchivedShard, encode_hashes
from shared.journal.archive.subset_proof import ranges_of, subset_proof
from shared.journal.checkpoint_store import TILE_ENTRIES
from shared.journal.merkle import HASH_BYTES, Frontier, left_size, node_hash
from shared.runtime.database_names import role_of

# A source of the property is told without the expression, which takes longer than all else of the row.
_ENTRY: Final = f"""
    SELECT e.gaming_day IS NULL AS day_of_recording, e.shard, e.seq, e.kind, e.source, e.sequence, e.event_id,
        e."offset" AS input_offset, e.record_hash, e.occurred_at, e.recorded_at,
        convert_to(e.data::text, 'UTF8') AS data, e.previous, e.hash, e.accounts, e.cents
    FROM SCHEMA.entries e
    WHERE e.shard = $1 AND e.seq >= $2 AND e.seq <= $3 AND {DAY} = $4
        AND (starts_with(e.source, '/properties/' || $5 || '/') OR PROPERTY = $5)
    ORDER BY e.shard, e.seq"""  # noqa: S608 - names of our own


@dataclass(frozen=True, slots=True)
class DayOfService:
    """A service's part of an archived day: the rows of each table, sorted, and the service's part of the manifest."""

    service: ArchivedService
    tables: Mapping[str, pa.Table]


@dataclass(frozen=True, slots=True)
class _Shard:
    number: int
    name: str
    next_offset: int
    next_seq: int
    head: bytes
    seal: bytes | None


class JournalReader:
    """Reads journals within one read-only transaction, REPEATABLE READ."""

    def __init__(self, connection: dbapi.Connection) -> None:
        self._connection = connection

    def query(self, statement: str, *values: Any) -> pa.Table:
        """Return the rows of a statement."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement, list(values) or None)
            return cursor.fetch_arrow_table()

    def read(self, service: str, property_name: str, day: date, places: Sequence[Place]) -> DayOfService:
        """Return a service's entries of a property's day, with the checkpoints that prove them.

        Raises: CheckFailed if the entries are fewer or more than the index states, or are not linked; NotFound if no
        signed checkpoint covers them yet.
        """
        schema = role_of(service)
        filed = {"service": service, "property": property_name, "gaming_day": day}
        shards = self._shards(schema)
        parts: list[pa.Table] = []
        described: list[ArchivedShard] = []
        checkpoints: list[dict[str, Any]] = []
        for place in places:
            shard = shards[place.shard]
            rows = self._entries(schema, filed, place, shard.name)
            _require_linked(service, shard.name, rows)
            found, note = self._described(service, schema, shard, rows)
            parts.append(rows)
            described.append(found)
            checkpoints.append({**filed, "shard": shard.number, "shard_name": shard.name, **note})
        entries = pa.concat_tables(parts)
        accounts = self._accounts(schema, filed, entries)
        postings = len(pc.list_flatten(entries.column("cents")))
        return DayOfService(
            ArchivedService(service=service, entries=entries.num_rows, postings=postings, shards=tuple(described)),
            {"entries": entries, "accounts": accounts, "checkpoints": pa.Table.from_pylist(checkpoints, CHECKPOINTS)},
        )

    def _shards(self, schema: str) -> dict[int, _Shard]:
        rows = self.query(f"SELECT shard, name, next_offset, next_seq, head, seal FROM {schema}.shards")  # noqa: S608
        return {row["shard"]: _Shard(*row.values()) for row in rows.to_pylist()}

    def _entries(self, schema: str, filed: Mapping[str, Any], place: Place, shard_name: str) -> pa.Table:
        statement = _ENTRY.replace("PROPERTY", property_of(schema)).replace("SCHEMA", schema)
        rows = self.query(statement, place.shard, place.first, place.last, filed["gaming_day"], filed["property"])
        if rows.num_rows != place.entries:
            raise CheckFailed(
                f"{place.service} {shard_name}: {rows.num_rows} entries were read of {filed['property']} on "
                f"{filed['gaming_day']}, and {place.entries} are known; run: pitledger verify"
            )
        return _with_columns(rows, ENTRIES, {**filed, "shard_name": shard_name})

    def _accounts(self, schema: str, filed: Mapping[str, Any], entries: pa.Table) -> pa.Table:
        used = pc.unique(pc.list_flatten(entries.column("accounts"))).to_pylist()
        statement = f"""
            SELECT account, property AS account_property, "table" AS table_name, wager, leg
            FROM {schema}.accounts WHERE account = ANY($1::int[]) ORDER BY account"""  # noqa: S608 - names of our own
        numbers = "{" + ",".join(map(str, used)) + "}"
        return _with_columns(self.query(statement, numbers), ACCOUNTS, filed)

    def _described(
        self, service: str, schema: str, shard: _Shard, rows: pa.Table
    ) -> tuple[ArchivedShard, dict[str, Any]]:
        """Return the description of a shard for the manifest, and the checkpoint that covers the shard's entries."""
        seqs = rows.column("seq").to_pylist()
        statement = f"""
            SELECT size, note, signed_at FROM {schema}.checkpoints WHERE shard = $1 AND size >= $2
            ORDER BY size LIMIT 1"""  # noqa: S608 - names of our own
        covering = self.query(statement, shard.number, seqs[-1]).to_pylist()
        if not covering:
            raise NotFound(
                f"{service} {shard.name}: no signed checkpoint covers entry {seqs[-1]} yet; wait for the next"
            )
        [note] = covering
        ranges = ranges_of(seqs)
        tree = _TileTree(self, schema, shard.number, note["size"])
        return (
            ArchivedShard(
                shard=shard.number,
                name=shard.name,
                entries=len(seqs),
                ranges=tuple(ranges),
                last_hash=rows.column("hash")[-1].as_py().hex(),
                checkpoint=note["note"],
                proof=encode_hashes(subset_proof(ranges, note["size"], tree.root)),
                next_offset=shard.next_offset,
                next_seq=shard.next_seq,
                head=shard.head.hex(),
                seal=None if shard.seal is None else encode_hashes([shard.seal]),
            ),
            note,
        )


class _TileTree:
    """The Merkle tree of a shard; roots of complete tiles are read from the database, not recomputed."""

    def __init__(self, reader: JournalReader, schema: str, shard: int, size: int) -> None:
        self._reader, self._schema, self._shard, self._size = reader, schema, shard, size
        self._roots = self._kept()
        self._leaves: dict[int, list[bytes]] = {}

    def root(self, low: int, high: int) -> bytes:
        """Return the root of the subtree of the leaves from `low` up to but not including `high`."""
        if high - low > TILE_ENTRIES:
            middle = low + left_size(high - low)
            return node_hash(self.root(low, middle), self.root(middle, high))
        tile, start = divmod(low, TILE_ENTRIES)
        if high - low == TILE_ENTRIES and tile in self._roots:
            return self._roots[tile]
        return Frontier().extend(self._of_tile(tile)[start : start + high - low]).root()

    def _kept(self) -> dict[int, bytes]:
        statement = f"""
            SELECT size, tile_roots FROM {self._schema}.checkpoints
            WHERE shard = $1 AND tile_roots IS NOT NULL ORDER BY size"""  # noqa: S608 - names of our own
        found: dict[int, bytes] = {}
        for row in self._reader.query(statement, self._shard).to_pylist():
            kept = row["tile_roots"]
            roots = [kept[at : at + HASH_BYTES] for at in range(0, len(kept), HASH_BYTES)]
            found |= dict(enumerate(roots, row["size"] // TILE_ENTRIES - len(roots)))
        return found

    def _of_tile(self, tile: int) -> list[bytes]:
        """Return the leaves of a tile, up to the size of the tree; the last tile read is cached."""
        if tile not in self._leaves:
            first, end = tile * TILE_ENTRIES, min((tile + 1) * TILE_ENTRIES, self._size)
            statement = f"""
                SELECT hash FROM {self._schema}.entries WHERE shard = $1 AND seq > $2 AND seq <= $3
                ORDER BY seq"""  # noqa: S608 - names of our own
            rows = self._reader.query(statement, self._shard, first, end)
            self._leaves = {tile: rows.column("hash").to_pylist()}
        return self._leaves[tile]


@contextmanager
def journal_reader(url: str) -> Iterator[JournalReader]:
    """Yield a reader of one database snapshot."""
    with dbapi.connect(url_of_archiver(url)) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL enable_bitmapscan = off")  # the primary key has the order; a sort would spill
        yield JournalReader(connection)
        connection.rollback()


def _with_columns(rows: pa.Table, schema: pa.Schema, constants: Mapping[str, Any]) -> pa.Table:
    """Return rows with the columns of a schema; `constants` are values by column, equal in all rows."""
    columns = [
        pa.repeat(pa.scalar(constants[column.name], column.type), rows.num_rows)
        if column.name in constants
        else rows.column(column.name).cast(column.type)
        for column in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _require_linked(service: str, shard_name: str, rows: pa.Table) -> None:
    """Raise CheckFailed unless sequences rise, entries are linked, and the postings of each sum to zero."""
    count = rows.num_rows
    seqs, hashes, previous = (rows.column(name).combine_chunks() for name in ("seq", "hash", "previous"))
    steps = pc.subtract(seqs[1:], seqs[: count - 1])
    wrong = pc.or_(
        pc.less(steps, 1),
        pc.and_(pc.equal(steps, 1), pc.not_equal(hashes[: count - 1], previous[1:])),
    )
    if pc.any(wrong).as_py():
        seq = seqs[pc.index(wrong, True).as_py() + 1].as_py()
        raise CheckFailed(f"{service} {shard_name}: entry {seq} does not follow the one before; run: pitledger verify")
    cents = rows.column("cents").combine_chunks()
    sums = pa.table({"entry": pc.list_parent_indices(cents), "cents": pc.list_flatten(cents)})
    totals = sums.group_by("entry").aggregate([("cents", "sum")])
    if pc.any(pc.not_equal(totals.column("cents_sum"), 0)).as_py():
        raise CheckFailed(f"{service} {shard_name}: postings of an entry do not sum to zero; run: pitledger verify")
