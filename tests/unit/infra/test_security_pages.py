"""The pages about security name tests, figures, alerts and settings that there are, and tests for every control."""

import re
from pathlib import Path

import pytest
import yaml

from services.cli.environment import variable_of
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.attacks.__main__ import POINTS

PAGES = ("security.md", "threat-model.md")


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, repository: Path) -> str:
    """A page."""
    return (repository / "docs" / str(request.param)).read_text()


@pytest.fixture
def security(repository: Path) -> str:
    """The page with the controls."""
    return (repository / "docs" / "security.md").read_text()


def test_every_test_that_is_named_is_there(page: str, repository: Path) -> None:
    """By its path, or by the end of it where the one before says in which folder."""
    tests = [str(path.relative_to(repository)) for path in (repository / "tests").rglob("*")]
    named = re.findall(r"`((?:tests/|[\w/]*test_)[\w./]+)`", page)
    assert [] == [name for name in named if not any(f"/{path}".endswith(f"/{name.rstrip('/')}") for path in tests)]


def test_every_control_names_its_tests(security: str) -> None:
    """Each part of the page says what is not defended, and what shows that the rest is."""
    _, *controls = re.split(r"^## ", security, flags=re.MULTILINE)
    without = [
        control.partition("\n")[0]
        for control in controls
        if not re.search(r"Not defended", control) or not re.search(r"Tested(?:\.\*\*|:)[^§]*`tests/", control)
    ]
    assert [] == without
    assert len(controls) > 15


def test_every_figure_alert_and_setting_that_is_named_is_there(page: str, repository: Path) -> None:
    """As the service has it, the rules, and the settings."""
    families = {family.name for family in Metrics().registry.collect()}
    figures = {name.removesuffix("_total") for name in re.findall(r"pitledger_[a-z_]+", page)}
    assert set() == figures - families
    rules = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    assert set() == set(re.findall(r"\bPitledger[A-Z]\w+", page)) - alerts
    settings = {variable_of(name, field) for name, field in Settings.model_fields.items()}
    assert set() == set(re.findall(r"\bPITLEDGER_[A-Z_]+", page)) - settings


def test_every_point_that_is_attacked_is_in_the_table(security: str) -> None:
    """With the control that it tries."""
    rows = re.findall(r"^\| (\d+) \|", security, flags=re.MULTILINE)
    assert sorted(POINTS) == sorted(map(int, rows))
