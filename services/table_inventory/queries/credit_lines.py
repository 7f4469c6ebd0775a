"""Read patrons' credit lines: terms, unpaid counter checks, and requested changes."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.credit_lines import CreditLine, CreditLineRequest, PatronCheck
from services.table_inventory.domain.pit import PreparedCheck
from services.table_inventory.queries.checks import IS_REPLACEMENT
from services.table_inventory.tables import counter_checks, credit_line_requests, credit_lines, patron_checks
from shared.contracts.credit_lines import CreditLineTerms
from shared.contracts.rejection import Reason, Rejected
from shared.journal import bulk
from shared.rules.errors import Refused
from shared.runtime.rows import find_row, rows_of, thing_of, things_of

_UNCLEARED: Final = """
    s.what IN ('redeemed', 'recovered') AND s.paid_in IN ('deposit', 'check') AND NOT EXISTS (
        SELECT FROM table_inventory.check_steps u WHERE u.property = s.property AND u.undoes = s.step)"""
"""SQL condition: a step `s` is a payment that a bank may still return."""

_CHECKS: Final = """
    SELECT n.property, n.serial, coalesce(p.patron, c.drawer) AS patron, p."table", p.gaming_day, p.shift,
           p.prepared_by, p.prepared_at, p.voided_by, coalesce(c.cents, p.cents) + s.replacement_cents AS cents,
           CASE WHEN p.voided_at IS NOT NULL THEN 'void' WHEN c.serial IS NULL THEN 'prepared' ELSE 'issued' END
               AS status,
           CASE WHEN p.voided_at IS NOT NULL THEN 0 ELSE coalesce(c.cents, p.cents) + s.cents END AS left_cents,
           s.uncleared_cents, s.is_returned,
           coalesce((SELECT sum(w.cents - w.recovered_cents) FROM table_inventory.check_write_offs w
                     WHERE w.property = n.property AND w.serial = n.serial AND w.status = 'approved'
                       AND w.write_off_kind = 'uncollectible'), 0) + s.uncleared_recovery_cents AS written_off_cents
    FROM ({named}) n
    LEFT JOIN table_inventory.patron_checks p USING (property, serial)
    LEFT JOIN table_inventory.counter_checks c USING (property, serial)
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(s.cents), 0) AS cents,
               coalesce(sum(s.cents) FILTER (WHERE {replacement}), 0) AS replacement_cents,
               coalesce(bool_or(s.what = 'returned'), false) AS is_returned,
               coalesce(-sum(s.cents) FILTER (WHERE {uncleared}), 0) AS uncleared_cents,
               coalesce(sum(s.recovery_cents) FILTER (WHERE w.write_off_kind = 'uncollectible' AND {uncleared}), 0)
                   AS uncleared_recovery_cents
        FROM table_inventory.check_steps s
        LEFT JOIN table_inventory.check_write_offs w USING (property, check_write_off)
        WHERE s.property = n.property AND s.serial = n.serial) s
    {which}"""
"""SQL query for prepared and issued counter checks; {named} selects their property and serial number."""

_SQL: Final = {"uncleared": _UNCLEARED, "replacement": IS_REPLACEMENT}

_BY_PATRON: Final = """
    SELECT property, serial FROM table_inventory.patron_checks WHERE property = :property AND patron = :patron
    UNION
    SELECT property, serial FROM table_inventory.counter_checks WHERE property = :property AND drawer = :patron"""
_OWED: Final = "WHERE coalesce(p.patron, c.drawer) = :patron AND p.voided_at IS NULL ORDER BY n.serial"
_OF_PATRON: Final = text(_CHECKS.format(**_SQL, named=_BY_PATRON, which=_OWED))
_PREPARED_SERIAL: Final = """
    SELECT property, serial FROM table_inventory.patron_checks WHERE property = :property AND serial = :serial"""
_OF_SERIAL: Final = text(_CHECKS.format(**_SQL, named=_PREPARED_SERIAL, which=""))
_PREPARED: Final = bulk.select(patron_checks)
_WRITE_AGAIN: Final = text("""
    UPDATE table_inventory.patron_checks p SET voided_at = p.voided_at
    FROM unnest(CAST(:properties AS text[]), CAST(:serials AS text[])) g (property, serial)
    WHERE p.property = g.property AND p.serial = g.serial
    RETURNING p.property, p.serial, p.voided_at""")


async def find_credit_line(connection: AsyncConnection, property_name: str, patron: str) -> CreditLine:
    """Return a patron's credit line; its terms are None if no limit was ever approved."""
    key = {"property": property_name, "patron": patron}
    row = (await connection.execute(rows_of(credit_lines, **key))).one_or_none()
    checks = await things_of(PatronCheck, connection, _OF_PATRON, key)
    open_checks = [one for one in checks if one.left_cents + one.uncleared_cents + one.written_off_cents > 0]
    if row is None:
        return CreditLine(property_name, patron, None, open_checks)
    return CreditLine(property_name, patron, thing_of(CreditLineTerms, row), open_checks, row.changed_at)


async def read_credit_lines(
    connection: AsyncConnection, property_name: str, after: str, limit: int
) -> list[CreditLine]:
    """Return at most `limit` credit lines of patrons with terms, ordered by patron, beginning after `after`."""
    c = credit_lines.c
    query = rows_of(credit_lines, property=property_name).where(c.patron > after).order_by(c.patron).limit(limit)
    return [
        await find_credit_line(connection, property_name, row.patron) for row in (await connection.execute(query)).all()
    ]


async def find_patron_check(connection: AsyncConnection, property_name: str, serial: str) -> PatronCheck:
    """Return a prepared counter check. Raises: Rejected if no check was prepared with this serial number."""
    found = await things_of(PatronCheck, connection, _OF_SERIAL, {"property": property_name, "serial": serial})
    if not found:
        raise Rejected(Reason.NOT_FOUND, f"no counter check {serial} was prepared at {property_name}")
    return found[0]


async def is_serial_used(connection: AsyncConnection, property_name: str, serial: str) -> bool:
    """Return whether a counter check with this serial number was prepared or issued, or replaced others."""
    for table in (patron_checks, counter_checks):
        query = rows_of(table, property=property_name, serial=serial)
        if (await connection.execute(query)).first() is not None:
            return True
    return False


async def prepared_checks(
    connection: AsyncConnection, wanted: Collection[tuple[str, str]]
) -> dict[tuple[str, str], PreparedCheck]:
    """Return the given counter checks that were prepared, by (property, serial number)."""
    if not wanted:
        return {}
    rows = await _PREPARED.read(connection, bulk.keyed(_PREPARED, sorted(wanted)))
    return {
        (row.property, row.serial): PreparedCheck(row.table, row.patron, row.cents, row.voided_at is not None)
        for row in rows
    }


async def require_not_void(connection: AsyncConnection, issued: Collection[tuple[str, str]]) -> None:
    """Raise Refused if a check has been voided, in the transaction that records the issuance of these checks.

    The rows of the checks are rewritten unchanged, so that a concurrent command that voids one of them is decided again
    after this transaction.
    """
    if not issued:
        return
    properties, serials = zip(*sorted(issued), strict=True)
    rows = await connection.execute(_WRITE_AGAIN, {"properties": [*properties], "serials": [*serials]})
    for row in rows:
        if row.voided_at is not None:
            raise Refused(f"counter check {row.serial} of {row.property} is void: no table issues it")


def request_of_row(row: Row[Any]) -> CreditLineRequest:
    """Return a requested change to a credit line with its status, from its row."""
    status = "requested" if row.verified_at is None else "verified"
    if row.granted_at is not None:
        status = "approved"
    elif row.declined_at is not None:
        status = "declined"
    return thing_of(CreditLineRequest, row, status=status, approved_by=tuple(row.approved_by or ()))


async def find_credit_line_request(connection: AsyncConnection, property_name: str, request: int) -> CreditLineRequest:
    """Return a requested change with the credit line's current terms. Raises: Rejected if it does not exist."""
    missing = f"there is no credit line request {request} at {property_name}"
    row = await find_row(connection, credit_line_requests, missing, property=property_name, request=request)
    line = await find_credit_line(connection, property_name, row.patron)
    return request_of_row(row).model_copy(update={"terms": line.terms})


is_undecided: Final = credit_line_requests.c.granted_at.is_(None) & credit_line_requests.c.declined_at.is_(None)
"""SQL condition: a requested change to a credit line is undecided."""


async def requests_of_patron(
    connection: AsyncConnection, property_name: str, patron: str
) -> Sequence[CreditLineRequest]:
    """Return the requested changes to a patron's credit line by number."""
    query = rows_of(credit_line_requests, property=property_name, patron=patron)
    return [request_of_row(row) for row in await connection.execute(query.order_by(credit_line_requests.c.request))]
