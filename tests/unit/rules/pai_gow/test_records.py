"""Records of Pai Gow Poker rounds that cannot have happened are refused; their legal neighbors are not."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission, settle, validate_submission

PENNSYLVANIA: Final = "pa-645a-2011"
DATA: Final = Path(__file__).parent / "data"


def entries(name: str) -> list[Any]:
    """The records of a data file as parameters, each under its id."""
    documents = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return [pytest.param(document, id=document["id"]) for document in documents]


def settle_entry(entry: dict[str, Any]) -> Settlement:
    """Settle the round of these tests with the parts that the entry replaces: kings beat queens, ace-jack ace-ten."""
    regulation = entry.get("regulation", PENNSYLVANIA)
    seat = {
        "seat": 2,
        "player": "p1",
        "wagers": {"pai_gow_poker": 1000},
        "cards": ["Ac", "Jd", "Kd", "9c", "2d", "6h", "Ks"],
        "low": ["Ac", "Jd"],
    }
    round_ = {
        "seats": [seat | entry.get("seat", {}), *([entry["also"]] if "also" in entry else [])],
        "dealer": {"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
    }
    submission = parse_submission(entry.get("submission", {}))
    return settle(regulation, parse_round(regulation, round_ | entry.get("round", {})), submission)


@pytest.mark.parametrize("entry", entries("refused.yaml"))
def test_an_impossible_record_is_refused(entry: dict[str, Any]) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry.get("at"), entry["paragraph"]) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize("entry", entries("legal.yaml"))
def test_a_legal_round_is_never_refused(entry: dict[str, Any]) -> None:
    """The neighbors of the refused records settle, with these nets of seat 2."""
    nets: dict[str, int] = {}
    for line in settle_entry(entry).lines:
        if line.seat == 2:
            nets[line.wager] = nets.get(line.wager, 0) + line.net
    assert entry["nets"] == nets


@pytest.mark.parametrize("regulation", [PENNSYLVANIA, "ri-pai-gow"])
def test_a_submission_is_validated_with_its_house_way(regulation: str) -> None:
    """A house way that cannot be read is refused with the submission, before any round."""
    submission = parse_submission({"options": {"house_way": "pair: two highest"}})
    with pytest.raises(Refused, match="no low hand 'two highest'"):
        validate_submission(regulation, submission)
    with pytest.raises(Refused, match="no low hand 'two highest'"):
        compile_rules(regulation, submission)
