"""Read open input: missing events and quarantined records, of this service and of round settlement."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.upstream import OpenInput
from shared.runtime.rows import things_of

# A quarantined record leaves a gap in its stream. The gap is not counted as missing events, because the record itself
# is open input until it is mended or dismissed.
_OPEN: Final = text("""
    WITH own AS (
        SELECT 'table inventory' AS of, g.source, sum(g.last - g.first + 1)::bigint - (
                   SELECT count(DISTINCT q.sequence) FROM table_inventory.quarantine q
                   JOIN table_inventory.gaps o ON o.source = q.source AND q.sequence BETWEEN o.first AND o.last
                   WHERE q.source = g.source) AS missing,
               CAST(NULL AS text) AS reason
        FROM table_inventory.gaps g GROUP BY g.source
        UNION ALL
        SELECT 'table inventory', coalesce(source, encode(key, 'escape')), 0, reason
        FROM table_inventory.quarantine WHERE resolved_at IS NULL)
    SELECT * FROM own
    WHERE (missing > 0 OR reason IS NOT NULL)
      AND (source IS NULL OR source NOT LIKE '/properties/%' OR starts_with(source, :stream))
    UNION ALL
    SELECT 'round settlement', source, missing, NULL FROM (
        SELECT g.source, sum(CASE WHEN g.is_open THEN g.last - g.first + 1 - r.refused ELSE -1 END)::bigint AS missing
        FROM table_inventory.upstream_gaps g
        CROSS JOIN LATERAL (
            SELECT count(DISTINCT q.sequence) AS refused FROM table_inventory.upstream_quarantine q
            WHERE q.source = g.source AND q.sequence BETWEEN g.first AND g.last AND NOT q.is_mended) r
        WHERE g.property IS NULL OR g.property = :property
        GROUP BY g.source) s
    WHERE missing > 0
    UNION ALL
    SELECT 'round settlement', source, 0, reason FROM table_inventory.upstream_quarantine
    WHERE NOT is_closed AND (property IS NULL OR property = :property)
    ORDER BY 1, 2, 4""")


async def open_input(connection: AsyncConnection, property_name: str) -> list[OpenInput]:
    """Return the open input of a property, and open input whose property is unknown."""
    asked = {"property": property_name, "stream": f"/properties/{property_name}/"}
    return await things_of(OpenInput, connection, _OPEN, asked)
