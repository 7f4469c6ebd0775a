"""Explain the difference between the counted and the settled win of tables."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from services.reporting.framework.document import Column, Identity, Section
from services.reporting.framework.figures import NOTHING, Figure, total
from services.reporting.read_model.reading import Books
from services.reporting.read_model.windows import windows_of
from services.reporting.reports.common.counted_win import CountedWin
from services.reporting.reports.common.settled_win import SettledWin
from services.reporting.reports.common.spans import Span
from shared.contracts.inventory import VarianceResolved

DIFFERENCES: Final = Section(
    name="differences",
    title="Counted and settled win",
    key=("table",),
    columns=(
        Column(name="table", title="Table"),
        Column(name="win_cents", title="Counted win", unit="cents", added=True),
        Column(name="settled_win_cents", title="Settled win", unit="cents", added=True),
        Column(name="difference_cents", title="Difference", unit="cents", added=True, formula="counted - settled"),
        Column(
            name="elsewhere_cents",
            title="Outside the tray",
            unit="cents",
            added=True,
            formula=(
                "awards from meters + electronic credits - electronic stakes, and the net chips of players' banks "
                "that went through the tray, without the house's share"
            ),
        ),
        Column(
            name="given_cents",
            title="Coupons and waivers",
            unit="cents",
            added=True,
            formula=(
                "effect of coupons and waived vigorish on the counted win: drop - currency - Counter Checks - "
                "prepaid access - coupons paid - vigorish waived"
            ),
        ),
        Column(
            name="drop_variance_cents",
            title="Drop variance",
            unit="cents",
            added=True,
            formula=(
                "currency and Counter Checks in the boxes - chips sold for them - unrecorded sales at counted tables "
                "that do not report each sale"
            ),
        ),
        Column(
            name="counted_win_cents",
            title="Win by count",
            unit="cents",
            added=True,
            formula="counted tables: counted - expected, and the contents of boxes beyond reported sales",
        ),
        Column(
            name="inventory_variance_cents",
            title="Inventory variance",
            unit="cents",
            added=True,
            formula="counted - expected, for resolved inventory variances",
        ),
        Column(
            name="unexplained_cents",
            title="Unexplained",
            unit="cents",
            added=True,
            formula="remaining difference: unresolved inventory variances, or rounds not yet received",
        ),
    ),
)
"""The section of differences; it has a row for each fully counted table."""

_GIVEN: Final = ("coupons_paid_cents", "vigorish_waived_cents")
_UNRECORDED: Final = ("unrecorded_currency_cents", "unrecorded_checks_cents")
_SOLD: Final = ("currency", "counter_check.issued")
"""The names of the movements into drop boxes in a window."""


async def difference_rows(books: Books, span: Span) -> list[dict[str, Any]]:
    """Return the rows of the section DIFFERENCES."""
    given = await books.amounts(_GIVEN, ("table_name",))
    unrecorded = await books.amounts(_UNRECORDED, ("table_name",))
    resolved = await _resolved(books)
    settled = {table: win for (table,), win in span.settled.by("table_name").items()}
    sold: dict[str, Figure] = {}
    for window in await windows_of(books):  # a sale belongs to the window in which it was made, whatever its gaming day
        if window.end.opens is None or window.end.begins is not None:
            of_window = -total(window.moves.get(name, NOTHING) for name in _SOLD)
            sold[window.end.table] = sold.get(window.end.table, NOTHING) + of_window
    return [
        {
            "table": table,
            **_row(
                counted,
                settled.get(table, SettledWin()),
                given=total(given.get((table,), {}).values()),
                sold=sold.get(table, NOTHING) + total(unrecorded.get((table,), {}).values()),
                inventory=total(resolved[table].values()),
            ),
        }
        for table, counted in span.counted.items()
        if not counted.missing
    ]


async def _resolved(books: Books) -> Mapping[str, Mapping[int, Figure]]:
    """Return the amount of each inventory variance's latest resolution, keyed by table and count number."""
    found: dict[str, dict[int, Figure]] = defaultdict(dict)
    for listed in await books.facts(VarianceResolved):
        if listed.fact.variance == "inventory":
            found[listed.fact.table][listed.fact.number] = Figure(listed.fact.cents, (listed.entry,))
    return found


def _row(
    counted: CountedWin, settled: SettledWin, *, given: Figure, sold: Figure, inventory: Figure
) -> dict[str, Figure]:
    difference = counted.win - settled.win
    banks = total(map(settled.of, ("banked_handle_cents", "bank_collected_cents"))) - total(
        map(settled.of, ("banked_payout_cents", "bank_paid_cents", "house_in_bank_cents"))
    )
    electronic = settled.of("account_credited_cents") - settled.of("account_staked_cents")
    elsewhere = settled.of("meter_payout_cents") + electronic + banks
    given = counted.drop - counted.currency - counted.counter_checks - counted.prepaid - given
    drop = counted.currency + counted.counter_checks - sold
    return {
        "win_cents": counted.win,
        "settled_win_cents": settled.win,
        "difference_cents": difference,
        "elsewhere_cents": elsewhere,
        "given_cents": given,
        "drop_variance_cents": drop,
        "counted_win_cents": counted.counted_win,
        "inventory_variance_cents": inventory,
        "unexplained_cents": difference - elsewhere - given - drop - counted.counted_win - inventory,
    }


def explained_identity(span: Span, rows: Iterable[Mapping[str, Any]]) -> Identity | None:
    """Return the check that counted win minus settled win equals the sum of the explained differences.

    None while a count of the span is missing.
    """
    if any(counted.missing for counted in span.counted.values()):
        return None
    explained = (
        *("elsewhere_cents", "given_cents", "drop_variance_cents", "counted_win_cents", "inventory_variance_cents"),
    )
    return Identity(
        "counted and settled",
        total(row["difference_cents"] for row in rows),
        total(row[name] for row in rows for name in explained),
        "counted win - settled win equals the sum of the explained differences",
    )
