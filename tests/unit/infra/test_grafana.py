"""The dashboard: it stands where Grafana looks for it and asks for what exists."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture(scope="module")
def dashboard(repository: Path) -> dict[str, Any]:
    """The dashboard as Grafana reads it."""
    parsed: dict[str, Any] = json.loads((repository / "infra/grafana/dashboards/operations.json").read_text())
    return parsed


def _expressions(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_dashboard_names_only_metrics_that_exist(
    dashboard: dict[str, Any], unknown_metrics: Callable[[str], set[str]]
) -> None:
    """A renamed metric would leave a panel empty."""
    variables = [variable["definition"] for variable in dashboard["templating"]["list"]]

    assert not {
        expression: unknown
        for expression in [*_expressions(dashboard), *variables]
        if (unknown := unknown_metrics(expression))
    }


def test_dashboard_names_only_recording_rules_that_exist(repository: Path, dashboard: dict[str, Any]) -> None:
    """Every recorded series that a panel reads is recorded, and none is recorded for nobody."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    recorded = {rule["record"] for group in groups for rule in group["rules"] if "record" in rule}
    used = {expression.partition("{")[0] for expression in _expressions(dashboard) if expression.startswith("service")}

    assert recorded == used


def test_panels_do_not_overlap_and_each_says_what_it_shows(dashboard: dict[str, Any]) -> None:
    """Each panel has a place of its own, a title, a description and at least one query."""
    cells: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        own = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & own, f"panel '{panel['title']}' covers another"
        assert place["x"] + place["w"] <= 24, f"panel '{panel['title']}' leaves the grid of 24 columns"
        assert panel["title"]
        assert panel["description"]
        assert panel["targets"]
        cells |= own
    identities = [panel["id"] for panel in dashboard["panels"]]

    assert sorted(set(identities)) == identities


def test_provisioning_leads_to_the_dashboard_and_its_data_source(repository: Path, dashboard: dict[str, Any]) -> None:
    """Grafana mounts what its provisioning names, and every panel asks the data source that is provisioned."""
    provisioning = repository / "infra/grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/pitledger.yml").read_text())["providers"]
    grafana = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]["grafana"]

    assert {source["uid"]} == {panel["datasource"]["uid"] for panel in dashboard["panels"]}
    assert f"./infra/grafana/dashboards:{provider['options']['path']}:ro" in grafana["volumes"]
    assert "./infra/grafana/provisioning:/etc/grafana/provisioning:ro" in grafana["volumes"]
