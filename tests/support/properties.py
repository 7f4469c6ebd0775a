"""Properties as the registry publishes them, for the tests of those who ask them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from shared.contracts.properties import PropertyApproved, PropertyDocument, property_hash
from shared.contracts.property_snapshot import PropertySnapshot
from tests.support.packs import changed, dated
from tests.support.published import published
from tests.support.rounds import PROPERTY

_BEGUN = datetime(2020, 1, 1, tzinfo=UTC)
_GAMES = {
    "BJ": "blackjack",
    "PG": "pai-gow-poker",
    "FU": "face-up-pai-gow",
    "TH": "texas-holdem-bonus",
    "DJ": "dj-wild",
}
_SHARD = 2
"""Properties are published from a shard of their own."""

OF_ANY_AGE = {"age_days_max": 36_500}
"""The plausibility of a property whose events are read by the clock of the machine, whatever day that shows."""

TABLES = tuple(f"{game}-{number:02}" for game in _GAMES for number in range(1, 10))


Tables = Iterable[str] | Mapping[str, str | Mapping[str, Any]]
"""Tables that offer what their names begin with, or each with the game that it offers or what else is said of it."""


def document(
    name: str = PROPERTY, tables: Tables = TABLES, *, automated: Iterable[str] = (), **changes: Any
) -> dict[str, Any]:
    """A property of Pennsylvania with these tables, open since 2020, whose gaming day begins at four.

    Some of the tables may be fully automated.
    """
    said = tables if isinstance(tables, Mapping) else {table: {} for table in tables}
    listed = [
        {
            "table": table,
            "asset_number": f"A-{table}",
            "game": _GAMES.get(table[:2], "blackjack"),
            "pit": "pit-1",
            "positions": 7,
            "location": "main floor",
            "opened_on": "2020-01-01",
            "fully_automated": table in automated,
        }
        | ({"game": of_table} if isinstance(of_table, str) else dict(of_table))
        for table, of_table in said.items()
    ]
    return {
        "property": name,
        "title": name.title(),
        "packs": ["us-pa", "us-federal"],
        "license_class": "category 2",
        "time_zone": "America/New_York",
        "gaming_day_begins": "04:00",
        "winnings_reduced_by_wager": True,
        "pits": ["pit-1"],
        "shifts": [
            {"shift": "day", "begins": "06:00"},
            {"shift": "swing", "begins": "14:00"},
            {"shift": "grave", "begins": "22:00"},
        ],
        "tables": listed,
        "effective_from": _BEGUN.isoformat(),
    } | changes


def approved(name: str = PROPERTY, tables: Tables = TABLES, version: int = 1, **changes: Any) -> PropertyApproved:
    """An approved version of such a property."""
    wanted = PropertyDocument.model_validate(document(name, tables, **changes))
    return PropertyApproved(
        **dict(wanted),
        version=version,
        hash=property_hash(wanted, version),
        filed_by="games.ray",
        filed_at=_BEGUN,
        approved_by="compliance.ann",
        approved_at=_BEGUN,
    )


def place(name: str = PROPERTY, tables: Tables = TABLES, **changes: Any) -> PropertySnapshot:
    """Such a property, as services ask it."""
    return PropertySnapshot.of(approved(name, tables, **changes))


def under_law(found: PropertySnapshot, path: str, value: Any) -> PropertySnapshot:
    """A property under a law in which the provision at a path, such as `people.fill`, has always had another value."""
    return replace(found, law=changed(found.law, {path: [dated(value)]}))


def property_event(
    name: str = PROPERTY, tables: Tables = TABLES, sequence: int = 1, version: int = 1, **changes: Any
) -> dict[str, Any]:
    """The entry with which the registry publishes such a version on `properties`."""
    data = approved(name, tables, version, **changes).model_dump(mode="json", exclude_none=True)
    return published("property.approved", data, service="paytable-registry", sequence=sequence, at=_BEGUN, shard=_SHARD)
