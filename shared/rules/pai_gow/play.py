"""The sampled result of the Pai Gow Poker Wager, against the dealer and as the bank; the house way sets all hands.

There are too many pairs of seven-card hands to count. `samples.yaml` has the results of seeded deals, and the sums of
squares for the standard error of a result. `pitledger payback recompute pai-gow` repeats the sampling.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final

from shared.rules.game import CountPlay, CountVariants
from shared.rules.odds import Odds
from shared.rules.packaged import packaged
from shared.rules.pai_gow.record import MAIN
from shared.rules.paytable import rows_by_category
from shared.rules.play import End, Play
from shared.rules.set_hands.hands import OUTCOMES
from shared.rules.set_hands.sampled import PAIRS, check_way, read_moments
from shared.rules.submission import Offer, Selection

SAMPLES: Final = "samples.yaml"
BANKS: Final = 7
"""The number of hands in a deal; each hand is the bank for the hands after it."""
_KEPT: Final = Fraction(19, 20)
"""The part of an amount won that is left after a vigorish of 5%, without rounding."""
_ASSUMED: Final = (
    "both hands are set by the documented house way; the vigorish is 5% without rounding; sampled, with the standard "
    "error that is stated"
)


@cache
def samples() -> Mapping[str, Any]:
    """Return the stored samples, keyed by the place of A-2-3-4-5 among the straights."""
    found: dict[str, Any] = packaged(__package__, SAMPLES)["samples"]
    return found


def play_main(selection: Selection, offer: Offer) -> Play:
    """Return the result of the Pai Gow Poker Wager against the dealer; raise `Refused` for another house way."""
    (row,) = rows_by_category(offer).values()
    return _against(selection, row.odds)


def variants(selection: Selection, offer: Offer) -> Mapping[str, Play]:
    """Return the results of variants by name: at the odds not selected, and as the bank if players may bank."""
    del offer
    found = {}
    if "main_payout" in selection.options:
        for odds in ("2 to 1", "1 to 1"):
            if selection.options["main_payout"] != odds:
                found[f"paid {odds}"] = _against(selection, Odds.parse(odds))
    if selection.options["banking"] is True:
        found |= {f"as the bank of {others}": _bank(selection, others) for others in range(1, BANKS)}
    return found


def _sample(selection: Selection) -> Mapping[str, Any]:
    check_way(selection)
    lowest = selection.options.get("low_straights_lowest") is True
    sample: Mapping[str, Any] = samples()["lowest" if lowest else "second_highest"]
    return sample


def _against(selection: Selection, odds: Odds) -> Play:
    sample, one = _sample(selection), Fraction(1)
    won = _KEPT * odds.ratio
    ends = {
        "win": End("win", one, 1 + won),
        "push": End("push", one, one),
        "lose": End("lose", one, Fraction(0)),
    }
    hands = ((pairs, _end(ends, comparison)) for comparison, pairs in sample["compared"].items())
    error = read_moments(sample["pairs"]).error(won) / PAIRS
    return Play.counted([MAIN], _ASSUMED, hands, standard_error=error)


def _end(ends: Mapping[str, End], comparison: str) -> End:
    """Return the result for an outcome of `compare`; a copy has a category of its own."""
    if comparison == "copied":
        return ends["lose"]._replace(category="lose_by_a_copy")
    return ends[OUTCOMES[comparison]]  # type: ignore[index]


def _bank(selection: Selection, others: int) -> Play:
    """Return a bank's result against `others` hands with equal wagers, the dealer's included, in units of one wager.

    The bank wins copies, and pays vigorish on its net win. Its stake is the maximum that it can lose.
    """
    sample, staked = _sample(selection), Fraction(others)
    hands = (
        (banks, End(_ahead(ahead), staked, staked + (ahead * _KEPT if ahead > 0 else ahead)))
        for ahead, banks in sample["banks"][others].items()
    )
    error = read_moments(sample["bank_pairs"][others]).error(_KEPT) / BANKS
    assumed = f"{_ASSUMED}; {others} hands wager the same against the bank, the dealer's among them"
    return Play.counted(["bank"], assumed, hands, standard_error=error)


def _ahead(wagers: int) -> str:
    return "even" if not wagers else f"{'ahead' if wagers > 0 else 'behind'}_by_{abs(wagers)}"


PLAYS: Final[Mapping[str, CountPlay]] = {MAIN: play_main}
VARIANTS: Final[Mapping[str, CountVariants]] = {MAIN: variants}
