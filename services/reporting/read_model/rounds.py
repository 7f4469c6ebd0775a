"""Measures of settled rounds: totals by wager, lines by category, and dealers by shift. Pure; cents."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import chain
from operator import add, attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.facts import EntryEvent
from shared.contracts.settlement_views import PostedRound, ReversedRound, UnpostedRound
from shared.contracts.settlements import ResultCounted, ResultUncounted
from shared.contracts.wager_totals import FIGURES
from shared.rules import Line

LINE_FIGURES: Final = ("lines", "stake_cents", "squared", "payout_cents", "meter_cents")
"""The sums over settlement lines that the house pays.

They are the number, stakes, squared stakes, payouts including returned stakes, and the part paid from a meter.
"""

STAKE_FIGURES: Final = ("wager", "seat", "cents")
"""The data stored of each stake in a round record that won or lost.

They are the index of its wager in the round's `wagers`, from 1; the seat; and the seat's initial wager in cents,
negative if it lost. Pushes and wagers against a bank are left out.
"""

STAKES: Final = ("stakes", "squared")
"""Number of a wager's stakes, and the sum of their squares, for the variance of its return."""

DEALT: Final = ("handle_cents", "payout_cents", "vigorish_cents", *STAKES)
"""The figures of rounds that are also summed by dealer."""

PLAYED: Final = ("posted", "corrected", "reversed")
"""Numbers of posted settlements, of corrections among these, and of reversals."""

PACE: Final = ("rounds", "seats", "handle_cents")
"""The sums stored for each hour of a dealer at a table.

They are the number of posted less reversed rounds; the seats that wagered against the house, summed over rounds; and
the wagers of these seats, in cents.
"""

HOUR_SECONDS: Final = 3600
"""Seconds per hour; the chips of rounds are summed by hour (UTC)."""

BANK: Final = "bank"
"""The name of the wager of a banking player's own line."""

_DEALER_SEAT: Final = 0

_figures = attrgetter(*FIGURES)
_dealt = itemgetter(*map((*FIGURES, *STAKES).index, DEALT))


class RoundEntry(NamedTuple):
    """A row of the table `rounds`: an entry of the settlement journal that posted (`sign` 1) or reversed (-1) a round.

    `chips_cents` were added to the table inventory. `seats` is the number of seats that wagered against the house,
    negative for a reversal. `figures` concatenates the FIGURES of all `wagers`, and `line_figures` the LINE_FIGURES of
    all lines, whose wagers are `line_wagers` and whose categories are `line_categories` (empty: no category).
    `stake_figures` concatenates the STAKE_FIGURES of all stakes. A reversal has no `stake_figures` and no `opened_at`.
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
    opened_at: datetime | None
    closed_at: datetime
    chips_cents: int
    seats: int
    wagers: tuple[str, ...]
    figures: Sequence[int]
    line_wagers: Sequence[str]
    line_categories: Sequence[str]
    line_figures: Sequence[int]
    stake_figures: Sequence[int]

    def back_cents(self) -> int:
        """Return the payouts of the house to players, in cents, including returned stakes."""
        return sum(self.line_figures[3 :: len(LINE_FIGURES)])


def round_entry(event: EntryEvent[Any], data: PostedRound | ReversedRound, shift: str) -> RoundEntry:
    """Return the row of a posted or reversed round."""
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
        None if isinstance(data, ReversedRound) else data.opened_at,
        data.closed_at,
        sum([total.chips_cents for total in totals]),
        sign * len({seat for seat, _ in results}),
        tuple([total.wager for total in totals]),
        list(chain.from_iterable(map(_figures, totals))),
        [wager for wager, _ in lines],
        [category for _, category in lines],
        list(chain.from_iterable(lines.values())),
        [] if isinstance(data, ReversedRound) else _stakes(data, results),
    )


_BySeat = dict[tuple[int, str], int]
"""The net result of a seat's wagers in cents, negative if the seat lost, keyed by seat and wager."""


def _of_lines(lines: Iterable[Line], sign: int) -> tuple[dict[tuple[str, str], list[int]], _BySeat]:
    """Return LINE_FIGURES by wager and category, and net results in cents by seat and wager, of lines in the handle."""
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


def _stakes(data: PostedRound, results: _BySeat) -> list[int]:
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
    """Return whether a settlement line counts in the handle; void lines and lines of a bank do not."""
    return line.paid_by == "house" and line.outcome != "void" and line.wager != BANK and line.seat != _DEALER_SEAT


@adds(UnpostedRound)
def voided(fact: UnpostedRound) -> Iterator[Amount]:
    """Yield 1 for a round that was voided before it was posted; the item is the round's game."""
    yield Amount("rounds_voided", 1, fact.table, item=fact.game)


RESULTS: Final = ("results", "shoes")
"""The measures of results at counted tables, and of the shoes that ended with a result; the item is the game."""


@adds(ResultCounted)
def counted(fact: ResultCounted) -> Iterator[Amount]:
    """Yield 1 for a counted table's result and, if it was the last of its shoe, 1 for the shoe."""
    yield Amount("results", 1, fact.table, item=fact.game, closed_at=fact.closed_at)
    yield Amount("shoes", int(fact.last_of_shoe), fact.table, item=fact.game)


@adds(ResultUncounted)
def not_counted(fact: ResultUncounted) -> Iterator[Amount]:
    """Yield -1 for a reversed result of a counted table and, if it was the last of its shoe, -1 for the shoe."""
    yield Amount("results", -int(fact.counted), fact.table, item=fact.game, closed_at=fact.closed_at)
    yield Amount("shoes", -int(fact.last_of_shoe), fact.table, item=fact.game)


_Sum = dict[Any, list[int]]

_Pace = tuple[int, int, int, datetime | None, datetime]
"""The three sums of PACE, the first opening and the last closing."""


class _Play:
    """The sums of rounds with the same gaming day, table, game, shift, dealer and submission."""

    __slots__ = ("figures", "played", "stakes")

    def __init__(self) -> None:
        self.played = [0] * len(PLAYED)
        self.figures: _Sum = {}
        """FIGURES keyed by all wagers of a round. Most rounds have the same wagers, so a round is added in one step."""
        self.stakes: _Sum = {}
        """STAKES by wager."""

    def by_wager(self) -> _Sum:
        """Return the sums of FIGURES and STAKES, keyed by wager."""
        found: _Sum = {wager: [*_NONE, *stakes] for wager, stakes in self.stakes.items()}
        for wagers, figures in self.figures.items():
            for wager, part in zip(wagers, _parts(figures, len(FIGURES)), strict=True):
                _add(found, wager, (*part, 0, 0))
        return found


class Sums:
    """Rounds of a batch, summed by gaming day and other keys; each property is the content of a database table."""

    def __init__(self) -> None:
        self._plays: dict[tuple[Any, ...], _Play] = {}
        """The plays, by (gaming day, property, table, game, shift, dealer, version, submission)."""
        self._lines: dict[tuple[Any, ...], _Sum] = {}
        self._chips: dict[tuple[str, str, int, date], tuple[int, datetime, datetime]] = {}
        self._pace: dict[tuple[Any, ...], _Pace] = {}
        """The sums of PACE, keyed by (gaming day, property, table, game, dealer, hour of closing since 1970)."""
        self._taken_back: set[tuple[Any, ...]] = set()
        """The keys of `_pace` for hours with a reversed round."""

    @cached_property
    def _by_wager(self) -> Sequence[tuple[tuple[Any, ...], str, Sequence[int]]]:
        """Return (key in `_plays`, wager, sums of FIGURES and STAKES); computed once, after all rounds are added."""
        return [(key, wager, sums) for key, play in self._plays.items() for wager, sums in play.by_wager().items()]

    @property
    def wagers(self) -> _Sum:
        """Return FIGURES, STAKES keyed by (gaming day, property, table, game, shift, version, submission, wager)."""
        found: _Sum = {}
        for (*place, _, version, submission), wager, sums in self._by_wager:
            _add(found, (*place, version, submission, wager), sums)
        return found

    @property
    def dealers(self) -> _Sum:
        """Return DEALT keyed by (gaming day, property, dealer, game, version, submission, wager)."""
        found: _Sum = {}
        for (day, property_name, _, game, _, dealer, *submission), wager, sums in self._by_wager:
            _add(found, (day, property_name, dealer, game, *submission, wager), _dealt(sums))
        return found

    @property
    def played(self) -> _Sum:
        """Return PLAYED keyed by (gaming day, property, table, game, shift, version, submission)."""
        found: _Sum = {}
        for (*place, _, version, submission), play in self._plays.items():
            _add(found, (*place, version, submission), play.played)
        return found

    @property
    def lines(self) -> _Sum:
        """Return LINE_FIGURES keyed by (gaming day, property, table, game, version, submission, wager, category)."""
        return {(*game, *won): sums for game, found in self._lines.items() for won, sums in found.items()}

    @property
    def chips(self) -> dict[tuple[str, str, datetime, date], tuple[int, datetime, datetime]]:
        """Return the chips added to table inventories, in cents, and the first and last closing time of a round.

        The key is (property, table, hour of closing, gaming day).
        """
        return {
            (property_name, table, _moment_of(hour), day): chips
            for (property_name, table, hour, day), chips in self._chips.items()
        }

    @property
    def pace(self) -> dict[tuple[Any, ...], _Pace]:
        """Return the sums of PACE, and the times of the first opening and the last closing of a round.

        The key is (gaming day, property, table, game, dealer, hour of closing).
        """
        return {(*key, _moment_of(hour)): pace for (*key, hour), pace in self._pace.items()}

    @property
    def taken_back(self) -> list[tuple[Any, ...]]:
        """Return, sorted, the keys of `pace` for hours in which a round closed that was later reversed."""
        return sorted({(*key, _moment_of(hour)) for *key, hour in self._taken_back})

    def add(self, entry: RoundEntry) -> None:
        """Add a posted or reversed round to the sums."""
        closed = entry.closed_at
        hour = int(closed.timestamp()) // HOUR_SECONDS
        at = (entry.property, entry.table_name, hour, entry.gaming_day)
        cents, first, last = self._chips.get(at, (0, closed, closed))
        self._chips[at] = (cents + entry.chips_cents, min(first, closed), max(last, closed))
        place = (entry.gaming_day, entry.property, entry.table_name, entry.game)
        self._add_pace((*place, entry.dealer, hour), entry)
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

    def _add_pace(self, key: tuple[Any, ...], entry: RoundEntry) -> None:
        if entry.sign < 0:
            self._taken_back.add(key)
        opened, closed = entry.opened_at, entry.closed_at
        rounds, seats, handle_cents, first, last = self._pace.get(key, (0, 0, 0, opened, closed))
        if first is None or (opened is not None and opened < first):
            first = opened
        self._pace[key] = (
            rounds + entry.sign,
            seats + entry.seats,
            handle_cents + sum(entry.figures[_HANDLE :: len(FIGURES)]),
            first,
            max(last, closed),
        )


_HANDLE: Final = FIGURES.index("handle_cents")


def _moment_of(hour: int) -> datetime:
    """Return the beginning of an hour, given as the number of hours since 1970."""
    return datetime.fromtimestamp(hour * HOUR_SECONDS, UTC)


_NONE: Final = (0,) * len(FIGURES)


def _parts(figures: Sequence[int], length: int) -> Iterator[Sequence[int]]:
    """Split a sequence of figures into consecutive parts of `length` figures."""
    return zip(*[iter(figures)] * length, strict=True)


def _add(sums: _Sum, key: Any, figures: Sequence[int]) -> None:
    before = sums.get(key)
    sums[key] = list(figures) if before is None else list(map(add, before, figures))
