"""Records of rounds that cannot have happened are refused; their legal neighbors are not."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from shared.rules import Refused, games, parse_submission, settle
from tests.support.records import Document, read, settle_entry

HERE: Final = Path(__file__).parent


def _refusal(folder: Path, entry: Document) -> dict[str, Any] | None:
    """Return what the refusal of an entry says, its reason as far as the entry states it; None where it settles."""
    try:
        settle_entry(folder, entry)
    except Refused as refusal:
        reason = entry["reason"] if entry["reason"] in refusal.reason else refusal.reason
        return {"reason": reason, "seat": refusal.seat, "paragraph": refusal.paragraph}
    return None


@pytest.mark.parametrize("game", games())
def test_an_impossible_record_is_refused(game: str) -> None:
    """The refusal of each entry of the game names the seat, the value and the paragraph."""
    entries = read(HERE / game / "refused.yaml")
    expected = [(entry["id"], {name: entry.get(name) for name in ("reason", "seat", "paragraph")}) for entry in entries]
    assert expected == [(entry["id"], _refusal(HERE / game, entry)) for entry in entries]


def _nets(folder: Path, entry: Document) -> dict[int, Any] | str:
    """Return the net of each seat, or of each of its wagers where the entry says so; a refusal as text."""
    nets: dict[int, Counter[str]] = defaultdict(Counter)
    try:
        settlement = settle_entry(folder, entry)
    except Refused as refusal:
        return str(refusal)
    for line in settlement.lines:
        nets[line.seat][line.wager] += line.net
    by_wager = {seat for seat, net in entry["nets"].items() if isinstance(net, dict)}
    return {seat: dict(net) if seat in by_wager else net.total() for seat, net in nets.items()}


@pytest.mark.parametrize("game", games())
def test_a_legal_round_is_never_refused(game: str) -> None:
    """The neighbors of the refused records settle to the net of each seat, or of each of its wagers."""
    entries = read(HERE / game / "legal.yaml")
    assert entries
    expected = [(entry["id"], entry["nets"]) for entry in entries]
    assert expected == [(entry["id"], _nets(HERE / game, entry)) for entry in entries]


def test_a_round_of_another_kind_is_refused() -> None:
    """A record must be a Blackjack round to be settled as one."""
    submission: Any = parse_submission({"decks": 6})
    with pytest.raises(Refused, match="a Submission is not a round under pa-633a-2024"):
        settle("pa-633a-2024", submission, submission)
