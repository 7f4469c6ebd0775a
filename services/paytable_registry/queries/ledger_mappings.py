"""Read the versions of general-ledger mappings."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.ledger_mappings import LedgerMappingVersion
from services.paytable_registry.tables import ledger_mappings
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import in_effect
from shared.runtime.commands.version_rows import document_of
from shared.runtime.rows import find_row, rows_of


async def history(connection: AsyncConnection, property_name: str) -> History:
    """Return the history of the mapping's versions."""
    versions = await _versions(connection, property_name)
    return History(len(versions), [one.effective_from for one in versions if one.status == "approved"])


async def find(connection: AsyncConnection, property_name: str, version: int) -> LedgerMappingVersion:
    """Return a version. Raises: Rejected if there is none."""
    missing = f"there is no version {version} of the ledger mapping of {property_name}"
    return version_of(await find_row(connection, ledger_mappings, missing, property=property_name, version=version))


async def at(connection: AsyncConnection, property_name: str, moment: datetime) -> LedgerMappingVersion:
    """Return the version in effect at a moment. Raises: Rejected if there is none."""
    found: LedgerMappingVersion | None = in_effect(await _approved(connection, property_name), moment)
    if found is None:
        raise Rejected(
            Reason.NOT_FOUND,
            f"no approved version of the ledger mapping of {property_name} is in effect at {moment.isoformat()}",
        )
    return found


async def before(connection: AsyncConnection, version: LedgerMappingVersion) -> LedgerMappingVersion | None:
    """Return the approved version in effect before this one, or None."""
    others = [one for one in await _approved(connection, version.property) if one.version != version.version]
    found: LedgerMappingVersion | None = in_effect(others, version.effective_from)
    return found


async def _approved(connection: AsyncConnection, property_name: str) -> list[LedgerMappingVersion]:
    return [one for one in await _versions(connection, property_name) if one.status == "approved"]


async def _versions(connection: AsyncConnection, property_name: str) -> list[LedgerMappingVersion]:
    query = rows_of(ledger_mappings, property=property_name)
    return [version_of(row) for row in await connection.execute(query)]


def version_of(row: Row[Any]) -> LedgerMappingVersion:
    """Return a version with its status, from its row."""
    return LedgerMappingVersion.model_validate(document_of(row))
