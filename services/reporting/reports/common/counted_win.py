"""The counted win of tables: sums of the statements of table inventory, the only service that computes the win."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from services.reporting.framework.document import Column, Mark
from services.reporting.framework.figures import NOTHING, Cell, Figure, share, total
from services.reporting.read_model.inventory import Lack
from services.reporting.read_model.reading import Books

KIND: Final = Column(name="kind", title="Kind", formula="kind of the counted table's game, as the property names it")
"""The column for the kind of game of a counted table; these games are in no catalogue."""

PLAY: Final = Column(
    name="play", title="Source of win", formula="rounds: reported by the table; counted: known only from counts"
)
"""The column for how a table's win is determined on the gaming days; it names both ways if that changed in between."""

_MEASURES: Final = (
    *("opener_cents", "closer_cents", "handed_over_cents", "fills_cents", "credits_cents"),
    *("currency_cents", "counter_checks_cents", "prepaid_cents", "coupons_cents", "drop_cents"),
    *("win_cents", "counted_win_cents", "adjusted_cents", "missing"),
)
"""The stated measures of a table's win (services.reporting.read_model.inventory)."""


@dataclass(frozen=True, slots=True, order=True)
class Missing:
    """A table's missing item as text: its name and, by the property's clock, when it became missing."""

    table: str
    said: str

    @classmethod
    def of(cls, books: Books, table: str, item: str) -> "Missing":
        """Return a table's missing item, decoded from the item of an amount."""
        lack = Lack.of_item(item)
        return cls(table, f"{lack.what} (since {lack.since.astimezone(books.place.zone):%Y-%m-%d %H:%M})")


NOT_COUNTED: Final = "counts"
"""The missing item of a table that has play but no statement of its win."""


@dataclass(frozen=True, slots=True)
class CountedWin:
    """The counted win of one or several tables or shifts, in cents; it is unknown while items are `missing`.

    `counted_win` is the win by count: the part of the win that only counts at counted tables reveal.
    """

    opener: Figure = NOTHING
    fills: Figure = NOTHING
    credits: Figure = NOTHING
    closer: Figure = NOTHING
    currency: Figure = NOTHING
    counter_checks: Figure = NOTHING
    prepaid: Figure = NOTHING
    coupons: Figure = NOTHING
    drop: Figure = NOTHING
    win: Figure = NOTHING
    counted_win: Figure = NOTHING
    adjusted: Figure = NOTHING
    missing: tuple[Missing, ...] = ()

    @property
    def final_win(self) -> Figure:
        """Return the win including adjustments."""
        return self.win + self.adjusted

    @property
    def hold(self) -> Cell:
        """Return the hold: the win as a percentage of the drop."""
        return share(self.win, self.drop)

    @property
    def lacks(self) -> str | None:
        """Return the missing items of one table as text; None if nothing is missing."""
        return ", ".join(one.said for one in self.missing) or None

    @property
    def lacks_by_table(self) -> str | None:
        """Return the missing items as text, grouped by table; None if nothing is missing."""
        tables = groupby(self.missing, attrgetter("table"))
        return "; ".join(f"{table}: {', '.join(one.said for one in lacks)}" for table, lacks in tables) or None

    def __add__(self, other: "CountedWin") -> "CountedWin":
        return together((self, other))


_FIGURES: Final = tuple(name for name in CountedWin.__slots__ if name != "missing")
_figures: Final = attrgetter(*_FIGURES)


def together(wins: Iterable[CountedWin]) -> CountedWin:
    """Return the total counted win of several tables, shifts or days, with all of their missing items."""
    listed = list(wins)
    figures = map(total, zip(*map(_figures, listed), strict=True))
    missing = tuple(sorted({what for one in listed for what in one.missing}))
    return CountedWin(**dict(zip(_FIGURES, figures, strict=False)), missing=missing)


async def counted_wins(
    books: Books,
    *by: str,
    first: date | None = None,
    last: date | None = None,
    explained: bool = True,
) -> dict[tuple[str, ...], CountedWin]:
    """Return the counted win keyed by dimensions (`gaming_day`, `table_name`, `shift`), in order.

    Without `shift`, opener and closer are those of the first and the last shift of a day. Without `explained`, figures
    have no provenance.
    """
    known = await books.amounts(_MEASURES, (*by, "item"), first=first, last=last, explained=explained)
    figures: dict[tuple[str, ...], Mapping[str, Figure]] = {}
    missing: dict[tuple[str, ...], list[Missing]] = {}
    for (*place, item), measures in known.items():
        key = tuple(place)
        figures.setdefault(key, {})
        if item:
            table = dict(zip(by, key, strict=True)).get("table_name", "")
            missing.setdefault(key, []).append(Missing.of(books, table, item))
        else:
            figures[key] = measures
    return {key: _win(figures[key], missing.get(key, ()), day="shift" not in by) for key in sorted(figures)}


def _win(measures: Mapping[str, Figure], missing: Iterable[Missing], *, day: bool) -> CountedWin:
    found = {name: measures.get(f"{name}_cents", NOTHING) for name in _FIGURES}
    if day and (handed_over := measures.get("handed_over_cents")) is not None:
        found |= {name: found[name] - handed_over for name in ("opener", "closer")}
    return CountedWin(**found, missing=tuple(sorted(missing)))


def counted_marks(books: Books) -> tuple[Mark, ...]:
    """Return a remark on each unconfirmed provision of law behind the win."""
    law, day = books.place.law, books.question.last
    behind: Mapping[str, Any] = {
        "formula of win": law.win.formula,
        **{f"{name} as drop": getattr(law.instruments, name) for name in type(law.instruments).model_fields},
    }
    dated = {what: provision.on(day) for what, provision in behind.items()}
    return tuple(Mark(what, one.source, one.note or "") for what, one in dated.items() if one.status == "unconfirmed")
