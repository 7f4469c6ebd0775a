"""How irregularities interrupted a round: whether it was stopped, and which players left."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.rules.errors import Refused
from shared.rules.holdem.bonus import TEXAS_HOLDEM_BONUS
from shared.rules.holdem.record import HoldemRound, HoldemSeat
from shared.rules.record import Irregularity
from shared.rules.table import Table

_FACE_UP: Final = "cards_face_up"
# These irregularities report that a hand or the deck had a wrong number of cards.
_MISCOUNTED: Final = frozenset({"misdeal", "deck_count_wrong"})
_INITIAL_CARDS: Final = 2


@dataclass(frozen=True, slots=True)
class Interruptions:
    """How irregularities interrupted a round.

    `void` is the paragraph under which all hands are void; None if the round was played to its end. `bonus_void` is the
    paragraph under which the Texas Hold 'Em Bonus Wagers are returned too; None if they are settled. `abandoned` maps
    the seats whose players left to the paragraph. With `miscounted`, any hand may have any number of cards.
    """

    void: str | None
    bonus_void: str | None
    abandoned: dict[int, str]
    miscounted: bool


UNINTERRUPTED: Final = Interruptions(void=None, bonus_void=None, abandoned={}, miscounted=False)


def interruptions(table: Table, round_: HoldemRound) -> Interruptions:
    """Return how irregularities interrupted a round; raise `Refused` for unknown or impossible irregularities."""
    if not round_.irregularities:
        return UNINTERRUPTED
    void = bonus_void = None
    abandoned: dict[int, str] = {}
    miscounted = any(irregularity.code in _MISCOUNTED for irregularity in round_.irregularities)
    for irregularity, rule in table.in_effect(round_.irregularities, {seat.seat for seat in round_.seats}):
        if rule.effect == "abandoned":
            assert irregularity.seat is not None
            abandoned[irregularity.seat] = rule.paragraph
            continue
        void = void or rule.paragraph
        if irregularity.code == _FACE_UP:
            if irregularity.after_initial_deal:
                if not miscounted:
                    _check_initial_deal_was_over(round_, rule.paragraph)
            else:
                _check_initial_deal_was_not_over(round_.seats, irregularity, rule.paragraph)
                bonus_void = bonus_void or rule.paragraph
        elif rule.effect == "dead_round":
            bonus_void = bonus_void or rule.paragraph
    return Interruptions(void=void, bonus_void=bonus_void, abandoned=abandoned, miscounted=miscounted)


def _check_initial_deal_was_over(round_: HoldemRound, paragraph: str) -> None:
    for seat in round_.seats:
        if len(seat.cards) != _INITIAL_CARDS:
            raise Refused(
                f"'after_initial_deal' true: the hand holds {len(seat.cards)} of its {_INITIAL_CARDS} initial cards",
                seat=seat.seat,
                paragraph=paragraph,
            )
    dealt = _INITIAL_CARDS if round_.dealer is None else len(round_.dealer.cards)
    if dealt != _INITIAL_CARDS:
        raise Refused(
            f"'after_initial_deal' true: the dealer holds {dealt} of {_INITIAL_CARDS} initial cards",
            paragraph=paragraph,
        )


def _check_initial_deal_was_not_over(seats: Sequence[HoldemSeat], irregularity: Irregularity, paragraph: str) -> None:
    """Raise `Refused` if a player had already decided; without Texas Hold 'Em Bonus Wagers, nothing is checked."""
    if not any(TEXAS_HOLDEM_BONUS in seat.wagers for seat in seats):
        return
    for seat in seats:
        if seat.folded or "flop" in seat.wagers:
            said = "false" if irregularity.after_initial_deal is False else "left out, which means false"
            raise Refused(
                f"'after_initial_deal' is {said}, but the player had "
                + ("folded" if seat.folded else f"placed a Flop Wager {seat.wagers['flop']}"),
                seat=seat.seat,
                paragraph=paragraph,
            )
