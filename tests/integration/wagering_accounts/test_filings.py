"""What is filed with FinCEN: prepared by one person, released by another, sent, answered; its file is sealed."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

import httpx
import pytest

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.cli.filing.return_files import file_of
from services.wagering_accounts.domain.identity import PatronIdentity
from services.wagering_accounts.queries.patron_keys import rewrap
from services.wagering_accounts.tables import filing_files
from services.wagering_accounts.watch import observe
from shared.contracts.accounts import PatronSeen
from shared.contracts.filings import FilingReleased
from shared.runtime.database import create_engine
from shared.runtime.sealing import new_wrapping_key, wrapping_keys
from tests.support.accounts import CODE, IDENTITY, NOON, PROPERTY, House, a_house
from tests.support.asgi import assert_problem
from tests.support.filings import DAY, FILER, batch_text, filing_of
from tests.support.rebuilding import assert_named, named
from tests.support.returns_filed import W_2G, corrected, returns_filing, row
from tests.support.services import query
from tests.support.tampering import tampered

EVE, SAM = "title31.eve", "title31.sam"
FIRST, SECOND = "31000000000001", "31000000000002"
FIVE_YEARS = timedelta(days=5 * 366)


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service, whose books are in order at the end of every test, and come to the same when they are rebuilt."""
    with a_house(url) as house:
        yield house
        house.check()
        model = house.desk.read_model(house.url)
        house.desk.project_again(house.url, [one for one in house.desk.entries() if one.draft.kind != "patron.seen"])
        assert model == house.desk.read_model(house.url)


def prepare(house: House, *patrons: str, **more: Any) -> httpx.Response:
    """Prepare a filing."""
    return house.send("/filings", filing_of(*patrons or ("p-1",), **more), person=EVE)


def step(house: House, name: str, body: Any = None, *, filing: int = 1, person: str = EVE) -> httpx.Response:
    """Take a step of a filing."""
    return house.send(f"/filings/{PROPERTY}/{filing}/{name}", body, person=person)


def file(house: House, filing: int = 1) -> None:
    """Release a filing, and record that it was sent."""
    assert 200 == step(house, "release", filing=filing, person=SAM).status_code
    sent = {"filed_at": house.clock.now.isoformat(), "tracking_id": f"26000000000{filing}"}
    assert 200 == step(house, "filed", sent, filing=filing).status_code


def answer(
    house: House, *identifiers: str | None, filing: int = 1, accepted: bool = True, **more: Any
) -> httpx.Response:
    """Record what FinCEN answered of each report: its identifier, or an error."""
    error = {"code": "F18", "place": "Activity[1]/Party[6]"}
    reports = [
        {"report": number, "accepted": one is not None} | ({"errors": [error]} if one is None else {"bsa_id": one})
        for number, one in enumerate(identifiers, start=1)
    ]
    return step(house, "acknowledgement", {"accepted": accepted, "reports": reports} | more, filing=filing)


def late(house: House) -> float | None:
    """Return the number of late filings, as the metric has it."""
    house.desk.client.run(observe(house.desk.context))
    return house.desk.context.metrics.registry.get_sample_value("pitledger_filings_late")


def test_a_filing_from_its_file_to_its_identifiers(house: House) -> None:
    """Each step says who and when; what is released is the file that was prepared."""
    text = batch_text(None, None)
    prepared = prepare(house, "p-1", "p-2")
    assert 201 == prepared.status_code, prepared.text
    assert (201, f"/filings/{PROPERTY}/1") == (prepared.status_code, prepared.headers["location"])
    digest = sha256(text.encode()).hexdigest()
    found = prepared.json()
    assert (digest, len(text.encode())) == (found["content_sha256"], found["content_bytes"])
    assert ("2026-11-19", "2026-12-04", "prepared") == (found["period"], found["file_by"], found["status"])
    assert [("p-1", 10_001, 0), ("p-2", 10_001, 0)] == [
        (one["reference"], one["in_dollars"], one["out_dollars"]) for one in found["reports"]
    ]
    file(house)
    assert "accepted" == answer(house, FIRST, SECOND).json()["status"]
    shown = house.read(f"/filings/{PROPERTY}/1", person=EVE).json()
    assert (EVE, SAM, EVE, EVE) == tuple(
        shown[f"{step}_by"] for step in ("prepared", "released", "filed", "acknowledged")
    )
    assert [FIRST, SECOND] == [one["bsa_id"] for one in shown["reports"]]
    [released] = house.desk.facts("filing.released")
    assert isinstance(released, FilingReleased)
    assert (EVE, SAM, digest) == (released.prepared_by, released.by, released.content_sha256)
    assert released.subject_sha256 == found["sha256"]
    listed = house.read(f"/filings?property={PROPERTY}&status=accepted", person=SAM).json()["items"]
    assert [(1, 2, "260000000001")] == [(one["filing"], one["report_count"], one["tracking_id"]) for one in listed]


def test_a_filing_is_found_by_its_numbers_and_nobody_is_looked_at(house: House) -> None:
    """Its own, its tracking identifier, the identifiers of its reports: as they are typed; without its reports."""
    prepare(house, "p-1", "p-2")
    file(house)
    answer(house, FIRST, SECOND)
    looks = len(house.desk.facts("patron.seen"))
    for typed, expected in (("1", [1]), ("0002", [1]), ("260000000001", [1]), ("0001", [1]), ("2", []), ("002", [])):
        found = house.read(f"/filings/find?property={PROPERTY}&typed={typed}", person=SAM)
        assert expected == [one["filing"] for one in found.json()["items"]], typed
        assert "reports" not in found.text
    assert looks == len(house.desk.facts("patron.seen"))
    assert [] == house.read("/filings/find?property=lakeside&typed=0002", person=SAM).json()["items"]
    assert 201 == house.send("/filings", returns_filing("p-1"), person=EVE).status_code
    of_form = house.read(f"/filings/find?property={PROPERTY}&typed=000000001", person=SAM).json()["items"]
    assert [(1, "ctr"), (2, "w_2g")] == sorted((one["filing"], one["form"]) for one in of_form)


def test_an_account_is_found_as_it_is_typed_and_nobody_is_looked_at(house: House) -> None:
    """In any case or by its end, with neither amounts nor the patron."""
    house.register("p-1", "W-00017")
    house.open("GA-00017")
    looks = len(house.desk.facts("patron.seen"))
    for typed, expected in (
        ("w-00017", ["W-00017"]),
        ("0017", ["GA-00017", "W-00017"]),
        ("017", []),
    ):
        items = house.read(f"/accounts/find?property={PROPERTY}&typed={typed}").json()["items"]
        assert expected == sorted(one["account"] for one in items), typed
        assert all({"account", "kind", "status", "table"} == one.keys() for one in items)
    assert looks == len(house.desk.facts("patron.seen"))


def test_who_prepared_a_filing_does_not_release_it(house: House) -> None:
    """However the name is written; and who may only prepare has no such role."""
    prepare(house)
    assert 403 == step(house, "release", person=EVE).status_code
    refused = step(house, "release", person="Title31.Eve")
    assert_problem(refused, 403, "somebody else must approve it")
    assert "urn:pitledger:problem:same-person" == refused.json()["type"]
    assert 200 == step(house, "release", person=SAM).status_code


def test_steps_are_taken_in_their_order(house: House) -> None:
    """Nothing is sent before its release, answered before it was sent, or withdrawn afterwards."""
    sent = {"filed_at": NOON.isoformat(), "tracking_id": "260000000001"}
    assert_problem(step(house, "release", person=SAM), 404, "no filing 1")
    prepare(house)
    assert_problem(step(house, "filed", sent), 409, "is prepared, not released")
    assert_problem(answer(house, FIRST), 409, "is prepared, not filed")
    step(house, "release", person=SAM)
    assert_problem(step(house, "release", person=SAM), 409, "was approved already")
    for minutes in (-2, 1):
        moment = (NOON + timedelta(minutes=minutes)).isoformat()
        refused = step(house, "filed", sent | {"filed_at": moment})
        assert_problem(refused, 409, "not between the release and now: released at 2026-11-20 12:00:00, it is")
    found = step(house, "filed", {"tracking_id": "260000000001"}).json()
    assert NOON == datetime.fromisoformat(found["filed_at"])
    assert_problem(step(house, "withdraw", {"reason": "too late"}), 409, "is filed, not prepared or released")
    assert_problem(answer(house, FIRST, SECOND), 409, "has 2 reports, and filing 1 1")
    assert_problem(answer(house, FIRST, accepted=False), 409, "no report of a rejected file is accepted")
    assert 200 == answer(house, FIRST).status_code
    assert_problem(answer(house, FIRST), 409, "is accepted, not filed")


def test_a_person_and_day_are_reported_once(house: House) -> None:
    """Until that is withdrawn or rejected; what was accepted is amended by its identifier."""
    prepare(house)
    open_filing = "the report of patron p-1 for 2026-11-19 is in filing 1, which is prepared: withdraw that filing"
    assert_problem(prepare(house), 409, open_filing)
    assert_problem(prepare(house, corrects=[FIRST]), 409, open_filing)
    assert_problem(prepare(house, "p-2", "p-2"), 409, "twice in the file")
    assert 200 == step(house, "withdraw", {"reason": "another document"}).status_code
    assert 201 == prepare(house).status_code
    file(house, 2)
    assert "rejected" == answer(house, None, filing=2).json()["status"]
    assert 201 == prepare(house, "p-1", "p-2").status_code
    file(house, 3)
    assert "accepted" == answer(house, FIRST, SECOND, filing=3).json()["status"]
    assert_problem(prepare(house), 409, f"was accepted as {FIRST} in filing 3: amend it by that identifier")
    assert_problem(prepare(house, corrects=[SECOND]), 409, f"{SECOND} is the report of patron p-2")
    assert_problem(prepare(house, corrects=["31000000000999"]), 409, f"was last accepted as {FIRST}, in filing 3")
    amended = prepare(house, corrects=[FIRST])
    assert (201, FIRST) == (amended.status_code, amended.json()["reports"][0]["amends"])


def test_an_amendment_waits_for_the_answer_and_names_the_report_that_was_accepted_last(house: House) -> None:
    """One amendment at a time, of the report that it replaces; an identifier of before this system is taken."""
    assert 201 == prepare(house, corrects=["31000000000900"]).status_code
    file(house)
    assert 200 == answer(house, FIRST).status_code
    assert_problem(prepare(house, corrects=["31000000000900"]), 409, "amend that one, not 31000000000900")
    assert 201 == prepare(house, corrects=[FIRST]).status_code
    assert_problem(prepare(house, corrects=[FIRST]), 409, "is in filing 2, which is prepared: withdraw that filing")
    assert 200 == step(house, "release", filing=2, person=SAM).status_code
    assert_problem(prepare(house, corrects=[FIRST]), 409, "is in filing 2, which is released: withdraw that filing")
    assert 200 == step(house, "filed", {"tracking_id": "260000000002"}, filing=2).status_code
    sent = prepare(house, corrects=[FIRST])
    assert_problem(sent, 409, "is in filing 2, which is filed: record its acknowledgement first")
    assert "urn:pitledger:problem:already-decided" == sent.json()["type"]
    assert 200 == answer(house, SECOND, filing=2).status_code
    assert_problem(prepare(house, corrects=[FIRST]), 409, f"last accepted as {SECOND}, in filing 2: amend that one")
    assert 201 == prepare(house, corrects=[SECOND]).status_code


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"file": "riverside"}, "no XML that can be read"),
        ({"file": '<!DOCTYPE x [<!ENTITY who "p-7">]><x>&who;</x>'}, "no XML that can be read"),
        ({"file": "<EFilingBatchXML/>"}, "no EFilingBatchXML of form CTRX"),
        ({"file": batch_text(None, None)}, "has 2 reports, of 1 persons said"),
        ({"file": batch_text(None).replace('ActivityCount="1"', 'ActivityCount="2"')}, "ActivityCount is another"),
        ({"file": batch_text(None).replace(">20261119<", ">2026<")}, "cannot be read"),
        ({"period": "2026-11-18"}, "report 1 of the file is of 2026-11-19, not 2026-11-18"),
    ],
)
def test_a_file_that_says_something_else_is_not_prepared(house: House, more: dict[str, Any], why: str) -> None:
    """The record is read from the file; nothing of a file that is refused is stored or recorded."""
    assert_problem(prepare(house, **more), 409, why)
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filings")
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")


def test_the_same_file_sent_again_is_the_same_command(house: House) -> None:
    """It is recorded once under its key; another file under that key is a conflict."""
    for body, status in (
        (filing_of("p-1"), 201),
        (filing_of("p-1"), 201),
        (filing_of("p-1", file=batch_text(None, cents=2_000_000)), 409),
    ):
        assert status == house.send("/filings", body, person=EVE, key="k-1").status_code
    assert 1 == len(house.desk.facts("filing.prepared"))


def test_a_file_is_sealed_and_each_look_is_on_record(house: House) -> None:
    """Nothing that it says stands in a table or an entry; whoever reads it reads the bytes that were prepared."""
    prepare(house)
    said = [IDENTITY["last_name"], IDENTITY["street"], IDENTITY["taxpayer_number"]]
    rows = query(house.url, "SELECT sealed, encode(wrapped, 'escape') FROM wagering_accounts.filing_files")
    stored = json.dumps([*map(list, rows), *(one.draft.data.decode() for one in house.desk.entries())])
    assert [] == [one for one in said if one in stored]
    found = house.read(f"/filings/{PROPERTY}/1/file", person=SAM)
    assert (200, "no-store", "application/xml") == (
        *(found.status_code, found.headers["cache-control"], found.headers["content-type"]),
    )
    assert batch_text(None) == found.text
    assert 403 == house.read(f"/filings/{PROPERTY}/1/file", person="host.mo").status_code
    house.read(f"/filings/{PROPERTY}/1", person=EVE)
    looks = [fact for fact in house.desk.facts("patron.seen") if isinstance(fact, PatronSeen)]
    assert [("p-1", "filing", SAM), ("p-1", "filing", EVE)] == [(one.patron, one.what, one.by) for one in looks]


def test_a_withdrawn_file_is_destroyed(house: House) -> None:
    """The record of it stays."""
    prepare(house)
    assert "withdrawn" == step(house, "withdraw", {"reason": "another document"}).json()["status"]
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=EVE), 404, "was destroyed")
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")
    assert "withdrawn" == house.read(f"/filings/{PROPERTY}/1", person=EVE).json()["status"]


def test_the_files_of_a_patron_are_destroyed_with_the_patron(house: House) -> None:
    """Not before the law lets go of what was filed, of which nobody need say the day."""
    house.register("p-1", "W-1", code=CODE)
    prepare(house)
    erase = (f"/patrons/{PROPERTY}/p-1/erasure", {"ground": "requested"})
    assert_problem(house.send(*erase, person="care.joy"), 409, "records of 2026-11-19 that name patron p-1 are kept")
    house.clock.now = NOON + FIVE_YEARS
    assert 201 == house.send(*erase, person="care.joy").status_code
    assert 200 == house.send(erase[0] + "/approve", person="care.max").status_code
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=EVE), 404, "was destroyed")


def test_the_key_that_wraps_the_key_of_a_file_is_replaced(house: House) -> None:
    """The file opens without the former one."""
    prepare(house)
    path = house.desk.context.settings.patron_keys_file
    assert path is not None
    path.write_text(new_wrapping_key("k2") + path.read_text())

    async def wrap_anew() -> int:
        engine = create_engine(house.url, role="wagering_accounts")
        async with engine.begin() as connection:
            count = await rewrap(connection, wrapping_keys(path))
        await engine.dispose()
        return count

    assert [1, 0] == [house.desk.client.run(wrap_anew()) for _ in range(2)]
    path.write_text(path.read_text().splitlines()[0])
    assert batch_text(None) == house.read(f"/filings/{PROPERTY}/1/file", person=EVE).text


def test_an_altered_file_is_not_shown(house: House) -> None:
    """Nor one with another key; one more is of no use; one that is gone is named."""
    prepare(house)
    path = f"/filings/{PROPERTY}/1/file"
    for column in ("sealed", "wrapped", "wrapped_by"):
        with tampered(house.url, filing_files, "altered", column):
            assert_problem(house.read(path, person=EVE), 409, "")
    with tampered(house.url, filing_files, "added"):
        assert batch_text(None) == house.read(path, person=EVE).text
        assert set() == named("wagering-accounts", house.url)
    assert_named("wagering-accounts", house.url, filing_files, "deleted")


def test_what_was_not_sent_by_its_last_day_is_late(house: House) -> None:
    """Until it was sent; a rejected report is late until it was filed again."""
    assert 0 == late(house)
    prepare(house)
    house.clock.now = NOON + timedelta(days=14)
    assert 0 == late(house)
    house.clock.now = NOON + timedelta(days=15)
    assert 1 == late(house)
    file(house)
    assert 0 == late(house)
    answer(house, None)
    assert 1 == late(house)
    prepare(house)
    assert 1 == late(house)
    file(house, 2)
    assert 0 == late(house)


def test_the_last_day_is_that_of_the_pack(house: House) -> None:
    """A property whose packs have no such form files none."""
    assert "2026-12-04" == prepare(house).json()["file_by"]
    elsewhere = prepare(house, "p-2", property="riverbend")
    assert_problem(elsewhere, 404, "riverbend")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("20261121", "('FilingDateText'), which has not come yet: it is 2026-11-20 at riverside"),
        ("20271120", "the file is of 2027-11-20"),
        ("20261320", "a day or an amount that cannot be read"),
        ("tomorrow", "a day or an amount that cannot be read"),
    ],
)
def test_a_file_is_not_of_a_day_of_filing_that_has_not_come(house: House, written: str, why: str) -> None:
    """On the clock of the property, at ten in the evening; a file without one is taken."""
    house.clock.now = datetime(2026, 11, 21, 3, tzinfo=UTC)
    text = batch_text(None)
    later = text.replace("FilingDateText>20261119<", f"FilingDateText>{written}<")
    assert later != text
    assert_problem(prepare(house, file=later), 409, why)
    assert [] == house.desk.facts("filing.prepared")
    assert 201 == prepare(house, file=later.replace(written, "")).status_code


def identifiers(house: House) -> Sequence[Any]:
    """Return the identifiers of all reports."""
    return query(house.url, "SELECT bsa_id FROM wagering_accounts.filing_reports ORDER BY filing, report")


def test_a_rejected_file_leaves_no_identifier(house: House) -> None:
    """Its errors stand by their places."""
    prepare(house)
    file(house)
    body = {"accepted": False, "errors": [{"code": "B1", "place": "EFilingBatchXML"}]}
    rejected = step(house, "acknowledgement", body)
    assert ("rejected", "B1") == (rejected.json()["status"], rejected.json()["errors"][0]["code"])
    assert [(None,)] == [tuple(row) for row in identifiers(house)]
    assert DAY.isoformat() == rejected.json()["period"]


def test_a_gaming_day_that_runs_is_not_reported(house: House) -> None:
    """What its persons move adds up until its end, which the refusal names; then it is reported."""
    running = date(2026, 11, 20)
    body = filing_of("p-1", period=running.isoformat(), file=batch_text(None, day=running))
    refused = house.send("/filings", body, person=EVE)
    assert_problem(refused, 409, "gaming day 2026-11-20 of riverside runs until 2026-11-21 04:00:00")
    assert "urn:pitledger:problem:too-early" == refused.json()["type"]
    assert [] == house.desk.facts("filing.prepared")
    house.clock.now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    assert 201 == house.send("/filings", body, person=EVE).status_code


def prepare_returns(house: House, *people: str, **more: Any) -> httpx.Response:
    """Prepare a filing of information returns."""
    return house.send("/filings", returns_filing(*people or ("p-1",), **more), person=EVE)


def test_a_file_of_returns_is_a_filing_of_a_tax_year(house: House) -> None:
    """Cents as the file has them, due as the pack says; the portal answers without identifiers."""
    prepared = prepare_returns(house, "p-1", "p-2")
    assert 201 == prepared.status_code, prepared.text
    found = prepared.json()
    assert ("w_2g", "2026", "2027-02-01", "2027-03-31", []) == tuple(
        found[name] for name in ("form", "period", "copy_by", "file_by", "unconfirmed")
    )
    assert [("p-1", "0000000001", 250_000, 60_000), ("p-2", "0000000002", 250_000, 60_000)] == [
        (one["reference"], one["account_number"], one["winnings_cents"], one["withheld_cents"])
        for one in found["reports"]
    ]
    file(house)
    for identifier, why in ((FIRST, "and nothing else has"), (None, "")):
        said = {"report": 1, "accepted": True} | ({} if identifier is None else {"bsa_id": identifier})
        answered = {"accepted": True, "reports": [said, {"report": 2, "accepted": False}]}
        got = step(house, "acknowledgement", answered)
        if why:
            assert_problem(got, 409, why)
    assert "rejected" == got.json()["status"]
    assert [True, False] == [one["accepted"] for one in got.json()["reports"]]
    content = house.read(f"/filings/{PROPERTY}/1/file", person=SAM)
    assert returns_filing("p-1", "p-2")["file"] == content.text
    assert content.headers["content-type"].startswith("text/csv")
    listed = house.read(f"/filings?property={PROPERTY}&form=w_2g&period=2026", person=SAM).json()["items"]
    assert [1] == [one["filing"] for one in listed]
    assert [] == house.read(f"/filings?property={PROPERTY}&form=ctr", person=SAM).json()["items"]


def test_a_return_is_filed_once_and_corrected_after_it_was_sent(house: House) -> None:
    """By one return or by two; never before its answer, never of somebody else. A rejected one may be filed again."""
    changed = row(winnings_cents=260_000)
    one = corrected(row(), changed)
    assert_problem(prepare_returns(house, rows=one), 409, "no return 0000000001 was sent that could be corrected")
    prepare_returns(house)
    unsent = "return 0000000001 is in filing 1, which is prepared: withdraw that filing"
    assert_problem(prepare_returns(house), 409, unsent)
    assert_problem(prepare_returns(house, rows=one), 409, unsent)
    file(house)
    unanswered = "return 0000000001 is in filing 1, which is filed: record its acknowledgement first"
    assert_problem(prepare_returns(house, rows=one), 409, unanswered)
    step(house, "acknowledgement", {"accepted": True, "reports": [{"report": 1, "accepted": True}]})
    assert_problem(prepare_returns(house), 409, "return 0000000001 was accepted in filing 1: correct it")
    assert_problem(prepare_returns(house, "p-2", rows=one), 409, "return 0000000001 is not about p-2")
    again = prepare_returns(house, rows=one)
    assert (201, 1, 260_000) == (again.status_code, *_corrects(again)[0])
    file(house, 2)
    assert_problem(prepare_returns(house, rows=one), 409, "is in filing 2, which is filed: record its acknowledgement")
    step(house, "acknowledgement", {"accepted": True, "reports": [{"report": 1, "accepted": False}]}, filing=2)

    two = [*corrected(row(), None), changed]
    assert_problem(
        prepare_returns(house, "p-1", "p-1", rows=[changed, two[0]]), 409, "return 0000000001 is twice in the file"
    )
    kept = [corrected(row(), changed)[0], changed]
    assert_problem(prepare_returns(house, "p-1", "p-1", rows=kept), 409, "is corrected to nothing")
    both = prepare_returns(house, "p-1", "p-1", rows=two)
    assert [(1, 0), (None, 260_000)] == _corrects(both)
    assert_problem(prepare_returns(house), 409, "in filing 3")


def _corrects(answer: httpx.Response) -> list[tuple[Any, Any]]:
    """Return which filing each return corrects, and its winnings."""
    return [(one.get("corrects"), one["winnings_cents"]) for one in answer.json()["reports"]]


@pytest.mark.parametrize(
    ("more", "status", "why"),
    [
        ({"period": "2025"}, 409, "report 1 of the file is of 2026, not 2025"),
        ({"period": "2026-11-20"}, 422, "no pack of riverside has a w_2g filed of 2026-11-20"),
        ({"period": "2026-13-01"}, 422, ""),
        ({"period": "0000"}, 422, ""),
        ({"file": batch_text(None)}, 409, "the file has"),
        ({"file": file_of(W_2G, [row()] * 101)}, 409, "the file has 101 returns: it may have 100"),
        ({"subjects": [{"kind": "account", "reference": "ga-1"}]}, 409, "is not about ga-1"),
        ({"form": "ctr"}, 409, "no XML that can be read"),
        ({"form": "form_1042_s"}, 409, "row 1 of the file: Form Account Number and Unique Form Identifier differ"),
    ],
)
def test_a_file_that_is_not_of_its_form_and_year_is_not_prepared(
    house: House, more: dict[str, Any], status: int, why: str
) -> None:
    """The record is read from the file, by the layout of its tax year."""
    assert_problem(prepare_returns(house, **more), status, why)
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filings")


def test_law_that_nobody_reviewed_is_relied_on_only_when_told(house: House) -> None:
    """And the filing says which; a currency transaction report rests on nothing of the kind."""
    later = {"period": "2027", "file": returns_filing("p-1")["file"].replace(",2026,", ",2027,")}
    refused = prepare_returns(house, **later)
    threshold = "reportable_winnings.w_2g_table_wager.threshold_cents"
    assert_problem(refused, 422, f"law changes {threshold}, returns.w_2g.layout each year")
    told = prepare_returns(house, **later, unconfirmed=True)
    assert (201, [threshold, "returns.w_2g.layout"]) == (told.status_code, told.json()["unconfirmed"])
    assert [] == prepare(house).json()["unconfirmed"]


def test_a_return_is_late_after_its_last_day(house: House) -> None:
    """A rejected one until it was filed again; another return of the same patron is another one."""
    prepare_returns(house)
    house.clock.now = datetime.fromisoformat("2027-03-31T18:00:00Z")
    assert 0 == late(house)
    house.clock.now = datetime.fromisoformat("2027-04-01T18:00:00Z")
    assert 1 == late(house)
    file(house)
    assert 0 == late(house)
    step(house, "acknowledgement", {"accepted": False})
    assert 1 == late(house)
    prepare_returns(house, rows=[row(account_number="0000000002")])
    file(house, 2)
    assert 1 == late(house)
    prepare_returns(house)
    file(house, 3)
    assert 0 == late(house)


def test_a_report_names_everybody_with_a_part_in_it(house: House) -> None:
    """A look is on record for each of them, and the file goes with the first who is erased."""
    for number in (1, 2):
        house.register(f"p-{number}", f"W-{number}")
    who = PatronIdentity.model_validate(IDENTITY)
    by_agent = Line("chip purchase", "in", 1, 1_000_001, "p-2", ("p-1",))
    report = CtrActivity(DAY, who, [by_agent], reference="p-1", others={"p-2": None})
    text = ctr_batch(FILER, [report], filed_on=DAY).decode()
    subject = {"kind": "patron", "reference": "p-1"}
    refused = prepare(house, subjects=[subject], file=text)
    assert_problem(refused, 409, "report 1 of the file has 2 to 2 persons, of 1 said")
    assert_problem(prepare(house, subjects=[subject | {"with_others": ["p-2", "p-3"]}], file=text), 409, "of 3 said")
    assert_problem(prepare(house, subjects=[subject | {"with_others": ["p-1"]}], file=text), 422, "each of them once")
    prepared = prepare(house, subjects=[subject | {"with_others": ["p-2"]}], file=text)
    assert ["p-2"] == prepared.json()["reports"][0]["with_others"]
    assert 200 == house.read(f"/filings/{PROPERTY}/1/file", person=SAM).status_code
    seen = [json.loads(one.draft.data)["patron"] for one in house.desk.entries() if one.draft.kind == "patron.seen"]
    assert {"p-1", "p-2"} == set(seen)
    erasure = f"/patrons/{PROPERTY}/p-2/erasure"
    ground = {"ground": "requested"}
    assert_problem(house.send(erasure, ground, person="care.joy"), 409, f"records of {DAY}")
    house.clock.now += FIVE_YEARS
    assert house.send(erasure, ground, person="care.joy").is_success
    assert house.send(f"{erasure}/approve", person="care.max").is_success
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=SAM), 404, "was destroyed")


def test_an_identifier_is_that_of_one_report(house: House) -> None:
    """Of a filing and of the property; and a tracking identifier is that of one filing."""
    prepare(house, "p-1", "p-2")
    file(house)
    assert_problem(answer(house, FIRST, FIRST), 409, "two reports have the same identifier")
    assert 200 == answer(house, FIRST, SECOND).status_code
    prepare(house, "p-3")
    assert 200 == step(house, "release", filing=2, person=SAM).status_code
    same = step(house, "filed", {"tracking_id": "260000000001"}, filing=2)
    assert_problem(same, 409, "260000000001 is the identifier of filing 1: correct that first")
    assert 200 == step(house, "filed", {"tracking_id": "260000000002"}, filing=2).status_code
    assert_problem(answer(house, SECOND, filing=2), 409, f"{SECOND} is the identifier of report 2 in filing 1")


def test_what_was_recorded_of_an_answer_is_corrected_for_a_reason(house: House) -> None:
    """By a new fact that replaces it, of every report; then the identifier is free for the report that has it."""
    prepare(house)
    assert 200 == step(house, "release", person=SAM).status_code
    why: dict[str, Any] = {"reason": "that of another file"}
    sent = {"tracking_id": "260000000009"}
    assert_problem(step(house, "filed", sent | why), 409, "nothing is recorded of filing 1 of riverside that 'reason'")
    assert 200 == step(house, "filed", sent).status_code
    assert_problem(step(house, "filed", sent), 409, "is filed, not released")
    assert "260000000001" == step(house, "filed", {"tracking_id": "260000000001"} | why).json()["tracking_id"]
    assert 200 == answer(house, SECOND).status_code
    assert_problem(answer(house, FIRST), 409, "is accepted, not filed")
    nothing = step(house, "acknowledgement", {"accepted": False} | why)
    assert_problem(nothing, 409, "the acknowledgement has 0 reports")
    corrected = answer(house, FIRST, **why)
    assert (200, FIRST) == (corrected.status_code, corrected.json()["reports"][0]["bsa_id"])
    assert_problem(step(house, "filed", {"tracking_id": "260000000003"} | why), 409, "is accepted, not filed")
    assert [None, "that of another file"] == [
        getattr(one, "reason", 0) for one in house.desk.facts("filing.acknowledged")
    ]
    prepare(house, "p-2")
    file(house, 2)
    assert 200 == answer(house, SECOND, filing=2).status_code
    assert "rejected" == answer(house, None, filing=2, **why).json()["status"]
    shown = house.read(f"/filings/{PROPERTY}/2", person=EVE).json()["reports"]
    assert [(False, None)] == [(one["accepted"], one.get("bsa_id")) for one in shown]
