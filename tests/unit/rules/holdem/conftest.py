"""A legal round of Texas Hold 'Em Bonus Poker with everything offered, and changes to it."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from shared.rules import Line, Settlement, parse_round, parse_submission, settle

Document = dict[str, Any]
REGULATION = "pa-647a"
METER = {"rate": "0.1", "reset": 1000000}
SUBMISSION: Document = {
    "options": {"ante_pays_on": "straight"},
    "wagers": {
        "texas_holdem_bonus": {"paytable": "A"},
        "progressive_payout": {"meter": METER},
        "five_card_hand_bonus": {"magic_card": True, "lucky_bonus": True, "meter": METER},
    },
}
ROUND: Document = {
    "seats": [
        {
            "seat": 2,
            "player": "p2",
            "wagers": {
                "ante": 1000,
                "flop": 2000,
                "turn": 1000,
                "river": 1000,
                "texas_holdem_bonus": 500,
                "progressive_payout": 100,
                "five_card_hand_bonus_player": 300,
                "five_card_hand_bonus_dealer": 200,
            },
            "cards": ["Ah", "Kh"],
        },
        {"seat": 5, "player": "p5", "wagers": {"ante": 1000}, "cards": ["7c", "2d"], "folded": True},
    ],
    "dealer": {"cards": ["Js", "Td"]},
    "community": ["Qd", "8s", "5h", "Jc", "4h"],
    "meters": {"progressive_payout": 1500000, "five_card_hand_bonus": 1200000},
}


def changed_submission(entry: Document) -> Document:
    """The submission without the wagers and the options that the entry withdraws."""
    submission = copy.deepcopy(SUBMISSION)
    for wager in entry.get("withdrawn", []):
        del submission["wagers"][wager]
    for option in entry.get("withdrawn_options", []):
        del submission["wagers"]["five_card_hand_bonus"][option]
    return submission


def changed_round(entry: Document) -> Document:
    """The round with the changes of the entry; an amount or a dealer of None is left out."""
    round_ = copy.deepcopy(ROUND)
    for field in ("seats", "dealer", "community", "meters", "irregularities"):
        if field in entry:
            round_[field] = entry[field]
    if round_["dealer"] is None:
        del round_["dealer"]
    for position, number in enumerate((2, 5)):
        if "seats" not in entry:
            seat = round_["seats"][position]
            seat["wagers"] |= entry.get(f"wagers_{number}", {})
            seat |= entry.get(f"seat_{number}", {})
            seat["wagers"] = {wager: cents for wager, cents in seat["wagers"].items() if cents is not None}
    return {**round_, **entry.get("round", {})}


def settle_entry(entry: Document) -> Settlement:
    """Parse and settle the changed round."""
    submission = parse_submission(changed_submission(entry))
    return settle(REGULATION, parse_round(REGULATION, changed_round(entry)), submission)


@pytest.fixture(name="settle_entry")
def settle_entry_fixture() -> Callable[[Document], Settlement]:
    """Settle the legal round with the changes of an entry."""
    return settle_entry


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
        selected = parse_submission(SUBMISSION | (submission or {}))
        return settle(REGULATION, parse_round(REGULATION, round_ | fields), selected)

    return run


@pytest.fixture(name="lines")
def lines_fixture() -> Callable[..., list[Line]]:
    """All lines of a seat and wager."""

    def find(settlement: Settlement, seat: int, wager: str) -> list[Line]:
        return [line for line in settlement.lines if (line.seat, line.wager) == (seat, wager)]

    return find
