"""Builders of round records and submissions for the tests of the rules."""

from collections.abc import Callable
from typing import Any, Protocol

import pytest

from shared.rules import Line, Settlement, parse_round, parse_submission, settle

REGULATION = "pa-633a-2024"


class Settle(Protocol):
    """Settle a round document under a submission document."""

    def __call__(
        self, round_: dict[str, Any], submission: dict[str, Any] | None = None, *, regulation: str = REGULATION
    ) -> Settlement: ...


@pytest.fixture
def settle_documents() -> Settle:
    """Take documents through parsing and settlement, six decks unless the submission says otherwise."""

    def run(
        round_: dict[str, Any], submission: dict[str, Any] | None = None, *, regulation: str = REGULATION
    ) -> Settlement:
        selected = parse_submission({"decks": 6} | (submission or {}))
        return settle(regulation, parse_round(regulation, round_), selected)

    return run


@pytest.fixture
def seat() -> Callable[..., dict[str, Any]]:
    """Return a seat document: `seat(1, "Th 9d")`; more hands and fields as keywords, wagers beside one of 1000."""

    def build(number: int, dealt: str, *, hands: list[Any] | None = None, **fields: Any) -> dict[str, Any]:
        cards = dealt.split()
        wagers = {"blackjack": 1000} | fields.pop("wagers", {})
        played = [hand if isinstance(hand, dict) else {"cards": hand.split()} for hand in hands or [dealt]]
        return {"seat": number, "player": f"p{number}", "wagers": wagers, "dealt": cards, "hands": played} | fields

    return build


def line(settlement: Settlement, wager: str, *, seat: int = 1, hand: int | None = None) -> Line:
    """Return the one line of a seat, wager and hand."""
    (found,) = [entry for entry in settlement.lines if (entry.seat, entry.wager, entry.hand) == (seat, wager, hand)]
    return found


@pytest.fixture(name="line")
def line_fixture() -> Callable[..., Line]:
    """Find the one line of a seat, wager and hand in a settlement."""
    return line
