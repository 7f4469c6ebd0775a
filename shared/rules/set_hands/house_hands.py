"""The hand against which players play, the dealer's or a bank's: correctly set, or reset by the house way."""

from dataclasses import dataclass
from typing import Final

from shared.cards.ranking.pai_gow import CardSet, cards_of, low_rank
from shared.rules.errors import Refused
from shared.rules.set_hands.hands import SetHand, SettingRules
from shared.rules.set_hands.house_way import HouseWay, house_way
from shared.rules.set_hands.record import SetDealer, SetSeat
from shared.rules.settlement import Notice
from shared.rules.submission import Selection

_HOUSE_WAY: Final = "house_way"
_RESET: Final = "hand_reset"


@dataclass(frozen=True, slots=True)
class HouseHands:
    """Reads the hands of the dealer and of a bank, and resets them by the house way.

    If the submission has no house way, hands stay as they were recorded. A fouled hand is then refused, because a round
    cannot be completed with it.
    """

    setting: SettingRules
    house_way: HouseWay | None
    paragraph: str
    reset_paragraph: str

    @classmethod
    def of(cls, selection: Selection, setting: SettingRules, paragraph: str, reset_paragraph: str) -> "HouseHands":
        """Return the reader for a submission's house way; raise `Refused` if the house way cannot be parsed."""
        selected = selection.options[_HOUSE_WAY]
        source = selection.catalogue.options[_HOUSE_WAY].paragraph
        way = None if selected is None else house_way(str(selected), setting.ranking, source)
        return cls(setting, way, paragraph, reset_paragraph)

    def read(self, held: SetDealer | SetSeat, *, seat: int, bound: bool) -> tuple[SetHand, Notice | None]:
        """Return the hand at `seat` (0 for the dealer), and a notice if it was reset.

        A hand that is `bound` to the house way is reset if its ranks differ from those of the house way. Other hands
        are reset only if they are fouled.
        """
        owner = seat or None
        hand = self.setting.read(held.cards, held.low, seat=owner)
        if self.house_way is None:
            if hand.fouled is None:
                return hand, None
            why = "has not two cards" if hand.fouled == "not_two_cards" else "ranks above the high hand"
            raise Refused(
                f"{'' if owner else 'dealer: '}'low' {' '.join(held.low)} {why}", seat=owner, paragraph=self.paragraph
            )
        if hand.fouled is None and not bound:
            return hand, None
        low = self.house_way.low(hand.seven)
        reset = SetHand(hand.seven, self.setting.ranking.rank(hand.seven ^ low), low_rank(low), None)
        if (reset.high, reset.low) == (hand.high, hand.low):
            return hand, None
        return reset, Notice(_RESET, seat, self.reset_paragraph, _detail(held, low))


def _detail(held: SetDealer | SetSeat, low: CardSet) -> str:
    return f"low hand {' '.join(held.low)} reset to {' '.join(cards_of(low))} by the house way"
