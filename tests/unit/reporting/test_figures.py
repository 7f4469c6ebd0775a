"""Figures lead to their entries, however many were added up on the way."""

from functools import reduce
from operator import add

from services.reporting.framework.figures import NOTHING, Cell, EntriesOf, EntryRef, Figure, explained_by, share, total

ENTRIES = [EntryRef("table-inventory", 1, seq) for seq in range(1, 4)]
FIGURES = [Figure(seq, (entry,)) for seq, entry in enumerate(ENTRIES, 1)]


def test_each_entry_is_named_once_in_the_order_of_what_was_added() -> None:
    """Whether figures are added one by one, all at once, or taken off."""
    one, two, three = FIGURES
    assert Figure(6, tuple(ENTRIES)) == total(FIGURES) == one + two + three == reduce(add, FIGURES, NOTHING)
    assert Figure(1, (ENTRIES[1], ENTRIES[0])) == two - one
    assert (ENTRIES[0], ENTRIES[1]) == ((one + two) + (one - two)).because


def test_a_figure_that_is_in_itself_many_times_is_explained_at_once() -> None:
    """What doubles with each addition is looked through once: forty additions later the entries are still two."""
    doubled = FIGURES[0] + FIGURES[1]
    for _ in range(40):
        doubled += doubled
    assert (3 * 2**40, (ENTRIES[0], ENTRIES[1])) == (doubled.value, doubled.because)


def test_a_cell_comes_from_where_its_figures_do() -> None:
    """A percentage from both of its figures, another value from what it is given."""
    one, two, _ = FIGURES
    assert ("50.00", (ENTRIES[0], ENTRIES[1])) == (share(one, two).value, share(one, two).because)
    assert one.because == Cell("any", one).because
    assert () == explained_by(NOTHING, NOTHING).because


def test_entries_are_found_when_somebody_asks() -> None:
    """Of thousands that are added up nobody may ask; who does is told each once, with those of other figures."""
    asked: list[str] = []

    def entry_of(name: str) -> EntryRef:
        asked.append(name)
        return ENTRIES[int(name)]

    several = Figure(7, EntriesOf(["1", "2", "1"], entry_of))
    added = several + FIGURES[0] - Figure(1, EntriesOf([], entry_of))
    assert (7, []) == (added.value, asked)
    assert (ENTRIES[1], ENTRIES[2], ENTRIES[0]) == added.because
    assert (ENTRIES[1], ENTRIES[2]) == Cell("any", several).because
