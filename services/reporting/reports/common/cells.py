"""Cells used by several reports: exact cents, entries, and totals."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

from services.reporting.framework.document import Column, Filled
from services.reporting.framework.figures import Cell, EntryRef, Figure, computed, exact_sum, rounded, total
from services.reporting.read_model.reading import Books
from shared.contracts.exact import NANOCENTS, displayed, exact_text, nanocents, shown
from shared.contracts.rejection import Reason, Rejected

PITS_OF_TABLE: Final = Column(
    name="pit", title="Pit", formula="pits of the table on the gaming days, in chronological order"
)
"""The column for the pits of a table over all gaming days of the period (see `Books.pits_of`)."""


def in_nanocents(figure: Figure) -> Figure:
    """Return a figure converted from cents to nanocents; its provenance stays in cents."""
    return Figure(nanocents(figure.value), figure.origin)


def exact(figure: Figure) -> Cell:
    """Return a figure in nanocents as a cell of exact cents."""
    return exact_sum(exact_text(figure.value), (figure,))


def as_shown(figure: Figure) -> Figure:
    """Return a figure in nanocents converted to whole cents, as shown in reports."""
    return _without_shares(shown(figure.value), figure)


def as_displayed(figure: Figure) -> Figure:
    """Return a figure in nanocents converted to the whole cents on a meter's sign, which are never negative."""
    return _without_shares(displayed(figure.value), figure)


def _without_shares(cents: int, figure: Figure) -> Figure:
    """Return a figure in nanocents with its value replaced by the given whole cents.

    If a negative meter is displayed as zero, the value is not the sum of the entries, which then add no amounts.
    """
    exact = Fraction(figure.value, NANOCENTS)
    return rounded(cents, exact, figure) if abs(exact - cents) < 1 else computed(cents, figure)


def rate_text(rate: Fraction) -> str:
    """Return an exact rate as a decimal, or as a fraction if the decimal would not terminate.

    >>> rate_text(Fraction(31, 200)), rate_text(Fraction(1, 3))
    ('0.155', '1/3')
    """
    rest = rate.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return str(rate) if rest > 1 else f"{Decimal(rate.numerator) / rate.denominator:f}"


def entry_cell(entry: EntryRef) -> Cell:
    """Return a cell with the text of an entry's reference, and the entry as provenance."""
    return Cell(f"{entry.service}/{entry.shard}/{entry.seq}", (entry,))


def sum_of(found: Iterable[Mapping[str, Figure]], measure: str) -> Figure:
    """Return the sum of a measure over several groups of sums."""
    return total(measures[measure] for measures in found if measure in measures)


def total_of(filled: Filled, column: str) -> Figure:
    """Return the total of a section's column, with its provenance."""
    assert filled.total is not None, f"the columns of {filled.section.name} are added up"
    value = filled.total.cells[column]
    assert isinstance(value, int), f"{column} is a whole number"
    return Figure(value, filled.total.explained(column).origin)


def require_whole(books: Books, why: str) -> None:
    """Raise Rejected with the reason `why` if a report on the whole property is requested for one table or game."""
    asked = books.question.table or books.question.game
    if asked is not None:
        raise Rejected(Reason.NOT_FOUND, f"there is none of {asked}: {why}; ask for {books.question.property}")
