"""Who had which role when, and whom facts name."""

from datetime import UTC, datetime
from typing import Any

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.people import acts_of, person_of
from services.reporting.read_model.reading import Listed
from services.reporting.read_model.staff import members_at, registrars, roles_held
from shared.contracts.inventory import AdjustmentApproved, PitRecorded
from tests.support.properties import approved


def _version(number: int, day: int, **people: list[str]) -> Listed:
    members = [{"person": person, "roles": roles} for person, roles in people.items()]
    fact = approved(version=number, people=members, effective_from=f"2026-11-{day:02}T12:00:00Z")
    at = datetime(2026, 11, day, 12, tzinfo=UTC)
    return Listed(EntryRef("paytable-registry", 2, number), "property.approved", fact, None, at, at)


VERSIONS = [
    _version(1, 1, ann=["reports.read", "days.audit"], bob=["slips.prepare"]),
    _version(2, 5, ann=["reports.read"], bob=["slips.prepare"]),
    _version(3, 9, ann=["reports.read", "days.audit"]),
]


def test_a_role_is_held_from_the_version_that_gives_it_to_the_one_that_takes_it() -> None:
    """Given again it is another time; what no version has taken is still held."""
    assert [
        ("ann", "days.audit", 1, 5),
        ("ann", "days.audit", 9, None),
        ("ann", "reports.read", 1, None),
        ("bob", "slips.prepare", 1, 9),
    ] == [
        (one.person, one.role, one.since.day, None if one.until is None else one.until.day)
        for one in roles_held(VERSIONS)
    ]
    ended = roles_held(VERSIONS)[0]
    assert [1, 2] == [entry.seq for entry in ended.entries]


def test_who_works_at_a_property_at_a_moment_is_whom_its_version_lists() -> None:
    """Before the first version nobody does."""
    assert {"ann", "bob"} == set(members_at(VERSIONS, datetime(2026, 11, 6, tzinfo=UTC)))
    assert {"ann"} == set(members_at(VERSIONS, datetime(2026, 11, 10, tzinfo=UTC)))
    assert {} == members_at(VERSIONS, datetime(2026, 10, 1, tzinfo=UTC))


def test_whoever_a_fact_names_has_an_act_of_its_kind() -> None:
    """Also where the fact has other data in it; twice named is one act."""
    day: dict[str, Any] = {"property": "riverside", "table": "BJ-01", "gaming_day": "2026-11-20"}
    received = {
        **day,
        "shift": "day",
        "number": 7,
        "contents": [],
        "received_by": "dealer.1",
        "observed_by": "floor lee",
    }
    pit = PitRecorded.model_validate(day | {"shift": "day", "sequence": 1, "event": "fill.received", "data": received})
    assert [("pit.recorded", "dealer.1"), ("pit.recorded", "floor lee")] == [
        person_of(act.item) for act in acts_of(pit)
    ]
    entered = {"entered_by": "ann", "entered_at": "2026-11-20T12:00:00Z", "reason": "why", "day_status": "final"}
    decided = {"approved_by": "ann", "approved_at": "2026-11-20T13:00:00Z"}
    about = {"adjustment": 1, "shift": "day", "figure": "fills", "cents": 5}
    [act] = acts_of(AdjustmentApproved.model_validate(day | about | entered | decided))
    assert ("adjustment.approved", "ann", 1) == (*person_of(act.item), act.value)


def test_whom_a_property_lists_did_nothing_by_that() -> None:
    """Who approved a version did it, and nobody whom it names."""
    assert ["compliance.ann"] == registrars(VERSIONS[0].fact)
