"""Alertmanager: its own tool accepts the configuration, and each alert goes where its severity says."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

CONFIGURATION = "infra/alertmanager/alertmanager.yml"


@pytest.fixture(scope="module")
def configuration(repository: Path) -> dict[str, Any]:
    """The configuration as Alertmanager reads it."""
    parsed: dict[str, Any] = yaml.safe_load((repository / CONFIGURATION).read_text())
    return parsed


@pytest.fixture(scope="module")
def amtool(repository: Path, tool: Callable[[str, str], str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Alertmanager's own tool in the repository."""
    command = tool("amtool", "prometheus-alertmanager")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([command, *arguments], cwd=repository, capture_output=True, text=True)

    return run


def test_amtool_accepts(amtool: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Routes, inhibition, receivers and the templates of messages."""
    done = amtool("check-config", CONFIGURATION)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 templates" in done.stdout


@pytest.mark.parametrize(("severity", "receiver"), [("page", "page"), ("ticket", "ticket"), ("other", "ticket")])
def test_severity_says_who_hears(
    amtool: Callable[..., subprocess.CompletedProcess[str]], severity: str, receiver: str
) -> None:
    """A page wakes somebody; a severity that nobody foresaw is not lost."""
    done = amtool("config", "routes", "test", f"--config.file={CONFIGURATION}", f"severity={severity}")

    assert (0, receiver) == (done.returncode, done.stdout.strip())


def test_inhibition_names_alerts_that_there_are(repository: Path, configuration: dict[str, Any]) -> None:
    """A renamed alert would be inhibited no longer, or inhibit nothing."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    alerts = {rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule}
    named = set(re.findall(r"Pitledger\w+", str(configuration["inhibit_rules"])))

    assert named
    assert named <= alerts


def test_nothing_silences_what_says_that_evidence_was_altered(repository: Path, configuration: dict[str, Any]) -> None:
    """Of what pages, only what follows from a service that is down or does not verify may be inhibited."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    pages = {rule["alert"] for group in groups for rule in group["rules"] if rule.get("labels") == {"severity": "page"}}
    targets = [matcher for rule in configuration["inhibit_rules"] for matcher in rule["target_matchers"]]
    inhibited = pages & set(re.findall(r"Pitledger\w+", " ".join(targets)))

    assert "severity" not in {matcher.split()[0] for matcher in targets if "ticket" not in matcher}
    assert {"PitledgerNotReady", "PitledgerOldestUnprocessedAge", "PitledgerPartitionUnread"} == inhibited


def test_where_to_send_stands_in_files_that_the_deployment_mounts(
    repository: Path, configuration: dict[str, Any]
) -> None:
    """No address is in the repository; Prometheus sends to the Alertmanager that Compose starts."""
    compose = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]["alertmanager"]
    (receivers,) = (volume["target"] for volume in compose["volumes"] if isinstance(volume, dict))
    files = {one["api_url_file"] for receiver in configuration["receivers"] for one in receiver["slack_configs"]}
    prometheus = yaml.safe_load((repository / "infra/prometheus/prometheus.yml").read_text())
    ((target,),) = (config["targets"] for config in prometheus["alerting"]["alertmanagers"][0]["static_configs"])

    assert {f"{receivers}/page_url", f"{receivers}/ticket_url"} == files
    assert "://" not in (repository / CONFIGURATION).read_text()
    assert target == f"alertmanager:{compose['ports'][0].rpartition(':')[2]}"
