"""Patterns of currency transactions that may have been structured to avoid a report. Pure; cents.

A pattern is not a finding: it states what was observed and why it is listed, and a person judges it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

from services.reporting.domain.federal.currency import (
    WARNING_SHARE,
    CashMovement,
    in_order,
)
from shared.contracts.cage import Direction
from shared.contracts.money import dollars
from shared.jurisdictions import Pack
from shared.jurisdictions.forms import CurrencyReport

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Watch:
    """The property's parameters for patterns, which are not law; shares are fractions of the report's threshold.

    An amount is just below the threshold if it is at least `just_below_share` of it. A gaming day can be part of a
    pattern if its total is at least `part_share` of the threshold. Gaming days within `window_days` are considered
    together.
    """

    just_below_share: Fraction = WARNING_SHARE
    part_share: Fraction = Fraction(1, 4)
    window_days: int = 5


@dataclass(frozen=True, slots=True)
class Pattern:
    """Similar transactions of a person in one direction: pattern name, description, and reason for listing."""

    name: str
    property: str
    patron: str
    direction: Direction
    first: date
    last: date
    cents: int
    movements: tuple[CashMovement, ...]
    saw: str
    why: str


@dataclass(frozen=True)
class _Moved:
    """Transactions of a person, judged by their sum against the threshold on their first gaming day."""

    rule: CurrencyReport
    movements: tuple[CashMovement, ...]

    @cached_property
    def day(self) -> date:
        """Return the first gaming day of the transactions."""
        return self.movements[0].gaming_day

    @cached_property
    def cents(self) -> int:
        """Return the sum of the transactions, in cents."""
        return sum(one.cents for one in self.movements)

    @cached_property
    def threshold_cents(self) -> int:
        """Return the report's threshold on the first gaming day, in cents."""
        return self.rule.threshold_cents.on(self.day).value

    @cached_property
    def reached_cents(self) -> int:
        """Return the lowest reportable amount on the first gaming day, in cents."""
        return self.rule.reached_cents(self.day)

    @cached_property
    def is_reached(self) -> bool:
        """Return whether the sum of the transactions is reportable."""
        return self.cents >= self.reached_cents

    @cached_property
    def is_divided(self) -> bool:
        """Return whether each transaction by itself is below the reportable amount."""
        return all(one.cents < self.reached_cents for one in self.movements)

    def is_below_from(self, share: Fraction) -> bool:
        """Return whether the sum of the transactions is below the threshold, but at least `share` of it."""
        return not self.is_reached and self.cents >= share * self.threshold_cents


class _Seen(NamedTuple):
    """The transactions that match a pattern, with a description of the match."""

    movements: tuple[CashMovement, ...]
    saw: str


def patterns(
    law: Pack, movements: Iterable[CashMovement], *, report: str = "ctr", watch: Watch | None = None
) -> tuple[Pattern, ...]:
    """Return the patterns in transactions, judged by a report's threshold, by property, person and direction.

    Transactions of unknown persons are in no pattern. The order of transactions does not matter.

    Raises: the same errors as `currency_totals`.
    """
    rule, watch = law.currency_reports[report], watch or Watch()
    known = [one for one in in_order(movements) if one.patron is not None and one.medium == rule.medium]
    known.sort(key=_whose)  # stable: keeps the order of moments
    found: list[Pattern] = []
    for (name, patron, direction), grouped in groupby(known, key=_whose):
        theirs = sorted(grouped, key=lambda one: one.gaming_day)
        days = [_Moved(rule, tuple(of_day)) for _, of_day in groupby(theirs, key=lambda one: one.gaming_day)]
        alone = [_Moved(rule, (one,)) for one in theirs]
        found += [
            Pattern(
                looked_for,
                name,
                patron,
                direction,
                first=seen.movements[0].gaming_day,
                last=seen.movements[-1].gaming_day,
                cents=sum(one.cents for one in seen.movements),
                movements=seen.movements,
                saw=seen.saw,
                why=why,
            )
            for looked_for, why, seen_in in (
                ("repeated_just_below", _REPEATED, _repeated(alone, watch)),
                ("consecutive_days", _CONSECUTIVE, _consecutive(days, watch)),
                ("several_places", _PLACES, _places(days, watch)),
                ("stopped_short", _STOPPED, _stopped(days, watch)),
            )
            for seen in seen_in
        ]
    return tuple(found)


def _whose(one: CashMovement) -> tuple[str, str, Direction]:
    return one.property, one.patron or "", one.direction


_REPEATED: Final = "repeated amounts just below the threshold may have been chosen to stay below it"
_CONSECUTIVE: Final = "an amount reportable in one gaming day may have been split over several days"
_PLACES: Final = "an amount may have been split over several places, none of which sees the total"
_STOPPED: Final = "a person who stops just below the threshold may be aware of it"


def _repeated(alone: Iterable[_Moved], watch: Watch) -> Iterator[_Seen]:
    """Yield runs of two or more transactions just below the threshold, each within a window of the previous one."""
    below = [one for one in alone if one.is_below_from(watch.just_below_share)]
    for run in _runs(below, lambda before, after: after.day - before.day < watch.window_days * _DAY):
        if len(run) > 1:
            least, most = (_dollars(pick(one.cents for one in run)) for pick in (min, max))
            yield _seen(run, f"{len(run)} movements of {least} to {most}, each just below the threshold")


def _consecutive(days: Iterable[_Moved], watch: Watch) -> Iterator[_Seen]:
    """Yield runs of consecutive gaming days, each below the threshold but reportable together within a window."""
    parts = [one for one in days if one.is_below_from(watch.part_share)]
    for run in _runs(parts, lambda before, after: after.day - before.day == _DAY):
        windows = (_joined(run[at : at + watch.window_days]) for at in range(len(run)))
        if any(window.is_reached for window in windows):
            yield _seen(run, f"{len(run)} consecutive gaming days below the threshold, together above it")


def _places(days: Iterable[_Moved], watch: Watch) -> Iterator[_Seen]:
    """Yield gaming days with transactions at several places, each below the threshold, with a sum near or above it."""
    for one in days:
        places = sorted({movement.place for movement in one.movements})
        if len(places) > 1 and one.is_divided and one.cents >= watch.just_below_share * one.threshold_cents:
            most = max(movement.cents for movement in one.movements)
            yield _seen([one], f"{len(one.movements)} movements at {', '.join(places)}, the largest {_dollars(most)}")


def _stopped(days: Iterable[_Moved], watch: Watch) -> Iterator[_Seen]:
    """Yield gaming days on which several transactions sum to just below the threshold."""
    for one in days:
        if len(one.movements) > 1 and one.is_below_from(watch.just_below_share):
            left = one.threshold_cents - one.cents
            yield _seen([one], f"{len(one.movements)} movements that stop {_dollars(left)} short of the threshold")


def _seen(run: Sequence[_Moved], words: str) -> _Seen:
    found = _joined(run)
    return _Seen(found.movements, f"{words} ({_dollars(found.threshold_cents)})")


def _joined(run: Sequence[_Moved]) -> _Moved:
    return _Moved(run[0].rule, tuple(movement for one in run for movement in one.movements))


def _runs(ones: Iterable[_Moved], belongs: Callable[[_Moved, _Moved], bool]) -> Iterator[list[_Moved]]:
    """Yield maximal runs of consecutive items in which each item belongs with the previous one."""
    run: list[_Moved] = []
    for one in ones:
        if run and not belongs(run[-1], one):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _dollars(cents: int) -> str:
    return dollars(cents, symbol="$")
