"""The reports, each defined in a module of its own; `REPORTS` has them by name."""

from typing import Final

from services.reporting.kit.definition import Report
from services.reporting.reports.drop_and_win import DROP_AND_WIN
from services.reporting.reports.hold_variances import HOLD_VARIANCE
from services.reporting.reports.master_game import MASTER_GAME
from services.reporting.reports.side_bets import SIDE_BETS
from services.reporting.reports.win_as_settled import WIN_AS_SETTLED

REPORTS: Final[dict[str, Report]] = {
    report.name: report for report in (MASTER_GAME, DROP_AND_WIN, WIN_AS_SETTLED, SIDE_BETS, HOLD_VARIANCE)
}
