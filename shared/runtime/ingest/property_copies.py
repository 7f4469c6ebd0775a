"""A service's own copy of the approved properties."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import MetaData, Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.properties import PropertyApproved, property_hash
from shared.contracts.property_snapshot import PropertySnapshot, place_of_day
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import in_effect
from shared.journal.pipeline import Pipeline
from shared.rules.errors import Refused
from shared.runtime.ingest.approved_documents import ApprovedCopy, ApprovedDocuments, copy_table


def properties_table(metadata: MetaData, schema: str) -> Table:
    """Declare the table, in a service's schema, that holds its copy of the approved properties."""
    return copy_table("properties", metadata, schema, "property")


class Properties(ApprovedDocuments):
    """Handler that keeps a copy of the approved properties. A service subclasses it with its own table."""

    reader = Reader(PROPERTIES, PropertyApproved)
    model = PropertyApproved

    def check(self, approved: Any) -> None:
        """Raise Refused if the document does not match its hash, or names jurisdiction packs that are not installed."""
        computed = property_hash(approved, approved.version)
        if computed != approved.hash:
            raise Refused(f"the property's hash is {computed}, not {approved.hash}: it is not what was approved")
        try:
            PropertySnapshot.of(approved)
        except LookupError as error:
            raise Refused(f"{error}; deploy a release with its packs, then replay this record") from None


class Places(ApprovedCopy[PropertyApproved, PropertySnapshot]):
    """The approved properties in a copy, with look-ups by moment and by gaming day."""

    def __init__(self, table: Table) -> None:
        super().__init__(table, PropertyApproved, PropertySnapshot.of)
        self._with_others: dict[tuple[str, int], PropertySnapshot] = {}

    def place(self, property_name: str, moment: datetime) -> PropertySnapshot | None:
        """Return a property as of a moment, or None if no version is in effect then."""
        versions = self.approved(property_name)
        document: PropertyApproved | None = in_effect(versions, moment)
        if document is None:
            return None
        key = (document.hash, len(versions))
        found = self._with_others.get(key)
        if found is None:
            later = tuple(version for version in versions if version.effective_from > document.effective_from)
            before = (version for version in versions if _order(version) < _order(document))
            earlier = tuple(sorted(before, key=_order))
            found = self._with_others[key] = replace(self.made(document), later=later, earlier=earlier)
        return found

    def of_day(self, property_name: str, day: date) -> PropertySnapshot | None:
        """Return a property as of a gaming day, or None if no version is in effect then."""
        return place_of_day(self.versions(property_name), day)


def _order(version: PropertyApproved) -> tuple[datetime, int]:
    return version.effective_from, version.version


async def known_places(connection: AsyncConnection, table: Table) -> Places:
    """Return the approved properties in a copy, for commands; cached on the connection."""
    known: Places = connection.info.setdefault(table, Places(table))
    await known.refresh(connection)
    return known


async def ask_places(connection: AsyncConnection, sent: Pipeline, table: Table) -> Callable[[], Awaitable[Places]]:
    """Queue the refresh of `known_places` in a pipeline; return a function that completes it after the pipeline."""
    known: Places = connection.info.setdefault(table, Places(table))
    counted = await known.count(sent)

    async def read() -> Places:
        await known.refresh(connection, await counted.fetchone())
        return known

    return read
