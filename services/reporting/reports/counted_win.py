"""The win of tables as counted: opener, fills, credits, closer and drop, by the formula of the law that held."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from operator import attrgetter
from typing import Any, Final, Self

from services.reporting.books.reading import Books
from services.reporting.kit.document import Mark
from services.reporting.kit.figures import NOTHING, Cell, Figure, explained_by, share, total
from shared.jurisdictions import GamingPack
from shared.jurisdictions.model import Figure as FigureName
from shared.jurisdictions.model import WinFormula

MEASURES: Final = (
    *("opener_cents", "closer_cents", "handed_over_cents", "fills_cents", "credits_cents"),
    *("currency_cents", "counter_checks_cents", "prepaid_cents", "match_play_cents", "direct_bet_cents"),
    *("coupons_cents", "openings", "closings", "carried", "boxes", "boxes_counted", "adjusted_cents"),
)
"""What the win of a table follows from (services.reporting.books.inventory)."""

_INSTRUMENTS: Final[Mapping[str, str]] = {
    "currency": "currency_cents",
    "counter_check": "counter_checks_cents",
    "prepaid_access": "prepaid_cents",
    "match_play": "match_play_cents",
    "direct_bet": "direct_bet_cents",
}
"""The measure of each instrument that law may count as drop."""

_ADJUSTED: Final[Mapping[str, tuple[FigureName, str | None]]] = {
    "opener": ("opener", None),
    "closer": ("closer", None),
    "fills": ("fills", None),
    "credits": ("credits", None),
    "currency": ("drop", "currency"),
    "counter_checks": ("drop", "counter_check"),
}
"""The figure of the formula that an adjustment changes, and the instrument that it is of."""


@dataclass(frozen=True, slots=True)
class CountedWin:
    """The win of a table, a shift of it, or several, in cents; `missing` says what has not been counted yet."""

    opener: Figure = NOTHING
    fills: Figure = NOTHING
    credits: Figure = NOTHING
    closer: Figure = NOTHING
    currency: Figure = NOTHING
    counter_checks: Figure = NOTHING
    prepaid: Figure = NOTHING
    match_play: Figure = NOTHING
    direct_bet: Figure = NOTHING
    coupons: Figure = NOTHING
    drop: Figure = NOTHING
    win: Figure = NOTHING
    adjusted: Figure = NOTHING
    missing: tuple[str, ...] = ()

    @property
    def final_win(self) -> Figure:
        """Return the win with what was adjusted."""
        return self.win + self.adjusted

    @property
    def hold(self) -> Cell:
        """Return the win as a percentage of the drop."""
        return share(self.win, self.drop)

    def __add__(self, other: "CountedWin") -> "CountedWin":
        figures = {name: getattr(self, name) + getattr(other, name) for name in _FIGURES}
        return CountedWin(**figures, missing=tuple(sorted({*self.missing, *other.missing})))


_FIGURES: Final = tuple(name for name in CountedWin.__slots__ if name != "missing")
_figures: Final = attrgetter(*_FIGURES)


def together(wins: Iterable[CountedWin]) -> CountedWin:
    """Return the win of several tables, shifts or days."""
    listed = list(wins)
    figures = map(total, zip(*map(_figures, listed), strict=True))
    missing = tuple(sorted({what for one in listed for what in one.missing}))
    return CountedWin(**dict(zip(_FIGURES, figures, strict=False)), missing=missing)


def spans(law: GamingPack, first: date, last: date) -> list[tuple[date, date]]:
    """Return the gaming days from `first` to `last` in parts through which formula and instruments stay the same."""
    provisions = (law.win.formula, *(getattr(law.instruments, name) for name in _INSTRUMENTS))
    changes = {dated.effective_from for provision in provisions for dated in provision.root}
    begins = sorted({first, *(day for day in changes if first < day <= last)})
    ends = [day - timedelta(days=1) for day in begins[1:]] + [last]
    return list(zip(begins, ends, strict=True))


async def counted_wins(
    books: Books,
    *by: str,
    first: date | None = None,
    last: date | None = None,
    explained: bool = True,
) -> dict[tuple[str, ...], CountedWin]:
    """Return the win by dimensions of amounts (`gaming_day`, `table_name`, `shift`), in their order.

    Without `shift`, the opener is that of the first shift of a day, and the closer that of the last. Not `explained`,
    figures do not say where they come from.
    """
    law = books.place.law
    found: dict[tuple[str, ...], CountedWin] = {}
    for begin, end in spans(law, first or books.question.first, last or books.question.last):
        of_day = _Law.of(law, begin)
        known = await books.amounts(MEASURES, (*by, "item"), first=begin, last=end, explained=explained)
        grouped: dict[tuple[str, ...], dict[str, dict[str, Figure]]] = {}
        for (*place, item), measures in known.items():
            grouped.setdefault(tuple(place), {})[item] = measures
        for key, items in grouped.items():
            win = _win(of_day, items, day="shift" not in by)
            found[key] = found[key] + win if key in found else win
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class _Law:
    """The formula of the win on some gaming days, and the instruments that are drop then, with their measures."""

    formula: WinFormula
    instruments: Mapping[str, str]

    @classmethod
    def of(cls, law: GamingPack, day: date) -> Self:
        """Return the law of a gaming day."""
        return cls(
            law.win.formula.on(day).value,
            {
                name: measure
                for name, measure in _INSTRUMENTS.items()
                if getattr(law.instruments, name).on(day).value == "drop"
            },
        )


def _win(law: _Law, items: Mapping[str, Mapping[str, Figure]], *, day: bool) -> CountedWin:
    measures = items.get("", {})

    def of(measure: str) -> Figure:
        return measures.get(measure, NOTHING)

    handed_over = of("handed_over_cents") if day else NOTHING
    parts: dict[FigureName, Figure] = {
        "opener": of("opener_cents") - handed_over,
        "fills": of("fills_cents"),
        "credits": of("credits_cents"),
        "closer": of("closer_cents") - handed_over,
        "drop": total([of(measure) for measure in law.instruments.values()]),
    }
    formula = law.formula
    win = Figure(
        formula.win_cents({name: part.value for name, part in parts.items()}),
        explained_by(*(parts[name] for name in (*formula.plus, *formula.minus))).origin,
    )
    adjusted = NOTHING
    for figure, (part, instrument) in _ADJUSTED.items():
        if figure in items and (instrument is None or instrument in law.instruments):
            change = items[figure].get("adjusted_cents", NOTHING)
            sign = (part in formula.plus) - (part in formula.minus)
            adjusted += Figure(sign * change.value, change.because)
    return CountedWin(
        **parts,
        currency=of("currency_cents"),
        counter_checks=of("counter_checks_cents"),
        prepaid=of("prepaid_cents"),
        match_play=of("match_play_cents"),
        direct_bet=of("direct_bet_cents"),
        coupons=of("coupons_cents"),
        win=win,
        adjusted=adjusted,
        missing=_missing(measures),
    )


def _missing(measures: Mapping[str, Figure]) -> tuple[str, ...]:
    """Return what of a table that was open is not there: an opener, a closer, its drop, or what its boxes held."""
    openings, closings = (measures.get(name, NOTHING).value for name in ("openings", "closings"))
    boxes, counted = (measures.get(name, NOTHING).value for name in ("boxes", "boxes_counted"))
    found = []
    if closings > openings or (counted and not openings):  # it was played at, and there is nothing to start from
        found.append("opener")
    if openings > closings:
        found.append("closer")
    if openings and not boxes:
        found.append("drop")
    if boxes > counted:
        found.append("count")
    return tuple(sorted(found))


def counted_marks(books: Books) -> tuple[Mark, ...]:
    """Return what of the law behind the win is unconfirmed."""
    law, day = books.place.law, books.question.last
    behind: Mapping[str, Any] = {
        "formula of win": law.win.formula,
        **{f"{name} as drop": getattr(law.instruments, name) for name in type(law.instruments).model_fields},
    }
    dated = {what: provision.on(day) for what, provision in behind.items()}
    return tuple(Mark(what, one.source, one.note or "") for what, one in dated.items() if one.status == "unconfirmed")
