"""User access and overrides on a real database: roles by version, last use, what people did, what law keeps apart."""

from dataclasses import replace
from typing import Any

from tests.support.properties import property_event
from tests.support.published import published
from tests.support.reporting import Books, names
from tests.support.services import query
from tests.unit.reporting.entries import DAY, NOON, day_closed

_DAY = {"property": "riverside", "gaming_day": DAY}


def _rows(books: Books, section: str, more: str = "") -> list[dict[str, Any]]:
    [found] = [one for one in books.report("access", more)["content"]["sections"] if one["name"] == section]
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def _entries(books: Books) -> None:
    people = [
        {"person": "ann", "roles": ["slips.request", "slips.prepare"]},
        {"person": "audit.lou", "roles": ["days.audit"]},
        {"person": "zoe", "roles": ["reports.read"]},
    ]
    changes: dict[str, Any] = {"people": people, "effective_from": "2026-11-01T12:00:00Z"}
    later: dict[str, Any] = {"people": people[1:], "effective_from": "2026-11-20T15:00:00Z"}
    books.desk.feed(
        "properties",
        property_event(sequence=3, version=2, **changes),
        property_event(sequence=4, version=3, **later),
    )
    place = {**_DAY, "table": "BJ-01", "slip": "fill", "number": 3}
    void = {**place, "void_reason": "wrong table", "voided_by": "ann", "voided_at": NOON.isoformat()}
    adjustment = {**_DAY, "table": "BJ-01", "adjustment": 1, "shift": "day", "figure": "fills", "cents": 100}
    adjustment |= {"reason": "misread", "day_status": "preliminary", "entered_by": "audit.lou"}
    adjustment |= {"entered_at": NOON.isoformat()}
    refused = {"command": "SealDay", "reason": "role-missing", "detail": "no", "by": "ghost", "at": NOON.isoformat()}
    said: dict[str, dict[str, Any]] = {
        "slip.voided": void,
        "adjustment.entered": adjustment,
        "command.refused": refused | _DAY,
    }
    for sequence, (kind, data) in enumerate(said.items(), 1):
        books.desk.feed("inventory", published(kind, data, service="table-inventory", sequence=sequence, at=NOON))


def test_roles_are_listed_with_their_time_and_who_gave_them(books: Books) -> None:
    """Of the period, also those that ended in it; each leads to the versions that gave and took it."""
    _entries(books)
    assert [
        ("ann", "slips.prepare", "2026-11-01T12:00:00+00:00", "2026-11-20T15:00:00+00:00", 2),
        ("ann", "slips.request", "2026-11-01T12:00:00+00:00", "2026-11-20T15:00:00+00:00", 2),
        ("audit.lou", "days.audit", "2026-11-01T12:00:00+00:00", None, 2),
        ("zoe", "reports.read", "2026-11-01T12:00:00+00:00", None, 2),
    ] == [names(row, "person", "role", "since", "until", "version") for row in _rows(books, "roles")]
    first = _rows(books, "roles")[0]
    explained = books.explain("access", f"roles/{first['id']}/role")
    assert [3, 4] == [entry["seq"] for entry in explained["entries"]]


def test_people_are_listed_with_their_last_use_and_what_they_did(books: Books) -> None:
    """Who has a role and never used it, and who acts without one, is found."""
    _entries(books)
    columns = ("person", "roles", "last_use", "voids", "adjustments", "refuseds", "finding")
    assert [
        ("ann", None, DAY, 1, 0, 0, "no role at the property"),
        ("audit.lou", "days.audit", DAY, 0, 1, 0, None),
        ("ghost", None, None, 0, 0, 1, "no role at the property"),
        ("zoe", "reports.read", None, 0, 0, 0, "not used in more than a year"),
    ] == [names(row, *columns) for row in _rows(books, "people")]
    explained = books.explain("access", "people/audit.lou/acts")
    assert [("table-inventory", 2, 1)] == [names(one, "service", "seq", "value") for one in explained["entries"]]


def test_roles_that_law_keeps_apart_are_found_with_their_source(books: Books) -> None:
    """From when until when one person had both."""
    _entries(books)
    [row] = _rows(books, "apart")
    assert ("slips", "ann", "slips.prepare, slips.request", "2026-11-20T15:00:00+00:00") == names(
        row, "rule", "person", "roles", "until"
    )
    assert row["source"].startswith("58 Pa. Code § 465a.38")


def test_what_people_did_is_listed_with_its_entry(books: Books) -> None:
    """Voids, adjustments, and commands that were refused; as known before, there was nothing."""
    _entries(books)
    assert [
        ("ann", "void", "slip.voided", "wrong table", "table-inventory/1/1"),
        ("audit.lou", "adjustment", "adjustment.entered", "misread", "table-inventory/1/2"),
        ("ghost", "refused", "SealDay", "role-missing: no", "table-inventory/1/3"),
    ] == [names(row, "person", "what", "kind", "reason", "entry") for row in _rows(books, "overrides")]
    assert [] == _rows(books, "overrides", "&known_at=2026-11-20T11:00:00Z")
    assert 3 == len(_rows(books, "overrides", "&period=month"))


def test_a_review_looks_at_a_quarter(books: Books) -> None:
    """From its first gaming day to its last."""
    _entries(books)
    report = books.report("access", "&period=quarter")
    assert ("2026-10-01", "2026-12-31") == names(report, "first_day", "last_day")
    assert ["ann", "ann", "audit.lou", "zoe"] == [row["person"] for row in _rows(books, "roles", "&period=quarter")]


def test_what_the_registry_refused_is_of_the_day_of_the_property_s_clock(url: str, books: Books) -> None:
    """Also where it was read before the property: the rows are the same, and so a rebuild finds no difference."""
    harbor = replace(books, property_name="harbor")
    asked = {"command": "FileSubmission", "reason": "role-missing", "detail": "no", "by": "ghost"}
    night, noon = NOON.replace(hour=8), NOON.replace(hour=11)  # at 3 and 6 in the morning; the day begins at 4
    attempts = [
        published(
            "command.refused",
            {**asked, "at": moment.isoformat(), "property": "harbor"},
            service="paytable-registry",
            sequence=sequence,
            at=moment,
        )
        for sequence, moment in enumerate((night, noon), 1)
    ]
    books.desk.feed("submissions", attempts[0])
    books.desk.feed("properties", property_event("harbor", sequence=3))
    books.desk.feed("submissions", attempts[1])
    books.desk.feed("inventory", day_closed(1, "preliminary", property_name="harbor"))
    said = ("person", "kind", "gaming_day")
    before, that = ("ghost", "FileSubmission", "2026-11-19"), ("ghost", "FileSubmission", DAY)
    assert [before, that] == [names(row, *said) for row in _rows(harbor, "overrides", "&period=month")[:2]]
    assert that == names(_rows(harbor, "overrides")[0], *said)
    assert [(None,)] * 2 == query(url, "SELECT gaming_day FROM reporting.facts WHERE kind = 'command.refused'")
