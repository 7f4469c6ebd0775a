"""Whether the projections of a service can be made anew: to the same bytes, and with everything found that was not."""

from collections.abc import Collection, Mapping

import psycopg
from sqlalchemy import make_url

from services.cli.exits import ExitCode
from services.cli.services import projections
from tests.support.services import query
from tests.unit.cli.calling import Caller

Rows = dict[str, list[str]]
"""By table, every row as text."""


def rows_of(service: str, url: str) -> Rows:
    """All rows of a service's projections, every column of them."""
    return {
        table.name: [row for (row,) in query(url, f"SELECT t::text FROM {table.fullname} t ORDER BY 1")]
        for table in projections(service).tables
    }


def execute(url: str, *statements: str) -> None:
    """Does something as the owner of the database."""
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        for statement in statements:
            owner.execute(statement)


def assert_made_anew(
    pitledger: Caller, service: str, url: str, changes: Mapping[str, str], *, undeleted: Collection[str] = ()
) -> Rows:
    """A rebuild finds nothing to change; then of each table a row is deleted and, by `changes`, others are altered.

    `changes` are assignments of an UPDATE, by table, that alter rows whose keys they leave. The check finds exactly
    these rows and leaves them, and the rebuild makes them as they were. From `undeleted` tables nothing is deleted.
    """
    before = rows_of(service, url)
    assert [] == [name for name, rows in before.items() if len(rows) < 2], "the day was not varied enough"
    called = pitledger("rebuild", service, "--check", "--json")
    assert (ExitCode.FINE, {name: (len(rows), 0) for name, rows in before.items()}) == (
        called.code,
        {one["table"]: (one["rows"], one["different"]) for one in called.documents},
    ), called

    gone: dict[str, int] = {}
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        for table in projections(service).tables:
            first = f"SELECT t.ctid FROM {table.fullname} t ORDER BY t::text"
            gone[table.name] = 0
            if table.name not in undeleted:
                deleted = owner.execute(f"DELETE FROM {table.fullname} WHERE ctid = ({first} LIMIT 1)")
                gone[table.name] += deleted.rowcount
            if table.name in changes:
                last = f"UPDATE {table.fullname} SET {changes[table.name]} WHERE ctid = ({first} DESC LIMIT 1)"
                gone[table.name] += owner.execute(last).rowcount
    tampered = rows_of(service, url)
    called = pitledger("rebuild", service, "--check", "--json")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code, called
    assert gone == {one["table"]: one["different"] for one in called.documents}
    for one in called.documents:
        assert sum(each["was"] is None for each in one["first"]) == (one["table"] not in undeleted)
        assert sum(each["was"] is not None for each in one["first"]) == (one["table"] in changes)
    assert tampered == rows_of(service, url)

    called = pitledger("rebuild", service)
    assert (ExitCode.FINE, before) == (called.code, rows_of(service, url)), called
    assert f"{sum(gone.values())} rows of {service} made as the journal says" in called.stderr
    return before
