"""The alerts and recording rules: they parse, they fire when they should, and they name metrics that exist."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.services import load_all
from services.console import serve as console


@pytest.fixture(scope="module")
def rules(repository: Path) -> list[dict[str, Any]]:
    """Every rule of every group."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize(
    "arguments",
    [("check", "config", "prometheus.yml"), ("test", "rules", "rules_test.yml")],
    ids=["configuration", "rules"],
)
def test_promtool_accepts(repository: Path, tool: Callable[[str, str], str], arguments: tuple[str, ...]) -> None:
    """Prometheus' own tool accepts the configuration, and every alert fires and stays silent as rules_test.yml says."""
    promtool = tool("promtool", "prometheus")

    done = subprocess.run([promtool, *arguments], cwd=repository / "infra/prometheus", capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_name_only_metrics_that_exist(
    rules: list[dict[str, Any]], unknown_metrics: Callable[[str], set[str]]
) -> None:
    """A renamed metric would leave an alert silent for ever."""
    assert not {rule["expr"]: unknown for rule in rules if (unknown := unknown_metrics(rule["expr"]))}


def test_every_alert_has_a_severity_a_summary_and_a_test(repository: Path, rules: list[dict[str, Any]]) -> None:
    """Whoever is woken by an alert must be told by whom and why, and somebody must have seen it fire."""
    tests = yaml.safe_load((repository / "infra/prometheus/rules_test.yml").read_text())["tests"]
    seen_firing = {
        case["alertname"] for test in tests for case in test.get("alert_rule_test", ()) if case.get("exp_alerts")
    }
    alerts = [rule for rule in rules if "alert" in rule]

    assert {alert["alert"] for alert in alerts} == seen_firing
    assert {"page", "ticket"} == {alert["labels"]["severity"] for alert in alerts}
    assert all(alert["annotations"]["summary"] for alert in alerts)


def test_services_are_all_scraped(repository: Path) -> None:
    """Each service is a target, under its own name and port."""
    scrapes = yaml.safe_load((repository / "infra/prometheus/prometheus.yml").read_text())["scrape_configs"]
    (ours,) = (scrape for scrape in scrapes if scrape["job_name"] == "pitledger")
    expected = {f"{manifest.name}:{manifest.port}": manifest.name for manifest in load_all()}
    expected |= {f"console:{console.PORT}": console.NAME}

    assert expected == {config["targets"][0]: config["labels"]["service"] for config in ours["static_configs"]}
