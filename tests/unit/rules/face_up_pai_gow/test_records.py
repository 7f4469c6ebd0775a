"""Records of Face Up Pai Gow rounds that cannot have happened are refused; their legal neighbors are not."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from shared.rules import Refused, Settlement, parse_round, parse_submission, settle

REGULATION: Final = "pa-688a"
DATA: Final = Path(__file__).parent / "data"


def entries(name: str) -> list[Any]:
    """The records of a data file as parameters, each under its id."""
    documents = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return [pytest.param(document, id=document["id"]) for document in documents]


def settle_entry(entry: dict[str, Any]) -> Settlement:
    """Settle the round of these tests with the parts that the entry replaces: a pair of kings against queens."""
    seat = {
        "seat": 2,
        "player": "p1",
        "wagers": {"face_up_pai_gow_poker": 1000},
        "cards": ["Ac", "Jd", "Kd", "9c", "2d", "6h", "Ks"],
        "low": ["Ac", "Jd"],
    }
    round_ = {
        "seats": [seat | entry.get("seat", {}), *([entry["also"]] if "also" in entry else [])],
        "dealer": {"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
    }
    submission = parse_submission(entry.get("submission", {}))
    return settle(REGULATION, parse_round(REGULATION, round_ | entry.get("round", {})), submission)


@pytest.mark.parametrize("entry", entries("refused.yaml"))
def test_an_impossible_record_is_refused(entry: dict[str, Any]) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry.get("at"), entry.get("paragraph")) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize("entry", entries("legal.yaml"))
def test_a_legal_round_is_never_refused(entry: dict[str, Any]) -> None:
    """The neighbors of the refused records settle."""
    assert entry["nets"] == {line.wager: line.net for line in settle_entry(entry).lines if line.seat == 2}
