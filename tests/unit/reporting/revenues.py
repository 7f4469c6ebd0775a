"""Revenue of days, and the facilities that it is of, for tests."""

from collections.abc import Iterable
from datetime import date

from services.reporting.reports.tax.gross_revenue import DayRevenue, Facility
from services.reporting.reports.tax.returns import TaxReturn, period_sheet
from services.reporting.reports.tax.sheets import DailySheet, daily_sheets
from shared.jurisdictions import gaming_pack
from shared.jurisdictions.model import ClassOfRevenue

PENNSYLVANIA = Facility("riverside", gaming_pack("us-pa"))
RHODE_ISLAND = Facility("lakeside", gaming_pack("us-ri"))


def won(
    day: str | date, cents: int, of: ClassOfRevenue = "banking", table: str = "BJ-01", name: str = "riverside"
) -> DayRevenue:
    """What a table won on a gaming day."""
    return DayRevenue(name, date.fromisoformat(str(day)), table, of, cents)


def sheet(facility: Facility, *rows: DayRevenue, day: str | None = None) -> DailySheet:
    """The sheet of a gaming day; of that of the last row, if none is named."""
    gaming_day = rows[-1].gaming_day if day is None else date.fromisoformat(day)
    [found] = daily_sheets(facility, rows, gaming_day, gaming_day)
    return found


def weekly(facility: Facility, rows: Iterable[DayRevenue], day: date, *, version: int = 1) -> TaxReturn:
    """A version of the return of the week that contains a gaming day."""
    return TaxReturn(version, period_sheet(facility, rows, "week", day))


def amounts(found: DailySheet) -> dict[str, int]:
    """The amount of each layer of a sheet, cents."""
    return {line.layer: line.amount_cents for line in found.layers}
