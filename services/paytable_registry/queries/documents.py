"""Read the versions of one kind of document."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Generic

from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.documents import History, VersionT
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import in_effect
from shared.runtime.commands.version_rows import document_of
from shared.runtime.rows import find_row, rows_of


class Versions(Generic[VersionT]):
    """A reader of the versions of one kind of document, with their status, from its table."""

    def __init__(self, table: Table, model: type[VersionT]) -> None:
        self.table = table
        self._model = model

    async def history(self, connection: AsyncConnection, property_name: str) -> History[VersionT]:
        """Return the history of a property's document: the number of versions, and the approved versions."""
        query = rows_of(self.table, property=property_name).with_only_columns(self.table.c.version)
        filed = len((await connection.execute(query)).all())
        return History(filed, await self.approved(connection, property_name))

    async def find(self, connection: AsyncConnection, property_name: str, version: int) -> VersionT:
        """Return a version. Raises: Rejected if there is no such version."""
        missing = f"there is no version {version} of {self._model.document_of(property_name)}"
        return self.of(await find_row(connection, self.table, missing, property=property_name, version=version))

    async def approved(self, connection: AsyncConnection, property_name: str) -> Sequence[VersionT]:
        """Return the approved versions of a property's document."""
        query = rows_of(self.table, property=property_name, status="approved")
        return [self.of(row) for row in await connection.execute(query)]

    async def at(self, connection: AsyncConnection, property_name: str, moment: datetime) -> VersionT:
        """Return the version in effect at a moment. Raises: Rejected if no version is in effect."""
        found: VersionT | None = in_effect(await self.approved(connection, property_name), moment)
        if found is None:
            document = self._model.document_of(property_name)
            raise Rejected(Reason.NOT_FOUND, f"no approved version of {document} is in effect at {moment.isoformat()}")
        return found

    async def before(self, connection: AsyncConnection, version: VersionT) -> VersionT | None:
        """Return the approved version that this version replaces when it takes effect, or None."""
        others = [one for one in await self.approved(connection, version.property) if one.version != version.version]
        found: VersionT | None = in_effect(others, version.effective_from)
        return found

    def of(self, row: Row[Any]) -> VersionT:
        """Return a version with its status, from its row."""
        return self._model.model_validate(document_of(row))
