"""A service that runs finds a row that somebody altered: it is not ready and says which row, until the row is gone."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from shared.local.ports import free_port
from shared.runtime.background.leader import leadership
from shared.runtime.database import create_engine
from tests.support import AnyBroker, Databases, answers, eventually
from tests.support.rebuilding import execute
from tests.support.services import create_topics, running, settled_database

FORGED = """
    INSERT INTO round_settlement.rounds
    VALUES ('r-9', 'riverside', 'BJ-01', 1, 1, 1, 1, '2026-11-20', 'blackjack', '{}')"""
WRONG = "1 rows or entries are not as the journal says, first: rounds round_id r-9, "


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


def test_one_process_of_a_service_compares(url: str) -> None:
    """Another one only where it has ended."""

    async def said() -> list[bool]:
        one, other = create_engine(url, role="round_settlement"), create_engine(url, role="round_settlement")
        found = []
        async with leadership(other, "round_settlement.comparison") as is_others:
            async with leadership(one, "round_settlement.comparison") as is_ours:
                found += [await is_ours(), await is_others(), await is_ours()]
            async with asyncio.timeout(60):
                while not await is_others():  # noqa: ASYNC110 - the server ends a connection in its own time
                    await asyncio.sleep(0.001)
            found.append(True)
        await one.dispose()
        await other.dispose()
        return found

    assert [True, False, True, True] == asyncio.run(said())


@pytest.mark.broker
def test_a_running_service_finds_an_altered_row(url: str, fresh_broker: AnyBroker) -> None:
    """By readiness, metric and log alike."""
    servers, port = fresh_broker.bootstrap_servers, free_port()
    create_topics(servers)
    settings = {"PITLEDGER_COMPARISON_SECONDS": "0.2", "PITLEDGER_HTTP_PORT": str(port)}

    def get(path: str) -> httpx.Response | None:
        try:
            return answers.get(f"http://127.0.0.1:{port}{path}", timeout=10)
        except httpx.TransportError:
            return None

    def is_ready() -> bool:
        answer = get("/readyz")
        return answer is not None and answer.status_code == 200

    def found() -> str | None:
        answer = get("/readyz")
        checks: dict[str, str | None] = {} if answer is None else answer.json().get("checks", {})
        return checks.get("projections")

    with running("round-settlement", database_url=url, bootstrap_servers=servers, settings=settings) as worker:
        eventually(is_ready, seconds=60, because="it has begun")
        execute(url, FORGED)
        eventually(lambda: (found() or "").startswith(WRONG), seconds=60, because="the row was found")
        metrics = get("/metrics")
        assert metrics is not None
        assert "pitledger_projection_differences 1.0" in metrics.text
        assert 1 == worker.log().count("projection differs from journal")  # once, however often it is compared
        execute(url, "DELETE FROM round_settlement.rounds")
        eventually(is_ready, seconds=60, because="the row is gone")
