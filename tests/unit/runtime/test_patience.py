"""What the loop of a topic tries again when the database does not answer it."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import MetaData

from shared.journal.ledger import Ledger
from shared.journal.tables import journal_tables
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine
from shared.runtime.ingest.retry import retry_until_deadline
from shared.runtime.settings import Settings

_SAID = [psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected, psycopg.OperationalError]


def _context() -> RuntimeContext:
    return RuntimeContext(
        service="tests",
        settings=Settings(),
        pools=Pools.of_one(create_engine("postgresql://nobody@127.0.0.1:1/none", role="tests")),
        ledger=Ledger(journal_tables(MetaData(), "tests")),
    )


@pytest.mark.parametrize("error", _SAID, ids=lambda error: error.__name__)
def test_a_shard_is_read_until_the_database_answers(error: type[psycopg.Error]) -> None:
    """Another process that opens the same shard, a deadlock and a lost answer do not end the service."""
    context = _context()
    answers: Iterator[psycopg.Error | str] = iter([error("not now"), "the shard"])

    async def attempt() -> str:
        answer = next(answers)
        if isinstance(answer, psycopg.Error):
            raise answer
        return answer

    assert asyncio.run(retry_until_deadline(context, attempt)) == "the shard"


def test_what_the_database_refuses_is_not_tried_again() -> None:
    """A refusal of the database is an error: trying again changes nothing."""
    context = _context()

    async def attempt() -> str:
        raise psycopg.errors.UniqueViolation("there is one")

    with pytest.raises(psycopg.errors.UniqueViolation):
        asyncio.run(retry_until_deadline(context, attempt))
