"""Reporting as a process of its own, and what a test sends to it and reads from it."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from services.reporting.rebuild import PROJECTIONS
from shared.local.ports import free_port
from tests.support import eventually
from tests.support.rounds import submission
from tests.support.services import Worker, produce, query, running
from tests.unit.reporting.entries import DAY, Shard

TOKEN, OTHER_TOKEN = "reader-token", "filer-token"


class Reporting:
    """The service on a database and a broker of its own, and whoever reads its reports."""

    def __init__(self, bootstrap_servers: str, database_url: str, tokens: Path) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.database_url = database_url
        self.port = free_port()
        self.shards = count(1)
        self.submissions = count(1)
        self._settings = {"PITLEDGER_HTTP_PORT": str(self.port), "PITLEDGER_API_TOKENS_FILE": str(tokens)}
        self._running = ExitStack()
        self.worker: Worker

    def start(self) -> None:
        """Starts it and waits until it is ready."""
        options = {"database_url": self.database_url, "bootstrap_servers": self.bootstrap_servers}
        self.worker = self._running.enter_context(running("reporting", settings=self._settings, **options))

        def ready() -> bool:
            assert self.worker.exit_code is None, self.worker.log()[-4000:]
            return self.get("/readyz").status_code == 200

        eventually(ready, seconds=60, because="reporting is ready", retry_on=httpx.TransportError)

    def stop(self) -> None:
        """Ends it in good order, if it was not killed."""
        self._running.close()

    def get(self, path: str, *, token: str | None = TOKEN, headers: Mapping[str, str] | None = None) -> httpx.Response:
        authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", headers=authorization | dict(headers or {}), timeout=20)

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that the projections hold."""
        return {
            table: query(self.database_url, f"SELECT t::text FROM reporting.{table} t ORDER BY 1")
            for table in (table.name for table in PROJECTIONS.tables)
        }


@dataclass(frozen=True, kw_only=True)
class Books(Shard):
    """A shard of the settlement journal and what the reports make of it."""

    service: Reporting

    def publish(self, *events: Mapping[str, Any]) -> None:
        produce(self.service.bootstrap_servers, "settlements", events)

    def submit(self, version: int = 1, **selected: Any) -> dict[str, Any]:
        """Publishes a rules submission of this property, and waits until reporting has it; gives what rounds name."""
        approved = submission(
            next(self.service.submissions),
            property=self.property_name,
            version=version,
            submission={"decks": 6} | selected,
        )
        produce(self.service.bootstrap_servers, "submissions", [approved])
        known = f"""SELECT version FROM reporting.submissions
                    WHERE property = '{self.property_name}' AND version = {version}"""
        eventually(lambda: query(self.service.database_url, known), because="the submission is known")
        return {"version": version, "hash": approved["data"]["hash"]}

    def to_date(self, day: str = DAY, more: str = "") -> dict[str, Any]:
        """The win to date; the books must have come already."""
        answer = self.service.get(f"/reports/win-to-date?property={self.property_name}&gaming_day={day}{more}")
        assert answer.status_code == 200, answer.text
        report: dict[str, Any] = answer.json()
        return report

    def path(self, more: str = "") -> str:
        return f"/reports/daily-win?property={self.property_name}&gaming_day={DAY}{more}"

    def daily_win(self, more: str = "") -> dict[str, Any]:
        answer = self.service.get(self.path(more))
        assert answer.status_code == 200, answer.text
        report: dict[str, Any] = answer.json()
        return report

    def after(self, seq: int, *, missing: int = 0) -> dict[str, Any]:
        """The report once it counts this shard up to an entry."""
        reached = {"service": "round-settlement", "shard": self.number, "seq": seq, "missing": missing}

        def report() -> dict[str, Any] | None:
            found = self.daily_win()
            return found if reached in found["through"] else None

        found = eventually(report, seconds=60, because=f"the report counts up to entry {seq}, with {missing} missing")
        assert found is not None
        return found

    def exceptions(self, more: str = "") -> list[dict[str, Any]]:
        """The exceptions of this property, and those of this shard that are of none."""
        answer = self.service.get(f"/reports/exceptions?property={self.property_name}&limit=500{more}")
        assert answer.status_code == 200, answer.text
        return [
            item
            for item in answer.json()["items"]
            if "property" in item or item.get("stream") == self.source or item["entry"]["shard"] == self.number
        ]
