"""The two files of the counts of Texas Hold 'Em Bonus Poker.

`deals.yaml`, next to the rules, has the deals by the player's two cards. `holdem_flops.yaml`, next to this module, has
sums for each flop, so that some flops can be recounted quickly. Both files have the same totals.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from shared.cards import RANKS, StandardCard
from shared.counting.holdem import OUTCOMES, Flop, FlopCounts, Ints, count_flop, flops, kind_of
from shared.counting.provenance import Provenance

NAME: Final = "holdem"
DEALS: Final = "shared/rules/holdem/deals.yaml"
FLOPS: Final = "shared/counting/holdem_flops.yaml"
VERSION: Final = 1
"""The version of the counter; increase it when it counts differently."""

_TIE, _WINS = 1, 2


class FlopSums(NamedTuple):
    """Numbers of deals on one flop, if no player folds: all, with a Turn Wager, with a River Wager, won, and tied."""

    deals: int
    turn_wagers: int
    river_wagers: int
    wins: int
    ties: int


class Deals(NamedTuple):
    """Counts of deals, by kind of hand and by flop.

    The counts of a kind of hand are indexed by Turn Wager made (0 or 1), River Wager made and `OUTCOMES`.
    """

    by_hand: Mapping[str, Ints]
    by_flop: Mapping[Flop, FlopSums]


def count_deals(ranks: str = RANKS, *, only: Sequence[Flop] | None = None) -> Deals:
    """Count all deals, or only those on the flops `only`; the deck is four suits of `ranks`."""
    by_hand: dict[str, Ints] = {}
    by_flop: dict[Flop, FlopSums] = {}
    for flop in flops(ranks) if only is None else only:
        counts = count_flop(flop.cards, ranks)
        by_flop[flop] = sums(counts)
        for hole, turn_wager, ends in zip(counts.holes, counts.turn_wager, counts.ends, strict=True):
            kind = kind_of(hole)
            if kind not in by_hand:
                by_hand[kind] = np.zeros((2, 2, len(OUTCOMES)), np.int64)
            by_hand[kind][int(turn_wager)] += flop.ways * ends
    return Deals(by_hand, by_flop)


def sums(counts: FlopCounts) -> FlopSums:
    """Return the sums of one flop."""
    ends = counts.ends
    return FlopSums(
        deals=int(ends.sum()),
        turn_wagers=int(ends[counts.turn_wager].sum()),
        river_wagers=int(ends[:, 1].sum()),
        wins=int(ends[:, :, _WINS:].sum()),
        ties=int(ends[:, :, _TIE].sum()),
    )


def name_of(flop: Sequence[StandardCard]) -> str:
    """Return the name of a flop in the file of flops."""
    return " ".join(flop)


def texts(deals: Deals, seconds: int) -> dict[str, str]:
    """Return path -> content, for both files of counts."""
    provenance = Provenance(
        what=(
            "deals of two cards each to the player and the dealer and of flop, turn and river, by the player's two "
            "cards, by whether the Turn and then the River Wager is made (no, no; no, yes; yes, no; yes, yes), and by "
            "how they end: " + ", ".join(OUTCOMES)
        ),
        name=NAME,
        deals=sum(int(table.sum()) for table in deals.by_hand.values()),
        counter=f"shared/counting/holdem.py, version {VERSION}",
        seconds=seconds,
    )
    hands = "".join(
        f'  "{kind}":\n' + "".join(f"  - [{', '.join(map(str, row.tolist()))}]\n" for row in table.reshape(4, -1))
        for kind, table in sorted(deals.by_hand.items())
    )
    lines = "".join(f"  {name_of(flop.cards)}: [{flop.ways}, {_listed(row)}]\n" for flop, row in deals.by_flop.items())
    on_flops = provenance._replace(
        what=(
            "for a flop of each kind the number of flops of that kind, and on it the deals: "
            + ", ".join(FlopSums._fields)
        )
    )
    return {DEALS: provenance.text() + "hands:\n" + hands, FLOPS: on_flops.text() + "flops:\n" + lines}


def _listed(row: FlopSums) -> str:
    return ", ".join(map(str, row))
