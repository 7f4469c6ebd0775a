"""Changes to the record of a round after which it cannot have happened, whatever the game."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, get_args

from shared.rules import catalogue
from shared.rules.record import IrregularityCode
from tests.property.dealing import Dealt, Document, unused_card

Break: TypeAlias = Callable[[Document, Dealt], bool]
"""Makes the copy of a record one that cannot be; returns whether it could."""


def put(path: str, value: object) -> Break:
    """Return a break that puts a value at a path, such as `seats.0.wagers.ante`."""

    def change(round_: Document, dealt: Dealt) -> bool:
        del dealt
        *parents, last = path.split(".")
        target: Any = round_
        for parent in parents:
            target = target[int(parent)] if isinstance(target, list) else target[parent]
        target[int(last) if isinstance(target, list) else last] = value
        return True

    return change


def wager_of(wager: str, cents: int) -> Break:
    """Return a break that adds so many cents to a wager of the first seat that made it."""

    def change(round_: Document, dealt: Dealt) -> bool:
        del dealt
        seat = next((seat for seat in round_["seats"] if wager in seat["wagers"]), None)
        if seat is not None:
            seat["wagers"][wager] += cents
        return seat is not None

    return change


def any_wager(value: object) -> Break:
    """Return a break that makes the first wager of the first seat worth this."""

    def change(round_: Document, dealt: Dealt) -> bool:
        del dealt
        wagers = round_["seats"][0]["wagers"]
        for name in list(wagers)[:1]:
            wagers[name] = value
        return bool(wagers)

    return change


def _seat_twice(round_: Document, dealt: Dealt) -> bool:
    del dealt
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def _no_such_seat(round_: Document, dealt: Dealt) -> bool:
    round_["seats"][0]["seat"] = catalogue(dealt.regulation).seats.most + 1
    return True


def _boxes_apart(round_: Document, dealt: Dealt) -> bool:
    """Give two seats that are not adjacent to one player."""
    del dealt
    first, *_, last = sorted(round_["seats"] * 2, key=lambda seat: int(seat["seat"]))
    first["player"] = last["player"]
    return bool(last["seat"] > first["seat"] + 1)


def _meters_missing(round_: Document, dealt: Dealt) -> bool:
    shown = tuple(round_.pop("meters", {}))
    return any(wager.startswith(shown) for seat in dealt.seats for wager in seat["wagers"])


def _meter_of_nobody(round_: Document, dealt: Dealt) -> bool:
    del dealt
    round_["meters"] = round_.get("meters", {}) | {"nobody": 1}
    return True


def _irregularity_of_another_game(round_: Document, dealt: Dealt) -> bool:
    known = catalogue(dealt.regulation).irregularities
    code = next(code for code in get_args(IrregularityCode) if code not in known)
    round_["irregularities"] = [*round_.get("irregularities", []), {"code": code}]
    return True


def card_more(round_: Document, dealt: Dealt) -> bool:
    """Give the first seat a card more than it may hold."""
    del dealt
    round_["seats"][0]["cards"].append(unused_card(round_))
    return True


def card_less(round_: Document, dealt: Dealt) -> bool:
    """Take the last card of the first seat away."""
    del dealt
    round_["seats"][0]["cards"].pop()
    return True


def card_of_the_dealer(round_: Document, dealt: Dealt) -> bool:
    """Put a card of the dealer into the hand of the first seat too."""
    del dealt
    dealers: list[str] = round_.get("dealer", {}).get("cards", [])
    round_["seats"][0]["cards"][:1] = dealers[:1]
    return bool(dealers)


EVERYWHERE: Final[Mapping[str, Break]] = {
    "a seat twice": _seat_twice,
    "a seat that no table has": _no_such_seat,
    "boxes apart": _boxes_apart,
    "an unknown field": put("seats.0.tip", 5),
    "an unknown wager": put("seats.0.wagers.tip", 500),
    "a negative wager": any_wager(-100),
    "a fraction of a cent": any_wager(10.5),
    "true as a wager": any_wager(True),
    "a huge wager": any_wager(10**30),
    "a meter of nobody": _meter_of_nobody,
    "an irregularity of another game": _irregularity_of_another_game,
}
METERED: Final[Mapping[str, Break]] = {"meters are missing": _meters_missing}
FULL_HANDS: Final[Mapping[str, Break]] = {
    "a card more": card_more,
    "a card less": card_less,
    "no cards": put("seats.0.cards", []),
    "no card of this name": put("seats.0.cards.0", "JK"),
}
"""Of games that deal each hand a fixed number of cards."""
