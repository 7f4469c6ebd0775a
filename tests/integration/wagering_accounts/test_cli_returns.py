"""`pitledger filing returns` and `copies`: from the log of winnings to what the portal answered, and corrections."""

from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.integration.reporting.test_winnings import OVER_UNDER, TOTALS, _line, _posted
from tests.integration.wagering_accounts.offices import CANADIAN, EVE, SAM, WinningsOffice, prepared_by
from tests.support.accounts import IDENTITY
from tests.support.reporting import rows_of
from tests.support.returns_filed import W_2G


def test_returns_go_from_the_log_to_the_portal_and_back(winnings_office: WinningsOffice) -> None:
    """Each cent of the log once; nothing twice; what was rejected again, by another file."""
    unknown = winnings_office.returns()
    assert (3, True, True, True) == (
        unknown.code,
        "p-9, return" in unknown.stderr and "p-9 is not identified" in unknown.stderr,
        "not every return can be made, for the 2 reasons above" in unknown.stderr,
        not winnings_office.folder.exists(),
    ), unknown.stderr
    alone = winnings_office.returns("w-2g", "--only", "p-9")
    assert "not every return can be made, for the reason above" in alone.stderr, alone.stderr
    winnings_office.register()
    [prepared] = prepared_by(winnings_office.returns())
    assert ("w_2g", "2026", "2027-02-01", "2027-03-31", 2) == tuple(
        prepared[name] for name in ("form", "period", "copy_by", "file_by", "report_count")
    )
    rows = winnings_office.rows(1)
    report = winnings_office.report()
    logged = [row for row in rows_of(report, "forms") if row["form"] == "W-2G"]
    assert sum(row["amount_cents"] for row in logged) == sum(
        int(Decimal(row["Box 1 - Reportable winnings"]) * 100) for row in rows
    )
    assert ["0.00", "720.00"] == [row["Box 4 - Federal income tax withheld"] for row in rows]
    again = winnings_office.returns()
    assert (4, True) == (again.code, "nothing is to be returned on W-2G for 2026" in again.stderr)
    answered = winnings_office.send(1, "--status", "accepted", "--rejected", "2")
    assert 1 == answered.code
    [once_more] = prepared_by(winnings_office.returns())
    assert ["p-10"] == [one["reference"] for one in once_more["reports"]]
    assert 0 == winnings_office.send(2, "--status", "accepted").code
    statuses = {
        row["patron"]: row["status"] for row in rows_of(winnings_office.report(), "returns") if row["form"] == "W-2G"
    }
    assert {"p-9": "accepted", "p-10": "accepted"} == statuses
    listed = winnings_office.call("filing", "list", "--property", "riverside", person=SAM)
    assert all(said in listed.stdout for said in ("W-2G", "2026", "2027-02-01", "2027-03-31", "rejected", "accepted"))


def test_tax_that_nobody_recorded_as_withheld_is_refused(winnings_office: WinningsOffice) -> None:
    """A 0 is recorded: nothing was withheld, and the return says so."""
    office = winnings_office
    office.register()
    office.books.desk.feed("settlements", _posted(office.books, 5, _line(20, 6000), round_id="r-5"))
    office.identify(5, "p-9", None)
    refused = office.returns()
    why = "nobody recorded what was withheld of exact, won on 2026-11-20, and $1,440.00 had to be"
    assert (3, True) == (refused.code, why in refused.stderr), refused.stderr
    office.identify(5, "p-9", 0)
    [prepared] = prepared_by(office.returns())
    assert [0, 0, 72_000] == sorted(one["withheld_cents"] for one in prepared["reports"])


def test_what_was_withheld_for_the_state_is_in_the_file(winnings_office: WinningsOffice) -> None:
    """And in the record of it; once it is another amount, the return is corrected."""
    winnings_office.register()
    winnings_office.identify(2, "p-10", 72_000, state_withheld_cents=9_210)
    [prepared] = prepared_by(winnings_office.returns())
    assert [None, 9_210] == [one.get("state_withheld_cents") for one in prepared["reports"]]
    assert [("", ""), ("PA", "92.10")] == [
        (one["Box 13 - State"], one["Box 15 - State income tax withheld"]) for one in winnings_office.rows(1)
    ]
    assert 0 == winnings_office.send(1, "--status", "accepted").code
    winnings_office.identify(2, "p-10", 72_000, state_withheld_cents=9_211)
    [corrected] = prepared_by(winnings_office.returns("w-2g", "--corrected"))
    assert [("p-10", 9_211)] == [(one["reference"], one["state_withheld_cents"]) for one in corrected["reports"]]
    assert 0 == winnings_office.send(2, "--status", "accepted").code
    winnings_office.identify(2, "p-10", 72_000)
    [without] = prepared_by(winnings_office.returns("w-2g", "--corrected"))
    assert [("p-10", None)] == [(one["reference"], one.get("state_withheld_cents")) for one in without["reports"]]
    assert [("", "", "Y")] == [
        (one["Box 13 - State"], one["Box 15 - State income tax withheld"], one["Corrected"])
        for one in winnings_office.rows(3)
    ]
    assert 0 == winnings_office.send(3, "--status", "accepted").code
    assert 4 == winnings_office.returns("w-2g", "--corrected").code


def test_a_year_that_runs_has_no_return_of_a_recipient(winnings_office: WinningsOffice) -> None:
    """What somebody wins adds up until its end; then it is one return."""
    winnings_office.register()
    early = winnings_office.returns("1042-s")
    assert (1, True) == (early.code, "tax year 2026 of riverside runs until 2027-01-01" in early.stderr)
    winnings_office.house.clock.now += timedelta(days=60)
    [prepared] = prepared_by(winnings_office.returns("1042-s"))
    [row] = winnings_office.rows(1)
    assert ("7500.00", "2250.00", "CA", "28") == tuple(
        row[name]
        for name in (
            "Box 2 - Gross income",
            "Box 7a - Federal tax withheld",
            "Box 13b - Recipient's country code",
            "Box 1 - Income code",
        )
    )
    assert [(750_000, 225_000)] == [(one["winnings_cents"], one["withheld_cents"]) for one in prepared["reports"]]


def test_what_a_treaty_exempts_is_returned_without_tax(winnings_office: WinningsOffice) -> None:
    """With the code and the rate of it, once the winner's number is known."""
    winnings_office.register()
    claim = {"country": "DE", "article": "21(1)", "signed_on": "2026-11-20", "valid_until": "2029-12-31"}
    for number in (3, 4):
        winnings_office.identify(number, "p-8", 0, "DE", treaty=claim, paid_on="2026-11-20")
    german = CANADIAN | {"country": "DE", "postal_code": "10115"}
    del german["state_code"]
    winnings_office.know("p-8", german)
    winnings_office.house.clock.now += timedelta(days=60)
    refused = winnings_office.returns("1042-s")
    assert (3, True) == (refused.code, "takes a taxpayer number of the United States" in refused.stderr)
    winnings_office.know("p-8", german | {"taxpayer_number": "900551234", "taxpayer_number_kind": "itin"})
    [prepared] = prepared_by(winnings_office.returns("1042-s"))
    assert [("p-8", 750_000, 0)] == [
        (one["reference"], one["winnings_cents"], one["withheld_cents"]) for one in prepared["reports"]
    ]
    [row] = winnings_office.rows(1)
    boxes = ("Box 3a - Exemption code", "Box 3b - Tax rate", "Box 7a - Federal tax withheld")
    assert ["04", "00.00", "0.00"] == [row[name] for name in boxes]


def test_returns_that_no_longer_hold_are_not_released(winnings_office: WinningsOffice) -> None:
    """Another amount, or a win that is gone: withdrawn and prepared again, they are released."""
    winnings_office.register()
    winnings_office.returns()
    winnings_office.identify(2, "p-10", 80_000)
    refused = winnings_office.release(1)
    assert (3, True) == (refused.code, "filing 1 of riverside no longer holds: withdraw it" in refused.stderr)
    amounts = "$3,000.00 won, $720.00 withheld in the file, and $3,000.00 won, $800.00 withheld now"
    assert [True, False] == [f"{said}" in refused.stderr for said in (amounts, "p-9")], refused.stderr
    winnings_office.books.desk.feed(
        "settlements", winnings_office.books.reversed(9, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER)
    )
    gone = winnings_office.release(1)
    nothing = "$2,500.00 won, $0.00 withheld in the file, and $0.00 won, $0.00 withheld now"
    assert (3, True) == (gone.code, nothing in gone.stderr), gone.stderr
    assert 0 == winnings_office.call("filing", "withdraw", "riverside", "1", "--reason", "a tax", person=EVE).code
    winnings_office.returns()
    winnings_office.identify(2, "p-10", 80_000, state_withheld_cents=9_210)
    state = winnings_office.release(2)
    assert "$0.00 for the state in the file" in state.stderr, state.stderr
    winnings_office.identify(2, "p-10", 80_000)
    assert 0 == winnings_office.release(2).code


def test_returns_that_were_not_sent_and_are_wrong_are_named(winnings_office: WinningsOffice) -> None:
    """Withdrawn, they are due again."""
    winnings_office.register()
    winnings_office.returns()
    winnings_office.identify(2, "p-10", 80_000)
    called = winnings_office.returns()
    assert (4, True) == (called.code, "no longer right: withdraw filing 1" in called.stderr)
    withdrawn = winnings_office.call("filing", "withdraw", "riverside", "1", "--reason", "another amount", person=EVE)
    assert 0 == withdrawn.code, withdrawn.stderr
    [prepared] = prepared_by(winnings_office.returns())
    assert [("p-9", 0), ("p-10", 80_000)] == [(one["reference"], one["withheld_cents"]) for one in prepared["reports"]]
    assert (3, True) == _into_a_file(winnings_office)


def _into_a_file(winnings_office: WinningsOffice) -> tuple[int, bool]:
    """Ask for returns in a folder that is a file."""
    winnings_office.call("filing", "withdraw", "riverside", "2", "--reason", "once more", person=EVE)
    for file in winnings_office.folder.iterdir():
        file.unlink()
    winnings_office.folder.rmdir()
    winnings_office.folder.write_text("")
    called = winnings_office.returns()
    return called.code, "File exists" in called.stderr


def test_a_template_has_the_last_word_on_columns(winnings_office: WinningsOffice, tmp_path: Path) -> None:
    """What it has that the layout does not know is named, and nothing is prepared."""
    winnings_office.register()
    names = [one.name for one in W_2G.columns][::-1]
    template = tmp_path / "template.csv"
    template.write_text(",".join([*names, "Second TIN notice"]) + "\r\n", encoding="utf-8-sig")
    refused = winnings_office.returns("w-2g", "--template", str(template))
    assert (3, True) == (refused.code, "Second TIN notice: the layout does not know it" in refused.stderr)
    assert [] == winnings_office.house.desk.facts("filing.prepared")
    made = winnings_office.returns("w-2g", "--template", str(template), "--empty", "Second TIN notice")
    assert 0 == made.code, made.stderr
    [file] = winnings_office.folder.glob("*.csv")
    assert [*names, "Second TIN notice"] == file.read_text().splitlines()[0].split(",")
    assert [250_000, 300_000] == [one["winnings_cents"] for one in prepared_by(made)[0]["reports"]]


def test_each_recipient_has_a_copy_of_what_was_filed(winnings_office: WinningsOffice, tmp_path: Path) -> None:
    """And each look is on record; a file of another form has none."""
    winnings_office.register()
    winnings_office.returns()
    copies = tmp_path / "copies"
    early = winnings_office.call("filing", "copies", "riverside", "1", "-o", str(copies), person=EVE)
    assert (3, True, False) == (early.code, "filing 1 of riverside is prepared" in early.stderr, copies.exists())
    assert 0 == winnings_office.release(1).code
    made = winnings_office.call("filing", "copies", "riverside", "1", "-o", str(copies), person=EVE)
    assert 0 == made.code, made.stderr
    assert ["w-2g-2026-1-p-10.pdf", "w-2g-2026-1-p-9.pdf"] == sorted(one.name for one in copies.iterdir())
    words = PdfReader(BytesIO((copies / "w-2g-2026-1-p-9.pdf").read_bytes())).pages[0].extract_text()
    assert all(said in words for said in ("$2,500.00", "Wilhelmina Oakhurst-Vane", "*****1234"))
    seen = [one for one in winnings_office.house.desk.facts("patron.seen") if getattr(one, "what", "") == "filing"]
    assert {"p-9", "p-10"} == {getattr(one, "patron", "") for one in seen}


def test_two_winners_who_are_one_person_are_not_filed_unnoticed(winnings_office: WinningsOffice) -> None:
    """Both references are named, and no file is written, until one is said to be apart."""
    winnings_office.register()
    winnings_office.know("p-10", IDENTITY)
    refused = winnings_office.returns()
    assert (3, True) == (refused.code, "p-10 and p-9 are one person: the same taxpayer number" in refused.stderr)
    assert [] == winnings_office.house.desk.facts("filing.prepared")
    assert 0 == winnings_office.returns("w-2g", "--only", "p-9").code
    winnings_office.house.send("/filings/riverside/1/withdraw", {"reason": "a test"}, person=EVE)
    assert 2 == len(prepared_by(winnings_office.returns("w-2g", "--apart", "p-9"))[0]["reports"])


def test_a_rejected_return_has_no_copy(winnings_office: WinningsOffice, tmp_path: Path) -> None:
    """The next filing has the same win again, so that the winner would have two statements of it."""
    winnings_office.register()
    winnings_office.returns()
    copies, folder = ("filing", "copies", "riverside", "1", "-o"), tmp_path / "copies"
    assert 1 == winnings_office.send(1, "--status", "accepted", "--rejected", "1").code
    assert 0 == winnings_office.call(*copies, str(folder), person=EVE).code
    assert ["w-2g-2026-1-p-10.pdf"] == [one.name for one in folder.iterdir()]
    both = ("--status", "accepted", "--rejected", "1", "--rejected", "2", "--reason", "the portal shows two")
    winnings_office.call("filing", "acknowledge", "riverside", "1", *both, person=EVE)
    none = winnings_office.call(*copies, str(tmp_path / "none"), person=EVE)
    assert (4, True) == (none.code, "every return of filing 1 was rejected" in none.stderr), none.stderr


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("returns", "--property", "riverside", "--year", "2026", "--form", "w-9", "-o", "x"), 2, "w-2g or 1042-s"),
        (("acknowledge", "riverside", "1"), 2, "or --status"),
        (("acknowledge", "riverside", "1", "missing.xml"), 2, "missing.xml: No such file"),
        (("release", "riverside", "1", "--file", "missing.csv"), 2, "missing.csv: No such file"),
        (("release", "riverside", "9", "--file", "missing.csv"), 2, "missing.csv: No such file"),
        (("acknowledge", "riverside", "1", "--status", "fine"), 2, "accepted or rejected"),
        (("acknowledge", "riverside", "1", "--status", "accepted", "--rejected", "9"), 2, "the reports 1 to 2"),
    ],
)
def test_a_command_that_makes_no_sense_says_so(
    winnings_office: WinningsOffice, words: tuple[str, ...], code: int, why: str
) -> None:
    """With what to say instead."""
    winnings_office.register()
    winnings_office.returns()
    called = winnings_office.call("filing", *words, person=EVE)
    assert (code, True) == (called.code, why in called.stderr), called.stderr


def test_law_that_nobody_reviewed_stops_returns_before_anybody_is_looked_up(winnings_office: WinningsOffice) -> None:
    """Unless told: then it is prepared all the same, if there is anything."""
    winnings_office.register()
    asked = ("filing", "returns", "--property", "riverside", "--year", "2027", "--form", "w-2g", "-o", "x")
    refused = winnings_office.call(*asked, person=EVE)
    assert (3, True) == (refused.code, "w_2g_table_wager.threshold_cents" in refused.stderr)
    told = winnings_office.call(*asked, "--unconfirmed", person=EVE)
    assert (4, False) == (told.code, "review" in told.stderr)
