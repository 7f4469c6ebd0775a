"""Statements about many rows, and statements that are sent together."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
    Text,
    func,
)
from sqlalchemy import select as select_from
from sqlalchemy.dialects.postgresql import ARRAY, INT8MULTIRANGE, JSON, JSONB, Range
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from shared.journal import bulk
from shared.journal.bulk import Row
from shared.journal.columns import Parsed
from shared.journal.pipeline import Pipeline, pipeline
from tests.support import Databases

chips = Table(
    "chips",
    MetaData(),
    Column("table", Text, primary_key=True),
    Column("offset", Integer, primary_key=True, autoincrement=False),
    Column("cents", BigInteger, nullable=False),
    Column("note", Text),
)
everything = Table(
    "everything",
    chips.metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("said", JSON),
    Column("parsed", Parsed),
    Column("content", LargeBinary),
    Column("document", JSONB),
    Column("exact", Numeric(38, 0)),
    Column("true", Boolean),
    Column("day", Date),
    Column("moment", DateTime(timezone=True)),
    Column("integers", ARRAY(BigInteger)),
    Column("texts", ARRAY(Text)),
    Column("missing", INT8MULTIRANGE),
    Column("line", Text),
)

AWKWARD = "a\tb\nc\rd\\e\\N\"f' {g, h} § %(rows)s"

Work = Callable[[AsyncConnection], Awaitable[Any]]


@pytest.fixture
def run(databases: Databases) -> Iterator[Callable[[Work], Any]]:
    """Does something in a transaction on a database that has the tables."""
    url = databases.create()

    async def main(work: Work) -> Any:
        engine = create_async_engine(url)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(chips.metadata.create_all)
            async with engine.begin() as connection:
                return await work(connection)
        finally:
            await engine.dispose()

    yield lambda work: asyncio.run(main(work))
    databases.drop(url)


def _chips(*rows: tuple[str, int, int, str | None]) -> list[Row]:
    return [dict(zip(("table", "offset", "cents", "note"), row, strict=True)) for row in rows]


async def _all(connection: AsyncConnection, table: Table) -> list[Row]:
    return [dict(row) for row in (await connection.execute(table.select().order_by(*table.primary_key))).mappings()]


FULL: Row = {
    "number": 1,
    "said": '{"b": 1,  "a": "\\u00a7\\n"}',
    "parsed": '{"b": 1,  "a": "\\u00a7\\n"}',
    "content": b"\x00\\\xff",
    "document": {"b": [1, None, AWKWARD], "a": {}},
    "exact": 10**30 + 1,
    "true": True,
    "day": date(2026, 11, 20),
    "moment": datetime(2026, 11, 20, 12, 30, 0, 123456, tzinfo=UTC),
    "integers": [3, -(2**60)],
    "texts": ["", AWKWARD, 'a "quoted", word', "NULL"],
    "missing": "{[1,4),[9,10)}",
    "line": AWKWARD,
}
EMPTY: Row = dict.fromkeys(FULL) | {"number": 2}


@pytest.mark.parametrize("way", ["inserted", "copied"])
def test_rows_arrive_as_they_were_given(run: Callable[[Work], Any], way: str) -> None:
    """Every type that our tables have, with what its text form must escape; JSON text byte for byte."""

    async def work(connection: AsyncConnection) -> tuple[list[Row], str]:
        if way == "copied":
            await bulk.copy(connection, everything, [FULL, EMPTY])
        else:
            await bulk.insert(everything).write(connection, [FULL, EMPTY])
        said = await connection.execute(select_from(func.cast(everything.c.said, Text)).order_by(everything.c.number))
        return await _all(connection, everything), said.scalars().first() or ""

    rows, said = run(work)
    parsed = {"b": 1, "a": "§\n"}
    expected = {**FULL, "said": parsed, "parsed": parsed, "exact": Decimal(10**30 + 1)}
    expected["missing"] = [Range(1, 4), Range(9, 10)]
    assert [expected, EMPTY] == rows
    assert FULL["said"] == said


def test_copying_costs_nothing_where_there_is_nothing(run: Callable[[Work], Any]) -> None:
    """No rows are no statement, for each way of writing."""

    async def work(connection: AsyncConnection) -> list[Row]:
        await bulk.copy(connection, chips, [])
        await bulk.insert(chips).write(connection, [])
        async with pipeline(connection) as sent:
            await sent.write(bulk.update(chips), [], otherwise=LookupError())
        return await _all(connection, chips)

    assert run(work) == []


_GATE = 4711
_AT_THE_SECOND_ROW = f"""
    CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('gate.passed', true) = txid_current()::text THEN
            PERFORM pg_advisory_xact_lock_shared({_GATE});
        END IF;
        PERFORM set_config('gate.passed', txid_current()::text, true);
        RETURN NEW;
    END $$;
    CREATE TRIGGER gate BEFORE INSERT ON chips FOR EACH ROW EXECUTE FUNCTION wait_at_the_gate()"""
"""Whoever has written a row writes no second one in that transaction while somebody holds the gate."""


@pytest.mark.parametrize("on_conflict", ["skip", "replaced"])
def test_two_that_write_the_same_rows_wait_in_turn(run: Callable[[Work], Any], on_conflict: str) -> None:
    """Whatever order they are given in: each has written a row when both go on, and neither waits for both."""
    statement = bulk.insert(chips, on_conflict="skip" if on_conflict == "skip" else bulk.replaced(chips))
    waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"

    async def work(connection: AsyncConnection) -> list[Row]:
        engine = connection.engine

        async def write(rows: list[Row]) -> None:
            async with engine.begin() as other:
                await statement.write(other, rows)

        async with engine.begin() as other:
            await other.exec_driver_sql(_AT_THE_SECOND_ROW)
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as gate:
            await gate.exec_driver_sql(f"SELECT pg_advisory_lock({_GATE})")
            writing = [asyncio.create_task(write(rows)) for rows in (TWO, TWO[::-1])]
            while (await gate.exec_driver_sql(waiting)).scalar_one() < 2:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
            await gate.exec_driver_sql(f"SELECT pg_advisory_unlock({_GATE})")
        await asyncio.gather(*writing)
        return await _all(connection, chips)

    assert TWO == run(work)


def test_keys_that_are_taken(run: Callable[[Work], Any]) -> None:
    """A row whose key is taken is skipped, added to what is there, or replaces it where the condition holds."""

    async def work(connection: AsyncConnection) -> list[Row]:
        await bulk.insert(chips).write(connection, _chips(("a", 1, 100, "old"), ("b", 1, 100, "old")))
        more = _chips(("a", 1, 20, "new"), ("b", 1, 7, "new"), ("c", 1, 5, "new"))
        await bulk.insert(chips, on_conflict="skip").write(connection, more)
        added = bulk.added(chips, "cents") | bulk.replaced(chips, "note")
        await bulk.insert(chips, on_conflict=added).write(connection, more[:1])
        replaced = bulk.insert(chips, on_conflict=bulk.replaced(chips), where=chips.c.cents > 10)
        await replaced.write(connection, _chips(("b", 1, 8, None), ("c", 1, 8, None)))
        return await _all(connection, chips)

    assert _chips(("a", 1, 120, "new"), ("b", 1, 8, None), ("c", 1, 5, "new")) == run(work)


def test_a_key_that_is_taken_is_refused(run: Callable[[Work], Any]) -> None:
    """By default the database does not let a row be written twice."""

    async def work(connection: AsyncConnection) -> None:
        await bulk.insert(chips, ("table", "offset", "cents")).write(connection, [])
        await bulk.insert(chips).write(connection, _chips(("a", 1, 1, None), ("a", 1, 2, None)))

    with pytest.raises(Exception, match="duplicate key"):
        run(work)


def test_rows_are_updated_and_read_by_their_keys(run: Callable[[Work], Any]) -> None:
    """By the primary key or by other columns, some columns or all; what is read comes in the order of the keys."""

    async def work(connection: AsyncConnection) -> tuple[list[Any], ...]:
        await bulk.insert(chips).write(
            connection, _chips(("a", 1, 1, "x"), ("a", 2, 2, "y"), ("b", 1, 3, "z"), ("b", 2, 4, "z"))
        )
        await bulk.update(chips).write(connection, _chips(("a", 1, 10, "new"), ("d", 1, 0, "nobody")))
        await bulk.update(chips, ("cents",), by=("note",)).write(connection, [{"note": "z", "cents": 30}])
        every = bulk.select(chips, lock=True)
        some = bulk.select(chips, ("cents", "offset"), by=("table",), where=chips.c.cents < 30)
        return (
            [tuple(row) for row in await every.read(connection, bulk.keyed(every, [("b", 1), ("a", 2), ("d", 1)]))],
            [tuple(row) for row in await some.read(connection, [{"table": "b"}, {"table": "a"}])],
            [row.note for row in await bulk.select(chips).read(connection, [{"table": "a", "offset": 1}])],
        )

    assert ([("a", 2, 2, "y"), ("b", 1, 30, "z")], [(10, 1), (2, 2)], ["new"]) == run(work)


@pytest.mark.parametrize("lock", [False, True])
def test_a_key_is_looked_up_whatever_the_server_believes(run: Callable[[Work], Any], lock: bool) -> None:
    """A plan that was made while nobody had counted the rows reads none but those that are asked for."""

    async def plan(connection: AsyncConnection) -> list[str]:
        statement = bulk.select(chips, lock=lock)
        question = statement.sql.replace("%(rows)s", "$1")
        await connection.exec_driver_sql("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.exec_driver_sql(f"PREPARE looked_up (json) AS {question}")
        rows = statement.parameters([{"table": "a", "offset": 1}])["rows"]
        found = await connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) EXECUTE looked_up('{rows}')")
        return [line for line in found.scalars() if "on chips" in line]

    [found] = run(plan)
    assert "Index Scan using chips_pkey on chips" in found


def test_what_is_read_can_be_locked(run: Callable[[Work], Any]) -> None:
    """Rows that are locked are not there for somebody who passes over what is locked."""

    async def lock(connection: AsyncConnection) -> list[tuple[str, int]]:
        await bulk.select(chips, lock=True).read(connection, [{"table": "a", "offset": 1}])
        async with connection.engine.connect() as other:
            free = chips.select().with_for_update(skip_locked=True)
            return [(row.table, row.offset) for row in await other.execute(free)]

    run(lambda connection: bulk.copy(connection, chips, _chips(("a", 1, 1, None), ("a", 2, 2, None))))
    assert [("a", 2)] == run(lock)


@pytest.mark.parametrize("wrong", [{"table": "a"}, {"table": "a", "offset": 1, "cents": 1, "note": "", "more": 1}])
def test_a_row_has_the_columns_of_the_statement(wrong: Row) -> None:
    """A misspelled column is no NULL, and one that is not written is not passed over in silence."""
    with pytest.raises(ValueError, match=r"it must have \['cents', 'note', 'offset', 'table'\]"):
        bulk.insert(chips).parameters([wrong])


def test_names_are_plain_strings() -> None:
    """Names of SQLAlchemy's own class would be right, and make the JSON of many rows a hundred times as slow."""
    statements = (bulk.insert(chips), bulk.update(chips), bulk.select(chips))
    assert {str} == {type(name) for statement in statements for name in statement.columns}


ADD = bulk.insert(chips)
TWO = _chips(("a", 1, 1, None), ("a", 2, 2, None))


def test_a_question_sent_behind_rows_sees_them(run: Callable[[Work], Any]) -> None:
    """Statements of a pipeline are done in their order; what they found is there at its end."""

    async def work(connection: AsyncConnection) -> list[tuple[int, int]]:
        async with pipeline(connection) as sent:
            await sent.write(ADD, TWO, otherwise=LookupError())
            found = await sent.read(bulk.select(chips, by=("table",)), [{"table": "a"}])
            count = await sent.execute("SELECT count(*) AS n FROM chips WHERE cents > %(more)s", {"more": 1})
        return [(row.offset, row.cents) for row in await found.fetchall()] + [(0, row.n) async for row in count]

    assert [(1, 1), (2, 2), (0, 1)] == run(work)


def test_rows_that_were_not_written_are_noticed(run: Callable[[Work], Any]) -> None:
    """Each statement that says so must write as many rows as it is given."""

    async def work(connection: AsyncConnection) -> None:
        async with pipeline(connection) as sent:
            await sent.write(ADD, TWO[:1], otherwise=ZeroDivisionError())
            await sent.write(bulk.insert(chips, on_conflict="skip"), TWO, otherwise=LookupError("taken"))

    with pytest.raises(LookupError, match="taken"):
        run(work)


def test_after_an_error_nothing_more_is_done(run: Callable[[Work], Any]) -> None:
    """The first error is that of the pipeline; a statement behind it is not done."""

    async def work(connection: AsyncConnection) -> None:
        async with pipeline(connection) as sent:
            await _write_twice(sent)
            await sent.execute("SELECT pg_terminate_backend(pg_backend_pid())", {})

    async def _write_twice(sent: Pipeline) -> None:
        await sent.write(ADD, TWO)
        await sent.write(ADD, TWO[:1])

    with pytest.raises(psycopg.errors.UniqueViolation):
        run(work)
