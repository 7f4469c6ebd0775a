"""The metrics of money: Prometheus renews its token by itself, and uses a secret that was replaced."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml

from shared.contracts.rejection import Rejected
from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from shared.runtime.http.access import Caller
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support import eventually
from tests.support.services import ROOT

LIFE: Final = timedelta(seconds=12)
"""Prometheus asks for the next token ten seconds before one ends."""
CLIENT: Final = "pitledger-metrics"


class Scraped:
    """What is shown at the address of the metrics, by the moment, and read as every service reads it."""

    def __init__(self, issuer: DevelopmentIssuer) -> None:
        given: dict[str, Any] = {
            name.removeprefix("PITLEDGER_").lower(): value for name, value in issuer.settings.items()
        }
        settings = Settings(**given)
        self._tokens = Tokens(settings, issuer.url, clock=lambda: datetime.now(UTC), metrics=Metrics())
        self._runner = asyncio.Runner()
        self.seen: list[tuple[datetime, str, Caller]] = []
        self.refused: list[Rejected] = []

    def show(self, token: str) -> None:
        """Take a token, on one thread."""
        try:
            caller = self._runner.run(self._tokens.caller_of(token))
        except Rejected as refused:
            self.refused.append(refused)
        else:
            self.seen.append((datetime.now(UTC), token, caller))

    def close(self) -> None:
        """Ask nobody for keys any more; on the same thread."""
        self._runner.close()

    @property
    def has_outlived_a_token(self) -> bool:
        """Whether something was read after the first token had ended, with another one."""
        return any(at - self.seen[0][0] > LIFE and token != self.seen[0][1] for at, token, _ in self.seen)


@contextmanager
def target(scraped: Scraped) -> Iterator[int]:
    """An address with metrics that takes what services take; the port."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert urlsplit(self.path).path == "/metrics/business"
            scraped.show(self.headers["Authorization"].removeprefix("Bearer "))
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(b"pitledger_gaming_day_rounds 1\n")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
            pass

    def serve() -> None:
        server.serve_forever()
        scraped.close()

    server = HTTPServer((LOOPBACK, 0), Answering)
    thread = Thread(target=serve)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_prometheus_reads_on_after_its_token_has_ended(tmp_path: Path) -> None:
    """The job of infra/prometheus, at another provider and target: each scrape has a token that is good."""
    binary = shutil.which("prometheus")
    if binary is None:
        pytest.skip("'prometheus' is not installed")
    shipped = yaml.safe_load((ROOT / "infra" / "prometheus" / "prometheus.yml").read_text())
    [job] = [one for one in shipped["scrape_configs"] if one["job_name"] == "pitledger-business"]
    (tmp_path / "client_secret").write_text("of-the-issuer-that-asks-for-none")
    with DevelopmentIssuer(life=LIFE) as issuer:
        issuer.people = {job["oauth2"]["client_id"]: ["metrics.read"]}
        scraped = Scraped(issuer)
        with target(scraped) as port:
            job["oauth2"] |= {"token_url": f"{issuer.url}/token", "client_secret_file": str(tmp_path / "client_secret")}
            job["static_configs"] = [{"targets": [f"{LOOPBACK}:{port}"]}]
            config = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": [job]}
            (tmp_path / "prometheus.yml").write_text(json.dumps(config))
            command = [
                binary,
                f"--config.file={tmp_path / 'prometheus.yml'}",
                f"--storage.tsdb.path={tmp_path / 'tsdb'}",
            ]
            with (tmp_path / "log").open("w") as log:
                listening = f"--web.listen-address={LOOPBACK}:{free_port()}"
                process = subprocess.Popen([*command, listening], stderr=log)
            try:
                eventually(lambda: scraped.has_outlived_a_token, because="its token ended", seconds=90)
            finally:
                process.terminate()
                process.wait(30)
    assert [] == scraped.refused
    for _, _, caller in scraped.seen:
        assert (caller.person, caller.roles) == (CLIENT, frozenset({"metrics.read"}))
