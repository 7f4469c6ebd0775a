"""What changed since a filing was prepared or sent: the console's lists, and the advice of `filing returns`."""

from datetime import timedelta
from typing import Any

import pytest
from pypdf import PdfReader

from shared.contracts.cage import CageKind
from tests.integration.reporting.test_currency import _moved, void
from tests.integration.wagering_accounts.offices import (
    EVE,
    CurrencyOffice,
    WinningsOffice,
    console,
    prepared_by,
    table_of,
)
from tests.support.accounts import IDENTITY, SOMEBODY_ELSE
from tests.support.reporting import rows_of

FIRST, SECOND = "31000000000001", "31000000000002"
CHANGED = "Amounts that changed after the filing was prepared or sent"
LINES = "other types of transaction, purposes, countries or parts of persons hold now"
AT = "/p/riverside/filings"


def changed(office: WinningsOffice | CurrencyOffice, *columns: str, filing: int | None = None) -> list[tuple[str, ...]]:
    """Return what the console lists as changed, of all filings or on the page of one."""
    with console(office) as browsers:
        rows = table_of(browsers.get(AT if filing is None else f"{AT}/{filing}", EVE), CHANGED)
    return [tuple(row[column] for column in columns) for row in rows]


def test_a_report_is_compared_with_the_latest_one_sent_or_prepared(currency_office: CurrencyOffice) -> None:
    """What is sent, then its amendment; an amendment that holds is not listed, and one that does not says why."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.accept(1, FIRST)
    columns = ("Filing", "Status", "Why", "In", "Latest in", "Amendment")
    assert [] == changed(office, *columns)
    late_sale = office.sell(2_000)
    sent = ("1", "to be corrected", "other amounts hold now", "$12,500.00", "$10,500.00", "")
    assert [sent] == changed(office, *columns) == changed(office, *columns, filing=1)
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    assert [] == changed(office, *columns) == changed(office, *columns, filing=1) == changed(office, *columns, filing=2)
    office.sell(1_000)
    withdraw = "its amendment, filing 2, to be withdrawn"
    prepared = ("1", withdraw, "other amounts hold now", "$13,500.00", "$12,500.00", "2")
    assert [prepared] == changed(office, *columns) == changed(office, *columns, filing=2)
    assert [prepared] == changed(office, *columns, filing=1)
    accepted = office.call("filing", "release", "riverside", "1", person="title31.sam")
    assert (1, False) == (accepted.code, "withdraw" in accepted.stderr), "it was sent, and is not withdrawn"
    assert "$10,500" not in str(changed(office, *columns, filing=2))
    office.books.desk.feed("inventory", void(office.ledger, late_sale))
    assert ["$11,500.00"] == [one[3] for one in changed(office, *columns)]


def test_an_amendment_of_another_identifier_is_listed_with_both(currency_office: CurrencyOffice) -> None:
    """With amounts that are equal, since they are not what is wrong; the command that releases it says the same."""
    office = currency_office
    office.sell(10_500)
    office.prepare()
    office.accept(1, FIRST)
    office.sell(2_000)
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    office.answer(1, SECOND, reason="typed wrong")
    why = f"it amends {FIRST}, and {SECOND} was accepted before it"
    assert [("its amendment, filing 2, to be withdrawn", why, "$12,500.00", "$12,500.00")] == changed(
        office, "Status", "Why", "In", "Latest in", filing=2
    )
    refused = office.call("filing", "release", "riverside", "2", person="title31.sam")
    assert (3, True) == (refused.code, f"amends {FIRST} in the file, and amends {SECOND} now" in refused.stderr)


@pytest.mark.parametrize(
    ("kind", "said", "kind_now", "said_now"),
    [
        ("chip_purchase", {}, "front_money_deposit", {}),
        ("foreign_currency_bought", {"foreign_country": "CA"}, "foreign_currency_bought", {"foreign_country": "MX"}),
    ],
)
def test_a_report_with_other_lines_of_the_same_totals_no_longer_holds(
    currency_office: CurrencyOffice, kind: CageKind, said: dict[str, str], kind_now: CageKind, said_now: dict[str, str]
) -> None:
    """Unsent, it is not released and is prepared again; accepted, it is amended; mended back, it holds."""
    office = currency_office

    def move(number: int, kind: CageKind, said: dict[str, str], **more: Any) -> None:
        office.books.desk.feed("inventory", _moved(office.ledger, number, kind, 12_000, **said, **more))

    move(1, kind, said)
    assert 0 == office.prepare().code
    assert [] == changed(office, "Status")
    move(2, kind, said, voids=1)
    move(3, kind_now, said_now)
    assert [("to be withdrawn", LINES)] == changed(office, "Status", "Why")
    refused = office.call("filing", "release", "riverside", "1", person="title31.sam")
    now = f"p-7: a report to be sent in the file, and one to be withdrawn ({LINES}) now"
    assert (3, True) == (refused.code, now in refused.stderr), refused.stderr
    assert 0 == office.call("filing", "withdraw", "riverside", "1", "--reason", "another kind", person=EVE).code
    assert 0 == office.prepare().code
    office.accept(2, FIRST)
    assert [] == changed(office, "Status")
    move(4, kind_now, said_now, voids=3)
    move(5, kind, said)
    assert [("to be corrected", LINES)] == changed(office, "Status", "Why")
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    assert [] == changed(office, "Status")
    move(6, kind, said, voids=5)
    move(7, kind_now, said_now)
    assert [("its amendment, filing 3, to be withdrawn", LINES)] == changed(office, "Status", "Why")
    refused = office.call("filing", "release", "riverside", "3", person="title31.sam")
    assert (3, True) == (refused.code, now in refused.stderr), refused.stderr


def test_a_report_with_agent_and_principal_exchanged_is_to_be_corrected(currency_office: CurrencyOffice) -> None:
    """It names the same two persons, with the same amount; amended, it holds."""
    office = currency_office
    office.house.register("p-8", "w-8")
    assert office.house.send("/patrons/riverside/p-8/identity", {"identity": SOMEBODY_ELSE}).is_success
    bought: dict[str, Any] = {"cents": 1_200_000, "instrument": "currency", "dealer": "dealer.1"}

    def sold(agent: str, principal: str) -> dict[str, Any]:
        sale = office.ledger.pit(
            "chips.sold", "BJ-01", moved=-1_200_000, **bought, patron=agent, on_behalf_of=[principal]
        )
        office.books.desk.feed("inventory", sale)
        return sale

    sale = sold("p-7", "p-8")
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    assert [] == changed(office, "Status")
    office.books.desk.feed("inventory", void(office.ledger, sale))
    sold("p-8", "p-7")
    assert {("to be corrected", LINES)} == set(changed(office, "Status", "Why"))
    assert 0 == office.prepare("--only", "p-8", "--corrects", f"p-8={FIRST}").code
    assert [] == changed(office, "Status")


def test_a_return_is_compared_with_the_latest_one_sent_or_prepared(winnings_office: WinningsOffice) -> None:
    """Of two corrections in a file, the one that holds is not listed."""
    office, columns = winnings_office, ("Patron", "Status", "Withheld", "Latest withheld")
    _corrected_both(office)
    assert [] == changed(office, *columns, filing=2)
    office.identify(2, "p-10", 81_000)
    assert [("p-10", "its amendment, filing 2, to be withdrawn", "$810.00", "$800.00")] == changed(
        office, *columns, filing=2
    )


def test_what_must_be_withdrawn_is_not_to_be_sent(winnings_office: WinningsOffice) -> None:
    """Although the file has another return that holds, and only that one is asked for."""
    office = winnings_office
    _corrected_both(office)
    ready = office.returns("w-2g", "--corrected")
    assert (4, True, False) == _advice(ready)
    office.identify(2, "p-10", 81_000)
    for only in ((), ("--only", "p-9"), ("--only", "p-10")):
        assert (4, False, True) == _advice(office.returns("w-2g", "--corrected", *only))
    assert 0 == office.call("filing", "withdraw", "riverside", "2", "--reason", "a tax", person=EVE).code
    [again] = prepared_by(office.returns("w-2g", "--corrected"))
    assert [("p-9", 5_000), ("p-10", 81_000)] == [(one["reference"], one["withheld_cents"]) for one in again["reports"]]


def test_a_correction_of_a_name_that_was_mended_back_is_to_be_withdrawn(winnings_office: WinningsOffice) -> None:
    """Its amounts hold, so that the report has nothing against it; withdrawn, there is nothing to correct."""
    office = winnings_office
    office.register()
    prepared_by(office.returns("w-2g", "--only", "p-9"))
    office.send(1, "--status", "accepted")
    office.know("p-9", IDENTITY | {"last_name": "Vane"})
    prepared_by(office.returns("w-2g", "--corrected"))
    assert (4, True, False) == _advice(office.returns("w-2g", "--corrected"))
    office.know("p-9", IDENTITY)
    assert (4, False, True) == _advice(office.returns("w-2g", "--corrected"))
    assert 0 == office.call("filing", "withdraw", "riverside", "2", "--reason", "a name", person=EVE).code
    assert (4, False, False) == _advice(office.returns("w-2g", "--corrected"))


def _corrected_both(office: WinningsOffice) -> None:
    """Prepare a file of corrections of two returns that were accepted."""
    office.register()
    prepared_by(office.returns())
    office.send(1, "--status", "accepted")
    office.identify(1, "p-9", 5_000)
    office.identify(2, "p-10", 80_000)
    assert 2 == prepared_by(office.returns("w-2g", "--corrected"))[0]["report_count"]
    office.tell()


def _advice(called: Any) -> tuple[int, bool, bool]:
    """Return the exit code of a command, and whether it advises to send filing 2, and to withdraw it."""
    return called.code, "send filing 2, or withdraw it" in called.stderr, "withdraw filing 2, and" in called.stderr


def test_a_return_whose_details_changed_is_not_released_and_once_accepted_corrected(
    winnings_office: WinningsOffice,
) -> None:
    """The second document of the winner is box 12 of a W-2G: another one is another return, of the same amounts."""
    office = winnings_office
    office.register()
    office.identify(1, "p-9", 0, identified_by=["driver_license", "passport"])
    assert 0 == office.returns().code
    office.tell()
    assert [] == changed(office, "Status", filing=1)
    office.identify(1, "p-9", 0, identified_by=["driver_license", "military_id"])
    assert [("p-9", "to be withdrawn")] == changed(office, "Patron", "Status", filing=1)
    refused = office.release(1)
    assert (3, True) == (refused.code, "details" in refused.stderr), refused.stderr
    assert 0 == office.call("filing", "withdraw", "riverside", "1", "--reason", "a document", person=EVE).code
    assert 0 == office.returns().code
    office.tell()
    office.send(2, "--status", "accepted")
    office.tell()
    assert [] == changed(office, "Status", filing=2)
    office.identify(1, "p-9", 0, identified_by=["driver_license", "tribal_id"])
    assert [("p-9", "to be corrected")] == changed(office, "Patron", "Status", filing=2)
    [correction] = prepared_by(office.returns("w-2g", "--corrected"))
    office.tell()
    assert [("p-9", 2)] == [(one["reference"], one["corrects"]) for one in correction["reports"]]
    assert [] == changed(office, "Status", filing=3)


def test_wins_as_a_resident_of_another_country_are_another_return(winnings_office: WinningsOffice) -> None:
    """Box 13b of a 1042-S has one country; the return of the first residence keeps its account number."""
    office = winnings_office
    office.register()
    office.house.clock.now += timedelta(days=60)
    [whole] = [one for one in rows_of(office.report(), "returns") if one["form"] == "1042-S"]
    office.identify(4, "p-8", 120_000, "MX")
    split = [one for one in rows_of(office.report(), "returns") if one["form"] == "1042-S"]
    assert [("CA", 350_000, 105_000), ("MX", 400_000, 120_000)] == [
        (one["residence"], one["winnings_cents"], one["withheld_cents"]) for one in split
    ]
    assert whole["account_number"] == split[0]["account_number"] != split[1]["account_number"]


def test_two_residences_are_filed_corrected_and_copied_apart(winnings_office: WinningsOffice) -> None:
    """From the log to the portal: each cent once, also after one of the wins turns out to be of the other residence."""
    office = winnings_office
    office.register()
    office.house.clock.now += timedelta(days=60)
    office.identify(4, "p-8", 120_000, "MX")
    [filing] = prepared_by(office.returns("1042-s"))
    assert 2 == filing["report_count"]
    [gross] = [name for name in office.rows(1)[0] if name.startswith("Box 2 ")]
    [country] = [name for name in office.rows(1)[0] if "13b" in name]
    assert [("3500.00", "CA"), ("4000.00", "MX")] == [(row[gross], row[country]) for row in office.rows(1)]
    assert 0 == office.send(1, "--status", "accepted").code

    def statuses() -> list[tuple[str | None, str, int]]:
        found = [one for one in rows_of(office.report(), "returns") if one["form"] == "1042-S"]
        return [(one["residence"], one["status"], one["winnings_cents"]) for one in found]

    assert [("CA", "accepted", 350_000), ("MX", "accepted", 400_000)] == statuses()
    office.identify(3, "p-8", 105_000, "MX")
    assert [("MX", "to_correct", 750_000), (None, "to_correct", 0)] == statuses()
    [correction] = prepared_by(office.returns("1042-s", "--corrected"))
    assert [("7500.00", "MX"), ("0.00", "MX")] == [(row[gross], row[country]) for row in office.rows(2)]
    assert [1, 1] == [one["corrects"] for one in correction["reports"]]
    assert 0 == office.send(2, "--status", "accepted").code
    assert [("MX", "accepted", 750_000), (None, "accepted", 0)] == statuses()
    assert 0 == office.call("filing", "copies", "riverside", "2", "-o", str(office.folder), person=EVE).code
    [copy] = office.folder.glob("*p-8.pdf")
    pages = "".join(page.extract_text() for page in PdfReader(copy).pages)
    assert 2 == pages.count("MX"), pages
    assert 4 == office.returns("1042-s").code
    assert 4 == office.returns("1042-s", "--corrected").code
