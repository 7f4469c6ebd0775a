"""A full table of each game: a round document with every seat taken and many wagers per seat."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FullRound:
    """A full table under one regulation: the rules submission, and a round whose wagers are multiples of a unit.

    `document` returns the round for a unit in cents. `lines` is the number of settlement lines of the round.
    """

    regulation: str
    submission: Document
    document: Callable[[int], Document]
    lines: int


_BLACKJACK: Final[Document] = {
    "decks": 6,
    "wagers": {
        "twenty_point_bonus": {},
        "match_the_dealer": {},
        "royal_match_21": {"paytable": "D", "crown_treasure": True},
    },
}
_BLACKJACK_HANDS: Final[list[list[Document]]] = [
    [{"cards": ["Ks", "9d"]}],
    [{"cards": ["8h", "Tc"]}, {"cards": ["8d", "3c", "9s"], "double": 500}],
    [{"cards": ["7d", "Th"]}],
    [{"cards": ["Ac", "Jd"]}],
    [{"cards": ["9h", "5d", "Kc"]}],
    [{"cards": ["Qh", "Qh"]}],
    [{"cards": ["Ah", "6d", "2s"]}],
]


def _blackjack(unit: int) -> Document:
    """Return a Blackjack round of seven seats with three side bets each: hits, splits, doubles, a drawing dealer."""
    seats = []
    for number, hands in enumerate(_BLACKJACK_HANDS, start=1):
        dealt = hands[0]["cards"][:2] if len(hands) == 1 else [hand["cards"][0] for hand in hands]
        wagers = {"blackjack": 5 * unit} | dict.fromkeys(_BLACKJACK["wagers"], unit)
        seats.append({"seat": number, "player": f"p{number}", "wagers": wagers, "dealt": dealt, "hands": hands})
    return {"seats": seats, "dealer": {"cards": ["6d", "5c", "7h"]}}


_HOLDEM: Final[Document] = {
    "options": {"ante_pays_on": "straight"},
    "wagers": {
        "texas_holdem_bonus": {"paytable": "A"},
        "progressive_payout": {"meter": {"rate": "0.2", "reset": 1000000}},
        "five_card_hand_bonus": {
            "magic_card": True,
            "lucky_bonus": True,
            "meter": {"rate": "0.1", "reset": 1000000},
        },
    },
}
_HOLDEM_HANDS: Final = ("Jh Th", "9c 9d", "Ts 6c", "Ah 2h", "As Ac", "9s 8s")


def _holdem(unit: int) -> Document:
    """Return a round of six seats with all eight wagers each: one folds, one has a straight flush with Envy Bonuses."""
    seats: list[Document] = []
    for number, cards in enumerate(_HOLDEM_HANDS, start=1):
        folded = number == len(_HOLDEM_HANDS)
        main = {"ante": unit} if folded else {"ante": unit, "flop": 2 * unit, "turn": unit, "river": unit}
        side = {"texas_holdem_bonus": unit, "progressive_payout": 500 if number % 2 else 100}
        five_card = {"five_card_hand_bonus_player": unit, "five_card_hand_bonus_dealer": unit}
        seats.append(
            {
                "seat": number,
                "player": f"p{number}",
                "wagers": main | side | five_card,
                "cards": cards.split(),
                "folded": folded,
            }
        )
    return {
        "seats": seats,
        "dealer": {"cards": ["Kd", "Kc"]},
        "community": ["9h", "8h", "7h", "Kh", "4d"],
        "meters": {"progressive_payout": 1500000, "five_card_hand_bonus": 1200000},
        "magic_card": "8h",
        "lucky_position": "dealer",
    }


_FACE_UP_PAI_GOW: Final[Document] = {
    "wagers": {
        "ace_high_bonus": {"paytable": "1"},
        "fortune_bonus": {"paytable": "2"},
        "progressive_payout": {"paytable": "4"},
    }
}
_FACE_UP_HANDS: Final = (
    ("9h Qd 5c Js 8d Jh 2d", "Qd 9h"),
    ("4d 9c Kd 9s 7c Qh 6s", "Qh 6s"),
    ("4h 2c Jd 6c Ts 8h Td", "Jd 4h"),
    ("3h 5s Tc Jc 3d 3c 3s", "Tc 5s"),
    ("Jk 6h 7h 5h Kc 2s 9d", "Kc 9d"),
    ("Qs Qc Th 7s 8c 4c 4s", "4c 4s"),
)


def _face_up_pai_gow(unit: int) -> Document:
    """Return a round of six seats with all optional wagers; a four-of-a-kind earns each other seat two Envy Bonuses."""
    seats: list[Document] = []
    for number, (cards, low) in enumerate(_FACE_UP_HANDS, start=1):
        wagers = {"face_up_pai_gow_poker": 5 * unit, "ace_high_bonus": unit, "fortune_bonus": unit}
        seats.append(
            {
                "seat": number,
                "player": f"p{number}",
                "wagers": wagers | {"progressive_payout": 500},
                "cards": cards.split(),
                "low": low.split(),
            }
        )
    return {
        "seats": seats,
        "dealer": {"cards": ["As", "Ac", "Ks", "Kh", "5d", "8s", "Ad"], "low": ["Ks", "Kh"]},
        "meters": {"progressive_payout": 1010000},
    }


_PAI_GOW: Final[Document] = {
    "options": {"vigorish_rounding": "quarter_up", "house_way": "standard"},
    "wagers": {
        "fortune_bonus": {"paytable": "A"},
        "emperors_treasure": {"paytable": "A"},
        "pai_gow_insurance": {"paytable": "A"},
        "progressive_payout": {"meter": {"rate": "0.28", "reset": 200000}},
    },
}


def _pai_gow(unit: int) -> Document:
    """Return a round of six seats with all optional wagers: a four-of-a-kind with Envy Bonuses, a house-way dealer."""
    seats: list[Document] = []
    for number, (cards, low) in enumerate(_FACE_UP_HANDS, start=1):
        wagers = {"pai_gow_poker": 5 * unit} | dict.fromkeys(_PAI_GOW["wagers"], unit)
        seats.append(
            {"seat": number, "player": f"p{number}", "wagers": wagers, "cards": cards.split(), "low": low.split()}
        )
    return {
        "seats": seats,
        "dealer": {"cards": ["As", "Ac", "Ks", "Kh", "5d", "8s", "Ad"], "low": ["Ks", "Kh"]},
        "meters": {"progressive_payout": 1010000},
    }


_RI_PAI_GOW: Final[Document] = {
    "options": {"main_payout": "1 to 1", "banking": True},
    "wagers": {
        "bonus": {},
        "progressive_payout": {"paytable": "one_dollar", "meter": {"rate": "0.21", "reset": 1000000}},
        "starting_position": {},
    },
}


def _ri_pai_gow(unit: int) -> Document:
    """Return a round of six seats, including the bank: bonus and progressive each, two position picks per player."""
    seats: list[Document] = []
    for number, (cards, low) in enumerate(_FACE_UP_HANDS, start=1):
        wagers = {"bonus": unit, "progressive_payout": 100}
        seat = {"seat": number, "player": f"p{number}", "cards": cards.split(), "low": low.split()}
        if number == len(_FACE_UP_HANDS):
            seats.append(seat | {"wagers": wagers})
        else:
            wagers |= {"pai_gow_poker": 5 * unit, "starting_position": 2 * unit}
            seats.append(seat | {"wagers": wagers, "picks": {"1": unit, str(number + 1): unit}})
    return {
        "seats": seats,
        "bank": {"seat": len(_FACE_UP_HANDS)},
        "starting_position": 3,
        "meters": {"progressive_payout": 1010000},
    }


_DJ_WILD: Final[Document] = {
    "wagers": {
        "progressive_bonus": {"paytable": "1", "meter": {"rate": "0.2", "reset": 200000}},
        "trips_bonus": {"paytable": "DJWT-05"},
        "two_way_bad_beat_bonus": {"paytable": "DJWBB-02"},
    },
}
_DJ_WILD_HANDS: Final = (
    "5c 5d 5s Jd 8d",
    "Kc 9c 6c 4c 2s",
    "Tc Td 4s 4h 2h",
    "9h 8h 7h 6h 5h",
    "Ac Ad Ah As 2c",
    "Qc Qd Qs 7d Jk",
)


def _dj_wild(unit: int) -> Document:
    """Return a round of six seats with all six wagers each: wild cards, a straight flush with Envy Bonuses."""
    seats = []
    for number, cards in enumerate(_DJ_WILD_HANDS, start=1):
        main = {"ante": unit, "blind": unit, "raise": 2 * unit}
        side = {"progressive_bonus": 100, "trips_bonus": unit, "two_way_bad_beat_bonus": unit}
        seats.append({"seat": number, "player": f"p{number}", "wagers": main | side, "cards": cards.split()})
    return {
        "seats": seats,
        "dealer": {"cards": ["7c", "7s", "2d", "Kh", "3h"]},
        "spare_card": "9d",
        "meters": {"progressive_bonus": 250000},
    }


_OVER_UNDER: Final[Document] = {"wagers": {"bonus": {}}}
_OVER_UNDER_HANDS: Final = ("Ah Kd 3c", "2h 2s 2d", "Kh 9d 8c", "Ts 7d 6c", "5h 5s 7d", "Ks Th 4c")


def _over_under(unit: int) -> Document:
    """Return a round of six seats, each with an Ante, an Over 23 or Under 18, and a Bonus Wager."""
    seats = []
    for number, cards in enumerate(_OVER_UNDER_HANDS, start=1):
        side = "over_23" if number % 2 else "under_18"
        wagers = {"ante": 2 * unit, side: 2 * unit, "bonus": unit}
        seats.append({"seat": number, "player": f"p{number}", "wagers": wagers, "cards": cards.split()})
    return {"seats": seats}


FULL_ROUNDS: Final = (
    FullRound("pa-633a-2011", _BLACKJACK, _blackjack, lines=29),
    FullRound("pa-633a-2024", _BLACKJACK, _blackjack, lines=29),
    FullRound("pa-645a-2011", _PAI_GOW, _pai_gow, lines=40),
    FullRound("ri-pai-gow", _RI_PAI_GOW, _ri_pai_gow, lines=33),
    FullRound("pa-647a", _HOLDEM, _holdem, lines=68),
    FullRound("pa-688a", _FACE_UP_PAI_GOW, _face_up_pai_gow, lines=34),
    FullRound("pa-687a", _DJ_WILD, _dj_wild, lines=41),
    FullRound("pa-686a", _OVER_UNDER, _over_under, lines=18),
)
