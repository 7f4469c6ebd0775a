"""What the pit told wrong, and how the pit, or two people at a desk, void and correct it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.days.acts import COUNTS, Act, What, as_told
from tests.days.stage import Stage

_SOLD: Final = ("currency", "prepaid_access", "counter_check")
_STEPS: Final = ("taken", "received")
_EARLIER_MINUTES: Final = (0, 0, 0, 1, 45, 300)

dollars = st.integers(1, 5000).map(lambda number: number * 100)


class Changes(Stage):
    """A table of which something is told that did not happen so, and mended.

    `wrong` has what happened instead of events that are to be mended: nothing, or the same otherwise.
    """

    def by_desk(self, number: int, instead: Act | None) -> dict[str, Any] | None:
        """Return what a change of an event says of the desk; None where nothing stands there that it could change."""
        place, stands = as_told(self.told).get(number, ((0, 0), None))
        waits = any(one.behind and one.of == number for one in self.withheld)
        return None if stands in (None, instead) or waits else {"behind": place[0]}

    def change(self, number: int, instead: Act | None, *, at_desk: bool, at_once: bool = False) -> None:
        """Say that something else happened than an event has, or nothing; where a desk cannot, the pit says it."""
        first, by = self.events[number], (self.by_desk(number, instead) or {}) if at_desk else {}
        rank, self.rank = self.rank, 0
        what: What = "event_voided" if instead is None else "event_corrected"
        said: dict[str, Any] = {"at_once": at_once, **first.changed_to(instead), **by}
        self.act(what, **said)
        self.rank = rank
        self.void |= {number} if instead is None else set()

    @precondition(lambda self: self.at_work is not None)
    @rule(kind=st.sampled_from(_SOLD), cents=dollars, typed=dollars)
    def mistypes_a_sale(self, kind: What, cents: int, typed: int) -> None:
        """Chips are sold, and another amount is told."""
        made = self.act(kind, typed)
        self.tray, self.held, self.paid, self.quiet = self.tray - cents, self.held + cents, self.paid + cents, False
        self.inside[kind] += cents
        self.wrong[made.number] = replace(made, cents=cents)

    @precondition(lambda self: self.at_work is not None)
    @rule(kind=st.sampled_from([*_SOLD, "spot_count"]), cents=dollars)
    def tells_what_never_was(self, kind: What, cents: int) -> None:
        """A sale, or a count, is told that never was."""
        day, shift = self.at_work or (self.today(), "")
        of: dict[str, Any] = {"day": self.claimed(day), "shift": shift} if kind in COUNTS else {}
        self.wrong[self.act(kind, cents, **of).number] = None

    @precondition(lambda self: self.at_work is not None)
    @rule(what=st.sampled_from(["shift_count", "drop_count"]), shift=st.sampled_from(["day", "swing", "grave"]))
    def mistypes_a_count(self, what: What, shift: str) -> None:
        """The table is counted, and another sum is told."""
        day, worked = self.working()
        begins = (self.claimed(day), shift)
        made = self.count(what, 9_00, day=self.claimed(day), shift=worked, begins=begins)
        self.at_work = begins
        self.wrong[made.number] = replace(made, cents=max(self.tray, 0))

    @precondition(lambda self: self.wrong)
    @rule(at_desk=st.booleans(), last=st.booleans())
    def mends(self, at_desk: bool, last: bool) -> None:
        """The pit, or a desk, says what happened."""
        self.mend(list(self.wrong)[-1 if last else 0], at_desk=at_desk)

    def mend(self, number: int, *, at_desk: bool = False) -> None:
        """Say what happened in place of an event that is wrong; of a count that is right by now, nothing."""
        self.change(number, self.wrong.pop(number), at_desk=at_desk)
        self.mistaken.discard(number)

    @precondition(lambda self: not self.tidy and self.events)
    @rule(
        which=st.integers(0, 9),
        voids=st.booleans(),
        cents=dollars,
        minutes=st.sampled_from(_EARLIER_MINUTES),
        at_desk=st.booleans(),
        shift=st.sampled_from(["day", "swing", "grave"]),
        other=st.booleans(),
    )
    def changes_anything(
        self, which: int, voids: bool, cents: int, minutes: int, at_desk: bool, shift: str, other: bool
    ) -> None:
        """Somebody voids or corrects whatever was told, right or wrong: amount, moment, gaming day, shift."""
        free = list(self._free_to_change(voids=voids))
        if not free:
            return
        first = free[-1 - which % len(free)]
        instead = None if voids else self._otherwise(first, cents, timedelta(minutes=minutes), shift, other=other)
        bound = first.what in (*_STEPS, "exchanged") or (self.books.resolves and first.what in COUNTS)
        self.change(first.number, instead, at_desk=at_desk, at_once=bound)
        self.wrong.pop(first.number, None)
        if first.what in _STEPS and voids:
            self.slips[first.kind, first.slip].pop()
        if first.what == "exchanged":
            _, inside = self.off.pop(first.number)
            if instead is None:
                self.inside += inside
                self.box = first.box if self._is_last(first) else self.box
            else:
                self.off[first.number] = (instead, inside)

    def _is_last(self, exchange: Act) -> bool:
        return not any(
            number > exchange.number
            for number, one in self.events.items()
            if (one.what, one.table) == ("exchanged", exchange.table)
        )

    def _otherwise(self, first: Act, cents: int, earlier: timedelta, shift: str, *, other: bool) -> Act:
        """Return an event as it might have been: of a slip, with another sum; else earlier, of another day or shift."""
        if first.what in _STEPS:
            return replace(first, cents=cents)
        at = first.at - earlier
        margin = self.place.pit_margin
        days = sorted({self.place.gaming_day(moment) for moment in (at - margin, at, at + margin)})
        day = days[-1 if other else 0]
        if self.books.resolves and first.what in COUNTS:
            at, day = first.at, first.day
        begins = None if first.begins is None else (days[-1 if shift == "day" else 0], shift)
        cents = 0 if first.what == "exchanged" else cents
        return replace(first, at=at, day=day, shift=shift, begins=begins, cents=cents)

    def _free_to_change(self, *, voids: bool) -> Iterator[Act]:
        """Return the events on which nobody has built."""
        for number, first in self.events.items():
            if first.table != self.at_hand:
                continue
            match first.what:
                case "exchanged":
                    is_free = number in self.off and number not in {*self.void, *self.backoff, *self.placed_gone}
                    if is_free and first in self.told:
                        yield first
                case "taken" | "received":
                    done = self.slips[first.kind, first.slip]
                    is_free = done[-1] is first if voids else first.what == "received" and number not in self.void
                    if is_free and first in self.told and not (voids and self.books.resolves):
                        yield first
                case what if what in COUNTS:
                    if not (self.books.resolves and (voids or number in self.void)):
                        yield first
                case _:
                    yield first
