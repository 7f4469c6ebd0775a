"""Blackjack Switch, § 633a.12(a): two dealt hands, the switch of their second cards, and the resulting hands."""

from shared.rules.blackjack.hands import DealtHand, Pair, comes_from_split
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.record import BlackjackHand, BlackjackSeat
from shared.rules.errors import Refused


def two_dealt_hands(
    seat: BlackjackSeat, dealt: tuple[Pair, Pair], *, resplits: int, paragraphs: Paragraphs
) -> list[DealtHand]:
    """Return the two dealt hands after any switch, each with the hands that resulted from it.

    Raise `Refused` if the recorded hands cannot result from the dealt cards.
    """
    (first, second), (third, fourth) = dealt
    one, other = ((first, fourth), (third, second)) if seat.switched else dealt
    hands = seat.hands
    if not hands:
        return [DealtHand(one, seat.switched, ()), DealtHand(other, seat.switched, ())]
    fitting = [count for count in range(1, len(hands)) if _fits(one, hands[:count]) and _fits(other, hands[count:])]
    if not fitting:
        how = "after the switch" if seat.switched else "without a switch"
        raise Refused(
            f"the {len(hands)} hands do not come from {' '.join(one)} and {' '.join(other)} {how}",
            seat=seat.seat,
            paragraph=paragraphs.switch_decisions,
        )
    # If both pairs have one value, the record does not show which hand came from which pair. The split limit decides
    # first, then the order of dealing: the dealer completes hands from the left (§ 633a.11(b)), the first pair's first.
    most = 2 + resplits
    allowed = [count for count in fitting if count <= most and len(hands) - count <= most] or fitting
    dealt_first = [count for count in allowed if hands[0].cards[0] in one and hands[count].cards[0] in other]
    count = (dealt_first or allowed)[0]
    return [DealtHand(one, seat.switched, hands[:count]), DealtHand(other, seat.switched, hands[count:])]


def _fits(initial: Pair, hands: tuple[BlackjackHand, ...]) -> bool:
    if len(hands) == 1:
        return hands[0].cards[:2] == initial
    return comes_from_split(initial, hands)
