"""Changes, in cents, of the amount owed on counter checks: issued, returned, redeemed, deposited, written off."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Final

from services.reporting.framework.document import Column, Filled
from services.reporting.framework.figures import NOTHING, Figure, total
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import total_of

FLOW_COLUMNS: Final = (
    Column(name="opening_cents", title="Outstanding before", unit="cents"),
    Column(name="issued_cents", title="Issued", unit="cents", added=True),
    Column(name="returned_cents", title="Returned unpaid", unit="cents", added=True),
    Column(name="redeemed_cents", title="Redeemed", unit="cents", added=True, formula="net of voided redemptions"),
    Column(name="deposited_cents", title="Deposited", unit="cents", added=True, formula="net of voided deposits"),
    Column(name="written_off_cents", title="Written off", unit="cents", added=True),
    Column(
        name="closing_cents",
        title="Outstanding after",
        unit="cents",
        formula="before + issued + returned - redeemed - deposited - written off",
    ),
    Column(
        name="replaced_cents",
        title="Consolidated",
        unit="cents",
        added=True,
        formula="moved from replaced checks to the checks that replaced them; no effect on the amount outstanding",
    ),
    Column(
        name="recovered_cents",
        title="Recovered",
        unit="cents",
        added=True,
        formula=(
            "paid on checks already written off, less recoveries that were void or returned unpaid; no effect on "
            "the amount outstanding"
        ),
    ),
)

_MEASURES: Final = (
    *("checks_issued_cents", "checks_returned_cents", "checks_redeemed_cents", "checks_written_off_cents"),
    *("checks_replaced_cents", "checks_recovered_cents"),
)
_IN: Final = ("issued_cents", "returned_cents")
_OUT: Final = ("redeemed_cents", "deposited_cents", "written_off_cents")


async def credit_flows(books: Books) -> dict[date, dict[str, Figure]]:
    """Return the changes by gaming day, oldest first, and by column; days and columns without any are missing."""
    flows: dict[date, dict[str, Figure]] = defaultdict(dict)
    for (day, item), measures in (await books.amounts(_MEASURES, ("gaming_day", "item"))).items():
        of_day = flows[date.fromisoformat(day)]
        for measure, figure in measures.items():
            is_deposit = measure == "checks_redeemed_cents" and item == "deposit"
            column = "deposited_cents" if is_deposit else measure.removeprefix("checks_")
            of_day[column] = of_day.get(column, NOTHING) + figure
    return dict(sorted(flows.items()))


def change_of(flows: Mapping[str, Figure]) -> Figure:
    """Return the net change of the outstanding amount, in cents, given changes by column."""
    return total(flows.get(name, NOTHING) for name in _IN) - total(flows.get(name, NOTHING) for name in _OUT)


def change_in(section: Filled) -> Figure:
    """Return the net change of the outstanding amount, in cents, from the totals of a section with FLOW_COLUMNS."""
    return change_of({name: total_of(section, name) for name in (*_IN, *_OUT)})
