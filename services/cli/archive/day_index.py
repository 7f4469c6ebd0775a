"""An index of the entries of each property's gaming days; every entry is scanned only once."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from psycopg import Connection

from services.cli.archive.database import ARCHIVED
from services.cli.exits import CheckFailed
from shared.runtime.database_names import role_of

_NAMED: Final = r"""
    coalesce(
        CASE WHEN starts_with(e.source, '/properties/') THEN nullif(split_part(e.source, '/', 3), '') END,
        (SELECT a.property FROM SCHEMA.accounts a WHERE a.account = e.accounts[1]),
        CASE WHEN strpos(e.data::text, '\u') = 0 AND json_typeof(e.data) = 'object' THEN e.data->>'property' END,
        '-')
"""
"""The property that an entry names: in its stream, else in its first posting, else in its data; else `-`.

Data with a Unicode escape are not searched, because PostgreSQL refuses to decode some, such as \\u0000.
"""
_FILED: Final = "CASE WHEN NAMED ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' THEN NAMED ELSE '-' END"
"""The property that an entry belongs to: the property that it names, or `-` if the name is not valid."""
DAY: Final = "coalesce(e.gaming_day, (e.recorded_at AT TIME ZONE 'UTC')::date)"
"""The day that an entry belongs to: its gaming day, or else the date of recording (UTC)."""
_FINITE: Final = (
    "isfinite(e.occurred_at) AND isfinite(e.recorded_at) AND isfinite(coalesce(e.gaming_day, '1970-01-01'))"
)


def property_of(schema: str) -> str:
    """Return the SQL expression for the property that an entry `e` belongs to."""
    return _FILED.replace("NAMED", _NAMED).replace("SCHEMA", schema)


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a day's entries in a shard: number of entries, first and last sequence."""

    service: str
    shard: int
    entries: int
    first: int
    last: int


def scan(connection: Connection[Any]) -> None:
    """Read the entries recorded since the last scan, and index them by property and gaming day.

    Raises: CheckFailed for an entry with an infinite time, which the archive cannot store.
    """
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for service in ARCHIVED:
            schema = role_of(service)
            if connection.execute("SELECT to_regclass(%s)", [f"{schema}.shards"]).fetchone() == (None,):
                continue
            query = f"""
                SELECT s.shard, s.name, s.next_seq - 1, coalesce(d.seq, 0) FROM {schema}.shards s
                LEFT JOIN scanned d ON d.service = %s AND d.shard = s.shard
                WHERE s.next_seq - 1 > coalesce(d.seq, 0) ORDER BY s.shard"""  # noqa: S608 - names of our own
            for shard, name, last, scanned in connection.execute(query.encode(), [service]).fetchall():
                _scan(connection, service, schema, shard, name, scanned, last)


def _scan(
    connection: Connection[Any], service: str, schema: str, shard: int, name: str, scanned: int, last: int
) -> None:
    part = [shard, scanned, last]
    where = f"FROM {schema}.entries e WHERE e.shard = %s AND e.seq > %s AND e.seq <= %s"
    infinite = connection.execute(f"SELECT e.seq {where} AND NOT ({_FINITE}) LIMIT 1".encode(), part).fetchone()
    if infinite is not None:
        raise CheckFailed(f"{service} {name}, entry {infinite[0]}: its time is infinite; nothing is archived")
    named, filed = _NAMED.replace("SCHEMA", schema), _FILED.replace("NAMED", "named")
    # Names are examined once for each, not for each entry: that would take longer than all else.
    query = f"""
        INSERT INTO days
        SELECT %s, %s, {filed} AS filed, gaming_day, sum(entries), sum(with_own), min(first), max(last)
        FROM (SELECT named, gaming_day, count(*) AS entries, count(own_day) AS with_own,
                min(seq) AS first, max(seq) AS last
            FROM (SELECT e.seq, e.gaming_day AS own_day, {named} AS named, {DAY} AS gaming_day {where}) every
            GROUP BY named, gaming_day) named
        GROUP BY filed, gaming_day
        ON CONFLICT (service, shard, property, gaming_day) DO UPDATE SET
            entries = days.entries + excluded.entries, last_seq = excluded.last_seq,
            with_gaming_day = days.with_gaming_day + excluded.with_gaming_day"""  # noqa: S608 - names of our own
    connection.execute(query.encode(), [service, shard, *part])
    if schema == "table_inventory":
        query = f"""
            INSERT INTO sealed SELECT DISTINCT e.data->>'property', e.gaming_day {where}
                AND e.kind = 'day.final' AND e.gaming_day IS NOT NULL ON CONFLICT DO NOTHING"""
        connection.execute(query.encode(), part)
    upsert = "INSERT INTO scanned VALUES (%s, %s, %s) ON CONFLICT (service, shard) DO UPDATE SET seq = excluded.seq"
    connection.execute(upsert, [service, shard, last])


def is_known(connection: Connection[Any], property_name: str) -> bool:
    """Return whether any entry belongs to a property; always true for `-` (no property)."""
    query = "SELECT %(property)s = '-' OR EXISTS (SELECT FROM days WHERE property = %(property)s)"
    return connection.execute(query, {"property": property_name}).fetchone() == (True,)


def due_days(connection: Connection[Any], property_name: str, today: date) -> list[date]:
    """Return a property's past, sealed days that are not archived yet or have entries added since.

    A day needs no seal if none of its entries has a gaming day, because nothing was played.
    """
    query = """
        SELECT d.gaming_day FROM days d WHERE d.property = %(property)s AND d.gaming_day < %(today)s
        GROUP BY d.gaming_day
        HAVING sum(d.entries) IS DISTINCT FROM (
            SELECT m.entries FROM manifests m WHERE m.property = %(property)s AND m.gaming_day = d.gaming_day
            ORDER BY m.number DESC LIMIT 1)
          AND (sum(d.with_gaming_day) = 0 OR %(property)s = '-'
            OR EXISTS (SELECT FROM sealed s WHERE s.property = %(property)s AND s.gaming_day = d.gaming_day))
        ORDER BY d.gaming_day"""
    return [row[0] for row in connection.execute(query, {"property": property_name, "today": today})]


def is_sealed(connection: Connection[Any], property_name: str, day: date) -> bool:
    """Return whether a gaming day is sealed, or has no entry that would need a seal."""
    query = """
        SELECT %(property)s = '-'
            OR EXISTS (SELECT FROM sealed WHERE property = %(property)s AND gaming_day = %(day)s)
            OR NOT EXISTS (
                SELECT FROM days WHERE property = %(property)s AND gaming_day = %(day)s AND with_gaming_day > 0)"""
    found = connection.execute(query, {"property": property_name, "day": day}).fetchone()
    return found == (True,)


def places_of(connection: Connection[Any], property_name: str, day: date) -> list[Place]:
    """Return the positions of the entries of a property's day, ordered by service and shard."""
    query = """
        SELECT service, shard, entries, first_seq, last_seq FROM days WHERE property = %s AND gaming_day = %s
        ORDER BY service, shard"""
    return [Place(*row) for row in connection.execute(query, [property_name, day])]


def entries_of(places: Iterable[Place]) -> int:
    """Return the number of entries at these positions."""
    return sum(place.entries for place in places)
