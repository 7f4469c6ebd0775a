"""The reports, each defined in a module of its own; `REPORTS` has them by name."""

from typing import Final

from services.reporting.kit.definition import Report
from services.reporting.reports.master_game import MASTER_GAME
from services.reporting.reports.tax import TAX
from services.reporting.reports.winnings import WINNINGS

REPORTS: Final[dict[str, Report]] = {report.name: report for report in (MASTER_GAME, TAX, WINNINGS)}
