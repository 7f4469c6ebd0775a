"""One seat of a game with set hands: checks of its decisions and cards, and the hand that is settled."""

from collections.abc import Container, Mapping
from typing import NamedTuple

from shared.cards.ranking.pai_gow import CardSet, formed
from shared.rules.errors import Refused
from shared.rules.set_hands.hands import SetHand, SettingRules
from shared.rules.set_hands.interruptions import Interruptions
from shared.rules.set_hands.record import SetSeat


class SeatInPlay(NamedTuple):
    """A seat of a completed round, with the data needed to settle its wagers."""

    seat: int
    player: str
    wagers: Mapping[str, int]
    """Cents by wager type."""
    seven: CardSet
    formed: int
    """The combinations of the seven cards (flags of `Formed`), if a bonus wager depends on them; else 0."""
    hand: SetHand | None
    """The hand as set; None if it is not compared with another hand."""
    voided: bool
    abandoned: str | None
    """The paragraph under which the wagers of a player who left are lost; None if the player stayed."""


def check_surrendered(seat: SetSeat, barred: Container[str], paragraph: str) -> None:
    """Raise `Refused` for a surrendered hand whose player made a wager of `barred`."""
    if not seat.surrendered:
        return
    others = [name for name in seat.wagers if name in barred]
    if others:
        raise Refused(
            f"'surrendered' with {', '.join(others)}: a player with such a wager may not surrender",
            seat=seat.seat,
            paragraph=paragraph,
        )


def check_voided(seat: SetSeat, happened: Interruptions, paragraph: str) -> None:
    """Raise `Refused` if a hand is recorded as voided although its player could not void it."""
    if not seat.voided:
        return
    why = None
    if seat.seat not in happened.exposed:
        why = "no irregularity 'player_card_exposed' names the seat"
    elif seat.surrendered:
        why = "a hand is voided or surrendered, not both"
    elif seat.seat in happened.abandoned:
        why = "irregularity 'abandoned': a player who left did not play the hand out or void it"
    if why is not None:
        raise Refused(f"'voided': {why}", seat=seat.seat, paragraph=paragraph)


def read_seat(
    seat: SetSeat, setting: SettingRules, happened: Interruptions, *, ranks_seven: bool, banks: bool = False
) -> SeatInPlay:
    """Return the seat of a completed round; raise `Refused` if its cards are impossible.

    `ranks_seven` is whether a bonus wager depends on the combinations of the seven cards. `banks` is whether the other
    hands play against this hand.
    """
    number = seat.seat
    abandoned = happened.abandoned.get(number) if happened.abandoned else None
    hand = None
    if banks or seat.voided or seat.surrendered or abandoned is not None:
        seven = setting.seven(seat.cards, seat=number)
        if seat.low:
            setting.check_low(seven, seat.low, seat=number)
    else:
        hand = setting.read(seat.cards, seat.low, seat=number)
        seven = hand.seven
    can_form = formed(seven) if ranks_seven else 0
    return SeatInPlay(number, seat.player, seat.wagers, seven, can_form, hand, seat.voided, abandoned)
