"""No file of a service holds a figure that law fixes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]

SHOWN = {"cli/registry/ledger_mapping.yaml", "console/readings/readings.json", "console/words.yaml"}
"""A chart of accounts to begin with; what the console says: the readings of regulations, made from docs/contract, and
its words.
"""


def numbers(value: Any) -> Iterator[Any]:
    """Everything below a value that is a number, or text with a digit: a rate, an hour, cents."""
    match value:
        case dict():
            for name, below in value.items():
                yield from numbers(name)
                yield from numbers(below)
        case list():
            for below in value:
                yield from numbers(below)
        case None | bool():
            return
        case str():
            if any(character.isdigit() for character in value):
                yield value
        case _:
            yield value


def found_below(folder: Path) -> dict[str, list[Any]]:
    """The packaged data files below a folder that hold numbers, and which."""
    files = {
        path.relative_to(folder).as_posix(): list(numbers(list(yaml.safe_load_all(path.read_text()))))
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".yaml", ".yml", ".json")
    }
    return {name: found for name, found in files.items() if found}


def test_no_service_has_a_figure_that_law_fixes() -> None:
    """Rates, limits, hours and cents stand in the packs of law, in catalogues, or in a property that two people filed.

    A file that is packaged with a service holds no number at all, but for what is shown to people as it is.
    """
    assert SHOWN == found_below(ROOT / "services").keys()


def test_a_figure_in_a_new_file_is_found(tmp_path: Path) -> None:
    """However it is written: as a number, a rate in quotes, an hour, a day."""
    (tmp_path / "service").mkdir()
    (tmp_path / "service" / "limits.yaml").write_text(
        "- {rate: '0.05', begins: 06:00, since: 2026-01-01, minutes: 30, title: one of a kind, is_open: true}\n"
    )
    (tmp_path / "service" / "names.yml").write_text("title: a table without figures\n")
    assert ["service/limits.yaml"] == list(found_below(tmp_path))
    assert 4 == len(found_below(tmp_path)["service/limits.yaml"])
