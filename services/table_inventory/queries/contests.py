"""Read contests: entered results and decisions."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.contests import ContestDocument
from services.table_inventory.tables import contests
from shared.contracts.contests import ContestResult
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def contests_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[ContestDocument]:
    """Return every revision of the contests that ended on a gaming day, by contest and revision."""
    query = rows_of(contests, property=property_name, gaming_day=gaming_day)
    return await things_of(ContestDocument, connection, query.order_by(contests.c.contest, contests.c.revision))


async def find_contest(
    connection: AsyncConnection, property_name: str, gaming_day: date, contest: str, revision: int
) -> ContestDocument:
    """Return a revision of a contest's result. Raises: Rejected if it does not exist."""
    missing = f"there is no revision {revision} of contest {contest} of {gaming_day} at {property_name}"
    key = {"property": property_name, "gaming_day": gaming_day, "contest": contest, "revision": revision}
    return thing_of(ContestDocument, await find_row(connection, contests, missing, **key))


async def revisions_of(
    connection: AsyncConnection, property_name: str, gaming_day: date, contest: str
) -> list[ContestDocument]:
    """Return the revisions of a contest's result, latest first."""
    query = rows_of(contests, property=property_name, gaming_day=gaming_day, contest=contest)
    return await things_of(ContestDocument, connection, query.order_by(contests.c.revision.desc()))


async def results_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[ContestResult]:
    """Return the latest approved revision of each contest that ended on a gaming day, by contest."""
    found = {
        one.contest: one
        for one in await contests_of_day(connection, property_name, gaming_day)
        if one.status == "approved"
    }
    return [
        ContestResult(contest=one.contest, fees_cents=one.fees_cents, prizes_cents=one.prizes_cents)
        for one in found.values()
    ]
