"""What moved between two moments, from whole hours and their ends, is what all movements between them come to."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import Databases
from tests.support.nightly import examples
from tests.support.services import settled_database

_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
_MINUTES = st.sampled_from([-121, -120, -119, -61, -60, -59, -31, -1, 0, 1, 29, 59, 60, 61, 119, 120, 121])
"""On both sides of hours, and on them."""
_CAUSES = st.sampled_from(["round", "fill", "currency"])
_MOVEMENTS = st.lists(st.tuples(_MINUTES, _CAUSES, st.integers(-5, 5)), max_size=12)
_MOMENTS = st.one_of(st.sampled_from(["-infinity", "infinity"]), _MINUTES.map(lambda by: _at(by).isoformat()))

_MOVE = """
    INSERT INTO table_inventory.movements VALUES (
        1, %s, 'riverside', 'BJ-01', 'transfer', %s, %s, '2026-11-20', %s, 1, %s, NULL, NULL)"""
_ADD_UP = """
    INSERT INTO table_inventory.moved
    SELECT property, "table", date_trunc('hour', at, 'UTC'), cause, shard, sum(cents), sum(rounds),
           count(*) FILTER (WHERE contents IS NULL AND cents <> 0), count(*) FILTER (WHERE cause = 'coupon')
    FROM table_inventory.movements GROUP BY 1, 2, 3, 4, 5"""
_BY_HOURS = """
    SELECT cause, sum(cents), sum(rounds), sum(unknown), sum(coupons)
    FROM table_inventory.moved_between('riverside', 'BJ-01', %s, %s) GROUP BY 1 ORDER BY 1"""
_ONE_BY_ONE = """
    SELECT cause, sum(cents), sum(rounds), count(*) FILTER (WHERE contents IS NULL AND cents <> 0),
           count(*) FILTER (WHERE cause = 'coupon')
    FROM table_inventory.movements WHERE at > %s AND at <= %s GROUP BY 1 ORDER BY 1"""


def _at(minutes: int) -> datetime:
    return _NOON + timedelta(minutes=minutes)


@pytest.fixture(scope="module")
def connection(databases: Databases) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A database of the table inventory."""
    url = settled_database(databases, "table-inventory")
    with psycopg.connect(url.replace("+psycopg", "", 1)) as connection:
        yield connection
    databases.drop(url)


@settings(max_examples=examples(60), deadline=None)
@given(movements=_MOVEMENTS, after=_MOMENTS, until=_MOMENTS)
def test_hours_and_their_ends_are_what_moved(
    connection: psycopg.Connection[tuple[object, ...]],
    movements: list[tuple[int, str, int]],
    after: str,
    until: str,
) -> None:
    """Whatever the moments: in one hour, on its edge, in the wrong order, or without an end."""
    for seq, (minutes, cause, cents) in enumerate(movements, 1):
        connection.execute(_MOVE, (seq, cause, _at(minutes), cents, None if seq % 2 else '{"25": 1}'))
    connection.execute(_ADD_UP)
    by_hours = connection.execute(_BY_HOURS, (after, until)).fetchall()
    one_by_one = connection.execute(_ONE_BY_ONE, (after, until)).fetchall()
    connection.rollback()
    assert one_by_one == by_hours
