"""Servers that a load is given: they are used where they are empty, and nothing is written where they are not."""

import psycopg
import pytest

from loadtest.bench.load import NotEmpty, require_empty


def test_a_database_with_a_journal_is_refused_before_anything_starts(database_url: str) -> None:
    """An empty one is taken, and so is none."""
    require_empty("")
    require_empty(database_url)
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA round_settlement")
        require_empty(database_url)
        connection.execute("CREATE TABLE round_settlement.shards ()")
    with pytest.raises(NotEmpty, match="name an empty one"):
        require_empty(database_url)
