"""`pitledger filing returns --corrected`: what changed after it was sent, and what waits or no longer holds."""

from datetime import timedelta
from typing import Any

import pytest

from tests.integration.reporting.test_winnings import OVER_UNDER, TOTALS
from tests.integration.wagering_accounts.offices import CANADIAN, DOCUMENT, EVE, WinningsOffice, prepared_by
from tests.support.accounts import IDENTITY
from tests.support.filings import FILER
from tests.support.properties import property_event
from tests.support.reporting import rows_of


def test_a_return_of_a_recipient_is_amended_under_its_number(winnings_office: WinningsOffice) -> None:
    """The same identifier, the next amendment number; a mended name takes no second return."""
    winnings_office.register()
    winnings_office.house.clock.now += timedelta(days=60)
    [first] = prepared_by(winnings_office.returns("1042-s"))
    winnings_office.identify(3, "p-8", 104_000, "CA")
    refused = winnings_office.release(1)
    held = "$7,500.00 won, $2,250.00 withheld in the file, and $7,500.00 won, $2,240.00 withheld now"
    assert (3, True) == (refused.code, held in refused.stderr), refused.stderr
    winnings_office.identify(3, "p-8", 105_000, "CA")
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    for number, (cents, name) in enumerate(((106_000, "Oakhurst-Vane"), (106_000, "Vane")), start=1):
        winnings_office.identify(3, "p-8", cents, "CA")
        winnings_office.know("p-8", CANADIAN | {"last_name": name})
        [amended] = prepared_by(winnings_office.returns("1042-s", "--corrected"))
        [report] = amended["reports"]
        assert (first["reports"][0]["account_number"], number, 226_000) == (
            *(report["account_number"], report["corrects"], report["withheld_cents"]),
        )
        [row] = winnings_office.rows(number + 1)
        assert str(number) == row["Amendment Number"]
        assert 0 == winnings_office.send(number + 1, "--status", "accepted").code
    assert 4 == winnings_office.returns("1042-s", "--corrected").code


def test_what_changed_after_it_was_sent_is_corrected(winnings_office: WinningsOffice) -> None:
    """An amount by one return, a mended name by two, a win that was another person's to nothing; then no more."""
    winnings_office.register()
    winnings_office.returns()
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    none = winnings_office.returns("w-2g", "--corrected")
    assert (4, True) == (none.code, "nothing is to be corrected on W-2G for 2026" in none.stderr)
    winnings_office.identify(2, "p-10", 80_000)
    winnings_office.know("p-9", IDENTITY | {"last_name": "Vane"})
    [prepared] = prepared_by(winnings_office.returns("w-2g", "--corrected"))
    assert [("p-9", 0, 1), ("p-9", 250_000, None), ("p-10", 300_000, 1)] == [
        (one["reference"], one["winnings_cents"], one.get("corrects")) for one in prepared["reports"]
    ]
    assert [("Oakhurst-Vane", "0.00", "Y"), ("Vane", "2500.00", ""), ("Oakhurst-Vane", "3000.00", "Y")] == [
        (row["Recipient Last Name (Surname)"], row["Box 1 - Reportable winnings"], row["Corrected"])
        for row in winnings_office.rows(2)
    ]
    assert 0 == winnings_office.send(2, "--status", "accepted").code
    assert 4 == winnings_office.returns("w-2g", "--corrected").code

    winnings_office.books.desk.feed(
        "settlements", winnings_office.books.reversed(9, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER)
    )
    [gone] = prepared_by(winnings_office.returns("w-2g", "--corrected"))
    assert [("p-9", 0, 2)] == [(one["reference"], one["winnings_cents"], one["corrects"]) for one in gone["reports"]]
    assert 0 == winnings_office.send(3, "--status", "accepted").code
    assert 4 == winnings_office.returns("w-2g", "--corrected").code


def test_a_correction_of_what_was_sent_in_time_is_not_late(winnings_office: WinningsOffice) -> None:
    """The last day is for the first return; what was first sent after it stays late."""
    winnings_office.register()
    winnings_office.house.clock.now += timedelta(days=60)
    winnings_office.returns("w-2g", "--only", "p-9")
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    winnings_office.house.clock.now += timedelta(days=100)
    winnings_office.returns("w-2g", "--only", "p-10")
    assert 0 == winnings_office.send(2, "--status", "accepted").code
    winnings_office.identify(1, "p-9", 10_000)
    winnings_office.identify(2, "p-10", 80_000)
    for step in ("prepared", "accepted"):
        if step == "prepared":
            winnings_office.returns("w-2g", "--corrected")
        else:
            assert 0 == winnings_office.send(3, "--status", "accepted").code
        found = {one["patron"]: one.get("late") for one in rows_of(winnings_office.report(), "returns")}
        assert ("", "late") == (found["p-9"], found["p-10"]), step


def test_too_little_withheld_is_returned_as_it_is(winnings_office: WinningsOffice) -> None:
    """And by how much the tax is short, for which the casino is liable."""
    winnings_office.register()
    winnings_office.house.clock.now += timedelta(days=60)
    winnings_office.identify(3, "p-8", 100_000, "CA")
    called = winnings_office.returns("1042-s")
    [prepared] = prepared_by(called)
    assert "$2,200.00 were withheld instead of $2,250.00: tax is short by $50.00" in called.stderr
    assert "the casino is liable (26 U.S.C. 1461)" in called.stderr
    assert [220_000] == [one["withheld_cents"] for one in prepared["reports"]]
    [said] = winnings_office.rows(1)
    assert ("2200.00", "") == (said["Box 7a - Federal tax withheld"], said["Box 11 - Tax paid by withholding agent"])
    assert 0 == winnings_office.send(1, "--status", "accepted").code


def test_what_waits_for_an_answer_is_not_corrected(winnings_office: WinningsOffice) -> None:
    """The command names the filing to answer, or the correction to send; everything else is corrected."""
    winnings_office.register()
    winnings_office.returns("w-2g", "--only", "p-9")
    assert 0 == winnings_office.release(1).code
    assert 0 == winnings_office.call("filing", "filed", "riverside", "1", "--tracking-id", "2027-1", person=EVE).code
    winnings_office.returns("w-2g", "--only", "p-10")
    assert 0 == winnings_office.send(2, "--status", "accepted").code
    winnings_office.identify(1, "p-9", 10_000)
    winnings_office.identify(2, "p-10", 80_000)
    called = winnings_office.returns("w-2g", "--corrected")
    assert "record the acknowledgement of filing 1 first" in called.stderr
    assert [("p-10", 80_000)] == [
        (one["reference"], one["withheld_cents"]) for one in prepared_by(called)[0]["reports"]
    ]
    again = winnings_office.returns("w-2g", "--corrected")
    assert (4, True) == (again.code, "corrected already, and not sent: send filing 3, or withdraw it" in again.stderr)
    winnings_office.identify(2, "p-10", 81_000)
    changed = winnings_office.returns("w-2g", "--corrected")
    assert (4, True) == (changed.code, "no longer right: withdraw filing 3" in changed.stderr)


def test_a_correction_that_no_longer_holds_is_not_released(winnings_office: WinningsOffice) -> None:
    """Of a name, which takes two returns, the new one counts."""
    winnings_office.register()
    winnings_office.returns()
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    winnings_office.know("p-9", IDENTITY | {"last_name": "Vane"})
    [prepared] = prepared_by(winnings_office.returns("w-2g", "--corrected"))
    assert [0, 250_000] == [one["winnings_cents"] for one in prepared["reports"]]
    winnings_office.identify(1, "p-9", 5_000)
    refused = winnings_office.release(2)
    assert (3, True) == (refused.code, "$50.00 withheld now" in refused.stderr), refused.stderr
    winnings_office.identify(1, "p-9", 0)
    assert 0 == winnings_office.release(2).code


def test_a_new_return_that_was_rejected_beside_its_correction_is_filed_again(winnings_office: WinningsOffice) -> None:
    """A mended name takes two returns: the first was accepted, so the second one alone is due again, and late."""
    winnings_office.register()
    winnings_office.returns("w-2g", "--only", "p-9")
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    winnings_office.know("p-9", IDENTITY | {"last_name": "Vane"})
    assert 2 == prepared_by(winnings_office.returns("w-2g", "--corrected"))[0]["report_count"]
    assert 1 == winnings_office.send(2, "--status", "accepted", "--rejected", "2").code
    assert 4 == winnings_office.returns("w-2g", "--corrected").code
    [again] = prepared_by(winnings_office.returns("w-2g", "--only", "p-9"))
    assert [("p-9", 250_000, None)] == [
        (one["reference"], one["winnings_cents"], one.get("corrects")) for one in again["reports"]
    ]
    [row] = winnings_office.rows(3)
    assert ("Vane", "") == (row["Recipient Last Name (Surname)"], row["Corrected"])
    assert 0 == winnings_office.send(3, "--status", "accepted").code
    [found] = [one for one in rows_of(winnings_office.report(), "returns") if one["patron"] == "p-9"]
    assert ("accepted", "3") == (found["status"], found["filing"])


def test_a_corrected_return_keeps_its_payer(winnings_office: WinningsOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    """A payer who has moved since corrects no return for that alone, and what is corrected names the payer as sent."""
    office = winnings_office
    office.register()
    office.returns()
    assert 0 == office.send(1, "--status", "accepted").code
    moved = FILER.model_dump(mode="json") | {"street": "2 Riverside Drive", "state_tax_number": "12-345678"}
    monkeypatch.setitem(DOCUMENT, "filer", moved)
    none = office.returns("w-2g", "--corrected")
    assert (4, True) == (none.code, "nothing is to be corrected on W-2G for 2026" in none.stderr)
    office.identify(2, "p-10", 80_000)
    assert [("p-10", 1)] == [
        (one["reference"], one["corrects"]) for one in prepared_by(office.returns("w-2g", "--corrected"))[0]["reports"]
    ]
    [row] = office.rows(2)
    assert "1 Riverside Drive" in row.values()


def test_the_new_return_beside_a_corrected_one_keeps_its_payer(
    winnings_office: WinningsOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the casino has another number by now, and moves between preparation and release."""
    office = winnings_office
    office.register()
    office.returns()
    assert 0 == office.send(1, "--status", "accepted").code
    sold: dict[str, Any] = FILER.model_dump(mode="json", exclude_none=True) | {"ein": "251111111"}
    monkeypatch.setitem(DOCUMENT, "filer", sold)
    office.house.desk.feed("properties", property_event(sequence=2, version=2, filer=sold))
    office.know("p-9", IDENTITY | {"last_name": "Vane"})
    [prepared] = prepared_by(office.returns("w-2g", "--corrected"))
    assert [(0, 1), (250_000, None)] == [(one["winnings_cents"], one.get("corrects")) for one in prepared["reports"]]
    office.house.clock.now += timedelta(hours=1)
    moved = sold | {"street": "2 Riverside Drive"}
    at = office.house.clock.now.isoformat()
    office.house.desk.feed("properties", property_event(sequence=3, version=3, filer=moved, effective_from=at))
    released = office.release(2)
    assert 0 == released.code, released.stderr


def test_an_answer_is_corrected_to_a_rejected_file(winnings_office: WinningsOffice) -> None:
    """Every return in it is due again."""
    office = winnings_office
    office.register()
    office.returns()
    assert 0 == office.send(1, "--status", "accepted").code
    wrong = ("acknowledge", "riverside", "1", "--status", "rejected", "--reason", "that of another file")
    called = office.call("filing", *wrong, person=EVE)
    assert 1 == called.code, called.stderr
    [again] = prepared_by(office.returns())
    assert ["p-9", "p-10"] == [one["reference"] for one in again["reports"]]
