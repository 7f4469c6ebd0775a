"""What differs between two versions of a property, in words."""

from typing import Any

import pytest

from services.paytable_registry.domain.property_changes import changes
from shared.contracts.properties import PropertyDocument
from tests.support.properties import document

TABLE = document(tables=["BJ-01"])["tables"][0]
SHUFFLER = {"kind": "shuffler", "asset_number": "D-1", "serial_number": "S-1"}
KIM = {"person": "kim", "roles": ["days.audit"]}


def said(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What a version changes that differs in these members."""
    one, other = (PropertyDocument.model_validate(document(tables=["BJ-01"]) | each) for each in (before, after))
    return changes(one, other)


def test_the_same_again_changes_nothing() -> None:
    """From a later moment on, too: every version has a beginning of its own."""
    assert [] == said({}, {}) == said({}, {"effective_from": "2026-11-20T09:00:00Z"})


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({}, {"title": "Riverside II"}, "title: Riverside to Riverside II"),
        ({}, {"gaming_day_begins": "06:00"}, "gaming day begins: 04:00:00 to 06:00:00"),
        ({}, {"packs": ["us-pa"]}, "pack us-federal: removed"),
        ({}, {"pits": ["pit-1", "pit-2"]}, "pit pit-2: added"),
        ({}, {"limits": {"variance_report_cents": 100}}, "limits: variance report cents: none to 100"),
        ({}, {"plausibility": {"boundary_minutes": 60}}, "plausibility: boundary minutes: 240 to 60"),
        ({}, {"tables": []}, "table BJ-01: removed"),
        ({}, {"tables": [TABLE | {"game": "switch"}]}, "table BJ-01: game: blackjack to switch"),
        ({}, {"tables": [TABLE | {"retired_on": "2026-12-01"}]}, "table BJ-01: retired on: none to 2026-12-01"),
        ({}, {"tables": [TABLE | {"fully_automated": True}]}, "table BJ-01: fully automated: no to yes"),
        ({}, {"tables": [TABLE | {"progressive_links": ["link"]}]}, "table BJ-01: progressive link link: added"),
        (
            {},
            {"tables": [TABLE | {"devices": [SHUFFLER]}]},
            "table BJ-01: device D-1: added (kind shuffler, serial number S-1)",
        ),
        (
            {"tables": [TABLE | {"devices": [SHUFFLER]}]},
            {"tables": [TABLE | {"devices": [SHUFFLER | {"serial_number": "S-2"}]}]},
            "table BJ-01: device D-1: serial number: S-1 to S-2",
        ),
        ({}, {"people": [KIM]}, "person kim: added (roles days.audit)"),
        (
            {"people": [KIM]},
            {"people": [{"person": "kim", "roles": ["days.audit", "boxes.count"]}]},
            "person kim: role boxes.count: added",
        ),
    ],
)
def test_a_change_is_one_line(before: dict[str, Any], after: dict[str, Any], change: str) -> None:
    """Where it is, what it was, and what it becomes."""
    assert [change] == said(before, after)


def test_several_changes_are_several_lines() -> None:
    """A table that takes another's place is one that goes and one that comes."""
    found = said({}, {"tables": [TABLE | {"table": "BJ-02"}], "title": "II"})
    assert ["title: Riverside to II", "table BJ-01: removed"] == found[:2]
    assert found[2].startswith("table BJ-02: added (asset number A-BJ-01, game blackjack, pit pit-1, positions 7")
