"""What the archiver may do in PostgreSQL, and what it sees there."""

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from services.cli.archive.database import ARCHIVED, WITHHELD, url_of_archiver
from services.cli.archive.journal_reader import journal_reader
from services.cli.archive.upgrade import upgrade_archive
from services.cli.services import load_all
from tests.support.archived import Casino
from tests.support.services import query


def test_entries_that_are_added_while_a_day_is_read_are_not_seen(archived: Casino) -> None:
    """All of a day comes from one snapshot of the database, in which nothing can be written."""
    with journal_reader(archived.url) as reader:
        level = (
            "SELECT current_setting('transaction_isolation') AS level, current_setting('transaction_read_only') AS r"
        )
        assert [{"level": "repeatable read", "r": "on"}] == reader.query(level).to_pylist()


def test_the_archiver_reads_journals_and_writes_none(first: Casino) -> None:
    """Its role may read entries, and may neither add nor read what else the services have."""
    with psycopg.connect(url_of_archiver(first.url), autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM round_settlement.entries").fetchone() != (0,)
        for statement in (
            "UPDATE round_settlement.shards SET next_seq = 1",
            "INSERT INTO round_settlement.accounts VALUES (99, 'a', 'b', 'c', 'd')",
            "SELECT * FROM round_settlement.idempotency",
            "DELETE FROM manifests",
        ):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement.encode())


def test_confidential_journals_are_withheld() -> None:
    """That they have entries is known to their own roles alone."""
    assert {one.name for one in load_all() if one.confidential} == set(WITHHELD)
    assert not WITHHELD & set(ARCHIVED)


def test_the_schema_is_upgraded_again_without_effect(archived: Casino) -> None:
    """What the archiver knows stays."""
    before = query(archived.url, "SELECT * FROM archive.days ORDER BY 1, 2, 3, 4")
    upgrade_archive(archived.url)

    assert before == query(archived.url, "SELECT * FROM archive.days ORDER BY 1, 2, 3, 4") != []
