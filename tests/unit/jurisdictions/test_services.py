"""No file of a service holds a figure that law fixes."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]


def test_no_service_has_a_figure_that_law_fixes() -> None:
    """What is packaged with services as data is the configuration of a property: its clock, and when its day begins."""
    found = {
        path.relative_to(ROOT).as_posix(): yaml.safe_load(path.read_text())
        for ending in ("*.yaml", "*.yml", "*.json")
        for path in sorted((ROOT / "services").rglob(ending))
    }
    assert {"services/wagering_accounts/configuration.yaml"} == found.keys()
    [items] = found.values()
    assert {"effective_from", "gaming_day_begins", "time_zone"} == {name for item in items for name in item}
