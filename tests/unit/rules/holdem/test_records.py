"""Records of rounds that cannot have happened are refused; their legal neighbors are not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.rules import Refused, Settlement

Settle = Callable[[dict[str, Any]], Settlement]


def entries(name: str) -> list[Any]:
    """The entries of a data file as parameters, each under its id."""
    documents = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return [pytest.param(document, id=document["id"]) for document in documents]


@pytest.mark.parametrize("entry", entries("refused.yaml"))
def test_an_impossible_record_is_refused(entry: dict[str, Any], settle_entry: Settle) -> None:
    """The refusal names the seat, the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        settle_entry(entry)
    assert entry["reason"] in refusal.value.reason
    assert (entry.get("seat"), entry["paragraph"]) == (refusal.value.seat, refusal.value.paragraph)


@pytest.mark.parametrize("entry", entries("legal.yaml"))
def test_a_legal_round_is_never_refused(entry: dict[str, Any], settle_entry: Settle) -> None:
    """The neighbors of the refused records settle, with an Ante line for every seat."""
    settled = settle_entry(entry)
    antes = [line.seat for line in settled.lines if line.wager == "ante"]
    assert sorted({line.seat for line in settled.lines}, reverse=True) == antes
