"""The pages of operations say what is: settings, ports, metrics and alerts are those of the code."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import AliasChoices

from services.cli.codegen.generate import drift, texts
from services.cli.services import NAMES, url_variable
from shared.runtime.settings import Settings


@pytest.fixture(scope="module")
def settings_page(repository: Path) -> str:
    """The page of settings."""
    return (repository / "docs/operate/settings.md").read_text()


def _settings() -> dict[str, object]:
    """Every environment variable that the services read, with its default."""
    found: dict[str, object] = {}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias.choices[0] if isinstance(alias, AliasChoices) else f"PITLEDGER_{name.upper()}"
        found[str(variable)] = field.default
    return found


def _documented(page: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", page, flags=re.M))


def test_settings_table_lists_every_variable(settings_page: str) -> None:
    """No setting is missing from the table, and none is left over."""
    assert set(_settings()) == set(_documented(settings_page))


def test_settings_table_gives_the_defaults(settings_page: str) -> None:
    """A default in the table is the default in the code; where there is none, the table says what that means."""
    documented = _documented(settings_page)
    for variable, default in _settings().items():
        value = default.get_secret_value() if hasattr(default, "get_secret_value") else default
        if value is None:
            assert "`" not in documented[variable], variable
        else:
            assert f"`{value}`" == documented[variable], variable


def test_deployments_set_only_documented_variables(repository: Path, settings_page: str) -> None:
    """What the image, Compose and Kubernetes set is something that the services read."""
    compose = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]
    used = {
        name
        for service in compose.values()
        if service["image"].startswith("pitledger")
        for name in service.get("environment", {})
    }
    used |= set(re.findall(r"\b(PITLEDGER_[A-Z_]+)=", (repository / "Dockerfile").read_text()))
    base = repository / "infra/kubernetes"
    for path in (*base.glob("*.yaml"), base / "service/service.yaml"):
        for document in yaml.safe_load_all(path.read_text()):
            used |= _variables(document)

    assert used
    assert "`PITLEDGER_<SERVICE>_URL`" in settings_page
    assert set() == used - set(_documented(settings_page)) - {url_variable(name) for name in NAMES}


def _variables(manifest: dict[str, Any]) -> set[str]:
    if manifest["kind"] == "ConfigMap":
        return set(manifest["data"])
    pod = manifest.get("spec", {}).get("template", {}).get("spec", {})
    return {variable["name"] for container in pod.get("containers", ()) for variable in container["env"]}


def test_what_follows_from_the_code_is_as_the_code_says() -> None:
    """Schemas, Compose, Kubernetes, Prometheus, logins, import lines, ports and roles: `make generated` writes them."""
    assert [] == drift(texts())


def test_metrics_table_lists_every_metric(repository: Path, exposed_metrics: frozenset[str]) -> None:
    """No metric is missing from the table, and none is left over."""
    table = (repository / "docs/operate/metrics.md").read_text()
    documented: set[str] = set()
    for line in table.splitlines():
        for name in re.findall(r"`(pitledger_\w+)`", line):
            histogram = "(histogram)" in line
            documented |= {f"{name}_{part}" for part in ("bucket", "sum", "count")} if histogram else {name}

    assert exposed_metrics == documented


def test_every_alert_has_its_page(repository: Path) -> None:
    """Each alert has a page, which the list of alerts links to, with its severity; no page is left over."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    alerts = {
        (rule["alert"], rule["labels"]["severity"]) for group in groups for rule in group["rules"] if "alert" in rule
    }
    pages = [path for path in (repository / "docs/alerts").glob("*.md") if path.name != "index.md"]
    headings = {
        (path.stem, severity)
        for path in pages
        for severity in re.findall(rf"^# {path.stem} \((\w+)\)$", path.read_text(), re.M)
    }
    listed = re.findall(r"^- \[(\w+)\]\(\1\.md\)$", (repository / "docs/alerts/index.md").read_text(), flags=re.M)

    assert alerts == headings
    assert sorted(listed) == sorted(name for name, _ in alerts) == sorted(path.stem for path in pages)
