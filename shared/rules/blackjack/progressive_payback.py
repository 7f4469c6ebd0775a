"""The paybacks of Blackjack's progressive wagers as functions of their meters."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.rules.blackjack.bad_beat import bad_beat
from shared.rules.blackjack.hit_and_run import hit_and_run
from shared.rules.blackjack.main_wager import BLACKJACK
from shared.rules.blackjack.play import terms_of
from shared.rules.blackjack.progressives import PROGRESSIVES as WAGERS
from shared.rules.blackjack.progressives import BadBeat, HitAndRun, StraightJack
from shared.rules.blackjack.straight_jack import straight_jack
from shared.rules.blackjack.strategy import Terms
from shared.rules.errors import Refused
from shared.rules.game import CountProgressive
from shared.rules.progressive import Progressive
from shared.rules.submission import Offer, Selection


def _played(count: Callable[[Selection, Offer, Terms], Progressive]) -> CountProgressive:
    """Adapt `count`: take the terms of basic strategy from the selection, and refuse Blackjack Switch."""

    def counted(selection: Selection, offer: Offer) -> Progressive:
        terms = terms_of(selection, selection.offers[BLACKJACK])
        if terms.switch:
            raise Refused(
                f"the payback of '{offer.name}' at Blackjack Switch, where two hands are played, is not counted",
                paragraph=offer.wager.decided,
            )
        return count(selection, offer, terms)

    return counted


_COUNTS: Final = {BadBeat: _played(bad_beat), HitAndRun: hit_and_run, StraightJack: _played(straight_jack)}

PROGRESSIVES: Final[Mapping[str, CountProgressive]] = {name: _COUNTS[wager] for name, wager in WAGERS.items()}
