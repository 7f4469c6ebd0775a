"""Records of rounds that cannot have happened are refused; their legal neighbors are not."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from shared.rules import Refused, games, parse_submission, settle
from tests.support.records import Document, read, settle_entry

HERE: Final = Path(__file__).parent


def entries(name: str) -> list[Any]:
    """Return the entries of every game's data file, each under its game and id."""
    return [
        pytest.param(HERE / game, entry, id=f"{game}: {entry['id']}")
        for game in games()
        for entry in read(HERE / game / name)
    ]


@pytest.mark.parametrize(("folder", "entry"), entries("refused.yaml"))
def test_an_impossible_record_is_refused(folder: Path, entry: Document) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(folder, entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry.get("seat"), entry.get("paragraph")) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize(("folder", "entry"), entries("legal.yaml"))
def test_a_legal_round_is_never_refused(folder: Path, entry: Document) -> None:
    """The neighbors of the refused records settle to the net of each seat, or of each of its wagers."""
    nets: dict[int, Counter[str]] = defaultdict(Counter)
    for line in settle_entry(folder, entry).lines:
        nets[line.seat][line.wager] += line.net
    expected = entry["nets"]
    assert expected == {
        seat: by_wager if isinstance(expected.get(seat), dict) else by_wager.total() for seat, by_wager in nets.items()
    }


def test_a_round_of_another_kind_is_refused() -> None:
    """A record must be a Blackjack round to be settled as one."""
    submission: Any = parse_submission({"decks": 6})
    with pytest.raises(Refused, match="a Submission is not a round under pa-633a-2024"):
        settle("pa-633a-2024", submission, submission)
