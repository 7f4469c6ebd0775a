"""Records of Blackjack rounds that cannot have happened are refused; their legal neighbors are not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.rules import Refused, Settlement, parse_round, parse_submission, settle

NEW = "pa-633a-2024"
DATA = Path(__file__).parent / "data"


def entries(name: str) -> list[Any]:
    """The records of a data file as parameters, each under its id."""
    documents = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return [pytest.param(document, id=document["id"]) for document in documents]


def settle_entry(entry: dict[str, Any]) -> Settlement:
    """Parse and settle the record of a data file."""
    regulation = entry.get("regulation", NEW)
    return settle(regulation, parse_round(regulation, entry["round"]), parse_submission(entry["submission"]))


@pytest.mark.parametrize("entry", entries("blackjack-refused.yaml"))
def test_an_impossible_record_is_refused(entry: dict[str, Any]) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry.get("seat"), entry["paragraph"]) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize("entry", entries("blackjack-legal.yaml"))
def test_a_legal_round_is_never_refused(entry: dict[str, Any]) -> None:
    """The neighbors of the refused records settle, with a Blackjack line for every seat."""
    seats = {seat["seat"] for seat in entry["round"]["seats"]}
    assert seats == {line.seat for line in settle_entry(entry).lines if line.wager == "blackjack"}


def test_a_round_of_another_kind_is_refused() -> None:
    """A record must be a Blackjack round to be settled as one."""
    submission: Any = parse_submission({"decks": 6})
    with pytest.raises(Refused, match="a Submission is not a round under pa-633a-2024"):
        settle(NEW, submission, submission)
