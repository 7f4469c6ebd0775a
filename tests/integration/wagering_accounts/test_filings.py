"""What is filed with FinCEN: prepared by one person, released by another, sent, answered; then late or filed again."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from shared.contracts.filings import FilingReleased
from tests.integration.wagering_accounts.filing_steps import (
    EVE,
    FIRST,
    SAM,
    SECOND,
    answer,
    file,
    filed_again,
    late,
    prepare,
    prepare_returns,
    step,
)
from tests.support.accounts import NOON, PROPERTY, House
from tests.support.asgi import assert_problem
from tests.support.filings import DAY, FILER, batch_text, filing_of
from tests.support.properties import property_event
from tests.support.services import query


@pytest.fixture
def house(filing_house: House) -> House:
    """The service whose books come to the same when they are rebuilt."""
    return filing_house


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
    assert 201 == prepare_returns(house, "p-1").status_code
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
    again = "is recorded with 260000000001 already, sent at 2026-11-20 12:00:00: only a correction, with a reason"
    assert_problem(step(house, "filed", {"tracking_id": "260000000001"}), 409, again)
    assert_problem(step(house, "filed", {"tracking_id": "260000000009"}), 409, "is filed, not released")
    assert_problem(step(house, "withdraw", {"reason": "too late"}), 409, "is filed, not prepared or released")
    assert_problem(answer(house, FIRST, SECOND), 409, "filing 1 has 1 to 1, and this one lists 1, 2")
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
        (
            {
                "file": batch_text(None).replace(
                    "TotalCashInReceiveAmountText>10001<", "TotalCashInReceiveAmountText>9<"
                )
            },
            "report 1 has a TotalCashInReceiveAmountText of 9, and lines of 10001",
        ),
    ],
)
def test_a_file_that_says_something_else_is_not_prepared(house: House, more: dict[str, Any], why: str) -> None:
    """The record is read from the file; nothing of a file that is refused is stored or recorded."""
    assert_problem(prepare(house, **more), 409, why)
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filings")
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")


def test_a_file_names_the_filer_of_the_property(house: House) -> None:
    """By its employer identification number; released, the whole filer is the one of today."""
    filer = FILER.model_dump(mode="json", exclude_none=True)
    house.desk.feed("properties", property_event(sequence=2, version=2, filer=filer | {"ein": "251111111"}))
    refused = prepare(house)
    assert_problem(
        refused, 409, "report 1 of the file is filed by EIN 231234567, and the filer of riverside has 251111111"
    )
    house.desk.feed("properties", property_event(sequence=3, version=3, filer=filer))
    asked = filing_of("p-1")
    anonymous = asked | {"file": asked["file"].replace("231234567", "")}
    refused = house.send("/filings", anonymous, person=EVE)
    assert_problem(refused, 409, "report 1 of the file is filed by no EIN, and the filer of riverside has 231234567")
    assert 201 == prepare(house).status_code
    house.clock.now += timedelta(days=1)
    moved = filer | {"street": "2 Riverside Drive"}
    at = house.clock.now - timedelta(hours=1)
    house.desk.feed("properties", property_event(sequence=4, version=4, filer=moved, effective_from=at.isoformat()))
    refused = step(house, "release", person=SAM)
    assert_problem(refused, 409, "the filer of riverside has changed since filing 1 of riverside was prepared")
    assert 200 == step(house, "withdraw", {"reason": "we moved"}).status_code
    assert 201 == prepare(house).status_code
    assert 200 == step(house, "release", filing=2, person=SAM).status_code


def test_the_same_file_sent_again_is_the_same_command(house: House) -> None:
    """It is recorded once under its key; another file under that key is a conflict."""
    for body, status in (
        (filing_of("p-1"), 201),
        (filing_of("p-1"), 201),
        (filing_of("p-1", file=batch_text(None, cents=2_000_000)), 409),
    ):
        assert status == house.send("/filings", body, person=EVE, key="k-1").status_code
    assert 1 == len(house.desk.facts("filing.prepared"))


def test_what_was_not_sent_by_its_last_day_is_late(house: House) -> None:
    """Until it was sent; whether a rejected report is late is for reporting to say, which knows whether it is due."""
    assert 0 == late(house)
    prepare(house)
    house.clock.now = NOON + timedelta(days=14)
    assert 0 == late(house)
    house.clock.now = NOON + timedelta(days=15)
    assert 1 == late(house)
    file(house)
    assert 0 == late(house)
    answer(house, None)
    assert (0, {1: False}) == (late(house), filed_again(house))
    prepare(house)
    assert (1, {1: True}) == (late(house), filed_again(house))
    step(house, "withdraw", {"reason": "another document"}, filing=2)
    assert (0, {1: False}) == (late(house), filed_again(house))
    prepare(house)
    file(house, 3)
    answer(house, None, filing=3)
    assert (0, {1: True, 3: False}) == (late(house), filed_again(house))


def test_an_amendment_has_no_last_day(house: House) -> None:
    """The first report was in time; beside another first report, the file is late."""
    prepare(house)
    file(house)
    answer(house, FIRST)
    house.clock.now = NOON + timedelta(days=60)
    assert 201 == prepare(house, corrects=[FIRST], file=batch_text(FIRST, cents=1_200_000)).status_code
    assert 0 == late(house)
    step(house, "withdraw", {"reason": "another document"}, filing=2)
    assert 201 == prepare(house, "p-1", "p-2", corrects=[FIRST, None]).status_code
    assert 1 == late(house)
    listed = house.read(f"/filings?property={PROPERTY}", person=EVE).json()["items"]
    assert {1: False, 2: True, 3: False} == {one["filing"]: one["only_amends"] for one in listed}


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
    later = text.replace("FilingDateText>20261120<", f"FilingDateText>{written}<")
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
    assert_problem(step(house, "filed", sent), 409, "is recorded with 260000000009 already")
    assert "260000000001" == step(house, "filed", {"tracking_id": "260000000001"} | why).json()["tracking_id"]
    assert 200 == answer(house, SECOND).status_code
    assert_problem(answer(house, FIRST), 409, "is accepted, not filed")
    nothing = step(house, "acknowledgement", {"accepted": False} | why)
    assert_problem(nothing, 409, "filing 1 has 1 to 1, and this one lists none")
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
