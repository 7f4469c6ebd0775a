"""`pitledger filing prepare`: the file of a gaming day from the currency report, and what is refused."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring
from zoneinfo import ZoneInfo

import pytest

from services.cli.filing import reading
from tests.integration.reporting.test_currency import Till, _moved, void
from tests.integration.wagering_accounts.offices import EVE, PREPARE, READER, REGISTRY, SAM, CurrencyOffice, console
from tests.support import Databases
from tests.support.accounts import CODE, IDENTITY, NOON, SOMEBODY_ELSE, Clock, House, a_house
from tests.support.desk import Desk
from tests.support.filings import ERROR, acknowledgement
from tests.support.reporting import books_of
from tests.support.services import settled_database
from tests.support.shell_calls import ShellCalls
from tests.unit.cli.calling import Caller
from tests.unit.cli.filing.test_ctr_batch import parties, texts


@pytest.fixture(autouse=True)
def _clock_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day after the gaming day."""
    monkeypatch.setattr(reading, "now", lambda: NOON + timedelta(days=1))


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service, with a patron who is identified."""
    del patron_keys
    with a_house(url, Clock()) as house:
        house.register("p-7", "w-7", code=CODE)
        assert house.send("/patrons/riverside/p-7/identity", {"identity": IDENTITY}).is_success
        yield house


@pytest.fixture
def call(
    databases: Databases, house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[ShellCalls]:
    """The command line; reporting knows of a patron, and of an account without one, above the threshold."""
    reporting = settled_database(databases, "reporting")
    with books_of(reporting) as books:
        till = Till()
        books.desk.feed("accounts", till.registered("p-7", "w-7"), till.opened("ga-2"))
        books.desk.feed("accounts", till.paid(11_000, "w-7"), till.paid(12_000, "ga-2", table="BJ-02"))
        report = books.get(books.path("currency"), person=READER).json()
        services: dict[str, Desk | Mapping[str, Any]] = {
            "wagering-accounts": house.desk,
            "reporting": {"/reports/currency": report},
            "paytable-registry": REGISTRY,
        }
        yield ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    databases.drop(reporting)


def test_who_acts_for_another_is_in_the_report_of_that_one(
    house: House,
    databases: Databases,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Once identified, or said to be unknown; the other one has no report."""
    reporting, file = settled_database(databases, "reporting"), tmp_path / "ctr.xml"
    house.register("p-8", "w-8")
    house.clock.now = NOON + timedelta(days=1)
    with books_of(reporting) as books:
        till = Till()
        by_agent = till.paid(11_000, "w-7")
        by_agent["data"] |= {"patron": "p-7", "conducted_by": "p-8"}
        books.desk.feed("accounts", till.registered("p-7", "w-7"), by_agent)
        report = books.get(books.path("currency"), person=READER).json()
    databases.drop(reporting)
    services: dict[str, Desk | Mapping[str, Any]] = {
        "wagering-accounts": house.desk,
        "reporting": {"/reports/currency": report},
        "paytable-registry": REGISTRY,
    }
    call = ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    nobody = call(*PREPARE, "-o", str(file), person=EVE)
    assert (4, True, False) == (
        nobody.code,
        "identify the patron, or say --unidentified p-8" in nobody.stderr,
        file.exists(),
    )
    patron = "/patrons/riverside/p-8"
    assert house.send(f"{patron}/identity", {"identity": IDENTITY}, person="cage.ann").is_success
    assert house.send(f"{patron}/erasure", {"ground": "requested"}, person="care.joy").is_success
    assert house.send(f"{patron}/erasure/approve", person="care.max").is_success
    erased = call(*PREPARE, "-o", str(file), person=EVE)
    assert (4, True) == (erased.code, "was erased; only --unidentified p-8 is left" in erased.stderr), erased.stderr
    other = call(*PREPARE, "--only", "p-8", "-o", str(file), person=EVE)
    assert (3, True) == (other.code, "p-8: all of it is in the report of p-7" in other.stderr)
    [document] = call(*PREPARE, "--unidentified", "p-8", "-o", str(file), person=EVE).documents
    assert [("p-7", ["p-8"], 11_000)] == [
        (one["reference"], one["with_others"], one["in_dollars"]) for one in document["reports"]
    ]
    batch = fromstring(file.read_text())
    assert [("23", 11_000, 0, False), ("17", 11_000, 0, False)] == parties(batch[1])[-2:]


def test_a_gaming_day_is_filed_once_it_has_ended(call: ShellCalls, house: House, tmp_path: Path) -> None:
    """Until then there is no file; an account without a patron is reported by its number."""
    file = tmp_path / "ctr.xml"
    refused = call(*PREPARE, "-o", str(file), person=EVE)
    assert (1, True, False) == (refused.code, "runs until 2026-11-21 04:00:00" in refused.stderr, file.exists())
    house.clock.now = NOON + timedelta(days=1)
    [document] = call(*PREPARE, "-o", str(file), person=EVE).documents
    assert [("patron", "p-7", 11_000), ("account", "ga-2", 12_000)] == [
        (one["kind"], one["reference"], one["in_dollars"]) for one in document["reports"]
    ]
    batch = fromstring(file.read_text())
    assert ["ga-2"] == texts(batch, "AccountNumberText")
    assert ["8"] == texts(batch, "PartyAccountAssociationTypeCode")
    assert [IDENTITY["last_name"]] == texts(batch, "RawEntityIndividualLastName")
    again = call(*PREPARE, "-o", str(file), person=EVE)
    assert (1, True) == (again.code, "for 2026-11-20 is in filing 1, which is prepared" in again.stderr)


def test_a_file_is_not_of_a_day_that_has_not_come(
    call: ShellCalls, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the clock of the property: at midnight in UTC it is still the day before."""
    house.clock.now = NOON + timedelta(days=1)
    monkeypatch.setattr(reading, "now", lambda: datetime(2026, 11, 21, 4, 59, tzinfo=UTC))
    asked = (*PREPARE, "-o", str(tmp_path / "ctr.xml"))
    refused = call(*asked, person=EVE)
    said = "--filed-on 2026-11-21 has not come yet: it is 2026-11-20 in America/New_York"
    assert (2, True) == (refused.code, said in refused.stderr), refused.stderr
    running = call(*asked, "--filed-on", "2026-11-20", person=EVE)
    assert (2, True) == (running.code, "the gaming day 2026-11-20 had not ended then" in running.stderr)
    assert not (tmp_path / "ctr.xml").exists()
    monkeypatch.setattr(reading, "now", lambda: datetime(2026, 11, 21, 5, tzinfo=UTC))
    assert 0 == call(*asked, person=EVE).code


def test_a_filer_with_a_made_up_number_files_nothing(
    call: ShellCalls, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although a property document of before that rule has it."""
    house.clock.now = NOON + timedelta(days=1)
    document = REGISTRY["/properties/riverside/in-effect"]
    monkeypatch.setitem(document, "filer", document["filer"] | {"ein": "123456789"})
    refused = call(*PREPARE, "-o", str(tmp_path / "ctr.xml"), person=EVE)
    assert (3, True) == (refused.code, "the filer's EIN 123456789 is made up" in refused.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("filing", "release", "riverside", "1", "--file", "missing.xml"),
        ("filing", "acknowledge", "riverside", "1", "missing.xml"),
        ("sar", "release", "riverside", "1", "--file", "missing.xml"),
        ("sar", "acknowledge", "riverside", "1", "missing.xml"),
        ("sar", "prepare", "missing.xml", "-o", "x.xml"),
        ("gl", "file", "missing.xml"),
    ],
)
def test_a_file_that_is_not_there_is_a_usage_error(call: ShellCalls, words: tuple[str, ...]) -> None:
    """Before anything is asked of a service."""
    called = call(*words, person=EVE)
    assert (2, True) == (called.code, "missing.xml: No such file or directory" in called.stderr), called.stderr


FIRST, SECOND = "31000000000001", "31000000000002"


def test_what_no_longer_holds_is_not_released(currency_office: CurrencyOffice, tmp_path: Path) -> None:
    """A late sale of the same gaming day: the file is withdrawn, and prepared again."""
    file = ("-o", str(tmp_path / "ctr.xml"))
    currency_office.sell(10_500)
    assert 0 == currency_office.call(*PREPARE, *file, person=EVE).code
    currency_office.sell(50_000)
    release = ("filing", "release", "riverside")
    refused = currency_office.call(*release, "1", person=SAM)
    assert (3, True) == (refused.code, "filing 1 of riverside no longer holds: withdraw it" in refused.stderr)
    assert "p-7: $10,500 in, $0 out in the file, and $60,500 in, $0 out now" in refused.stderr
    withdrawn = currency_office.call("filing", "withdraw", "riverside", "1", "--reason", "a late sale", person=EVE)
    assert 0 == withdrawn.code, withdrawn.stderr
    [document] = currency_office.call(*PREPARE, *file, person=EVE).documents
    assert 60_500 == document["reports"][0]["in_dollars"]
    assert 0 == currency_office.call(*release, "2", person=SAM).code


def test_what_another_person_reports_is_not_released(currency_office: CurrencyOffice) -> None:
    """Its amounts hold; the refusal says whose report has it, in the console as well."""
    office = currency_office
    sale = office.sell(10_500)
    prepared = office.prepare()
    assert 0 == prepared.code, prepared.stderr
    bought: dict[str, Any] = {"cents": 1_050_000, "instrument": "currency", "dealer": "dealer.1", "patron": "p-7"}
    for_another = office.ledger.pit("chips.sold", "BJ-01", moved=-1_050_000, **bought, on_behalf_of=["p-8"])
    office.books.desk.feed("inventory", void(office.ledger, sale), for_another)
    refused = office.call("filing", "release", "riverside", "1", person=SAM)
    now = "p-7: a report to be sent in the file, and one to be withdrawn (all of it is in the report of p-8) now"
    assert (3, True) == (refused.code, now in refused.stderr), refused.stderr
    with console(office) as browsers:
        page = browsers.get("/p/riverside/filings/1", SAM)
    assert "all of it is in the report of p-8" in page


@pytest.mark.parametrize("left", [2_000, 0])
def test_a_report_is_amended_down_to_nothing(currency_office: CurrencyOffice, tmp_path: Path, left: int) -> None:
    """What is left below the threshold is said, and that nothing is; without `--corrects` nothing is reported."""
    file = tmp_path / "ctr.xml"
    sales = [currency_office.sell(dollars) for dollars in (10_500, left) if dollars]
    assert 0 == currency_office.call(*PREPARE, "-o", str(file), person=EVE).code
    currency_office.accept(1, FIRST)
    currency_office.books.desk.feed("inventory", void(currency_office.ledger, sales[0]))
    nothing = currency_office.call(*PREPARE, "-o", str(file), person=EVE)
    assert (3, True) == (nothing.code, "nothing to report" in nothing.stderr)
    amends = ("--only", "p-7", "--corrects", f"p-7={FIRST}", "-o", str(file))
    prepared = currency_office.call(*PREPARE, *amends, person=EVE)
    assert 0 == prepared.code, prepared.stderr
    [document] = prepared.documents
    assert [(left, 0, FIRST)] == [(one["in_dollars"], one["out_dollars"], one["amends"]) for one in document["reports"]]
    batch = fromstring(file.read_text())
    assert [str(left)] * bool(left) == texts(batch, "DetailTransactionAmountText")
    assert [IDENTITY["last_name"]] == texts(batch, "RawEntityIndividualLastName")
    currency_office.tell()
    currency_office.accept(2, SECOND)
    [row] = [
        row
        for section in currency_office.books.get(currency_office.books.path("currency"), person=READER).json()[
            "content"
        ]["sections"]
        if section["name"] == "filed"
        for row in section["rows"]
    ]
    assert ("accepted", SECOND) == (row["status"], row["bsa_id"])


def test_a_person_under_two_references_is_not_reported_apart_unnoticed(currency_office: CurrencyOffice) -> None:
    """Even if neither has a report alone: the day of a person has one total."""
    office = currency_office
    office.house.register("q-7", "w-q")
    assert office.house.send("/patrons/riverside/q-7/identity", {"identity": IDENTITY}).is_success
    office.sell(10_500, "p-7")
    assert 0 == office.prepare("--only", "p-7").code
    office.house.send("/filings/riverside/1/withdraw", {"reason": "a test"}, person=EVE)
    office.tell()
    office.sell(9_000, "q-7")
    refused = office.prepare()
    assert (3, True) == (refused.code, "p-7 and q-7 are one person: the same taxpayer number" in refused.stderr)
    assert refused.stderr.strip().endswith("say --apart p-7")
    office.house.register("r-7", "w-r")
    assert office.house.send("/patrons/riverside/r-7/identity", {"identity": IDENTITY}).is_success
    office.sell(9_000, "r-7")
    for said in ((), ("--apart", "p-7")):
        refused = office.prepare(*said)
        assert (3, True) == (refused.code, refused.stderr.strip().endswith("say --apart p-7 --apart q-7"))
    assert 0 == office.prepare("--apart", "p-7", "--apart", "q-7").code
    release = ("filing", "release", "riverside", "2")
    unnoticed = office.call(*release, person=SAM)
    assert (3, True) == (unnoticed.code, unnoticed.stderr.strip().endswith("say --apart p-7 --apart q-7"))
    assert 0 == office.call(*release, "--apart", "p-7", "--apart", "q-7", person=SAM).code


def test_a_rejected_batch_is_recorded_though_the_answer_lists_only_some_reports(
    currency_office: CurrencyOffice, tmp_path: Path
) -> None:
    """It does not say which: their errors are those of the file, and all of them are filed again.

    However many errors there are, and though an acceptance was recorded before.
    """
    office, answer = currency_office, tmp_path / "answer.xml"
    office.sell(10_500)
    office.sell(11_000, None)
    assert 0 == office.prepare().code
    office.send(1)
    both = [{"report": number, "accepted": True, "bsa_id": one} for number, one in enumerate((FIRST, SECOND), start=1)]
    accepted = {"accepted": True, "reports": both}
    assert office.house.send("/filings/riverside/1/acknowledgement", accepted, person=EVE).is_success
    errors = "".join(ERROR.format(level="FATAL").replace("F18", f"F{number}") for number in range(300))
    answer.write_bytes(acknowledgement("R", errors))
    replaced = ("acknowledge", "riverside", "1", str(answer), "--reason", "the answer to another file")
    called = office.call("filing", *replaced, person=EVE)
    said = "FinCEN lists 1 of 2 reports: all are rejected, and 200 of 300 errors are those of the file"
    assert (1, True) == (called.code, said in called.stderr), called.stderr
    office.tell()
    assert ["rejected", "rejected"] == [row["status"] for row in _filed_rows(office)]


def test_an_initial_report_waits_again_when_the_amendment_of_an_entry_is_withdrawn(
    currency_office: CurrencyOffice,
) -> None:
    """What was sent of an unidentified person, who is known by now, would be sent twice."""
    office = currency_office
    sale = office.sell(10_500, None)
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, sale))
    office.sell(10_500, "p-7")
    entry = next(row["entry"] for row in _filed_rows(office) if row["entry"])
    assert 3 == office.prepare("--only", "p-7").code
    amended = office.prepare("--only", entry, "--corrects", f"{entry}={FIRST}")
    assert 0 == amended.code, amended.stderr
    initial = office.prepare("--only", "p-7")
    assert 0 == initial.code, initial.stderr
    assert office.house.send("/filings/riverside/2/withdraw", {"reason": "a test"}, person=EVE).is_success
    office.tell()
    refused = office.call("filing", "release", "riverside", "3", person=SAM)
    assert (3, True) == (refused.code, f"may be the report of {entry} in filing 1" in refused.stderr), refused.stderr


def test_an_initial_report_waits_while_an_entry_is_nobodys_after_a_rejected_amendment(
    currency_office: CurrencyOffice,
) -> None:
    """The entry was amended as one person, that was rejected, and it was another person: one report amends it."""
    office = currency_office
    sale = office.sell(10_500, None)
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, sale))
    mistaken = office.sell(10_500, "p-7")
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    office.send(2)
    office.answer(2, None)
    office.books.desk.feed("inventory", void(office.ledger, mistaken))
    office.sell(10_500, None)
    refused = office.prepare()
    [entry] = [row["entry"] for row in _filed_rows(office) if row["entry"]]
    said = f"{entry}: filing 1 has the report of p-7, of which nothing is left: if this took its place, say --corrects"
    assert (3, True) == (refused.code, said in refused.stderr), refused.stderr
    assert f"--only p-7 --corrects p-7={FIRST}" in refused.stderr
    assert 0 == office.prepare("--only", entry, "--corrects", f"{entry}={FIRST}").code
    [row] = _filed_rows(office)
    assert (entry, "to_correct", "1", "3") == (row["entry"], row["status"], row["filing"], row["amendment"])
    office.send(3)
    office.answer(3, SECOND)
    assert [(entry, "accepted", "3")] == [(row["entry"], row["status"], row["filing"]) for row in _filed_rows(office)]


def test_an_entry_that_is_two_persons_is_amended_as_one_of_them(currency_office: CurrencyOffice) -> None:
    """The other's report is an initial one: the refusal says so, and it is taken once the amendment is prepared."""
    office = currency_office
    office.house.register("q-7", "w-q")
    assert office.house.send("/patrons/riverside/q-7/identity", {"identity": SOMEBODY_ELSE}).is_success
    sale = office.sell(30_000, None)
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, sale))
    office.sell(15_000)
    office.sell(15_000, "q-7")
    both = office.prepare()
    assert (3, True) == (both.code, "(one report alone: if others took its place, too, theirs are" in both.stderr)
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    other = office.prepare()
    assert 0 == other.code, other.stderr
    [filing] = other.documents
    assert [("q-7", 15_000, None)] == [
        (one["reference"], one["in_dollars"], one.get("amends")) for one in filing["reports"]
    ]


def test_what_is_due_of_a_day_is_prepared_beside_what_was_filed(currency_office: CurrencyOffice) -> None:
    """A late sale makes another person's report due; what a filing has as it is stays out of the next file."""
    office = currency_office
    office.house.register("q-7", "w-q")
    identity = IDENTITY | {"taxpayer_number": "987654321", "document": {**IDENTITY["document"], "number": "D-2"}}
    assert office.house.send("/patrons/riverside/q-7/identity", {"identity": identity}).is_success
    office.sell(10_500)
    office.prepare()
    office.sell(11_000, "q-7")
    for is_accepted in (False, True):
        if is_accepted:
            office.accept(1, FIRST)
        later = office.prepare()
        [filing] = later.documents
        assert ["q-7"] == [one["reference"] for one in filing["reports"]]
        assert "p-7 is left out: filing 1 has the report as it is" in later.stderr
        office.house.send(f"/filings/riverside/{filing['filing']}/withdraw", {"reason": "a test"}, person=EVE)
        office.tell()
    office.sell(100)
    changed = office.prepare()
    assert (3, True) == (changed.code, changed.stderr.strip().endswith(f"say --corrects p-7={FIRST}"))


def test_an_identified_person_is_reported_by_name(currency_office: CurrencyOffice) -> None:
    """Nobody blanks what is known of a person, in a report or in its amendment; the look is on record."""
    office = currency_office
    office.sell(10_500)
    seen = len(office.house.desk.facts("patron.seen"))
    refused = office.prepare("--unidentified", "p-7")
    assert (3, True) == (refused.code, "p-7 is identified, and what is known is reported" in refused.stderr)
    assert ([], 1) == (office.house.desk.facts("filing.prepared"), len(office.house.desk.facts("patron.seen")) - seen)


def test_a_repeated_record_of_what_was_sent_is_no_error(currency_office: CurrencyOffice) -> None:
    """The answer to the first one was lost; another identifier, or another moment, is one all the same."""
    office, sent = currency_office, ("filing", "filed", "riverside", "1", "--tracking-id")
    office.sell(10_500)
    office.prepare()
    office.send(1)
    [filing] = office.call(*sent, "260000000001", "--json", person=EVE).documents
    assert ("filed", EVE) == (filing["status"], filing["filed_by"])
    again = office.call(*sent, "260000000001", "--at", filing["filed_at"], person=EVE)
    assert (0, f"260000000001 is recorded already, by {EVE}\n") == (again.code, again.stderr)
    assert 1 == len(office.house.desk.facts("filing.filed"))
    for wrong in (("260000000009",), ("260000000001", "--at", "2026-11-20T12:00:00-05:00")):
        assert 1 == office.call(*sent, *wrong, person=EVE).code


def test_a_report_on_the_terminal_has_moments_on_the_clock_of_the_property(currency_office: CurrencyOffice) -> None:
    """As the console shows them; JSON has them as they were recorded."""
    currency_office.sell(10_500)
    said = ("report", "currency", "--property", "riverside", "--day", "2026-11-20")
    [report] = currency_office.call(*said, "--json", person=READER).documents
    [at] = {row["moment"] for one in report["content"]["sections"] if one["name"] == "log" for row in one["rows"]}
    shown = currency_office.call(*said, person=READER)
    assert 0 == shown.code, shown.stderr
    clock = datetime.fromisoformat(at).astimezone(ZoneInfo("America/New_York")).strftime("%Y-%m-%d %H:%M:%S")
    assert (True, False) == (clock in shown.stdout, at in shown.stdout)
    assert f"known at {report['known_at'][:10]}" in shown.stdout


def test_an_amendment_states_both_directions_that_were_filed(currency_office: CurrencyOffice, tmp_path: Path) -> None:
    """One of them is below the threshold now, and the other one is not."""
    office, file = currency_office, tmp_path / "ctr.xml"
    gone = office.sell(10_500)
    office.sell(2_000)
    office.books.desk.feed("inventory", _moved(office.ledger, 1, "chip_redemption", 11_000))
    office.prepare()
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, gone))
    amends = ("--only", "p-7", "--corrects", f"p-7={FIRST}", "-o", str(file))
    called = office.call(*PREPARE, *amends, person=EVE)
    assert 0 == called.code, called.stderr
    [document] = called.documents
    assert [(2_000, 11_000)] == [(one["in_dollars"], one["out_dollars"]) for one in document["reports"]]
    assert ["11000", "2000"] == sorted(texts(fromstring(file.read_text()), "DetailTransactionAmountText"))
    office.tell()
    office.accept(2, SECOND)


def _filed_rows(office: CurrencyOffice) -> list[dict[str, Any]]:
    """Return what became of the reports of the day."""
    said = ("report", "currency", "--property", "riverside", "--day", "2026-11-20", "--json")
    [report] = office.call(*said, person=READER).documents
    [rows] = [one["rows"] for one in report["content"]["sections"] if one["name"] == "filed"]
    return list(rows)


def test_who_an_unidentified_person_was_amends_the_report_of_the_entry(currency_office: CurrencyOffice) -> None:
    """An initial report would repeat the money, beside other movements as well; the way out is said."""
    office = currency_office
    sale = office.sell(10_500, None)
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, sale))
    office.sell(10_500)
    office.sell(2_000)
    refused = office.prepare("--only", "p-7")
    assert (3, True) == (refused.code, f"say --corrects p-7={FIRST}" in refused.stderr), refused.stderr
    assert 0 == office.prepare("--only", "p-7", "--corrects", f"p-7={FIRST}").code
    [row] = _filed_rows(office)
    assert ("p-7", "to_correct", "2", 1_250_000) == (row["person"], row["status"], row["amendment"], row["in_cents"])


def test_an_entry_is_amended_to_nothing_beside_a_report_of_ones_own(currency_office: CurrencyOffice) -> None:
    """Whoever it was amends the own report by the whole; an initial report of somebody else waits for the entry's."""
    office = currency_office
    sale = office.sell(10_500, None)
    assert 0 == office.prepare().code
    office.accept(1, FIRST)
    office.sell(10_500)
    assert 0 == office.prepare().code
    office.accept(2, SECOND)
    [entry] = [row["entry"] for row in _filed_rows(office) if row["entry"]]
    office.books.desk.feed("inventory", void(office.ledger, sale))
    office.sell(10_500)
    office.sell(11_000, None)
    refused = office.prepare("--corrects", f"p-7={SECOND}")
    assert (3, True) == (refused.code, f"--only {entry} --corrects {entry}={FIRST}" in refused.stderr)
    both = ("--only", "p-7", "--corrects", f"p-7={SECOND}", "--only", entry, "--corrects", f"{entry}={FIRST}")
    [filing] = office.prepare(*both).documents
    amounts = {one["kind"]: (one["in_dollars"], one["amends"]) for one in filing["reports"]}
    assert {"patron": (21_000, SECOND), "entry": (0, FIRST)} == amounts
    assert 0 == office.prepare().code
