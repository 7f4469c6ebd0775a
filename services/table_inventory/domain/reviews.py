"""The approval subject for auditing or sealing a gaming day: all of its figures in one snapshot."""

from services.table_inventory.domain.contests import ContestDocument
from services.table_inventory.domain.days import Adjustment, Day
from services.table_inventory.domain.variances import Variance
from services.table_inventory.domain.win import DayWin
from shared.runtime.commands.approval_subject import ApprovalSubject


class DayReview(ApprovalSubject):
    """A gaming day as it would be audited or sealed now.

    The review has the day's stage (without the sealed report), win by table and shift, variances, adjustments and
    contests.
    """

    day: Day
    win: DayWin
    variances: list[Variance]
    adjustments: list[Adjustment]
    contests: list[ContestDocument]
