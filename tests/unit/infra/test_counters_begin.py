"""An alert that asks what a counter has gained sees its first record: the counter is there before, at zero."""

import re
from pathlib import Path
from typing import get_args

import yaml
from prometheus_client import generate_latest

from shared.runtime.ingest.plausibility import PlausibilityLimit
from shared.runtime.metrics import Metrics

RULES = Path(__file__).parents[3] / "infra" / "prometheus" / "rules.yml"
GAINED = re.compile(r'increase\((\w+)(?:{\w+="([^"]+)"})?\[')


def test_what_alerts_add_up_is_there_before_the_first_record() -> None:
    """Each counter of which an alert takes the increase, with the label that it asks for."""
    rules = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    wanted = {found for rule in rules for found in GAINED.findall(rule["expr"])}
    assert len(wanted) >= 5
    metrics = Metrics()
    metrics.begin_topic("table.events", get_args(PlausibilityLimit))
    shown = generate_latest(metrics.registry).decode().splitlines()
    for name, label in wanted:
        series = [line for line in shown if line.startswith(name) and (not label or f'"{label}"' in line)]
        assert series, f"{name} {label} is not there"
        assert all(line.endswith(" 0.0") for line in series)
