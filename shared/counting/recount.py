"""All that is counted again by name: which files it writes, and what they are to say."""

from collections.abc import Callable, Mapping
from math import comb
from time import monotonic
from types import ModuleType
from typing import Any, Final, NamedTuple

from shared.counting import dj_wild, five_cards, holdem_tables, pai_gow_tables
from shared.counting.provenance import Provenance
from shared.rules.dj_wild import pairs
from shared.rules.packaged import parsed
from shared.rules.pai_gow import progressive_payback as hand_types
from shared.rules.set_hands import payback as seven_cards

_SEVEN_CARDS: Final = f"shared/rules/set_hands/{seven_cards.COUNTS}"
_HAND_TYPES: Final = f"shared/rules/pai_gow/{hand_types.COUNTS}"
_LOSING_HANDS: Final = f"shared/rules/dj_wild/{pairs.COUNTS}"


class Count(NamedTuple):
    """One thing that is counted: what it is, and how; counting returns what each file is to say, by path."""

    title: str
    texts: Callable[[], Mapping[str, str]]


def _holdem() -> Mapping[str, str]:
    began = monotonic()
    deals = holdem_tables.count_deals()
    return holdem_tables.texts(deals, seconds=round(monotonic() - began))


def _with_head(name: str, what: str, deals: int, module: ModuleType, path: str) -> Mapping[str, str]:
    """Return what `module` counts, below where it comes from."""
    began = monotonic()
    text: str = module.counts_text()
    counter = module.__name__.replace(".", "/") + ".py"
    head = Provenance(what, name, deals, counter, seconds=round(monotonic() - began))
    return {path: head.comment() + text}


def _hand_types() -> Mapping[str, str]:
    what = "hands of seven cards by what they can form, at all and beside a pair, as flags of `Formed`"
    return _with_head("hand-types", what, comb(53, 7), hand_types, _HAND_TYPES)


def _dj_wild() -> Mapping[str, str]:
    what = (
        "hands of five cards that are raised and folded, by category: hands, and hands of the dealer beaten and lost to"
    )
    return _with_head(dj_wild.NAME, what, comb(53, 5) * dj_wild.DEALS, dj_wild, dj_wild.PATH)


def _five_cards() -> Mapping[str, str]:
    what = "two cards by kind, with three others, that make: " + ", ".join(five_cards.ROWS)
    return _with_head(five_cards.NAME, what, comb(52, 5) * comb(5, 2), five_cards, five_cards.PATH)


COUNTS: Final[Mapping[str, Count]] = {
    "seven-cards": Count("hands of seven cards", lambda: {_SEVEN_CARDS: seven_cards.counts_text()}),
    "hand-types": Count("hands of seven cards by hand type", _hand_types),
    "losing-hands": Count("hands of DJ Wild that lose", lambda: {_LOSING_HANDS: pairs.counts_text()}),
    dj_wild.NAME: Count("hands of DJ Wild against the dealer's", _dj_wild),
    five_cards.NAME: Count("two cards with a Flop", _five_cards),
    pai_gow_tables.PAI_GOW: Count("a sample of Pai Gow Poker", pai_gow_tables.pai_gow_texts),
    pai_gow_tables.FACE_UP: Count("a sample of Face Up Pai Gow Poker", pai_gow_tables.face_up_texts),
    holdem_tables.NAME: Count("deals of Texas Hold 'Em Bonus Poker", _holdem),
}
"""What is counted, by name."""


def is_same(text: str, kept: str) -> bool:
    """Return whether two texts of a file hold the same counts; the time that counting took may differ."""
    same: bool = _without_time(parsed(text)) == _without_time(parsed(kept))
    return same


def _without_time(document: Any) -> Any:
    if isinstance(document, dict) and "counted" in document:
        return {**document, "counted": {**document["counted"], "seconds": None}}
    return document
