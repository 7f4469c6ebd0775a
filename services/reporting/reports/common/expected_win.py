"""The expected win of counted tables, in cents: drop times the hold that the property expects of their game."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from services.reporting.framework.figures import NOTHING, Cell, Figure, Weights, weighted
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.counted_win import CountedWin, counted_wins
from services.reporting.reports.common.spans import is_asked


@dataclass(frozen=True, slots=True)
class ExpectedWin:
    """A table's win, drop and expected win, over the gaming days that have an expected hold."""

    win: Figure = NOTHING
    drop: Figure = NOTHING
    expected: Fraction = Fraction(0)
    days: tuple[tuple[date, int, int], ...] = ()
    """The days on which a hold was expected, each with its win and drop in cents."""
    kept: Weights = ()
    """The expected hold of each day as a fraction, paired with the drop to which it applies."""

    @property
    def hold(self) -> Fraction | None:
        """Return the expected hold as a fraction, weighted by drop over several days; None without drop."""
        return Fraction(self.expected, self.drop.value) if self.drop.value > 0 else None

    @property
    def cell(self) -> Figure | Cell:
        """Return the expected win in cents, rounded once; a cell without a value if no day has an expected hold."""
        return weighted(round(self.expected), self.kept) if self.days else Cell(None, self.drop)

    def __add__(self, other: "ExpectedWin") -> "ExpectedWin":
        return ExpectedWin(
            self.win + other.win,
            self.drop + other.drop,
            self.expected + other.expected,
            (*self.days, *other.days),
            (*self.kept, *other.kept),
        )

    def by_day(self) -> list[tuple[int, int]]:
        """Return (win, drop) for each day with an expected hold, in cents, summed over tables."""
        found: dict[date, tuple[int, int]] = {}
        for day, win, drop in self.days:
            before = found.get(day, (0, 0))
            found[day] = (before[0] + win, before[1] + drop)
        return list(found.values())


async def expected_wins(books: Books, first: date, last: date) -> Mapping[str, ExpectedWin]:
    """Return the expected win, keyed by table, of counted tables with an expected hold on any of the gaming days.

    The expected holds are those in the property's version on the last queried day; each applies to its own days.
    """
    found: dict[str, ExpectedWin] = {}
    if not books.place.document.games:
        return found
    wins = await counted_wins(books, "gaming_day", "table_name", first=first, last=last)
    for (written, table), win in wins.items():
        day = date.fromisoformat(written)
        one = _of_day(books, day, table, win)
        if one is not None and is_asked(books, table):
            found[table] = found.get(table, ExpectedWin()) + one
    return found


def _of_day(books: Books, day: date, table: str, win: CountedWin) -> ExpectedWin | None:
    if win.missing or books.sales_of(table, day) is None:
        return None
    hold = books.place.expected_hold(books.game_of(table), day)
    if hold is None:
        return None
    part = Fraction(hold.hold) / 100
    return ExpectedWin(
        win.win, win.drop, part * win.drop.value, ((day, win.win.value, win.drop.value),), ((part, win.drop),)
    )
