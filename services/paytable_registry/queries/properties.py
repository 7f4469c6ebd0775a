"""Read the versions of properties."""

from dataclasses import replace
from datetime import date, datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.properties import PropertyVersion
from services.paytable_registry.queries.documents import Versions
from services.paytable_registry.tables import properties
from shared.contracts.properties import PropertyApproved, PropertyFiled
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import fields_of, in_effect

VERSIONS: Final = Versions(properties, PropertyVersion)


async def places(connection: AsyncConnection, property_name: str) -> list[PropertySnapshot]:
    """Return the approved versions of a property as snapshots. Raises: Rejected if no version is approved."""
    found = [_place(version) for version in await VERSIONS.approved(connection, property_name)]
    if not found:
        raise Rejected(Reason.NOT_FOUND, f"no version of property {property_name} was ever approved")
    return found


async def place_at(connection: AsyncConnection, property_name: str, moment: datetime) -> PropertySnapshot:
    """Return a property as of a moment. Its later versions are attached, because they may add details of its tables.

    Raises: Rejected if no version is in effect at the moment.
    """
    versions = await VERSIONS.approved(connection, property_name)
    found = _place(await VERSIONS.at(connection, property_name, moment))
    later = (version for version in versions if version.effective_from > found.document.effective_from)
    return replace(found, later=tuple(_place(version).document for version in later))


async def places_at(connection: AsyncConnection, property_name: str) -> PropertyLookup:
    """Return a function that returns the property as of a given moment, or None if no version is in effect then."""
    versions = await VERSIONS.approved(connection, property_name)

    def at(name: str, moment: datetime) -> PropertySnapshot | None:
        assert name == property_name, f"{name} was not read"
        found: PropertyVersion | None = in_effect(versions, moment)
        return None if found is None else _place(found)

    return at


def _place(version: PropertyVersion) -> PropertySnapshot:
    approved_by, approved_at = version.approved_by, version.approved_at
    assert approved_by is not None, f"{version.label} is approved"
    assert approved_at is not None, f"{version.label} is approved"
    filed = fields_of(version, PropertyFiled)
    return PropertySnapshot.of(PropertyApproved(**filed, approved_by=approved_by, approved_at=approved_at))


async def place(connection: AsyncConnection, property_name: str, now: datetime, day: date | None) -> PropertySnapshot:
    """Return a property as of a gaming day's beginning, or as of now. Raises: Rejected if no version is in effect."""
    known = await places(connection, property_name)
    begun = [each for each in known if each.document.effective_from <= (now if day is None else each.begins_at(day))]
    if not begun:
        when = f"at {now.isoformat()}" if day is None else f"when gaming day {day} begins"
        raise Rejected(Reason.NOT_FOUND, f"no approved version of property {property_name} is in effect {when}")
    return max(begun, key=lambda each: each.document.effective_from)
