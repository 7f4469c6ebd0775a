"""The statements of win that table inventory publishes for a simulated day: after play, and after the drop count.

The statements are derived from the tables' events, paper slips and box contents, by Pennsylvania's win formula.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from loadtest.floor.pit import PitDay
from loadtest.floor.pit_items import Box, Slip
from loadtest.floor.pit_table import COUPON_CENTS
from shared.contracts import pit
from shared.contracts.chips import value_of
from shared.contracts.envelope import Event
from shared.contracts.win import Missing, WinFigures, WinStated

_WIN: Final = {"closer_cents": 1, "credits_cents": 1, "drop_cents": 1, "opener_cents": -1, "fills_cents": -1}


@dataclass(slots=True)
class _Shift:
    """A table's shift: its win figures, the counts and boxes from which they are computed, and the missing data."""

    figures: WinFigures = field(default_factory=WinFigures)
    counts: list[int] = field(default_factory=list)
    boxes: list[int] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def add(self, **figures: int) -> None:
        """Add amounts to the figures."""
        self.figures += WinFigures(**figures)


def stated_wins(
    day: PitDay, events: Iterable[Event[Any]], slips: Mapping[Slip, int]
) -> tuple[list[WinStated], list[WinStated]]:
    """Return a day's statements of win, before and after the drop count; `slips` maps slips to their numbers."""
    carried = {number: slip.cents for slip, number in slips.items() if slip.slip == "credit"}
    shifts: dict[tuple[str, str], _Shift] = {}

    def of(table: str, shift: str) -> _Shift:
        return shifts.setdefault((table, shift), _Shift())

    for event in events:
        _report(event, of, carried)
    for paper in day.paper:
        of(paper.table, paper.shift).add(fills_cents=paper.cents)
    before = [_stated(day, *key, one, None) for key, one in shifts.items()]
    found: dict[tuple[str, str], list[Box]] = {}
    for box in day.boxes:
        found.setdefault((box.table, box.shift), []).append(box)
    after = [
        _stated(day, *key, _counted(shifts[key], boxes), first)
        for first in before
        for key in [(first.table, first.shift)]
        if (boxes := found.get(key)) is not None
    ]
    return before, after


def _report(event: Event[Any], of: Callable[[str, str], _Shift], carried: Mapping[int, int]) -> None:
    """Add a pit event to its shift."""
    data = event.data
    here = of(data.table, data.shift)
    match data:
        case pit.OpenedTable():
            here.add(opener_cents=value_of(data.contents), openings=1)
            here.counts.append(event.sequence)
        case pit.ClosedTable():
            here.add(closer_cents=value_of(data.contents), closings=1)
            here.counts.append(event.sequence)
        case pit.CountedOpenTable(begins=pit.NextShift() as begun):
            cents = value_of(data.contents)
            here.add(closer_cents=cents, handed_over_cents=cents, closings=1)
            here.counts.append(event.sequence)
            there = of(data.table, begun.shift)
            there.add(opener_cents=cents, openings=1)
            there.counts.append(event.sequence)
        case pit.CarriedTable():
            cents = value_of(data.contents)
            here.add(opener_cents=cents, closer_cents=cents, carried=1)
            here.counts.append(event.sequence)
        case pit.ReceivedFill():
            here.add(fills_cents=value_of(data.contents))
        case pit.CarriedCredit():
            here.add(credits_cents=carried[data.number])
        case pit.DroppedCoupon():
            here.add(coupons_paid_cents=data.paid_cents)
        case pit.WaivedVigorish():
            here.add(vigorish_waived_cents=data.cents)
        case pit.ExchangedBox():
            here.add(boxes=1)
            here.boxes.append(event.sequence)
            here.missing.append(Missing(what="count", name=data.removed_box, since=event.time))


def _counted(shift: _Shift, boxes: Sequence[Box]) -> _Shift:
    """Return a shift with its boxes' counted contents and its win."""
    currency = sum(box.dropped.currency for box in boxes)
    checks = sum(sum(box.dropped.checks.values()) for box in boxes)
    coupons: Counter[str] = Counter()
    for box in boxes:
        coupons.update(box.dropped.coupons)
    figures = shift.figures + WinFigures(
        boxes_counted=len(boxes),
        currency_cents=currency,
        counter_checks_cents=checks,
        coupons_cents=COUPON_CENTS * coupons.total(),
        match_play_cents=COUPON_CENTS * coupons["match_play"],
        direct_bet_cents=COUPON_CENTS * coupons["direct_bet"],
        drop_cents=currency + checks,
    )
    win_cents = sum(sign * getattr(figures, name) for name, sign in _WIN.items())
    return _Shift(figures + WinFigures(win_cents=win_cents), shift.counts, shift.boxes)


def _stated(day: PitDay, table: str, shift: str, now: _Shift, before: WinStated | None) -> WinStated:
    known = WinFigures() if before is None else before.figures
    return WinStated(
        property=day.property,
        gaming_day=day.gaming_day,
        table=table,
        shift=shift,
        revision=1 if before is None else 2,
        figures=now.figures,
        changes=now.figures - known,
        missing=tuple(now.missing),
        lost=tuple(now.missing) if before is None else (),
        found=() if before is None else before.missing,
        counts=tuple(now.counts),
        boxes=tuple(now.boxes),
    )
