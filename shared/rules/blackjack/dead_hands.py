"""The hands of a round that were called dead, and the paragraph for each, § 633a.14."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.rules.blackjack.record import BlackjackRound
from shared.rules.table import Table


@dataclass(frozen=True, slots=True)
class DeadHands:
    """The dead hands of a round: the paragraph by seat, and whether the whole round was stopped."""

    by_seat: Mapping[int, str]
    called: frozenset[int]
    """The seats whose own hand was called dead, not only with the whole round."""
    stopped: str | None
    """The paragraph under which all hands were called dead; None if the round was played to its end."""


NO_DEAD_HANDS: Final = DeadHands(by_seat={}, called=frozenset(), stopped=None)


def dead_hands(table: Table, round_: BlackjackRound, *, no_cards_dealt: str) -> DeadHands:
    """Return the hands that irregularities make dead; raise `Refused` for an irregularity unknown to Blackjack.

    A dead hand without cards is dead under the paragraph `no_cards_dealt`.
    """
    if not round_.irregularities:
        return NO_DEAD_HANDS
    seats = {seat.seat: seat for seat in round_.seats}
    by_seat: dict[int, str] = {}
    called: set[int] = set()
    stopped = None
    for irregularity, rule in table.in_effect(round_.irregularities, seats):
        number = irregularity.seat
        if rule.effect == "dead_hand":
            assert number is not None
            called.add(number)
            by_seat[number] = rule.paragraph if seats[number].dealt else no_cards_dealt
        elif rule.effect == "dead_round":
            stopped = rule.paragraph
    if stopped is not None:
        by_seat = {number: by_seat.get(number, stopped) for number in seats}
    return DeadHands(by_seat=by_seat, called=frozenset(called), stopped=stopped)
