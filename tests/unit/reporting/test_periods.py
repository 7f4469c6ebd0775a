"""The periods of reports: each can be asked for those for which a controller expects it."""

from typing import Final

from services.reporting.framework.document import Period
from services.reporting.reports import REPORTS

EXPECTED: Final[dict[str, set[Period]]] = {
    "master-game": {"day"},
    "pit-summary": {"day"},
    "drop-and-win": {"day", "month", "year"},
    "win-as-settled": {"day", "month", "year"},
    "side-bets": {"day", "week", "month"},
    "hold-variance": {"month"},
    "table-inventory": {"day", "week", "month", "year"},
    "openers-closers": {"day"},
    "slips": {"day"},
    "counter-checks": {"day", "month"},
    "credit-activity": {"day", "week", "month", "year"},
    "count-variances": {"day", "week", "month", "year"},
    "adjustments": {"month"},
    "cage-accountability": {"day", "month"},
    "vigorish": {"day"},
    "progressives": {"day", "month"},
    "account-liability": {"day"},
    "electronic-win": {"day"},
    "unclaimed": {"day"},
    "tips-pool": {"day", "week", "month"},
    "tax": {"day", "week"},
    "tax-invoices": {"month", "quarter", "year"},
    "winnings": {"day", "year"},
    "currency": {"day"},
    "pace": {"day", "week", "month"},
    "patron-play": {"day", "week", "month", "year"},
    "ratings": {"day", "week", "month"},
    "ratings-against-rounds": {"day", "week", "month"},
    "general-ledger": {"day", "month", "year"},
    "statistics": {"day", "month"},
    "exceptions": {"day", "week", "month", "year"},
    "access": {"quarter"},
    "patron-access": {"day", "week", "month"},
    "master-list": {"month"},
}


def test_every_report_can_be_asked_for_the_periods_that_are_expected() -> None:
    """A quarter of who had which role, a month of the adjustments, a year of the winnings."""
    assert EXPECTED.keys() == REPORTS.keys()
    assert {} == {
        name: missing for name, periods in EXPECTED.items() if (missing := periods - set(REPORTS[name].periods))
    }
