"""What settled rounds add: figures by wager, lines by what they won, and who dealt in which shift. Pure; cents."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from operator import add, attrgetter
from typing import Any, Final

from services.reporting.books.measures import Amount, adds
from services.reporting.domain.views import DealtRound, PostedRound, ReversedRound, VoidedRound
from shared.contracts.facts import EntryEvent
from shared.contracts.wager_totals import FIGURES

LINE_FIGURES: Final = ("lines", "stake_cents", "squared", "payout_cents", "meter_cents")
"""What is added up of settlement lines that the house pays.

Their number, their stakes, the squares of their stakes, what they paid with the stakes that went back, and what of it
came off a meter.
"""

STAKES: Final = ("stakes", "squared")
"""How many stakes a wager had, and the sum of their squares: what the variance of its return follows from."""

PLAYED: Final = ("posted", "corrected", "reversed")
"""How many settlements were posted, how many of them are corrections, and how many were taken back."""

BANK: Final = "bank"
"""The wager of a banking player's own line."""

_DEALER_SEAT: Final = 0

_figures = attrgetter(*FIGURES)


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """A round whose money was posted (`sign` 1) or taken back (-1), as one entry of the settlement journal says it.

    `figures` has FIGURES by wager, `lines` has LINE_FIGURES by wager and category (empty: none).
    """

    shard: int
    seq: int
    recorded_at: datetime
    property: str
    gaming_day: date
    table_name: str
    game: str
    shift: str
    dealer: str
    round_id: str
    revision: int
    sign: int
    corrected: bool
    version: int
    submission: str
    closed_at: datetime
    figures: Mapping[str, tuple[int, ...]]
    lines: Mapping[tuple[str, str], tuple[int, ...]]

    def row(self) -> dict[str, Any]:
        """Return the row of the entry."""
        names = (name for name in self.__slots__ if name not in ("figures", "lines"))
        return {
            **{name: getattr(self, name) for name in names},
            "wagers": list(self.figures),
            "figures": [value for figures in self.figures.values() for value in figures],
            "line_wagers": [wager for wager, _ in self.lines],
            "line_categories": [category for _, category in self.lines],
            "line_figures": [value for figures in self.lines.values() for value in figures],
        }


def round_entry(event: EntryEvent[Any], data: DealtRound, shift: str) -> RoundEntry:
    """Return what a round adds that was posted, or what it takes back."""
    sign = -1 if isinstance(data, ReversedRound) else 1
    return RoundEntry(
        shard=event.shard,
        seq=event.sequence,
        recorded_at=event.recordedat,
        property=data.property,
        gaming_day=data.gaming_day,
        table_name=data.table,
        game=data.game,
        shift=shift,
        dealer=data.dealer_id or "",
        round_id=data.round_id,
        revision=data.revision,
        sign=sign,
        corrected=isinstance(data, PostedRound) and data.correction is not None,
        version=data.submission.version,
        submission=data.submission.hash,
        closed_at=data.closed_at,
        figures={total.wager: _figures(total) for total in data.totals},
        lines=_lines(data.lines, sign),
    )


def _lines(lines: Iterable[Mapping[str, Any]], sign: int) -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for line in lines:
        if not _against_house(line):
            continue
        stake, key = sign * line["stake"], (line["wager"], line.get("category") or "")
        figures = (
            *(sign, stake, stake * line["stake"]),
            *(sign * (line["payout"] + line["stake_returned"]), sign * line["from_meter"]),
        )
        found[key] = tuple(map(add, found[key], figures)) if key in found else figures
    return found


def _against_house(line: Mapping[str, Any]) -> bool:
    """Return whether a line is of the handle: void ones, and those of banks, are not."""
    of_bank = line["paid_by"] != "house" or line["wager"] == BANK or line["seat"] == _DEALER_SEAT
    return not of_bank and line["outcome"] != "void"


@adds(VoidedRound)
def voided(fact: VoidedRound) -> Iterator[Amount]:
    """Say that a round was voided before it was posted; the item is its game."""
    yield Amount("rounds_voided", 1, fact.table, item=fact.game)


class Sums:
    """Rounds added up by day, as tables have them."""

    def __init__(self) -> None:
        self.rounds: dict[tuple[Any, ...], list[int]] = {}
        """FIGURES and STAKES by (gaming day, property, table, game, shift, dealer, version, submission, wager)."""
        self.lines: dict[tuple[Any, ...], list[int]] = {}
        """LINE_FIGURES by (gaming day, property, table, game, version, submission, wager, category)."""
        self.played: dict[tuple[Any, ...], list[int]] = {}
        """PLAYED by (gaming day, property, table, game, shift, dealer, version, submission)."""

    def add(self, entry: RoundEntry) -> None:
        """Add an entry."""
        place = (entry.gaming_day, entry.property, entry.table_name, entry.game)
        under = (entry.version, entry.submission)
        played = (int(entry.sign > 0), int(entry.corrected), int(entry.sign < 0))
        _add(self.played, (*place, entry.shift, entry.dealer, *under), played)
        stakes: dict[str, tuple[int, int]] = {}
        for (wager, category), (lines, stake, squared, payout, meter) in entry.lines.items():
            _add(self.lines, (*place, *under, wager, category), (lines, stake, squared, payout, meter))
            if stake:
                number, squares = stakes.get(wager, (0, 0))
                stakes[wager] = (number + lines, squares + squared)
        for wager in {**entry.figures, **stakes}:
            key = (*place, entry.shift, entry.dealer, *under, wager)
            figures = entry.figures.get(wager, _NONE)
            _add(self.rounds, key, (*figures, *stakes.get(wager, (0, 0))))


_NONE: Final = (0,) * len(FIGURES)


def _add(sums: dict[tuple[Any, ...], list[int]], key: tuple[Any, ...], figures: tuple[int, ...]) -> None:
    before = sums.get(key)
    sums[key] = list(figures) if before is None else list(map(add, before, figures))
