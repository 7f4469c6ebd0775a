"""The cells of a row of the drop and win summary: counted, settled, and the previous year."""

from collections.abc import Mapping
from typing import Any

from services.reporting.framework.figures import share
from services.reporting.reports.common.counted_win import NOT_COUNTED, CountedWin
from services.reporting.reports.common.settled_win import SettledWin

Cells = dict[str, Any]


def settled_cells(win: SettledWin) -> Cells:
    """Return the cells with the settled figures and the theoretical win."""
    theoretical, exact = win.theoretical, win.exact
    return {
        **{name: win.of(name) for name in ("handle_cents", "payout_cents", "vigorish_cents", "house_in_bank_cents")},
        "settled_win_cents": win.win,
        "settled_win_percent": share(win.win, win.of("handle_cents")),
        "theoretical_win_cents": theoretical.shown,
        "theoretical_error_cents": theoretical.error,
        "theoretical_win_percent": theoretical.percent,
        "difference_cents": theoretical.difference,
        "difference_percent": theoretical.difference_percent,
        "exact_handle_cents": exact.handle,
        "exact_win_cents": exact.win,
        "exact_theoretical_win_cents": exact.shown,
        "exact_difference_cents": exact.difference,
        "without_house_edge": win.without_house_edge,
        "stated_house_edge": win.stated_house_edge,
    }


def counted_cells(counted: CountedWin | None, settled: SettledWin, *, of_table: bool) -> Cells:
    """Return the cells with counted figures, or the missing items instead (with table names unless `of_table`)."""
    if counted is None:
        return {"missing": NOT_COUNTED}
    if counted.missing:
        return {"drop_cents": counted.drop, "missing": counted.lacks if of_table else counted.lacks_by_table}
    return {
        "drop_cents": counted.drop,
        "win_cents": counted.win,
        "hold_percent": counted.hold,
        "counted_less_settled_cents": counted.win - counted.counted_win - settled.win,
    }


def prior_cells(counted: CountedWin | None) -> Cells:
    """Return the cells with the previous year's counted figures; empty if that year's win is not known."""
    if counted is None or counted.missing:
        return {}
    return {
        "prior_year_drop_cents": counted.drop,
        "prior_year_win_cents": counted.win,
        "prior_year_hold_percent": counted.hold,
    }


def cells_of(
    counted: CountedWin | None, settled: SettledWin, prior: CountedWin | None = None, *, of_table: bool = False
) -> Cells:
    """Return the cells of a row: counted, settled, and of the previous year."""
    return counted_cells(counted, settled, of_table=of_table) | settled_cells(settled) | prior_cells(prior)


def at_place(
    name: str, counted: Mapping[str, CountedWin], settled: Mapping[str, SettledWin]
) -> tuple[CountedWin | None, SettledWin]:
    """Return (counted win or None, settled win or zeros) of a place, such as a table or pit."""
    return counted.get(name), settled.get(name, SettledWin())
