"""Figures lead to their entries, with sign and factor, however many were added up on the way."""

from datetime import date
from fractions import Fraction
from functools import reduce
from operator import add, attrgetter

from services.reporting.framework.figures import (
    NOTHING,
    Aggregate,
    Cell,
    EntriesOf,
    EntryRef,
    Figure,
    Part,
    Rounding,
    computed,
    counted_each,
    exact_sum,
    explained_by,
    share,
    stated,
    total,
    weighted,
)

ENTRIES = [EntryRef("table-inventory", 1, seq) for seq in range(1, 4)]
FIGURES = [Figure(seq, (entry,)) for seq, entry in enumerate(ENTRIES, 1)]
HANDLE, PAYOUT = (Aggregate("rounds", (name,), date.min, date.max) for name in ("handle_cents", "payout_cents"))


def adds(figure: Figure) -> Fraction:
    """What the parts of a figure of entries come to."""
    return sum((Fraction(part.factor or 0) * Fraction(part.value or 0) for part in figure.because), Fraction(0))


def test_each_entry_is_named_once_in_the_order_of_what_was_added() -> None:
    """Whether figures are added one by one or all at once."""
    one, two, three = FIGURES
    parts = tuple(Part(entry, 1, seq) for seq, entry in enumerate(ENTRIES, 1))
    assert parts == total(FIGURES).because == (one + two + three).because == reduce(add, FIGURES, NOTHING).because


def test_what_is_taken_off_has_its_sign() -> None:
    """What is added and taken off is gone; what is taken twice counts twice."""
    one, two, _ = FIGURES
    assert (Part(ENTRIES[1], 1, 2), Part(ENTRIES[0], -1, 1)) == (two - one).because
    assert (Part(ENTRIES[0], 2, 1),) == (one + two + (one - two)).because
    assert -7 == (-(one + two * 3)).value == adds(-(one + two * 3))


def test_a_sum_that_is_taken_several_times_has_a_factor() -> None:
    """And is there no more once it is taken off again."""
    handle, payout = Figure(900, (HANDLE,)), Figure(500, (PAYOUT,))
    assert (Part(HANDLE, 2), Part(PAYOUT, -1)) == (handle + (handle - payout)).because
    assert (Part(PAYOUT, -1),) == (handle - payout - handle).because


def test_a_figure_that_is_in_itself_many_times_is_explained_at_once() -> None:
    """What doubles with each addition is looked through once: forty additions later the entries are still two."""
    doubled = FIGURES[0] + FIGURES[1]
    for _ in range(40):
        doubled += doubled
    assert (Part(ENTRIES[0], 2**40, 1), Part(ENTRIES[1], 2**40, 2)) == doubled.because
    assert doubled.value == adds(doubled)


def test_what_is_rounded_says_what_rounding_added() -> None:
    """Each amount once: their sum is exact, and two halves that were rounded up make a cent."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    figure = weighted(1, [(third, FIGURES[0]), (half, FIGURES[1])])
    assert (third, half, 1) == tuple(part.factor for part in figure.because)
    assert Part(Rounding(), 1, Fraction(-1, 3)) == figure.because[-1]
    assert [1, 2] == [adds(figure), adds(figure + figure)]
    assert () == weighted(1, []).because
    assert (Part(ENTRIES[0], half, 1), Part(ENTRIES[1], half, 2)) == weighted(
        2, [(half, FIGURES[0] + FIGURES[1])]
    ).because[:2]


def test_a_value_that_is_no_sum_has_entries_without_a_factor() -> None:
    """A percentage, a tax, and whatever they are in; several entries whose shares nobody says."""
    one, two, _ = FIGURES
    behind = (Part(ENTRIES[0], None, 1), Part(ENTRIES[1], None, 2))
    assert ("50.00", behind) == (share(one, two).value, share(one, two).because)
    assert behind == computed(5, one + two).because == (computed(5, one + two) + NOTHING).because
    assert (Part(ENTRIES[0], None, 1),) == Cell("any", one).because
    assert (Part(ENTRIES[0], None), Part(ENTRIES[1], None)) == Figure(3, (ENTRIES[0], ENTRIES[1])).because
    assert () == explained_by(NOTHING, NOTHING).because


def test_a_value_that_an_entry_states_is_all_of_that_entry() -> None:
    """Who approves what another entered adds nothing; of several that are counted each adds one."""
    assert 500 == adds(Figure(500, stated(500, ENTRIES[0], ENTRIES[1])))
    assert 2 == adds(Figure(2, counted_each(ENTRIES[:2])))
    assert (Part(ENTRIES[0], 1, 5),) == Cell(5, (ENTRIES[0],)).because
    assert (Part(ENTRIES[0], 1, 1), Part(ENTRIES[1], 1, 2)) == exact_sum("3", FIGURES[:2]).because


def test_entries_are_found_when_somebody_asks() -> None:
    """Of thousands that are added up nobody may ask; who does is told each once, with those of other figures."""
    asked: list[Figure] = []

    def entry_of(one: Figure) -> EntryRef:
        asked.append(one)
        return ENTRIES[one.value - 1]

    several = Figure(4, EntriesOf([*FIGURES[:1], *FIGURES[:1], *FIGURES[1:2]], entry_of, attrgetter("value")))
    added = several + FIGURES[0] - Figure(0, EntriesOf([], entry_of))
    assert (5, []) == (added.value, asked)
    assert (Part(ENTRIES[0], 1, 3), Part(ENTRIES[1], 1, 2)) == added.because
    assert (ENTRIES[0], ENTRIES[1]) == Cell("any", several).sources
