"""A game of a known shape is its catalogue and its package: what docs/extend.md says, done in a copy of the tree."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
EXAMPLE: Final = ROOT / "docs" / "examples" / "new_game"

EVENT: Final = {
    "specversion": "1.0",
    "id": "HC-1-1",
    "source": "/properties/riverside/tables/HC-1",
    "type": "round.completed",
    "time": "2026-11-20T10:00:00Z",
    "sequence": 1,
    "data": {
        "property": "riverside",
        "table": "HC-1",
        "game": "high-card",
        "gaming_day": "2026-11-20",
        "round_id": "HC-1-r1",
        "opened_at": "2026-11-20T10:00:00Z",
        "closed_at": "2026-11-20T10:01:00Z",
        "regulation": "xx-high-card",
        "round": {
            "seats": [{"seat": 3, "player": "p", "wagers": {"ante": 1000}, "cards": ["As"]}],
            "dealer": ["Kd"],
        },
    },
}

READS_THE_EVENT: Final = """
import sys
from shared.contracts.envelope import encode
from shared.contracts.tables import READER
from shared.rules import compile_rules, parse_submission, payback
event = READER.decode(sys.argv[1].encode())
assert READER.decode(encode(event)) == event
offer = parse_submission({"wagers": {"match": {"paytable": "A"}}})
settlement = compile_rules(event.data.regulation, offer).settle(event.data.round)
print(type(event.data).__name__, settlement.players_net, payback(event.data.regulation, "match", offer))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the code, and add the catalogue and the package of the made-up game."""
    tree = tmp_path_factory.mktemp("tree")
    for folder in ("shared", "services"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(EXAMPLE / "xx-high-card.yaml", tree / "shared" / "rules" / "catalogue")
    shutil.copytree(EXAMPLE / "high_card", tree / "shared" / "rules" / "high_card")
    return tree


def run(tree: Path, *words: str) -> str:
    """Run Python in the copy and return what it printed."""
    done = subprocess.run([sys.executable, *words], cwd=tree, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_command_line_settles_its_cases(tree: Path) -> None:
    """A round settles to the lines that its text requires, and one that cannot have happened is refused."""
    found = run(tree, "-m", "services.cli.main", "settle", "--check", str(EXAMPLE / "cases.yaml"))
    assert "2 cases: 2 as expected" in found


def test_a_tables_event_with_its_round_is_decoded_and_settled(tree: Path) -> None:
    """The event is read as the one of its game, and its Match Wager has a payback: 3 of 51 cards at 15 to 1."""
    found = run(tree, "-c", READS_THE_EVENT, json.dumps(EVENT))
    assert ["PlayedHighCard", "1000", "16/17"] == found.split()


def test_its_page_is_generated(tree: Path) -> None:
    """The page lists what a licensee may select."""
    page = run(tree, "-m", "shared.rules.document", "xx-high-card")
    assert "### Match Wager (`match`)" in page
    assert "| `same_rank` | 15 to 1 |" in page
