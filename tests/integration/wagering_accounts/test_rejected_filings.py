"""Rejected filings on the command line and in the console: filed again, to be filed again, or due no more."""

from datetime import timedelta

import pytest

from services.cli.filing import reading
from tests.integration.reporting.test_currency import void
from tests.integration.reporting.test_winnings import OVER_UNDER, TOTALS
from tests.integration.wagering_accounts.offices import (
    EVE,
    CurrencyOffice,
    WinningsOffice,
    console,
    listed,
    prepared_by,
    table_of,
)
from tests.support.accounts import NOON

FIRST = "31000000000001"
AMENDS = ("--only", "p-7", "--corrects", f"p-7={FIRST}")
AT = "/p/riverside/filings"
LATER = timedelta(days=200)


def rejected_in_console(office: WinningsOffice | CurrencyOffice, person: str = EVE) -> list[tuple[str, str, str]]:
    """Return the rejected filings of the console: number, next step, and whether late."""
    with console(office) as browsers:
        rows = table_of(browsers.get(AT, person), "Rejected")
    return [(row["Filing"], row["Next step"], row["Late"]) for row in rows]


def test_a_rejected_report_that_is_void_is_due_no_more(
    currency_office: CurrencyOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it is to be filed again, and late once the last day has passed."""
    office = currency_office
    sale = office.sell(10_500)
    office.prepare()
    office.send(1)
    office.answer(1, None)
    assert ({"1": "rejected"}, [("1", "file it again", "")]) == (listed(office), rejected_in_console(office))
    office.house.clock.now += LATER
    monkeypatch.setattr(reading, "now", lambda: NOON + LATER)
    assert ({"1": "rejected (late)"}, [("1", "file it again", "late")]) == (listed(office), rejected_in_console(office))
    unseen = rejected_in_console(office, "Title31.Eve")
    assert [("1", "your roles do not let you see whether it is due", "late")] == unseen
    office.books.desk.feed("inventory", void(office.ledger, sale))
    assert [("1", "no longer due", "")] == rejected_in_console(office)
    assert {"1": "rejected, no longer due"} == listed(office)


def test_a_rejected_report_that_was_filed_again_in_time_is_not_late(currency_office: CurrencyOffice) -> None:
    """The latest filing counts; while that is not sent, it is late itself."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.send(1)
    office.answer(1, None)
    assert 0 == office.prepare().code
    office.accept(2, FIRST)
    office.house.clock.now += LATER
    assert [("1", "in a later filing", "")] == rejected_in_console(office)
    assert {"1": "rejected, in a later filing", "2": "accepted"} == listed(office)


def test_an_amendment_that_was_not_sent_is_not_late(
    currency_office: CurrencyOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the list nor in the console: the last day is that of the first report."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.accept(1, FIRST)
    office.sell(2_000)
    assert 0 == office.prepare(*AMENDS).code
    office.house.clock.now += LATER
    monkeypatch.setattr(reading, "now", lambda: NOON + LATER)
    assert {"1": "accepted", "2": "prepared"} == listed(office)
    with console(office) as browsers:
        [row] = table_of(browsers.get(AT, EVE), "Prepared, not released")
    assert ("2", "") == (row["Filing"], row["Late"])


def test_a_rejected_amendment_of_what_holds_again_is_due_no_more(currency_office: CurrencyOffice) -> None:
    """What was accepted is what was moved: the amendment is not needed any more."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.accept(1, FIRST)
    late_sale = office.sell(2_000)
    assert 0 == office.prepare(*AMENDS).code
    office.send(2)
    office.answer(2, None)
    office.house.clock.now += LATER
    assert [("2", "file it again", "late")] == rejected_in_console(office)
    office.books.desk.feed("inventory", void(office.ledger, late_sale))
    assert [("2", "no longer due", "")] == rejected_in_console(office)
    assert {"1": "accepted", "2": "rejected, no longer due"} == listed(office)


@pytest.mark.parametrize("is_reversed", [True, False])
def test_a_rejected_return_whose_win_is_gone_is_due_no_more(winnings_office: WinningsOffice, is_reversed: bool) -> None:
    """The round was reversed, or it is somebody else's win: neither command has anything to do for its patron."""
    office = winnings_office
    office.register()
    prepared_by(office.returns("w-2g", "--only", "p-9"))
    office.send(1, "--status", "rejected")
    office.tell()
    office.house.clock.now += LATER
    assert [("1", "file it again", "late")] == rejected_in_console(office)
    if is_reversed:
        office.books.desk.feed("settlements", office.books.reversed(9, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER))
    else:
        office.identify(1, "p-10", 0)
    for more in ((), ("--corrected",)):
        called = office.returns("w-2g", "--only", "p-9", *more)
        assert (4, f"nothing is to be {'corrected' if more else 'returned'}" in called.stderr) == (called.code, True)
    assert [("1", "no longer due", "")] == rejected_in_console(office)
    assert {"1": "rejected, no longer due"} == listed(office)
    with console(office) as browsers:
        due = table_of(browsers.get(AT, EVE), "Information returns to be filed or corrected")
    assert "p-9" not in {row["Patron"] for row in due}


def test_what_was_prepared_again_of_a_win_that_is_gone_is_withdrawn(winnings_office: WinningsOffice) -> None:
    """Neither filing has anything left to do then."""
    office = winnings_office
    office.register()
    prepared_by(office.returns("w-2g", "--only", "p-9"))
    office.send(1, "--status", "rejected")
    prepared_by(office.returns("w-2g", "--only", "p-9"))
    office.books.desk.feed("settlements", office.books.reversed(9, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER))
    called = office.returns("w-2g", "--only", "p-9")
    assert (4, True) == (called.code, "no longer right: withdraw filing 2" in called.stderr), called.stderr
    assert 0 == office.call("filing", "withdraw", "riverside", "2", "--reason", "reversed", person=EVE).code
    office.tell()
    office.house.clock.now += LATER
    assert {"1": "rejected, no longer due", "2": "withdrawn"} == listed(office)


def test_whether_a_rejected_filing_is_due_is_not_known_without_the_role(currency_office: CurrencyOffice) -> None:
    """The list says so, and has the filing as it was recorded."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.send(1)
    office.answer(1, None)
    called = office.call("filing", "list", "--property", "riverside", person="Title31.Eve")
    assert (0, True) == (called.code, "whether rejected filings are due still is not known" in called.stderr)
    assert {"1": "rejected"} == listed(office, "Title31.Eve")
