"""The console offers no erasure of a patron of whom something is still to be filed, which reporting knows."""

import re

import pytest

from tests.integration.reporting.test_currency import void
from tests.integration.wagering_accounts.offices import CurrencyOffice, WinningsOffice, console
from tests.support.accounts import PROPERTY

_FORM = "/do/wagering-accounts/{}-erasure?property={}&patron={}"
_WAITS = "Reports that name this patron are still to be filed: "
_NOT_COMPARED = "ask someone with the role patrons.report before you go on"


def form(
    office: CurrencyOffice | WinningsOffice, patron: str = "p-7", step: str = "enter", by: str = "care.una"
) -> str:
    """Return the page with the form of an erasure."""
    with console(office) as browsers:
        return browsers.get(_FORM.format(step, PROPERTY, patron), by)


def is_offered(page: str) -> bool:
    """Return whether a page has the form that sends the command."""
    return re.search('<form method="post"[^>]* class="command"', page) is not None


@pytest.mark.parametrize("step", ["enter", "approve"])
def test_nobody_is_erased_of_whom_a_currency_report_is_due(currency_office: CurrencyOffice, step: str) -> None:
    """Entered or approved; it is offered once nothing is to be filed, and to whoever may not compare with a warning."""
    office = currency_office
    entered = office.house.send(f"/patrons/{PROPERTY}/p-7/erasure", {"ground": "requested"}, person="care.joy")
    assert 201 == entered.status_code
    assert is_offered(form(office, step=step))
    sale = office.sell(10_500)
    page = form(office, step=step)
    assert (False, True) == (is_offered(page), f"{_WAITS}FinCEN 112 of 2026-11-20 (due)." in page)
    unseen = form(office, step=step, by={"enter": "care.joy", "approve": "care.max"}[step])
    assert (True, True) == (is_offered(unseen), _NOT_COMPARED in unseen)
    office.books.desk.feed("inventory", void(office.ledger, sale))
    assert is_offered(form(office, step=step))


def test_nobody_is_erased_of_whom_a_return_is_due(winnings_office: WinningsOffice) -> None:
    """Of this or the last year; another patron is erased."""
    office = winnings_office
    office.register()
    office.house.register("p-1", "W-1", code="4711-kiwi")
    page = form(office, "p-9")
    assert (False, True) == (is_offered(page), f"{_WAITS}W-2G of 2026 (due)." in page)
    assert is_offered(form(office, "p-1"))
