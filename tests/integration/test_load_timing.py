"""When a load says that a round was committed: the moments that the database keeps of its commits."""

import time

import psycopg

from loadtest.bench.timing import moments

_SCHEMA = """
    CREATE SCHEMA round_settlement;
    CREATE SCHEMA reporting;
    CREATE SCHEMA vigorish;
    CREATE TABLE round_settlement.entries (
        shard int, seq bigint, source text, sequence bigint, recorded_at timestamptz, kind text);
    CREATE TABLE round_settlement.taken (source text, first bigint, last bigint);
    CREATE TABLE reporting.taken (LIKE round_settlement.taken);
    CREATE TABLE vigorish.taken (LIKE round_settlement.taken)"""


def test_a_round_is_committed_when_its_place_was_taken(database_url: str) -> None:
    """In round settlement that of its event, in a service behind that of its entry; who has none is left out."""
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(_SCHEMA)
        began = time.time()
        with connection.transaction():
            connection.execute("""INSERT INTO round_settlement.entries VALUES
                (7, 1, '/t/BJ-01', 10, to_timestamp(1000), 'settlement.posted'),
                (7, 2, '/t/BJ-01', 11, to_timestamp(1001), 'settlement.posted'),
                (7, 3, '/t/BJ-01', 11, to_timestamp(1001), 'journal.gap_opened')""")
            connection.execute("INSERT INTO round_settlement.taken VALUES ('/t/BJ-01', 9, 11)")
        settled = time.time()
        connection.execute("INSERT INTO reporting.taken VALUES ('/round-settlement/shards/7', 1, 1)")
        reported = time.time()
        conninfo = connection.info.dsn + f" password={connection.info.password}"
    found = moments(conninfo, ["round_settlement", "reporting", "vigorish"])
    first, second = ("/t/BJ-01", 10), ("/t/BJ-01", 11)
    assert {"recorded", "committed", "reporting"} == found.keys()
    assert {first: 1000.0, second: 1001.0} == found["recorded"]
    assert found["committed"].keys() == {first, second}
    assert began <= found["committed"][first] == found["committed"][second] <= settled
    assert found["reporting"].keys() == {first}
    assert settled <= found["reporting"][first] <= reported
