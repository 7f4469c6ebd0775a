"""`import pitledger`: what docs/python.md shows is what it prints; what is not allowed is refused."""

import re
from pathlib import Path

import pytest

import pitledger

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


def test_the_page_prints_the_edge_of_each_wager(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block of code as it stands there, in the repository."""
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    printed = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert {"blackjack", "insurance", "match_the_dealer"} == printed.keys()
    assert all(0 < float(edge.removesuffix("%")) < 10 for edge in printed.values())


def test_the_page_names_what_there_is() -> None:
    """Each function has its row."""
    rows = re.findall(r"^\| `(\w+)\(", PAGE.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(name for name in pitledger.__all__ if name.islower())


def test_what_the_regulation_does_not_allow_is_refused() -> None:
    """Two boxes of one seat."""
    seat = {"seat": 1, "player": "p1", "wagers": {"blackjack": 1500}, "dealt": ["Ac", "Jd"]}
    seat |= {"hands": [{"cards": ["Ac", "Jd"]}]}
    played = {"seats": [seat, seat], "dealer": {"cards": ["Td", "8s"]}}
    with pytest.raises(pitledger.Refused):
        pitledger.settle({"regulation": "pa-633a-2024", "submission": {"decks": 6}, "round": played})
