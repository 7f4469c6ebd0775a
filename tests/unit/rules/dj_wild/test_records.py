"""Records of DJ Wild rounds that cannot have happened are refused; their legal neighbors are not."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.rules import Refused, Settlement, parse_round, parse_submission, settle

REGULATION = "pa-687a"


def entries(name: str) -> list[Any]:
    """The records of a data file as parameters, each under its id."""
    documents = yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return [pytest.param(document, id=document["id"]) for document in documents]


def settle_entry(entry: dict[str, Any]) -> Settlement:
    """Parse and settle the record of a data file."""
    submission = parse_submission(entry["submission"])
    return settle(REGULATION, parse_round(REGULATION, entry["round"]), submission)


@pytest.mark.parametrize("entry", entries("refused.yaml"))
def test_an_impossible_record_is_refused(entry: dict[str, Any]) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry["seat"], entry["paragraph"]) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize("entry", entries("legal.yaml"))
def test_a_legal_round_is_never_refused(entry: dict[str, Any]) -> None:
    """The neighbors of the refused records settle to the net of each seat."""
    nets: Counter[int] = Counter()
    for line in settle_entry(entry).lines:
        nets[line.seat] += line.net
    assert entry["nets"] == nets
