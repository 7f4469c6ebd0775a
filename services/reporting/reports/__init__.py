"""The reports, each defined in a module of its own; `REPORTS` has them by name."""

from typing import Final

from services.reporting.kit.definition import Report
from services.reporting.reports.access import ACCESS
from services.reporting.reports.adjustments import ADJUSTMENTS
from services.reporting.reports.count_variances import COUNT_VARIANCES
from services.reporting.reports.counter_checks import COUNTER_CHECKS
from services.reporting.reports.exceptions import EXCEPTIONS
from services.reporting.reports.master_game import MASTER_GAME
from services.reporting.reports.master_list import MASTER_LIST
from services.reporting.reports.openers_closers import OPENERS_CLOSERS
from services.reporting.reports.slips import SLIPS
from services.reporting.reports.table_inventory import TABLE_INVENTORY

REPORTS: Final[dict[str, Report]] = {
    report.name: report
    for report in (
        MASTER_GAME,
        TABLE_INVENTORY,
        OPENERS_CLOSERS,
        SLIPS,
        COUNTER_CHECKS,
        COUNT_VARIANCES,
        ADJUSTMENTS,
        EXCEPTIONS,
        ACCESS,
        MASTER_LIST,
    )
}
