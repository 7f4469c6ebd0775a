"""What verification of a journal finds when somebody gets past what the database enforces."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.checkpoint import Checkpoint
from shared.journal.merkle import Frontier
from shared.journal.verification import VerificationProblem
from tests.support import Databases
from tests.support.journals import append, draft_of, problems_of, run
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the journal of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


TAMPERING = {
    "data": ("entries", "UPDATE {} SET data = '{{\"n\": 9}}' WHERE seq = 2", 2),
    "whitespace in the data": ("entries", "UPDATE {} SET data = (data::text || ' ')::json WHERE seq = 2", 2),
    "gaming day": ("entries", "UPDATE {} SET gaming_day = gaming_day + 1 WHERE seq = 2", 2),
    "moment of recording": ("entries", "UPDATE {} SET recorded_at = recorded_at + '1us' WHERE seq = 2", 2),
    "cents": ("entries", "UPDATE {} SET cents = ARRAY[2 * cents[1], 2 * cents[2]] WHERE seq = 2", 2),
    "account": ("accounts", "UPDATE {} SET wager = 'super_match' WHERE leg = 'handle'", 1),
    "last entry": ("entries", "DELETE FROM {} WHERE seq = 3", 3),
    "middle entry": ("entries", "DELETE FROM {} WHERE seq = 2", 2),
    "postings": ("entries", "UPDATE {} SET accounts = '{{}}', cents = '{{}}' WHERE seq = 2", 2),
    "account gone": ("accounts", "DELETE FROM {} WHERE leg = 'chips'", 1),
}


@pytest.mark.parametrize("name", sorted(TAMPERING))
def test_verification_finds_what_an_administrator_changed(url: str, name: str) -> None:
    """Whoever switches the triggers off and edits a row is found out, at that row."""
    table, statement, seq = TAMPERING[name]

    async def tamper(engine: AsyncEngine) -> None:
        async with engine.begin() as connection:
            await connection.execute(text(f"ALTER TABLE round_settlement.{table} DISABLE TRIGGER ALL"))
            await connection.execute(text(statement.format(f"round_settlement.{table}")))

    async def verify(engine: AsyncEngine) -> list[VerificationProblem]:
        async with engine.connect() as connection:
            return await problems_of(connection)

    run(url, lambda engine: append(engine, draft_of(1), draft_of(2), draft_of(3)))
    assert run(url, verify) == []
    run(url, tamper, role=None)
    assert seq == run(url, verify)[0].seq


def test_a_journal_rewritten_contradicts_its_checkpoint(url: str, databases: Databases) -> None:
    """Rows, chain and head rewritten together verify; only the signed root outside the database gives it away."""

    async def root(engine: AsyncEngine) -> Checkpoint:
        async with engine.connect() as connection:
            hashes = (
                await connection.execute(select(journal.entries.c.hash).order_by(journal.entries.c.seq))
            ).scalars()
            frontier = Frontier().extend(hashes)
        return Checkpoint("pitledger/round-settlement/test", frontier.size, frontier.root())

    async def verify(engine: AsyncEngine) -> list[VerificationProblem]:
        async with engine.connect() as connection:
            assert await problems_of(connection) == []
            return await problems_of(connection, checkpoints=(signed,))

    run(url, lambda engine: append(engine, draft_of(1), draft_of(2)))
    signed = run(url, root)
    assert run(url, verify) == []

    forged = databases.create("round-settlement")
    run(forged, lambda engine: append(engine, draft_of(1), draft_of(2, 99)))
    assert "not those of the signed checkpoint" in run(forged, verify)[0].what

    shortened = databases.create("round-settlement")
    run(shortened, lambda engine: append(engine, draft_of(1)))
    assert "covers 2 entries; there are 1" in run(shortened, verify)[0].what
