"""What settled rounds add: figures by wager, lines by what they won, and who dealt in which shift. Pure; cents."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import chain
from operator import add, attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from services.reporting.domain.quick_rounds import AnyPosted
from services.reporting.domain.views import Line, ReversedRound, VoidedRound
from services.reporting.read_model.measures import Amount, adds
from shared.contracts.facts import EntryEvent
from shared.contracts.wager_totals import FIGURES

LINE_FIGURES: Final = ("lines", "stake_cents", "squared", "payout_cents", "meter_cents")
"""What is added up of settlement lines that the house pays.

Their number, their stakes, the squares of their stakes, what they paid with the stakes that went back, and what of it
came off a meter.
"""

STAKE_FIGURES: Final = ("wager", "seat", "cents")
"""What is kept of each stake of a round's record that won or lost in the end.

The place of its wager in the round's `wagers`, from 1; the seat; and what the seat wagered at first, below 0 where it
lost. What came out even, and what is wagered against a bank, is left out.
"""

STAKES: Final = ("stakes", "squared")
"""How many stakes a wager had, and the sum of their squares: what the variance of its return follows from."""

DEALT: Final = ("handle_cents", "payout_cents", "vigorish_cents", *STAKES)
"""The figures that are added up by dealer."""

PLAYED: Final = ("posted", "corrected", "reversed")
"""How many settlements were posted, how many of them are corrections, and how many were taken back."""

HOUR_SECONDS: Final = 3600
"""An hour of UTC, as what rounds bring into table inventories is added up by."""

BANK: Final = "bank"
"""The wager of a banking player's own line."""

_DEALER_SEAT: Final = 0

_figures = attrgetter(*FIGURES)
_dealt = itemgetter(*map((*FIGURES, *STAKES).index, DEALT))


class RoundEntry(NamedTuple):
    """A round whose money was posted (`sign` 1) or taken back (-1), as one entry of the settlement journal says it.

    It is a row of the table `rounds`: `chips_cents` went into the table inventory, `figures` has FIGURES of each of
    `wagers`, one after the other, `line_figures` has LINE_FIGURES of each of `line_wagers` with the category of the
    same place (empty: none), `stake_figures` has STAKE_FIGURES of each stake; of a round that is taken back, of none.
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
    chips_cents: int
    wagers: tuple[str, ...]
    figures: Sequence[int]
    line_wagers: Sequence[str]
    line_categories: Sequence[str]
    line_figures: Sequence[int]
    stake_figures: Sequence[int]

    def back_cents(self) -> int:
        """Return what the house gave back to players: what lines paid, and stakes."""
        return sum(self.line_figures[3 :: len(LINE_FIGURES)])


def round_entry(event: EntryEvent[Any], data: AnyPosted | ReversedRound, shift: str) -> RoundEntry:
    """Return what a round adds that was posted, or what it takes back."""
    sign = -1 if isinstance(data, ReversedRound) else 1
    lines, results = _of_lines(data.lines, sign)
    totals = data.totals
    return RoundEntry(
        event.shard,
        event.sequence,
        event.recordedat,
        data.property,
        data.gaming_day,
        data.table,
        data.game,
        shift,
        data.dealer_id or "",
        data.round_id,
        data.revision,
        sign,
        not isinstance(data, ReversedRound) and data.correction is not None,
        data.submission.version,
        data.submission.hash,
        data.closed_at,
        sum([total.chips_cents for total in totals]),
        tuple([total.wager for total in totals]),
        list(chain.from_iterable(map(_figures, totals))),
        [wager for wager, _ in lines],
        [category for _, category in lines],
        list(chain.from_iterable(lines.values())),
        [] if isinstance(data, ReversedRound) else _stakes(data, results),
    )


_BySeat = dict[tuple[int, str], int]
"""What the wagers of a seat won (below 0: lost), by seat and wager."""


def _of_lines(lines: Iterable[Line], sign: int) -> tuple[dict[tuple[str, str], list[int]], _BySeat]:
    """Return what lines of the handle come to: LINE_FIGURES by wager and category, and results."""
    found: dict[tuple[str, str], list[int]] = {}
    results: _BySeat = {}
    for line in filter(against_house, lines):
        wager, stake, key = line.wager, line.stake, (line.seat, line.wager)
        back = line.payout + line.stake_returned
        results[key] = results.get(key, 0) + back - stake
        won = (wager, line.category or "")
        figures = found.get(won)
        if figures is None:
            found[won] = [sign, sign * stake, sign * stake * stake, sign * back, sign * line.from_meter]
            continue
        figures[0] += sign
        figures[1] += sign * stake
        figures[2] += sign * stake * stake
        figures[3] += sign * back
        figures[4] += sign * line.from_meter
    return found, results


def _stakes(data: AnyPosted, results: _BySeat) -> list[int]:
    places = {total.wager: place for place, total in enumerate(data.totals, 1)}
    found: list[int] = []
    for seat in data.record.seats:
        number = seat.seat
        for wager, cents in seat.wagers.items():
            result = results.get((number, wager))
            if result:
                found += (places[wager], number, cents if result > 0 else -cents)
    return found


def against_house(line: Line) -> bool:
    """Return whether a line is of the handle: void ones, and those of banks, are not."""
    return line.paid_by == "house" and line.outcome != "void" and line.wager != BANK and line.seat != _DEALER_SEAT


@adds(VoidedRound)
def voided(fact: VoidedRound) -> Iterator[Amount]:
    """Say that a round was voided before it was posted; the item is its game."""
    yield Amount("rounds_voided", 1, fact.table, item=fact.game)


_Sum = dict[Any, list[int]]


class _Play:
    """What a dealer dealt of a game at a table in a shift, under a submission: rounds that share most of their keys."""

    __slots__ = ("figures", "played", "stakes")

    def __init__(self) -> None:
        self.played = [0] * len(PLAYED)
        self.figures: _Sum = {}
        """Figures as rounds have them, by all their wagers: mostly the same ones, so they are added in one go."""
        self.stakes: _Sum = {}
        """STAKES by wager."""

    def by_wager(self) -> _Sum:
        """Return FIGURES and STAKES by wager."""
        found: _Sum = {wager: [*_NONE, *stakes] for wager, stakes in self.stakes.items()}
        for wagers, figures in self.figures.items():
            for wager, part in zip(wagers, _parts(figures, len(FIGURES)), strict=True):
                _add(found, wager, (*part, 0, 0))
        return found


class Sums:
    """Rounds added up by day, as tables have them."""

    def __init__(self) -> None:
        self._plays: dict[tuple[Any, ...], _Play] = {}
        """By (gaming day, property, table, game, shift, dealer, version, submission)."""
        self._lines: dict[tuple[Any, ...], _Sum] = {}
        self._chips: dict[tuple[str, str, int, date], tuple[int, datetime, datetime]] = {}

    @cached_property
    def _by_wager(self) -> Sequence[tuple[tuple[Any, ...], str, Sequence[int]]]:
        """FIGURES and STAKES of each play (see `_plays`) by wager, put together once, when all is added."""
        return [(key, wager, sums) for key, play in self._plays.items() for wager, sums in play.by_wager().items()]

    @property
    def wagers(self) -> _Sum:
        """FIGURES and STAKES by (gaming day, property, table, game, shift, version, submission, wager)."""
        found: _Sum = {}
        for (*place, _, version, submission), wager, sums in self._by_wager:
            _add(found, (*place, version, submission, wager), sums)
        return found

    @property
    def dealers(self) -> _Sum:
        """DEALT by (gaming day, property, dealer, game, version, submission, wager)."""
        found: _Sum = {}
        for (day, property_name, _, game, _, dealer, *submission), wager, sums in self._by_wager:
            _add(found, (day, property_name, dealer, game, *submission, wager), _dealt(sums))
        return found

    @property
    def played(self) -> _Sum:
        """PLAYED by (gaming day, property, table, game, shift, version, submission)."""
        found: _Sum = {}
        for (*place, _, version, submission), play in self._plays.items():
            _add(found, (*place, version, submission), play.played)
        return found

    @property
    def lines(self) -> _Sum:
        """LINE_FIGURES by (gaming day, property, table, game, version, submission, wager, category)."""
        return {(*game, *won): sums for game, found in self._lines.items() for won, sums in found.items()}

    @property
    def chips(self) -> dict[tuple[str, str, datetime, date], tuple[int, datetime, datetime]]:
        """What came into table inventories, cents, and the first and the last closing of a round.

        By (property, table, hour of closing, gaming day).
        """
        return {
            (property_name, table, datetime.fromtimestamp(hour * HOUR_SECONDS, UTC), day): chips
            for (property_name, table, hour, day), chips in self._chips.items()
        }

    def add(self, entry: RoundEntry) -> None:
        """Add an entry."""
        closed = entry.closed_at
        at = (entry.property, entry.table_name, int(closed.timestamp()) // HOUR_SECONDS, entry.gaming_day)
        cents, first, last = self._chips.get(at, (0, closed, closed))
        self._chips[at] = (cents + entry.chips_cents, min(first, closed), max(last, closed))
        place = (entry.gaming_day, entry.property, entry.table_name, entry.game)
        key = (*place, entry.shift, entry.dealer, entry.version, entry.submission)
        play = self._plays.get(key)
        if play is None:
            play = self._plays[key] = _Play()
        play.played[0 if entry.sign > 0 else 2] += 1
        play.played[1] += entry.corrected
        _add(play.figures, entry.wagers, entry.figures)
        sums, stakes = self._lines.setdefault((*place, entry.version, entry.submission), {}), play.stakes
        figures = _parts(entry.line_figures, len(LINE_FIGURES))
        for wager, category, (lines, stake, squared, payout, meter) in zip(
            entry.line_wagers, entry.line_categories, figures, strict=True
        ):
            won = sums.get((wager, category))
            if won is None:
                won = sums[wager, category] = [0, 0, 0, 0, 0]
            won[0] += lines
            won[1] += stake
            won[2] += squared
            won[3] += payout
            won[4] += meter
            if stake:
                staked = stakes.get(wager)
                if staked is None:
                    staked = stakes[wager] = [0, 0]
                staked[0] += lines
                staked[1] += squared


_NONE: Final = (0,) * len(FIGURES)


def _parts(figures: Sequence[int], length: int) -> Iterator[Sequence[int]]:
    """Return parts of so many figures."""
    return zip(*[iter(figures)] * length, strict=True)


def _add(sums: _Sum, key: Any, figures: Sequence[int]) -> None:
    before = sums.get(key)
    sums[key] = list(figures) if before is None else list(map(add, before, figures))
