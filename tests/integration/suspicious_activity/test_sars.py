"""A suspicious activity report: prepared by one person, released by another, sent, answered; known to them alone."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import httpx
import pytest

from services.suspicious_activity.manifest import MANIFEST
from services.suspicious_activity.queries import rewrap
from services.suspicious_activity.tables import sar_files
from shared.contracts.suspicions import SarReleased, SarSeenBy
from shared.runtime.database import create_engine
from shared.runtime.sealing import new_wrapping_key, wrapping_keys
from tests.support.accounts import IDENTITY, NOON, PROPERTY, Clock
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.filings import FILER
from tests.support.properties import property_event
from tests.support.rebuilding import assert_named, named
from tests.support.sars import NARRATIVE, sar_of, sar_text
from tests.support.services import query
from tests.support.tampering import tampered

ANA, OFF = "sar.ana", "sar.off"
EVERYTHING_ELSE = "admin"
"""Somebody with every role of every service but those of this one."""
ROLES = {
    ANA: ["sar.prepare"],
    OFF: ["sar.prepare.approve"],
    "Sar.Ana": ["sar.prepare", "sar.prepare.approve"],
    "sar.keeper": ["sar.prepare", "quarantine.read"],
    EVERYTHING_ELSE: ["reports.read", "patrons.report", "quarantine.read", "filings.prepare", "properties.read"],
}
BSA_ID = "31000000000009"
FIVE_YEARS = timedelta(days=5 * 366)


class Room:
    """The service and its people."""

    def __init__(self, url: str, desk: Desk, clock: Clock) -> None:
        self.url, self.desk, self.clock = url, desk, clock

    def prepare(self, person: str = ANA, **more: Any) -> httpx.Response:
        """Prepare a report."""
        return self.desk.post("/sars", sar_of(**more), person=person)

    def prepare_again(self, sar: int, **more: Any) -> httpx.Response:
        """Prepare a report that files a rejected one again."""
        return self.desk.post("/sars", sar_of(**more) | {"files_again": sar}, person=ANA)

    def due(self) -> list[tuple[int, str, int | None]]:
        """Return number, status and days left, None without a deadline, of the reports that are still to be sent."""
        found = self.desk.get(f"/due-sars?property={PROPERTY}", person=OFF).json()
        return [(one["sar"], one["status"], one.get("days_left")) for one in found]

    def accept(self, sar: int = 1, bsa_id: str = BSA_ID) -> None:
        """Record that a report was sent, and was accepted."""
        self.send(sar)
        assert "accepted" == self.step("acknowledgement", {"bsa_id": bsa_id}, sar=sar).json()["status"]

    def reject(self, sar: int = 1) -> None:
        """Record that a report was sent, and was rejected."""
        self.send(sar)
        assert "rejected" == self.step("acknowledgement", {"errors": [{"code": "F18"}]}, sar=sar).json()["status"]

    def step(self, name: str, body: Any = None, *, sar: int = 1, person: str = ANA) -> httpx.Response:
        """Take a step."""
        return self.desk.post(f"/sars/{PROPERTY}/{sar}/{name}", body, person=person)

    def send(self, sar: int = 1) -> None:
        """Release a report, and record that it was sent."""
        assert 200 == self.step("release", sar=sar, person=OFF).status_code
        assert 200 == self.step("filed", {"tracking_id": f"26000000000{sar}"}, sar=sar).status_code

    def read(self, sar: int = 1, *, what: str = "", person: str | None = ANA) -> httpx.Response:
        """Read a report, or its file."""
        return self.desk.get(f"/sars/{PROPERTY}/{sar}{what}", person=person)


@pytest.fixture
def room(url: str, patron_keys: None) -> Iterator[Room]:
    """The service, whose read model follows from its journal at the end of every test."""
    clock = Clock()
    with desk_of(MANIFEST, url, people=ROLES, clock=clock) as desk:
        desk.feed("properties", property_event())
        yield Room(url, desk, clock)
        model = desk.read_model(url)
        desk.project_again(url, [one for one in desk.entries() if one.draft.kind.startswith("sar.")])
        assert model == desk.read_model(url)


def test_a_report_from_its_file_to_its_identifier(room: Room) -> None:
    """Each step says who and when; what is released is the file that was prepared."""
    prepared = room.prepare()
    assert (201, f"/sars/{PROPERTY}/1") == (prepared.status_code, prepared.headers["location"]), prepared.text
    found = prepared.json()
    assert (sha256(sar_text().encode()).hexdigest(), "prepared", 28_800) == (
        *(found["content_sha256"], found["status"], found["dollars"]),
    )
    assert ("p-1", "2026-11-18", "2026-11-20", "2026-12-20") == (
        *(found["subject"], found["first_day"], found["last_day"], found["file_by"]),
    )
    room.send()
    error = {"code": "C21", "place": "EFilingBatchXML/Activity[1]", "is_warning": True}
    answered = room.step("acknowledgement", {"bsa_id": BSA_ID, "errors": [error]}).json()
    assert ("accepted", BSA_ID, [error]) == (answered["status"], answered["bsa_id"], answered["errors"])
    shown = room.read().json()
    people = tuple(shown[f"{step}_by"] for step in ("prepared", "released", "filed", "acknowledged"))
    assert (ANA, OFF, ANA, ANA) == people
    [released] = room.desk.facts("sar.released")
    assert isinstance(released, SarReleased)
    assert (ANA, OFF, found["sha256"]) == (released.prepared_by, released.by, released.subject_sha256)
    listed = room.desk.get(f"/sars?property={PROPERTY}&status=accepted", person=OFF).json()["items"]
    assert [1] == [one["sar"] for one in listed]


def test_who_prepared_a_report_does_not_release_it(room: Room) -> None:
    """However the name is written; and who may only prepare has no such role."""
    room.prepare()
    assert 403 == room.step("release", person=ANA).status_code
    assert_problem(room.step("release", person="Sar.Ana"), 403, "somebody else must approve it")
    assert 200 == room.step("release", person=OFF).status_code


def test_steps_are_taken_in_their_order(room: Room) -> None:
    """Nothing is sent before its release, answered before it was sent, or withdrawn afterwards."""
    sent = {"tracking_id": "260000000001"}
    assert_problem(room.step("release", person=OFF), 404, "no report 1")
    room.prepare()
    assert_problem(room.step("filed", sent), 409, "is prepared, not released")
    assert_problem(room.step("acknowledgement", {}), 409, "is prepared, not filed")
    assert_problem(room.prepare(), 409, "report 1 has this file")
    room.step("release", person=OFF)
    early = (NOON - timedelta(minutes=2)).isoformat()
    refused = room.step("filed", sent | {"filed_at": early})
    assert_problem(refused, 409, "2026-11-20 11:58:00 is not between the release and now")
    room.step("filed", sent)
    assert_problem(room.step("withdraw", {"reason": "too late"}), 409, "is filed, not prepared or released")
    assert "rejected" == room.step("acknowledgement", {"errors": [{"code": "F18"}]}).json()["status"]
    assert 201 == room.prepare_again(1).status_code  # since it was rejected


@pytest.mark.parametrize(
    ("subject", "file_by", "days"), [("p-1", date(2026, 12, 20), 30), (None, date(2027, 1, 19), 60)]
)
def test_a_report_is_due_by_its_detection(room: Room, subject: str | None, file_by: date, days: int) -> None:
    """Thirty days, sixty where nobody is known; negative once it is late, until it was sent."""
    assert file_by.isoformat() == room.prepare(subject=subject).json()["file_by"]

    assert [(1, "prepared", days)] == room.due()
    room.clock.now = NOON + timedelta(days=days + 2)
    assert [(1, "prepared", -2)] == room.due()
    room.send()
    assert [] == room.due()
    room.step("acknowledgement", {"errors": [{"code": "F18"}]})
    assert [(1, "rejected", -2)] == room.due()


def test_what_was_rejected_is_due_until_it_is_filed_again(room: Room) -> None:
    """By a report that names it, which is due in its place; one of the same subject and days must name it."""
    room.prepare()
    room.reject()
    assert [(1, "rejected", 30)] == room.due()
    assert_problem(room.prepare(), 409, "report 1 of riverside, of the same subject and days, was rejected")
    assert 201 == room.prepare(subject="p-2", narrative="Another suspicion.").status_code
    assert_problem(room.prepare_again(2), 409, "report 2 is not one that was rejected and must be filed again")
    assert 1 == room.prepare_again(1, narrative="Mended.").json()["files_again"]
    assert [(2, "prepared", 30), (3, "prepared", 30)] == room.due()
    assert_problem(room.prepare_again(1, narrative="Twice."), 409, "report 1 is not one that was rejected")
    assert 200 == room.step("withdraw", {"reason": "the narrative is wrong"}, sar=3).status_code
    assert [(1, "rejected", 30), (2, "prepared", 30)] == room.due()
    assert 4 == room.prepare_again(1).json()["sar"]
    room.reject(4)
    assert [(2, "prepared", 30), (4, "rejected", 30)] == room.due()
    assert 5 == room.prepare_again(4).json()["sar"]
    room.send(5)
    room.step("acknowledgement", {"bsa_id": BSA_ID}, sar=5)
    assert [(2, "prepared", 30)] == room.due()


@pytest.mark.parametrize(
    ("rejected", "again"),
    [
        ({}, {"subject": "p-99"}),
        ({}, {"subject": None}),
        ({}, {"subject": "p-99", "first_day": "2026-11-01", "last_day": "2026-11-02"}),
        ({}, {"first_day": "2026-11-19"}),
        ({"last_day": "2026-11-19"}, {"first_day": "2026-11-19"}),
        ({"subject": None}, {"first_day": "2026-11-19"}),
    ],
)
def test_a_report_is_filed_again_by_one_of_its_subject_and_days(
    room: Room, rejected: dict[str, Any], again: dict[str, Any]
) -> None:
    """Another one leaves it due: nobody else's report takes its place."""
    room.prepare(**rejected)
    room.reject()
    due = room.due()
    refused = room.prepare_again(1, **again)
    assert_problem(refused, 409, "report 1 of riverside has another subject, or days that this one lacks")
    assert due == room.due()


@pytest.mark.parametrize(
    ("rejected", "again"),
    [
        ({}, {"first_day": "2026-11-17"}),
        ({"last_day": "2026-11-19"}, {}),
        ({"subject": None}, {"subject": "p-1"}),
        ({"subject": None}, {"subject": None}),
    ],
)
def test_what_is_filed_again_has_more_days_or_says_who_it_was(
    room: Room, rejected: dict[str, Any], again: dict[str, Any]
) -> None:
    """The days include those of the rejected report; whoever was not known may be known by now."""
    room.prepare(**rejected)
    room.reject()
    assert 201 == room.prepare_again(1, narrative="Mended.", **again).status_code
    assert [2] == [sar for sar, _, _ in room.due()]


def test_filing_again_leaves_the_deadline_where_it_was(room: Room) -> None:
    """The days count from the initial detection, which no later draft moves."""
    room.prepare()
    room.reject()
    room.clock.now += timedelta(days=100)
    again = room.prepare_again(1, detected_on=room.clock.now.date()).json()
    assert ("2026-11-20", "2026-12-20") == (again["detected_on"], again["file_by"])
    assert [(2, "prepared", -70)] == room.due()
    room.reject(2)
    earlier = room.prepare_again(2, detected_on=date(2026, 11, 19)).json()
    assert ("2026-11-19", "2026-12-19") == (earlier["detected_on"], earlier["file_by"])


def test_who_became_known_after_a_rejection_has_no_later_deadline(room: Room) -> None:
    """The earlier of the two deadlines holds."""
    assert "2027-01-19" == room.prepare(subject=None).json()["file_by"]
    room.reject()
    later = room.prepare_again(1, detected_on=date(2026, 11, 20)).json()
    assert "2026-12-20" == later["file_by"]


def test_the_same_activity_is_not_reported_twice(room: Room) -> None:
    """While a report stands, another one of its subject and days amends it; one that continues it has later days."""
    told = {"narrative": "Told again by another officer."}
    room.prepare()
    assert_problem(room.prepare(**told), 409, "of the same subject and days, is prepared: withdraw it")
    room.send()
    assert_problem(room.prepare(**told), 409, "is filed: record its acknowledgement first")
    room.step("acknowledgement", {"bsa_id": BSA_ID})
    assert_problem(room.prepare(**told), 409, f"was accepted as {BSA_ID}: amend it by that identifier")
    again = room.prepare(continues=BSA_ID, **told)
    assert_problem(again, 409, f"was accepted as {BSA_ID}: amend it by that identifier")
    later = {"first_day": "2026-11-19", "last_day": "2026-11-20"}
    assert 201 == room.prepare(continues=BSA_ID, **told, **later).status_code
    of_another = room.prepare(continues=BSA_ID, subject="p-2", narrative="Of another patron.", **later)
    assert_problem(of_another, 409, f"{BSA_ID} is the identifier of report 1 of riverside, which has another subject")
    assert 201 == room.prepare(subject="p-2", **told).status_code
    assert 201 == room.prepare(first_day="2026-11-17", **told).status_code


def test_several_unknown_subjects_are_reported_of_the_same_days(room: Room) -> None:
    """Nothing says that they are one person."""
    assert [201, 201] == [room.prepare(subject=None, dollars=dollars).status_code for dollars in (9_000, 9_100)]


def test_an_unknown_subject_does_not_wait_for_another_unknown_one(room: Room) -> None:
    """The rejected report stays due; what it continues is filed again by one that continues an earlier report, too."""
    room.prepare(subject=None)
    room.reject()
    assert 201 == room.prepare(subject=None, dollars=9_100).status_code
    assert [(1, "rejected", 60), (2, "prepared", 60)] == room.due()
    refused = room.prepare_again(1, subject=None, continues="31000000000777")
    assert_problem(refused, 409, "report 1 of riverside continues none: so must the one that files it again")


@pytest.mark.parametrize("follows", ["corrects", "continues"])
def test_an_answer_is_corrected_before_what_follows_from_it_is_sent(room: Room, follows: str) -> None:
    """Else an amendment would name an identifier that FinCEN gave to nothing."""
    room.prepare()
    room.accept()
    room.prepare(**{follows: BSA_ID}, first_day="2026-11-19", last_day="2026-11-20", narrative="Later.")
    corrected = {"bsa_id": "31000000000010", "reason": "typed wrong"}
    for answer in (corrected, {"reason": "rejected after all"}):
        refused = room.step("acknowledgement", answer)
        assert_problem(refused, 409, "report 2 amends or continues report 1 of riverside, or files it again")
    assert 200 == room.step("withdraw", {"reason": "another identifier"}, sar=2).status_code
    assert "31000000000010" == room.step("acknowledgement", corrected).json()["bsa_id"]


def test_an_identifier_from_before_this_system_may_turn_out_to_be_another_ones(room: Room) -> None:
    """An amendment of a report that was unknown here is not released once the identifier is that of another subject."""
    room.prepare(corrects=BSA_ID)
    room.prepare(subject="p-2", narrative="Of another patron.")
    room.accept(2)
    refused = room.step("release", person=OFF)
    assert_problem(refused, 409, f"{BSA_ID} is the identifier of report 2 of riverside, which has another subject")


def test_the_advice_names_the_last_amendment(room: Room) -> None:
    """Although that one has more days than the report that is repeated."""
    second = "31000000000010"
    room.prepare()
    room.accept()
    room.prepare(corrects=BSA_ID, first_day="2026-11-17")
    room.accept(2, second)
    refused = room.prepare(narrative="Told again.")
    assert_problem(refused, 409, "report 2 of riverside, which amends report 1 of riverside, of the same subject")
    assert f"was accepted as {second}: amend it by that identifier" in refused.text


def test_a_list_is_a_look_at_each_report_in_it(room: Room) -> None:
    """It shows who they are about; an empty one shows nothing."""
    room.prepare()
    room.prepare(subject="p-2", narrative="Of another patron.")
    for status in ("prepared", "filed"):
        room.desk.get(f"/sars?property={PROPERTY}&status={status}", person=OFF)
    looks = [fact for fact in room.desk.facts("sar.seen") if isinstance(fact, SarSeenBy)]
    assert [(1, "report", OFF), (2, "report", OFF)] == [(one.sar, one.what, one.by) for one in looks]


def test_a_rejection_is_corrected_before_it_is_filed_again(room: Room) -> None:
    """Else the same activity would be reported twice."""
    room.prepare()
    room.reject()
    room.prepare_again(1, narrative="Mended.")
    accepted = {"bsa_id": BSA_ID, "reason": "the answer was of another file"}
    assert_problem(room.step("acknowledgement", accepted), 409, "withdraw it, correct the answer")
    room.step("withdraw", {"reason": "it was accepted"}, sar=2)
    assert "accepted" == room.step("acknowledgement", accepted).json()["status"]


def test_a_report_is_not_released_under_a_former_filer(room: Room) -> None:
    """The file names who files: prepared again, it names the filer of today."""
    room.prepare()
    room.clock.now += timedelta(days=2)
    moved = FILER.model_copy(update={"street": "2 Riverside Drive"}).model_dump(mode="json", exclude_none=True)
    room.desk.feed(
        "properties", property_event(sequence=2, version=2, effective_from="2026-11-21T12:00:00Z", filer=moved)
    )
    refused = room.step("release", person=OFF)
    assert_problem(refused, 409, "the filer of riverside has changed since report 1 of riverside was prepared")
    room.step("withdraw", {"reason": "we moved"})
    assert 201 == room.prepare().status_code
    assert 200 == room.step("release", sar=2, person=OFF).status_code


def test_an_amendment_names_the_report_that_was_accepted_last(room: Room) -> None:
    """That of its subject, by one amendment at a time, then by the identifier that FinCEN gave the amendment."""
    unknown, second = "31000000000777", "31000000000010"
    room.prepare()
    assert_problem(room.prepare(corrects=unknown), 409, "of the same subject and days, is prepared: withdraw it")
    room.accept()
    assert_problem(room.prepare(corrects=unknown), 409, f"was accepted as {BSA_ID}: amend it by that identifier")
    assert_problem(room.prepare(corrects=BSA_ID, subject="p-2"), 409, f"{BSA_ID} is the identifier of report 1")
    assert 201 == room.prepare(corrects=BSA_ID, first_day="2026-11-17").status_code
    assert_problem(room.prepare(corrects=BSA_ID), 409, "report 2 of riverside, which amends")
    room.accept(2, second)
    assert_problem(room.prepare(first_day="2026-11-17"), 409, f"was accepted as {second}: amend it")
    refused = room.prepare(corrects=BSA_ID)
    assert_problem(refused, 409, f"was accepted as {second}: amend it by that identifier")
    assert 201 == room.prepare(corrects=second).status_code
    assert 200 == room.step("withdraw", {"reason": "a mistake"}, sar=3).status_code
    assert 201 == room.prepare(corrects=second).status_code


def test_a_report_filed_before_this_system_is_amended(room: Room) -> None:
    """By an identifier that no report here has, and once at a time, too; an unknown subject may have become known."""
    assert 201 == room.prepare(corrects="31000000000777").status_code
    again = room.prepare(corrects="31000000000777", last_day="2026-11-19")
    assert_problem(again, 409, "report 1 of riverside, which amends")
    room.prepare(subject=None)
    room.accept(2)
    assert 201 == room.prepare(corrects=BSA_ID, subject="p-2").status_code


def test_an_amendment_is_never_late(room: Room) -> None:
    """The last day is that of the first report; the amendment is listed behind whatever has a deadline."""
    room.prepare()
    room.accept()
    room.clock.now += timedelta(days=200)
    assert 201 == room.prepare(corrects=BSA_ID).status_code
    today = room.clock.now.date()
    assert 201 == room.prepare(subject="p-2", narrative="Another patron.", detected_on=today).status_code
    assert [(3, "prepared", 30), (2, "prepared", None)] == room.due()
    room.reject(2)
    assert [(3, "prepared", 30), (2, "rejected", None)] == room.due()
    assert_problem(room.prepare_again(2, continues=BSA_ID), 409, "report 2 of riverside amends another one: so must")
    room.reject(3)
    assert_problem(
        room.prepare_again(3, subject="p-2", corrects="31000000000777"),
        409,
        "report 3 of riverside amends none: so must",
    )
    assert 201 == room.prepare_again(2, corrects=BSA_ID, narrative="Mended.").status_code


def test_what_was_rejected_and_is_not_filed_again_is_withdrawn(room: Room) -> None:
    """It is due no more, with all that it filed again; what was sent is kept as long as the law says."""
    room.prepare()
    room.reject()
    room.prepare_again(1)
    room.reject(2)
    assert "withdrawn" == room.step("withdraw", {"reason": "the play explains it"}, sar=2).json()["status"]
    assert [] == room.due()
    assert sar_text() == room.read(2, what="/file").text
    assert set() == named("suspicious-activity", room.url)
    assert_problem(room.step("destruction", sar=2), 409, "is kept until 2031-11-20")
    room.clock.now = NOON + FIVE_YEARS
    assert 200 == room.step("destruction", sar=2).status_code
    assert_problem(room.read(2, what="/file"), 404, "was destroyed")


def test_a_patron_named_by_reference_is_a_known_subject(room: Room) -> None:
    """Thirty days, though the file says that nothing of the person is available."""
    prepared = room.prepare(identity=None).json()
    assert ("p-1", "2026-12-20") == (prepared["subject"], prepared["file_by"])


def _filed_on(day: str) -> str:
    """The file of a report with another day of filing."""
    return sar_text().replace("FilingDateText>20261120<", f"FilingDateText>{day}<")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"file": "riverside"}, "no XML that can be read"),
        ({"file": sar_text().replace(NARRATIVE, " ")}, "has no narrative"),
        ({"detected_on": "2026-11-17"}, "is not between the activity's first day"),
        ({"detected_on": "2026-11-21"}, "is not between the activity's first day"),
        ({"file": _filed_on("20261121")}, "the file is of 2026-11-21 ('FilingDateText'), which has not come yet"),
        ({"file": _filed_on("20261131")}, "has a day or an amount that cannot be read"),
    ],
)
def test_what_contradicts_itself_is_not_recorded(room: Room, more: dict[str, str], why: str) -> None:
    """And of a file nothing but that is said."""
    refused = room.desk.post("/sars", sar_of() | more, person=ANA)
    assert_problem(refused, 409, why)
    assert [] == room.desk.facts("sar.prepared")


def test_narrative_and_identity_are_sealed_and_each_look_is_on_record(room: Room) -> None:
    """Nothing of them stands in a table or an entry; whoever reads the file reads the bytes that were prepared."""
    room.prepare()
    said = [IDENTITY["last_name"], IDENTITY["taxpayer_number"], NARRATIVE]
    rows = query(room.url, "SELECT sealed, encode(wrapped, 'escape') FROM suspicious_activity.sar_files")
    stored = json.dumps([*map(list, rows), *(one.draft.data.decode() for one in room.desk.entries())])
    assert [] == [one for one in said if one in stored]
    found = room.read(what="/file", person=OFF)
    assert (sar_text(), "no-store") == (found.text, found.headers["cache-control"])
    room.read()
    looks = [fact for fact in room.desk.facts("sar.seen") if isinstance(fact, SarSeenBy)]
    assert [("file", OFF), ("report", ANA)] == [(one.what, one.by) for one in looks]


def test_a_file_is_destroyed_when_it_was_withdrawn_or_is_not_kept_any_longer(room: Room) -> None:
    """The record of it stays."""
    room.prepare()
    assert "withdrawn" == room.step("withdraw", {"reason": "the play explains it"}).json()["status"]
    assert_problem(room.read(what="/file"), 404, "was destroyed")
    room.prepare()
    assert_problem(room.step("destruction", sar=2), 409, "is prepared, not accepted or rejected")
    room.send(2)
    room.step("acknowledgement", {"bsa_id": BSA_ID}, sar=2)
    assert_problem(room.step("destruction", sar=2), 409, "is kept until 2031-11-20")
    room.clock.now = NOON + FIVE_YEARS
    assert ANA == room.step("destruction", sar=2).json()["destroyed_by"]
    assert_problem(room.step("destruction", sar=2), 409, "was destroyed")
    assert [] == query(room.url, "SELECT FROM suspicious_activity.sar_files")
    assert BSA_ID == room.read(2).json()["bsa_id"]


def test_the_key_that_wraps_the_key_of_a_file_is_replaced(room: Room) -> None:
    """The file opens without the former one."""
    room.prepare()
    path = room.desk.context.settings.patron_keys_file
    assert path is not None
    path.write_text(new_wrapping_key("k2") + path.read_text())

    async def wrap_anew() -> int:
        engine = create_engine(room.url, role="suspicious_activity")
        async with engine.begin() as connection:
            count = await rewrap(connection, wrapping_keys(path))
        await engine.dispose()
        return count

    assert [1, 0] == [room.desk.client.run(wrap_anew()) for _ in range(2)]
    path.write_text(path.read_text().splitlines()[0])
    assert sar_text() == room.read(what="/file").text


def test_an_altered_file_is_not_shown(room: Room) -> None:
    """Nor one with another key; one more is of no use; one that is gone is named."""
    room.prepare()
    for column in ("sealed", "wrapped", "wrapped_by"):
        with tampered(room.url, sar_files, "altered", column):
            assert_problem(room.read(what="/file"), 409, "")
    with tampered(room.url, sar_files, "added"):
        assert sar_text() == room.read(what="/file").text
        assert set() == named("suspicious-activity", room.url)
    assert_named("suspicious-activity", room.url, sar_files, "deleted")


def test_no_route_answers_anybody_else(room: Room) -> None:
    """One answer to everything, whatever there is, and whatever other roles somebody has; nothing is recorded of it."""
    paths = [
        *(f"/sars/{PROPERTY}/{sar}{what}" for sar in (1, 2) for what in ("", "/file")),
        *(f"/{name}?property={PROPERTY}" for name in ("sars", "due-sars", "nothing")),
        *("/quarantine", "/quarantine/1", "/quarantine/dismissals"),
    ]

    def answers() -> list[tuple[int, str, Any]]:
        found = [room.desk.get(path, person=person) for path in paths for person in (EVERYTHING_ELSE, None)]
        found += [room.desk.post(path, {"reason": "x"}, person=EVERYTHING_ELSE, key="k-1") for path in paths]
        return [(one.status_code, one.text, sorted(one.headers.items())) for one in found]

    before = answers()
    assert {401, 403} == {status for status, _, _ in before}
    assert 1 == len({text for status, text, _ in before if status == 403})
    room.prepare()
    entries = len(room.desk.entries())
    assert before == answers()
    assert entries == len(room.desk.entries())
    assert 200 == room.desk.get("/quarantine", person="sar.keeper").status_code


def test_an_identifier_is_that_of_one_report(room: Room) -> None:
    """What was recorded wrongly is corrected by a new fact with a reason, and the identifier is free again."""
    why, accepted = {"reason": "that of another report"}, {"bsa_id": BSA_ID}
    room.prepare()
    room.send()
    assert_problem(room.step("acknowledgement", accepted | why), 409, "nothing is recorded of report 1 of riverside")
    assert "accepted" == room.step("acknowledgement", accepted).json()["status"]
    room.prepare(subject="p-2", narrative="Another patron.")
    assert 200 == room.step("release", sar=2, person=OFF).status_code
    same = room.step("filed", {"tracking_id": "260000000001"}, sar=2)
    assert_problem(same, 409, "260000000001 is the identifier of report 1: correct that first")
    assert 200 == room.step("filed", {"tracking_id": "260000000003"}, sar=2).status_code
    assert 200 == room.step("filed", {"tracking_id": "260000000002"} | why, sar=2).status_code
    assert_problem(room.step("acknowledgement", accepted, sar=2), 409, f"{BSA_ID} is the identifier of report 1")
    assert "rejected" == room.step("acknowledgement", why).json()["status"]
    assert "accepted" == room.step("acknowledgement", accepted, sar=2).json()["status"]
