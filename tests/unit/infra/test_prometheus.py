"""The alerts and recording rules: they parse, they fire when they should, and they name metrics that exist."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.services import load_all
from services.console import serve as console
from shared.runtime.ingest.partition_ends import RESPONSE_AGE_SECONDS_MAX
from shared.runtime.process.health import OBSERVE_SECONDS


@pytest.fixture(scope="module")
def rules(repository: Path) -> list[dict[str, Any]]:
    """Every rule of every group."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize(
    "arguments",
    [
        # Without the files that it names: the deployment mounts the token.
        ("check", "config", "--syntax-only", "prometheus.yml"),
        ("check", "rules", "rules.yml"),
        ("test", "rules", "rules_test.yml"),
    ],
    ids=["configuration", "rules", "their tests"],
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


def test_a_broker_that_says_nothing_is_told_in_time(rules: list[dict[str, Any]]) -> None:
    """Readiness and metrics within 30 seconds, and somebody is paged within two minutes, by the same bound."""
    [rule] = [rule for rule in rules if rule.get("alert") == "PitledgerBrokerUnresponsive"]
    bounds = [float(number) for number in re.findall(r"> ([0-9.]+)", rule["expr"])]
    assert [RESPONSE_AGE_SECONDS_MAX] * 2 == bounds
    assert RESPONSE_AGE_SECONDS_MAX + OBSERVE_SECONDS <= 30
    scraped = 15
    assert RESPONSE_AGE_SECONDS_MAX + OBSERVE_SECONDS + int(rule["for"].removesuffix("s")) + 2 * scraped <= 120


def test_every_recording_rule_has_a_test(repository: Path, rules: list[dict[str, Any]]) -> None:
    """Somebody must have seen the value that it records."""
    tests = yaml.safe_load((repository / "infra/prometheus/rules_test.yml").read_text())["tests"]
    asked = [case["expr"] for test in tests for case in test.get("promql_expr_test", ())]
    seen = {name for expression in asked for name in re.findall(r"\w+:pitledger_\w+:\w+", expression)}

    assert {rule["record"] for rule in rules if "record" in rule} == seen


def test_every_alert_links_to_its_page(repository: Path, rules: list[dict[str, Any]]) -> None:
    """By the address that the documentation gives it."""
    links = {rule["alert"]: rule["annotations"]["runbook_url"] for rule in rules if "alert" in rule}

    assert {name: f"{{{{ $externalLabels.docs }}}}/docs/alerts/{name}/" for name in links} == links
    assert not [name for name in links if not (repository / f"docs/alerts/{name}.md").exists()]


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


def test_metrics_of_money_are_scraped_with_a_token(repository: Path) -> None:
    """Reporting alone has them, under its own name and port; Prometheus has a mounted secret, and renews its token."""
    scrapes = yaml.safe_load((repository / "infra/prometheus/prometheus.yml").read_text())["scrape_configs"]
    (ours,) = (scrape for scrape in scrapes if scrape["job_name"] == "pitledger-business")
    compose = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]["prometheus"]
    (mounted,) = (volume["target"] for volume in compose["volumes"] if isinstance(volume, dict))
    (port,) = (manifest.port for manifest in load_all() if manifest.name == "reporting")

    assert [{"targets": [f"reporting:{port}"], "labels": {"service": "reporting"}}] == ours["static_configs"]
    assert ours["metrics_path"] == "/metrics/business"
    assert ours["oauth2"]["client_secret_file"] == f"{mounted}/client_secret"
    assert ours["oauth2"]["token_url"].startswith("https://")
    assert "authorization" not in ours, "a token that somebody must renew"
