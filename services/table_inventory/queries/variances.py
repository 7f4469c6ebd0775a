"""Read the cases of variances: their owners, and how they were resolved."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import text

from services.table_inventory.domain.variances import VarianceName
from shared.runtime.snapshot_reader import Executes

_CASES: Final = text("""
    SELECT c."table", c.variance, c.number, c.owner, c.owned_at, c.resolved_cents, c.resolved_by_instrument,
           c.resolved_at, c.conclusion
    FROM unnest(CAST(:tables AS text[]), CAST(:variances AS text[]), CAST(:numbers AS bigint[]))
        w ("table", variance, number)
    JOIN table_inventory.variance_cases c ON c.property = :property
        AND (c."table", c.variance, c.number) = (w."table", w.variance, w.number)""")


async def cases_of(
    connection: Executes, property_name: str, wanted: Iterable[VarianceName]
) -> dict[VarianceName, Mapping[str, Any]]:
    """Return the cases of the given variances at a property, by variance.

    A case is a row with owner, conclusion and resolved amounts. Only variances with an owner have a case. A case has no
    gaming day, because the day of its variance may change.
    """
    names = list(wanted)
    if not names:
        return {}
    tables, kinds, numbers = map(list, zip(*names, strict=True))
    asked = {"property": property_name, "tables": tables, "variances": kinds, "numbers": numbers}
    rows = await connection.execute(_CASES, asked)
    return {VarianceName(row.table, row.variance, row.number): row._asdict() for row in rows}
