"""A real Prometheus with the project's own rules, which looks at a stack once a second."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import yaml

from shared.local.ports import LOOPBACK, free_port
from tests.attacks.pace import FASTER
from tests.support import eventually
from tests.support.answers import get
from tests.support.services import ROOT

LOOK_SECONDS: Final = 1
_RULES: Final = ROOT / "infra" / "prometheus" / "rules.yml"
_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class Prometheus:
    """A running server, and the file in which it is told where the services are."""

    url: str
    targets: Path

    def look_at(self, urls: Mapping[str, str]) -> None:
        """Say where the services listen."""
        found = [{"targets": [urlsplit(url).netloc], "labels": {"service": name}} for name, url in urls.items()]
        unfinished = self.targets.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(found))
        unfinished.rename(self.targets)

    def alerts(self) -> list[dict[str, Any]]:
        """Return the alerts that are pending or firing."""
        found: list[dict[str, Any]] = get(f"{self.url}/api/v1/alerts").json()["data"]["alerts"]
        return found

    def state(self, alert: str, service: str) -> str:
        """Return the state of an alert about a service: firing, pending, or nothing."""
        of_service = [
            one["state"]
            for one in self.alerts()
            if one["labels"]["alertname"] == alert and one["labels"].get("service") == service
        ]
        return min(of_service, default="")  # firing before pending


def faster(rules: str) -> str:
    """Return the rules with everything that an alert waits for passing faster, as the watches of the stack do."""

    def shorter(found: re.Match[str]) -> str:
        seconds = int(found[1]) * _UNITS[found[2]]
        return f"for: {max(1, round(seconds / FASTER))}s"

    return re.sub(r"for: (\d+)([smh])", shorter, rules)


@contextmanager
def prometheus(directory: Path) -> Iterator[Prometheus | None]:
    """Run a server in a directory for as long as the block lasts; None where there is none on this machine."""
    binary = shutil.which("prometheus")
    if binary is None:
        yield None
        return
    rules, targets = directory / "rules.yml", directory / "targets.json"
    rules.write_text(faster(_RULES.read_text()))
    targets.write_text("[]")
    config = directory / "prometheus.yml"
    look = f"{LOOK_SECONDS}s"
    jobs = [{"job_name": "pitledger", "file_sd_configs": [{"files": [str(targets)], "refresh_interval": look}]}]
    said = {
        "global": {"scrape_interval": look, "scrape_timeout": look, "evaluation_interval": look},
        "rule_files": [str(rules)],
        "scrape_configs": jobs,
    }
    config.write_text(yaml.safe_dump(said))
    port = free_port()
    listening = f"--web.listen-address={LOOPBACK}:{port}"
    with (directory / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [binary, f"--config.file={config}", f"--storage.tsdb.path={directory / 'tsdb'}", listening],
            stdout=log,
            stderr=log,
        )
    try:
        server = Prometheus(f"http://{LOOPBACK}:{port}", targets)
        ready = f"{server.url}/-/ready"
        eventually(lambda: get(ready).is_success, because="Prometheus is ready", retry_on=httpx.HTTPError)
        yield server
    finally:
        process.terminate()
        process.wait(30)
