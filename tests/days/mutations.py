"""Bugs to be found: named mutations of the model of days and meters, each a mistake that somebody could make there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from unittest.mock import patch

from services.progressive_meters.domain import pools, reconciling, rounds
from services.table_inventory import tables
from services.table_inventory.domain import changing, days, occupancy, pit, sessions, stated, win
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.windows import NOTHING, Count, Moves, Window
from services.table_inventory.projections import gaming_days
from services.table_inventory.projections import pit as pit_rows
from shared.contracts.exact import nanocents, shown
from shared.contracts.inventory import PitVoided
from shared.contracts.pit import CorrectedPitEvent
from shared.contracts.property_snapshot import PropertySnapshot
from shared.runtime.ingest import pit_events
from tests.days.difference import Difference
from tests.days.run import play

Mutation = Callable[[ExitStack], None]
_MAKING: Final[Any] = vars(sessions)["_Making"]
"""What makes windows of counts."""

_ON_DISPLAY: Final[Any] = vars(pools.Delta)["on_display"].fget


def _instead(stack: ExitStack, where: Any, name: str, mistaken: Any) -> None:
    stack.enter_context(patch.object(where, name, mistaken))


def recount_adds(stack: ExitStack) -> None:
    """Take a count that is repeated for another one."""
    _instead(stack, sessions, "_is_recount", lambda *_: False)


def recount_after_play(stack: ExitStack) -> None:
    """Let a count that is repeated after something moved take the place of the one before."""
    _instead(stack, Moves, "any", False)


def recount_across_days(stack: ExitStack) -> None:
    """Take an opener for the recount of any opener before it."""
    _instead(stack, sessions, "_is_recount", lambda before, count: before.purpose == count.purpose == "opener")


def handed_over_twice(stack: ExitStack) -> None:
    """Forget that a count which ends one shift begins the next of the same day."""
    emit = _MAKING._emit

    def mistaken(self: Any, end: Count | None, **more: Any) -> None:
        emit(self, end, **{name: value for name, value in more.items() if name != "hands_over"})

    _instead(stack, _MAKING, "_emit", mistaken)


def day_never_cut(stack: ExitStack) -> None:
    """Let a table that nobody counted go on over the end of a gaming day."""
    _instead(stack, _MAKING, "_day_ends", lambda *_: None)


def count_ends_any_day(stack: ExitStack) -> None:
    """Take any count soon after the end of a gaming day for the one that ends it."""
    _instead(stack, sessions, "_ends_a_day", lambda *_: True)


def margin_forgotten(stack: ExitStack) -> None:
    """Cut the day at its end, however soon it was counted."""
    _instead(stack, _MAKING, "_is_counted", lambda *_: False)


def opener_ends_a_day(stack: ExitStack) -> None:
    """Let the opener of an open table end its day without a closer."""
    lacks = _MAKING._lacks_closer
    _instead(stack, _MAKING, "_lacks_closer", lambda self, of: None if self.counts else lacks(self, of))


def spot_count_forgets(stack: ExitStack) -> None:
    """Let a spot count begin a day that nobody has counted."""
    running: Any = vars(sessions)["_Running"]
    after = running.after
    _instead(stack, running, "after", lambda self, count, at: replace(after(self, count, at), uncounted=False))


def move_at_the_count_is_after_it(stack: ExitStack) -> None:
    """Put what moved before a count into the window that begins with it."""
    take = _MAKING.take

    def mistaken(self: Any, mark: Any) -> None:
        moves, late = mark.moves or NOTHING, mark.count is not None and mark.count.purpose == "drop"
        take(self, mark.model_copy(update={"moves": NOTHING}) if late else mark)
        self.running.moves += moves if late else NOTHING

    _instead(stack, _MAKING, "take", mistaken)


def sale_without_opener(stack: ExitStack) -> None:
    """Let chips be sold at a table that nobody has opened."""
    _instead(stack, Moves, "sold", False)


def carried_replaces(stack: ExitStack) -> None:
    """Put what is carried in the place of opener and closer."""

    def mistaken(found: win.Win, count: Count) -> None:
        found.opener_cents = found.closer_cents = count.cents
        found.carried += 1
        found.counts.append(count.sequence)

    _instead(stack, win, "_add_carried", mistaken)


def box_forgotten(stack: ExitStack) -> None:
    """Forget boxes that were placed and never came back."""
    missing: Any = vars(occupancy)["_missing"]
    _instead(stack, occupancy, "_missing", lambda *of: (one for one in missing(*of) if one.what != "box"))


def another_box_will_do(stack: ExitStack) -> None:
    """Take whatever box comes off for the one that was placed."""
    missing: Any = vars(occupancy)["_missing"]

    def mistaken(stay: Any, parts: Any) -> Iterator[Any]:
        return (one for one in missing(stay, parts) if one.what != "box" or stay.back is None)

    _instead(stack, occupancy, "_missing", mistaken)


def box_never_for_the_count(stack: ExitStack) -> None:
    """Wait for the box that was put on for tomorrow."""
    _instead(stack, occupancy, "AT_THE_COUNT", timedelta())


def box_always_for_the_count(stack: ExitStack) -> None:
    """Take a box that was on for hours, and had money in it, for one that was put on for tomorrow."""
    _instead(stack, occupancy, "_is_for_the_count", lambda parts: len(parts) < 3)


def slip_forgotten(stack: ExitStack) -> None:
    """State the win of a day whose slips have not ended."""
    wins = win.shift_wins
    _instead(stack, win, "shift_wins", lambda *of: wins(*of[:-1]))


def win_in_spite_of_lacks(stack: ExitStack) -> None:
    """State a win although something is missing."""
    finish = win.Win.finish

    def mistaken(self: win.Win, provisions: Any) -> win.Win:
        lacks, self.lacks = self.lacks, []
        finish(self, provisions)
        self.lacks, self.missing = lacks, sorted({one.what for one in lacks})
        return self

    _instead(stack, win.Win, "finish", mistaken)


def changes_without_the_revision_before(stack: ExitStack) -> None:
    """State as changes what the figures are."""
    unstated = stated.unstated_of

    def mistaken(*of: Any) -> Iterator[Any]:
        return (one.model_copy(update={"changes": one.figures}) for one in unstated(*of))

    _instead(stack, stated, "unstated_of", mistaken)


def found_forgotten(stack: ExitStack) -> None:
    """State what is missing, and never that it was found."""
    unstated = stated.unstated_of
    _instead(stack, stated, "unstated_of", lambda *of: (one.model_copy(update={"found": ()}) for one in unstated(*of)))


def slip_not_touched(stack: ExitStack) -> None:
    """Look at the gaming day on which the chips of a slip arrived, and not at the one for which it was prepared."""
    _instead(stack, pit, "_slip_day", lambda *_: None)


def any_day_believed(stack: ExitStack) -> None:
    """Believe the gaming day that a count claims, however far it lies from its moment."""
    _instead(stack, PropertySnapshot, "is_day", lambda *_, **__: True)


def older_days_left(stack: ExitStack) -> None:
    """Leave the older days that waited for a box as they were stated."""
    _instead(stack, occupancy, "other_days", lambda *_: None)


def begun_day_not_touched(stack: ExitStack) -> None:
    """Look at the day that a count ends, and not at the one that it begins."""
    touched = gaming_days.touched

    def mistaken(fact: Any) -> Iterator[Any]:
        return (one for one in touched(fact) if one[2] == fact.gaming_day)

    _instead(stack, gaming_days, "touched", mistaken)


def written_off_in_vain(stack: ExitStack) -> None:
    """Wait for boxes that were written off."""
    _instead(stack, Box, "is_done", property(lambda self: self.currency_cents is not None))


def local_midnight(stack: ExitStack) -> None:
    """Take the end of a gaming day for 24 hours after its beginning, whatever the clocks do."""
    begins: Any = _MAKING._begins_day

    def mistaken(self: Any, at: datetime) -> bool:
        before = self.clock.begins_at(self.clock.gaming_day(at) - timedelta(days=1))
        return bool(begins(self, at) and at - before == timedelta(hours=24))

    _instead(stack, _MAKING, "_begins_day", mistaken)


def desk_counts_last(stack: ExitStack) -> None:
    """Put what a desk changes behind all that the pit says later."""
    place = pit_events.said_at
    last = 2**30
    _instead(
        stack,
        pit_events,
        "said_at",
        lambda event: place(event)._replace(sequence=last) if place(event).desk else place(event),
    )


def change_in_order_of_arrival(stack: ExitStack) -> None:
    """Let what comes last count, whatever its place in the stream is."""
    _instead(stack, pit_events.PitEventsKnown, "is_superseded", lambda *_: False)


def void_restates_nothing(stack: ExitStack) -> None:
    """Leave the days, sealed ones among them, as they were stated when an event of them is void."""
    touched = gaming_days.touched
    _instead(stack, gaming_days, "touched", lambda fact: () if isinstance(fact, PitVoided) else touched(fact))


def void_count_bounds_windows(stack: ExitStack) -> None:
    """Leave a void count where it was: windows begin and end with it."""
    rows = [one for one in pit_rows.ROWS_OF_EVENTS if one[1] is not tables.counts]
    _instead(stack, pit_rows, "ROWS_OF_EVENTS", rows)


def correction_at_the_old_moment(stack: ExitStack) -> None:
    """Record what is corrected at the moment that was told first."""
    change: Any = vars(changing)["_change"]

    def mistaken(event: Any, known: Any) -> Any:
        standing = known.events.standing(event)
        if isinstance(event.data, CorrectedPitEvent) and standing is not None:
            data = event.data.model_copy(update={"at": standing.at})
            event = event.model_copy(update={"data": data})
        return change(event, known)

    _instead(stack, changing, "_change", mistaken)


def rounds_expected_nowhere(stack: ExitStack) -> None:
    """Expect at a count what moved but for the rounds."""
    expected = vars(Window)["expected_cents"].fget
    _instead(stack, Window, "expected_cents", property(lambda self: expected(self) - self.moves.rounds_cents))


def number_of_a_check_used_twice(stack: ExitStack) -> None:
    """Let a counter check be issued under a number that another one has."""
    require: Any = vars(pit)["_require_known"]

    def mistaken(data: Any, place: PropertySnapshot, known: pit.Known, **more: Any) -> None:
        known.checks.clear()
        require(data, place, known, **more)

    _instead(stack, pit, "_require_known", mistaken)


def number_of_a_void_check_is_used(stack: ExitStack) -> None:
    """Keep the number of a counter check that is void: it was never issued."""
    undo: Any = vars(changing)["_undo"]

    def mistaken(standing: Any, instead: Any, found: Any, known: pit.Known) -> Any:
        checks = set(known.checks)
        postings = undo(standing, instead, found, known)
        known.checks = checks
        return postings

    _instead(stack, changing, "_undo", mistaken)


def box_on_two_tables(stack: ExitStack) -> None:
    """Let a box be put on a table while it is on another one."""
    _instead(stack, pit, "put_on_table", lambda *_: None)


def slip_of_any_table(stack: ExitStack) -> None:
    """Let the chips of a slip be taken to, or from, whatever table says so."""
    step: Any = vars(pit)["_slip_step"]

    def mistaken(data: Any, at: datetime, table: Any, known: pit.Known, place: PropertySnapshot) -> Any:
        key = pit.slip_of(data)
        known.slips[key] = known.slips[key].model_copy(update={"table": data.table})
        return step(data, at, table, known, place)

    _instead(stack, pit, "_slip_step", mistaken)


def excuse_of_one_for_all(stack: ExitStack) -> None:
    """Let an excuse of one table do for all."""
    incomplete = days.incomplete

    def mistaken(place: PropertySnapshot, day: Any, shifts: Any, excused: Any) -> Iterator[str]:
        return (one for one in incomplete(place, day, shifts, excused) if not excused or "has no record" in one)

    _instead(stack, days, "incomplete", mistaken)


def reset_forgotten(stack: ExitStack) -> None:
    """Leave the meter empty after an award of all of it."""
    _instead(stack, pools.Delta, "on_display", property(lambda self: _ON_DISPLAY(replace(self, reset=0))))


def award_never_too_much(stack: ExitStack) -> None:
    """Reconcile a day in spite of an award above what the meter showed."""
    _instead(stack, reconciling.Day, "awards", ())


def share_of_a_cent_dropped(stack: ExitStack) -> None:
    """Put whole cents on the meter."""
    _instead(stack, rounds, "share", lambda cents, rate: nanocents(int(cents * rate)))


def taken_back_without_its_reset(stack: ExitStack) -> None:
    """Leave on the meter what restored it after an award that is taken back."""
    delta_of = pools.delta_of
    _instead(stack, pools, "delta_of", lambda movement: replace(delta_of(movement), reset=0))


def accepted_in_vain(stack: ExitStack) -> None:
    """Leave on the meter the debt that the house bears."""
    _instead(stack, pools, "accept_award", lambda pool, *_: pools.move(pool, pools.Delta(), balance="house"))


def debt_on_the_sign(stack: ExitStack) -> None:
    """Show a debt of the house on the sign."""
    for where in (pools, reconciling):
        _instead(stack, where, "displayed", shown)


MUTATIONS: Final[Sequence[Mutation]] = (
    recount_adds,
    recount_after_play,
    recount_across_days,
    handed_over_twice,
    day_never_cut,
    count_ends_any_day,
    margin_forgotten,
    opener_ends_a_day,
    spot_count_forgets,
    move_at_the_count_is_after_it,
    sale_without_opener,
    carried_replaces,
    box_forgotten,
    another_box_will_do,
    box_never_for_the_count,
    box_always_for_the_count,
    slip_forgotten,
    win_in_spite_of_lacks,
    changes_without_the_revision_before,
    found_forgotten,
    slip_not_touched,
    any_day_believed,
    older_days_left,
    begun_day_not_touched,
    written_off_in_vain,
    local_midnight,
    desk_counts_last,
    change_in_order_of_arrival,
    void_restates_nothing,
    void_count_bounds_windows,
    correction_at_the_old_moment,
    rounds_expected_nowhere,
    number_of_a_check_used_twice,
    number_of_a_void_check_is_used,
    box_on_two_tables,
    slip_of_any_table,
    excuse_of_one_for_all,
    reset_forgotten,
    award_never_too_much,
    share_of_a_cent_dropped,
    taken_back_without_its_reset,
    accepted_in_vain,
    debt_on_the_sign,
)


@contextmanager
def mutated(mutation: Mutation) -> Iterator[None]:
    """Have the model make a mistake."""
    with ExitStack() as stack:
        mutation(stack)
        yield


def found_by(mutation: Mutation, seed: int, *, days: int = 40) -> bool:
    """Return whether the pits of a seed find a mistake: by a difference, not by a crash of what is mistaken."""
    with mutated(mutation):
        try:
            play(days, seed, shrunk=False)
        except Difference:
            return True
    return False
