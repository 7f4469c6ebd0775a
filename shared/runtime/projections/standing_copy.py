"""A persistent second copy of a service's tables in a schema of its own, with a signed bookmark of its progress.

Triggers log each change of a copied row in a temporary table of the session, from which the digest of all rows is
updated. The bookmark is written in the same transaction, so copy, digest and position are consistent after any crash.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    case,
    cast,
    delete,
    func,
    literal,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.schema import CreateTable

from shared.journal.ledger import Fenced
from shared.journal.signed_rows import SIGNATURE, as_written, not_signed, signature_column, signed_rows
from shared.journal.streams import Stream
from shared.runtime.database import seals_of
from shared.runtime.projections.row_digest import EMPTY, digest_in_turns, joined, without
from shared.runtime.projections.shadow_tables import copy_of

Key = Sequence[str]
"""The key of a row: the values of its key columns as text."""

_STRUCTURE: Final = """
    SELECT encode(sha256(convert_to(coalesce(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), ''), 'UTF8')), 'hex')
    FROM (
        SELECT format('%s %s %s %s', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod)) AS line
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = to_regnamespace(:schema)
        UNION ALL
        SELECT format('%s %s %s', c.relname, pg_get_triggerdef(t.oid), t.tgenabled)
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = to_regnamespace(:schema)
        UNION ALL
        SELECT format('%s %s', p.proname, p.prosrc) FROM pg_proc p WHERE p.pronamespace = to_regnamespace(:schema)
    ) AS parts"""


class ComparisonBookmark(BaseModel):
    """The progress of the copy: entries by shard, offsets by topic and partition, and the digest of its rows.

    `passed` is the digest of the rows that the full pass has checked: all rows of the tables that precede `table`, and
    the rows of `table` up to the key `last`. `structure` is the hash of the copy's definition in the database when it
    was created. `declared` is the hash of its definition in the release.
    """

    model_config = ConfigDict(extra="forbid")

    declared: str
    structure: str
    after: dict[int, int] = {}
    offsets: dict[str, dict[int, int]] = {}
    rows: int = EMPTY
    passed: int = EMPTY
    table: str = ""
    last: list[str] | None = None
    caught_up: bool = False
    """Whether the copy has caught up with the service once. From then on, rows are compared as soon as they change."""
    passed_at: datetime | None = None
    spoiled: bool = False
    """Whether the copy is unusable, because an entry was inapplicable or somebody altered the copy."""


@dataclass(frozen=True, slots=True)
class StandingCopy:
    """The second copy of `tables`, in a database session. The copies of the `beside` tables exist but stay empty."""

    connection: AsyncConnection
    schema: str
    tables: tuple[Table, ...]
    beside: tuple[Table, ...]

    @property
    def digested(self) -> list[Table]:
        """Return the tables of the copy whose rows are in the digest, in the order of a full pass."""
        return [*(self.of(table) for table in self.tables), self.streams]

    @property
    def streams(self) -> Table:
        """Return the table of the streams that were replayed from topics."""
        return _streams_read(self.schema)

    @property
    def touched(self) -> Table:
        """Return the database table that lists the keys marked for comparison."""
        return _touched_rows(self.schema)

    @property
    def bookmark(self) -> Table:
        """Return the table that holds the bookmark."""
        return _bookmark(self.schema)

    def of(self, table: Table) -> Table:
        """Return the copy of a table."""
        return copy_of(table, self.schema)

    async def open(self) -> ComparisonBookmark | str:
        """Return the bookmark that the service signed, or the reason why the copy must be recreated."""
        await self._note_changes()
        there = text("SELECT to_regclass(:name) IS NOT NULL")
        if not (await self.connection.execute(there, {"name": self.bookmark.fullname})).scalar_one():
            return "there is none"
        found = (await self.connection.execute(select(*as_written(self.bookmark)))).mappings().one_or_none()
        seals = seals_of(self.connection)
        if found is None or seals is None:
            return "there is none" if found is None else "nothing is signed here"
        why = not_signed(seals, self.bookmark, dict(found))
        if why is not None:
            return why
        try:
            mark = ComparisonBookmark.model_validate_json(found["said"])
        except ValidationError:
            return "another release wrote it"
        if mark.spoiled:
            return "it was found to be of no use"
        return mark if mark.declared == self._declared() else "another release declared other tables"

    async def hold(self, mark: ComparisonBookmark) -> None:
        """Lock the bookmark until the end of the transaction. Raises: Fenced if another process has advanced it."""
        query = select(self.bookmark.c.said).with_for_update()
        if (await self.connection.execute(query)).scalar_one_or_none() != mark.model_dump_json():
            raise Fenced(f"the bookmark in {self.schema} is another one")

    async def is_as_made(self, mark: ComparisonBookmark) -> bool:
        """Return whether the copy still has the tables and triggers with which it was created."""
        return mark.structure == await self._structure()

    async def begin(self) -> ComparisonBookmark:
        """Recreate the copy without rows, and return its first bookmark."""
        drop = text(
            f"DO $$ DECLARE name text; BEGIN "  # noqa: S608 - the name of our own schema
            f"FOR name IN SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = '{self.schema}'::regnamespace "
            f"AND c.relkind = 'r' LOOP EXECUTE 'DROP TABLE IF EXISTS ' || name || ' CASCADE'; END LOOP; "
            f"FOR name IN SELECT p.oid::regprocedure FROM pg_proc p "
            f"WHERE p.pronamespace = '{self.schema}'::regnamespace "
            f"LOOP EXECUTE 'DROP FUNCTION ' || name || ' CASCADE'; END LOOP; END $$"
        )
        await self.connection.execute(drop)
        await self._note_changes()
        for table in (*self.digested, *map(self.of, self.beside), self.touched, self.bookmark):
            await self.connection.run_sync(table.create, checkfirst=False)
        for table in self.digested:
            for statement in _noting(table):
                await self.connection.execute(text(statement))
        return ComparisonBookmark(
            declared=self._declared(), structure=await self._structure(), table=self.digested[0].name
        )

    async def absorb(self, mark: ComparisonBookmark) -> None:
        """Update the digests of a bookmark with the changes logged in this transaction, and clear that log."""
        changed = _changes()
        names = (await self.connection.execute(select(changed.c.name).distinct())).scalars().all()
        place = {table.name: number for number, table in enumerate(self.digested)}
        for name in sorted(names):
            table = self.digested[place[name]]
            passed: Any = literal(place[name] < place[mark.table])
            if name == mark.table and mark.last is not None:
                passed = tuple_(*keys_in(changed.c.key, table)) <= values_of(table, mark.last)
            balance = func.sum(case((changed.c.came, 1), else_=-1))  # 0: added and removed, as sums are in each batch
            query = select(changed.c.line, passed.label("passed"), (balance > 0).label("came"))
            lines = query.where(changed.c.name == name).group_by("line", "passed").having(balance != 0)
            rows = (await self.connection.execute(lines)).all()
            for came, change in ((True, joined), (False, without)):
                of = [row for row in rows if row.came is came]
                seen = await digest_in_turns(name, (row.line for row in of if row.passed))
                others = await digest_in_turns(name, (row.line for row in of if not row.passed))
                mark.rows = change(mark.rows, joined(seen, others))
                mark.passed = change(mark.passed, seen)
        if names and mark.caught_up:
            found = select(changed.c.name, changed.c.key).where(changed.c.name != self.streams.name).distinct()
            touch = upsert(self.touched).from_select(["name", "key"], found)
            await self.connection.execute(touch.on_conflict_do_nothing())
        if names:
            await self.connection.execute(delete(changed))

    async def count_touched(self) -> None:
        """Update the planner's statistics about the keys marked for comparison, which are many after a backlog."""
        await self.connection.execute(text(f"ANALYZE {self.touched.fullname}"))

    async def save(self, mark: ComparisonBookmark) -> None:
        """Sign and store the bookmark."""
        table = self.bookmark
        row = {"only": True, "said": mark.model_dump_json()}
        [signed] = signed_rows(seals_of(self.connection), table, [row])
        statement = upsert(table).values(**signed)
        changed = {name: statement.excluded[name] for name in ("said", SIGNATURE)}
        await self.connection.execute(statement.on_conflict_do_update(index_elements=["only"], set_=changed))

    async def _note_changes(self) -> None:
        """Create this session's temporary change log, to which the triggers of the copy write."""
        made = CreateTable(_changes(), if_not_exists=True)
        await self.connection.execute(made)

    def _declared(self) -> str:
        """Return the hash of this release's table and trigger definitions, in hexadecimal."""
        dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
        made = [str(CreateTable(table).compile(dialect=dialect)) for table in self.digested]
        return sha256(
            "\n".join([*made, *(line for each in self.digested for line in _noting(each))]).encode()
        ).hexdigest()

    async def _structure(self) -> str:
        return str((await self.connection.execute(text(_STRUCTURE), {"schema": self.schema})).scalar_one())


@dataclass(frozen=True, slots=True)
class StreamsRead:
    """Stores the replayed streams in the second copy."""

    copy: StandingCopy

    async def load(self, topic: str, sources: Sequence[str]) -> Mapping[str, Stream]:
        """Return the stored streams, by source."""
        table = self.copy.streams
        streams = {source: Stream() for source in sources}
        query = select(table).where(table.c.topic == topic, table.c.source.in_(sources))
        for row in await self.copy.connection.execute(query):
            streams[row.source] = Stream(row.last, dict(json.loads(row.gaps)))
        return streams

    async def store(self, topic: str, streams: Mapping[str, Stream]) -> None:
        """Store the streams, given by source."""
        if not streams:
            return
        statement = upsert(self.copy.streams)
        changed = {name: statement.excluded[name] for name in ("last", "gaps")}
        rows = [
            {"topic": topic, "source": source, "last": stream.last, "gaps": json.dumps(sorted(stream.gaps.items()))}
            for source, stream in streams.items()
        ]
        keys = ["topic", "source"]
        await self.copy.connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), rows)


@cache
def _streams_read(schema: str) -> Table:
    columns = (Column("topic", Text, primary_key=True), Column("source", Text, primary_key=True))
    more = (Column("last", BigInteger, nullable=False), Column("gaps", Text, nullable=False))
    return Table("streams_read", MetaData(), *columns, *more, schema=schema)


@cache
def _touched_rows(schema: str) -> Table:
    name, key = Column("name", Text), Column[Any]("key", ARRAY(Text))
    return Table("touched_rows", MetaData(), name, key, PrimaryKeyConstraint(name, key), schema=schema)


@cache
def _bookmark(schema: str) -> Table:
    columns: tuple[Column[Any], ...] = (Column("only", Boolean, primary_key=True), Column("said", Text))
    return Table("bookmark", MetaData(), *columns, signature_column(), schema=schema)


@cache
def _changes() -> Table:
    """Return the table of a transaction's change log: each added or removed row as text, with its key."""
    name, line = Column("name", Text), Column("line", Text)
    columns: tuple[Column[Any], ...] = (name, Column("came", Boolean), line, Column("key", ARRAY(Text)))
    return Table("changes", MetaData(), *columns, schema="pg_temp", postgresql_on_commit="DELETE ROWS")


def keys_in(texts: Any, table: Table) -> Any:
    """Return the parts of a key (an SQL array of texts) as SQL expressions with the types of a table's key columns."""
    return [cast(texts[number], column.type) for number, column in enumerate(table.primary_key, 1)]


def values_of(table: Table, key: Key) -> Any:
    """Return a key (texts) as an SQL tuple with the types of a table's key columns."""
    pairs = zip(key, table.primary_key, strict=True)
    return tuple_(*(cast(literal(value, Text), column.type) for value, column in pairs))


def _noting(table: Table) -> list[str]:
    """Return the statements that create the triggers of the change log, which log each change of a copied row."""
    function = f'{table.schema}."note_{table.name}"'
    key = ", ".join(f'"{column.name}"::text' for column in table.primary_key)
    note = "INSERT INTO pg_temp.changes SELECT '{}', {}, ROW(r.*)::text, ARRAY[{}] FROM {} r;"
    went, came = note.format(table.name, "false", key, "went"), note.format(table.name, "true", key, "came")
    body = f"IF TG_OP <> 'INSERT' THEN {went} END IF; IF TG_OP <> 'DELETE' THEN {came} END IF; RETURN NULL;"
    made = f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
    events = {
        "INSERT": "NEW TABLE AS came",
        "UPDATE": "OLD TABLE AS went NEW TABLE AS came",
        "DELETE": "OLD TABLE AS went",
    }
    triggers = (
        f'CREATE TRIGGER on_{event.lower()} AFTER {event} ON {table.schema}."{table.name}" REFERENCING {tables} '
        f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        for event, tables in events.items()
    )
    return [made, *triggers]
