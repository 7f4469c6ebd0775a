"""Read counter checks: outstanding amounts, and the cage's steps."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.checks import CounterCheck, Redemption
from services.table_inventory.tables import check_steps, counter_checks
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.reference_search import references_like
from shared.runtime.rows import rows_of, thing_of, things_of

IS_REPLACEMENT: Final = "s.what = 'replaced' AND s.cents > 0"
"""SQL condition: step `s` records that its check replaced others, so that the step's amount is the check's."""

_CHECKS: Final = """
    SELECT i.property, i.serial, max(i."table") AS "table", min(i.at) AS issued_at,
           coalesce(min(c.first_issued_at), min(i.at)) AS first_issued_at, min(coalesce(p.patron, c.drawer)) AS drawer,
           sum(i.cents) FILTER (WHERE i.is_issuance) AS issued_cents, sum(i.cents) AS left_cents,
           bool_or(i.is_returned) AS is_returned
    FROM (
        SELECT property, ref AS serial, "table", at, -cents AS cents, cents < 0 AS is_issuance, false AS is_returned
        FROM table_inventory.movements
        WHERE property = :property AND cause = 'counter_check' AND ref {which}
        UNION ALL
        SELECT s.property, s.serial, s."table", s.at, s.cents, {replacement}, s.what = 'returned'
        FROM table_inventory.check_steps s
        WHERE s.property = :property AND s.serial {which}) i
    LEFT JOIN table_inventory.counter_checks c USING (property, serial)
    LEFT JOIN table_inventory.patron_checks p USING (property, serial)
    GROUP BY i.property, i.serial"""

_ON_HAND: Final = text(
    f"{_CHECKS.format(which='> :after', replacement=IS_REPLACEMENT)} "
    "HAVING sum(i.cents) > 0 ORDER BY i.serial LIMIT :limit"
)
_OF_SERIALS: Final = text(_CHECKS.format(which="= ANY(:serials)", replacement=IS_REPLACEMENT))


async def checks_on_hand(
    connection: AsyncConnection, property_name: str, after: str, limit: int
) -> Sequence[CounterCheck]:
    """Return the counter checks with an outstanding amount, by serial number."""
    asked = {"property": property_name, "after": after, "limit": limit}
    return await things_of(CounterCheck, connection, _ON_HAND, asked)


async def find_checks(
    connection: AsyncConnection, property_name: str, serials: Sequence[str]
) -> dict[str, CounterCheck]:
    """Return the existing counter checks with these serial numbers, by serial number."""
    asked = {"property": property_name, "serials": list(serials)}
    return {check.serial: check for check in await things_of(CounterCheck, connection, _OF_SERIALS, asked)}


async def checks_like(connection: AsyncConnection, property_name: str, typed: str) -> list[CounterCheck]:
    """Return counter checks whose serial number equals `typed` or ends with it, ignoring case; at most 20."""
    query = references_like(counter_checks, "serial", property_name, typed)
    serials = [row.serial for row in await connection.execute(query)]
    found = await find_checks(connection, property_name, serials)
    return [found[serial] for serial in serials if serial in found]


async def find_check(connection: AsyncConnection, property_name: str, serial: str) -> CounterCheck:
    """Return a counter check. Raises: Rejected if it does not exist."""
    found = await find_checks(connection, property_name, [serial])
    if serial not in found:
        raise Rejected(Reason.NOT_FOUND, f"no counter check {serial} was issued at {property_name}")
    return found[serial]


async def find_redemption(connection: AsyncConnection, property_name: str, step: int) -> Redemption:
    """Return the payment (redemption or recovery) with a step number. Raises: Rejected if it does not exist."""
    query = rows_of(check_steps, property=property_name, step=step)
    row = (await connection.execute(query.where(check_steps.c.what.in_(("redeemed", "recovered"))))).one_or_none()
    if row is None:
        detail = f"there is no redemption {step} at {property_name}, nor a recovery"
        raise Rejected(Reason.NOT_FOUND, detail)
    undone = (await connection.execute(rows_of(check_steps, property=property_name, undoes=step))).first()
    return thing_of(
        Redemption,
        row,
        cents=-row.cents if row.recovery_cents is None else row.recovery_cents,
        undone=None if undone is None else undone.what.removeprefix("recovery_"),
    )
