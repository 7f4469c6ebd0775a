"""Rounds of Texas Hold 'Em Bonus Poker with everything offered."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shared.rules import Line, Settlement, parse_round, parse_submission, settle
from tests.support.records import Document, read, settle_entry

REGULATION = "pa-647a"
FOLDER = Path(__file__).parent


@pytest.fixture(name="settle_entry")
def settle_entry_fixture() -> Callable[[Document], Settlement]:
    """Settle the legal round with the changes of an entry."""
    return partial(settle_entry, FOLDER)


@pytest.fixture(name="settle_seats")
def settle_seats_fixture() -> Callable[..., Settlement]:
    """Settle a round from seat to cards and wagers: `settle_seats({1: ("As Ks", {"ante": 100})}, "Qs Js Ts 2h 3d")`."""

    def run(
        seats: dict[int, tuple[str, dict[str, int]]],
        community: str,
        *,
        dealer: str = "9h 9d",
        submission: Document | None = None,
        **fields: Any,
    ) -> Settlement:
        round_ = {
            "seats": [
                {
                    "seat": number,
                    "player": f"p{number}",
                    "wagers": wagers,
                    "cards": cards.split(),
                    "folded": "flop" not in wagers,
                }
                for number, (cards, wagers) in seats.items()
            ],
            "dealer": {"cards": dealer.split()},
            "community": community.split(),
            "meters": {"progressive_payout": 2000000, "five_card_hand_bonus": 2000000},
        }
        selected = parse_submission(read(FOLDER / "base.yaml")["submission"] | (submission or {}))
        return settle(REGULATION, parse_round(REGULATION, round_ | fields), selected)

    return run


@pytest.fixture(name="lines")
def lines_fixture() -> Callable[..., list[Line]]:
    """Return all lines of a seat and wager."""

    def find(settlement: Settlement, seat: int, wager: str) -> list[Line]:
        return [line for line in settlement.lines if (line.seat, line.wager) == (seat, wager)]

    return find
