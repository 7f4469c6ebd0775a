"""Rounds of Pai Gow Poker for tests, against a pair of queens unless they say otherwise."""

from typing import Any, Final

from shared.rules import Line, Settlement, parse_round, parse_submission, settle

PENNSYLVANIA: Final = "pa-645a-2011"
RHODE_ISLAND: Final = "ri-pai-gow"
Document = dict[str, Any]

QUEENS: Final = {"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]}
KINGS: Final = ("Ac Jd Kd 9c 2d 6h Ks", "Ac Jd")
ACES: Final = ("Ah Jk Kc Qd 5h 4h 2s", "Kc Qd")
JACKS: Final = ("Jc Jh 8c 5s 4s 3s 2c", "8c 5s")
FOUR_SIXES: Final = ("6s 6c 6d 6h 2s 3d 7h", "7h 3d")
STRAIGHT_FLUSH: Final = ("4c 5c 9c 6c Tc 7c 8c", "5c 4c")


def seat(number: int, hand: tuple[str, str], player: str | None = None, /, **wagers: int) -> Document:
    """Return a seat document with its cards and its low hand."""
    cards, low = hand
    return {
        "seat": number,
        "player": player or f"p{number}",
        "wagers": wagers,
        "cards": cards.split(),
        "low": low.split(),
    }


def settled(
    *seats: Document,
    regulation: str = PENNSYLVANIA,
    options: Document | None = None,
    wagers: Document | None = None,
    limit: int | None = None,
    **round_: Any,
) -> Settlement:
    """Settle a round against a pair of queens, unless the round says otherwise."""
    submission = parse_submission({"options": options or {}, "wagers": wagers or {}, "payout_limit": limit})
    document = {"seats": list(seats), "dealer": QUEENS} | round_
    return settle(regulation, parse_round(regulation, document), submission)


def lines(settlement: Settlement, wager: str) -> list[Line]:
    """Return the lines of one wager."""
    return [line for line in settlement.lines if line.wager == wager]
