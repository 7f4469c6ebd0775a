"""Read the versions of properties."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.properties import PropertyVersion
from services.paytable_registry.tables import properties
from shared.contracts.properties import PropertyApproved, PropertyFiled
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, signers_of
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import fields_of, in_effect
from shared.runtime.commands.version_rows import document_of
from shared.runtime.rows import find_row, rows_of


async def history(connection: AsyncConnection, property_name: str) -> History:
    """Return the history of a property's versions."""
    query = rows_of(properties, property=property_name).with_only_columns(properties.c.version)
    filed = len((await connection.execute(query)).all())
    standing = await approved(connection, property_name)
    keys = [signer.key for version in standing for signer in signers_of(version)]
    return History(filed, [version.effective_from for version in standing], keys)


async def find(connection: AsyncConnection, property_name: str, version: int) -> PropertyVersion:
    """Return a version. Raises: Rejected if there is none."""
    missing = f"there is no version {version} of property {property_name}"
    return version_of(await find_row(connection, properties, missing, property=property_name, version=version))


async def approved(connection: AsyncConnection, property_name: str) -> Sequence[PropertyVersion]:
    """Return the approved versions of a property."""
    query = rows_of(properties, property=property_name, status="approved")
    return [version_of(row) for row in await connection.execute(query)]


async def at(connection: AsyncConnection, property_name: str, moment: datetime) -> PropertyVersion:
    """Return the version in effect at a moment. Raises: Rejected if there is none."""
    found: PropertyVersion | None = in_effect(await approved(connection, property_name), moment)
    if found is None:
        raise Rejected(
            Reason.NOT_FOUND, f"no approved version of property {property_name} is in effect at {moment.isoformat()}"
        )
    return found


async def before(connection: AsyncConnection, version: PropertyVersion) -> PropertyVersion | None:
    """Return the approved version in effect before this one, or None."""
    others = [
        each
        for each in await approved(connection, version.property)
        if each.version != version.version and each.effective_from <= version.effective_from
    ]
    found: PropertyVersion | None = in_effect(others, version.effective_from)
    return found


async def places(connection: AsyncConnection, property_name: str) -> list[PropertySnapshot]:
    """Return the approved versions of a property as snapshots. Raises: Rejected if there is none."""
    found = [_place(version) for version in await approved(connection, property_name)]
    if not found:
        raise Rejected(Reason.NOT_FOUND, f"no version of property {property_name} was ever approved")
    return found


async def place_at(connection: AsyncConnection, property_name: str, moment: datetime) -> PropertySnapshot:
    """Return a property as of a moment, including what later versions state of its tables. Raises: Rejected."""
    versions = await approved(connection, property_name)
    found = _place(await at(connection, property_name, moment))
    later = (version for version in versions if version.effective_from > found.document.effective_from)
    return replace(found, later=tuple(_place(version).document for version in later))


async def places_at(connection: AsyncConnection, property_name: str) -> PropertyLookup:
    """Return a function that looks up the property as of a moment, among its approved versions."""
    versions = await approved(connection, property_name)

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
    """Return a property as of the beginning of a gaming day, or as of now. Raises: Rejected."""
    known = await places(connection, property_name)
    begun = [each for each in known if each.document.effective_from <= (now if day is None else each.begins_at(day))]
    if not begun:
        when = f"at {now.isoformat()}" if day is None else f"when gaming day {day} begins"
        raise Rejected(Reason.NOT_FOUND, f"no approved version of property {property_name} is in effect {when}")
    return max(begun, key=lambda each: each.document.effective_from)


def version_of(row: Row[Any]) -> PropertyVersion:
    """Return a version with its status, from its row."""
    return PropertyVersion.model_validate(document_of(row))
