"""The registry of recounts by name; each returns the files that it writes, with their content."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import comb
from time import monotonic
from types import ModuleType
from typing import Final, NamedTuple

from shared.counting import blackjack_tables, dj_wild, five_cards, holdem_tables, pai_gow_tables
from shared.counting.provenance import Provenance
from shared.rules.dj_wild import pairs
from shared.rules.pai_gow import progressive_payback as hand_types
from shared.rules.set_hands import payback as seven_cards

_SEVEN_CARDS: Final = f"shared/rules/set_hands/{seven_cards.COUNTS}"
_HAND_TYPES: Final = f"shared/rules/pai_gow/{hand_types.COUNTS}"
_LOSING_HANDS: Final = f"shared/rules/dj_wild/{pairs.COUNTS}"


class Count(NamedTuple):
    """A recount: its title, and its function, which returns path -> content of the file."""

    title: str
    texts: Callable[[], Mapping[str, str]]


class Counted(NamedTuple):
    """The result of a recount: path -> content of the file, and the duration in seconds."""

    name: str
    texts: Mapping[str, str]
    seconds: float


def _holdem() -> Mapping[str, str]:
    began = monotonic()
    deals = holdem_tables.count_deals()
    return holdem_tables.texts(deals, seconds=round(monotonic() - began))


def _with_head(name: str, what: str, deals: int, module: ModuleType, path: str) -> Mapping[str, str]:
    """Return a mapping from `path` to its content: a comment with the provenance, and the counts of `module`."""
    began = monotonic()
    text: str = module.counts_text()
    counter = module.__name__.replace(".", "/") + ".py"
    head = Provenance(what, name, deals, counter, seconds=round(monotonic() - began))
    return {path: head.comment() + text}


def _seven_cards() -> Mapping[str, str]:
    what = "hands of seven cards: flags of `Formed`, those with a wild joker, the highest value, and how many"
    return _with_head("seven-cards", what, comb(53, 7), seven_cards, _SEVEN_CARDS)


def _losing_hands() -> Mapping[str, str]:
    what = "deals of two hands of DJ Wild of which the first loses, by its category"
    return _with_head("losing-hands", what, comb(53, 5) * comb(48, 5), pairs, _LOSING_HANDS)


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
    holdem_tables.NAME: Count("deals of Texas Hold 'Em Bonus Poker", _holdem),
    blackjack_tables.NAME: Count("rounds of Blackjack", blackjack_tables.texts),
    pai_gow_tables.FACE_UP: Count("a sample of Face Up Pai Gow Poker", pai_gow_tables.face_up_texts),
    pai_gow_tables.PAI_GOW: Count("a sample of Pai Gow Poker", pai_gow_tables.pai_gow_texts),
    "hand-types": Count("hands of seven cards by hand type", _hand_types),
    five_cards.NAME: Count("two cards with a Flop", _five_cards),
    dj_wild.NAME: Count("hands of DJ Wild against the dealer's", _dj_wild),
    "seven-cards": Count("hands of seven cards", _seven_cards),
    "losing-hands": Count("hands of DJ Wild that lose", _losing_hands),
}
"""Name -> recount; the slowest first, so that two processes finish at nearly the same time."""

_PROCESSES: Final = 2
_SECONDS: Final = re.compile(r"^(#| ) *seconds: \d+$", re.MULTILINE)


def count(name: str) -> Counted:
    """Run the recount with this name."""
    began = monotonic()
    return Counted(name, COUNTS[name].texts(), monotonic() - began)


def count_all(names: Sequence[str]) -> Iterator[Counted]:
    """Run the recounts with these names in two processes, and yield each result when it is complete."""
    if len(names) == 1:
        yield count(names[0])
        return
    with ProcessPoolExecutor(_PROCESSES) as processes:
        for done in as_completed([processes.submit(count, name) for name in names]):
            yield done.result()


def is_same(text: str, kept: str) -> bool:
    """Return whether two texts of a file are equal except for the duration of the count."""
    return _SECONDS.sub("", text) == _SECONDS.sub("", kept)
