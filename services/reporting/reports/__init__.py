"""The reports, each defined in its own module or package; `REPORTS` contains them by name."""

from typing import Final

from services.reporting.framework.definition import Report
from services.reporting.reports.access import ACCESS
from services.reporting.reports.account_liability.report import ACCOUNT_LIABILITY
from services.reporting.reports.adjustments import ADJUSTMENTS
from services.reporting.reports.cage_accountability.report import CAGE_ACCOUNTABILITY
from services.reporting.reports.count_variances.report import COUNT_VARIANCES
from services.reporting.reports.counter_checks.report import COUNTER_CHECKS
from services.reporting.reports.credit_activity import CREDIT_ACTIVITY
from services.reporting.reports.currency.report import CURRENCY
from services.reporting.reports.drop_and_win.report import DROP_AND_WIN
from services.reporting.reports.electronic_win import ELECTRONIC_WIN
from services.reporting.reports.exceptions.report import EXCEPTIONS
from services.reporting.reports.general_ledger.report import GENERAL_LEDGER
from services.reporting.reports.hold_variances.report import HOLD_VARIANCE
from services.reporting.reports.master_game import MASTER_GAME
from services.reporting.reports.master_list import MASTER_LIST
from services.reporting.reports.openers_closers import OPENERS_CLOSERS
from services.reporting.reports.pace.report import PACE
from services.reporting.reports.patron_access import PATRON_ACCESS
from services.reporting.reports.patron_play.report import PATRON_PLAY
from services.reporting.reports.pit_summary.report import PIT_SUMMARY
from services.reporting.reports.progressives.report import PROGRESSIVES
from services.reporting.reports.ratings.against_rounds import RATINGS_AGAINST_ROUNDS
from services.reporting.reports.ratings.report import RATINGS
from services.reporting.reports.side_bets import SIDE_BETS
from services.reporting.reports.slips import SLIPS
from services.reporting.reports.statistics.report import STATISTICS
from services.reporting.reports.table_inventory import TABLE_INVENTORY
from services.reporting.reports.tax.invoices import TAX_INVOICES
from services.reporting.reports.tax.report import TAX
from services.reporting.reports.tips_pool import TIPS_POOL
from services.reporting.reports.unclaimed import UNCLAIMED
from services.reporting.reports.vigorish import VIGORISH
from services.reporting.reports.win_as_settled import WIN_AS_SETTLED
from services.reporting.reports.winnings.report import WINNINGS

REPORTS: Final[dict[str, Report]] = {
    report.name: report
    for report in (
        *(MASTER_GAME, PIT_SUMMARY, DROP_AND_WIN, WIN_AS_SETTLED, SIDE_BETS, HOLD_VARIANCE),
        *(TABLE_INVENTORY, OPENERS_CLOSERS, SLIPS, COUNTER_CHECKS, CREDIT_ACTIVITY, COUNT_VARIANCES, ADJUSTMENTS),
        CAGE_ACCOUNTABILITY,
        *(VIGORISH, PROGRESSIVES, ACCOUNT_LIABILITY, ELECTRONIC_WIN, UNCLAIMED, TIPS_POOL),
        *(TAX, TAX_INVOICES, WINNINGS, CURRENCY, PATRON_PLAY, RATINGS, RATINGS_AGAINST_ROUNDS),
        GENERAL_LEDGER,
        *(PACE, STATISTICS, EXCEPTIONS, ACCESS, PATRON_ACCESS, MASTER_LIST),
    )
}
