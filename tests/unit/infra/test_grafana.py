"""The boards: Grafana's own models take them whole, and they stand where Grafana looks and ask for what exists."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

Board = dict[str, Any]

BOARDS = ("floor", "integrity", "pipeline")

OF_THE_DATA_SOURCE = {"titleFormat", "textFormat", "step"}
"""What Prometheus' plug-in reads of an annotation, and Grafana's model of a board does not list."""


def _read(repository: Path, name: str) -> Board:
    parsed: Board = json.loads((repository / f"infra/grafana/dashboards/{name}.json").read_text())
    return parsed


@pytest.fixture(scope="module")
def boards(repository: Path) -> list[Board]:
    """The boards as Grafana reads them."""
    return [_read(repository, name) for name in BOARDS]


@pytest.fixture(scope="module", params=BOARDS)
def board(repository: Path, request: pytest.FixtureRequest) -> Board:
    """Each board."""
    return _read(repository, request.param)


def _queries(board: Board) -> list[str]:
    """Return what a board asks: its panels, its variables and its annotations."""
    panels = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    variables = [variable["query"]["query"] for variable in board["templating"]["list"]]
    return [*panels, *variables, *(annotation["expr"] for annotation in board["annotations"]["list"])]


def _lost(written: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Name what of a document is gone, or another, after Grafana's models have read it."""
    if isinstance(written, dict) and isinstance(kept, dict):
        for name, value in written.items():
            if name in kept:
                yield from _lost(value, kept[name], f"{path}.{name}")
            elif value is not None and name not in OF_THE_DATA_SOURCE:
                yield f"{path}.{name}"
    elif isinstance(written, list) and isinstance(kept, list) and len(written) == len(kept):
        for place, (one, other) in enumerate(zip(written, kept, strict=True)):
            yield from _lost(one, other, f"{path}[{place}]")
    elif written != kept:
        yield path


def _lost_in_grafana(board: Board) -> list[str]:
    register_default_plugins()
    return list(_lost(board, json.loads(JSONEncoder().encode(Dashboard.from_json(board)))))


def test_grafana_knows_everything_that_a_board_says(board: Board) -> None:
    """Read and written again by Grafana's models, nothing is missing: a misspelled option would be."""
    assert [] == _lost_in_grafana(board)

    misspelled = json.loads(json.dumps(board).replace('"gridPos"', '"gridPosition"', 1).replace('"expr"', '"exp"', 1))
    assert [] != _lost_in_grafana(misspelled)


def test_a_board_names_only_metrics_that_exist(board: Board, unknown_metrics: Callable[[str], set[str]]) -> None:
    """A renamed metric would leave a panel empty."""
    assert not {query: unknown for query in _queries(board) if (unknown := unknown_metrics(query))}


def test_every_metric_is_on_a_board_or_in_a_rule(
    repository: Path, boards: list[Board], exposed_metrics: frozenset[str]
) -> None:
    """What neither shows would be counted for nobody."""
    rules = (repository / "infra/prometheus/rules.yml").read_text()
    used = set(re.findall(r"\bpitledger_\w+", rules + " ".join(query for board in boards for query in _queries(board))))
    parts_of_histograms = re.compile("_(bucket|sum|count)$")
    shown, exposed = ({parts_of_histograms.sub("", name) for name in names} for names in (used, exposed_metrics))

    assert set() == exposed - shown


def test_boards_name_the_recording_rules_that_there_are(repository: Path, boards: list[Board]) -> None:
    """Every recorded series that a panel reads is recorded, and none is recorded for nobody."""
    groups = yaml.safe_load((repository / "infra/prometheus/rules.yml").read_text())["groups"]
    recorded = {rule["record"] for group in groups for rule in group["rules"] if "record" in rule}
    used = {
        name for board in boards for query in _queries(board) for name in re.findall(r"\w+:pitledger_\w+:\w+", query)
    }

    assert recorded == used


def test_panels_do_not_overlap_and_each_says_what_it_shows(board: Board) -> None:
    """Each panel has a place of its own, a title, a description and at least one query."""
    cells: set[tuple[int, int]] = set()
    for panel in board["panels"]:
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
    identities = [panel["id"] for panel in board["panels"]]

    assert sorted(set(identities)) == identities


def test_provisioning_leads_to_the_boards_and_their_data_source(repository: Path, boards: list[Board]) -> None:
    """Grafana mounts what its provisioning names, and every panel asks the data source that is provisioned."""
    provisioning = repository / "infra/grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/pitledger.yml").read_text())["providers"]
    grafana = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]["grafana"]

    assert {f"pitledger-{name}" for name in BOARDS} == {board["uid"] for board in boards}
    assert set(BOARDS) == {path.stem for path in (repository / "infra/grafana/dashboards").iterdir()}
    assert {source["uid"]} == {panel["datasource"]["uid"] for board in boards for panel in board["panels"]}
    assert f"./infra/grafana/dashboards:{provider['options']['path']}:ro" in grafana["volumes"]
    assert "./infra/grafana/provisioning:/etc/grafana/provisioning:ro" in grafana["volumes"]
