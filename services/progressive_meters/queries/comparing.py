"""Compare tables' meter readings with the ledger; the database sums the movements.

Most readings equal the ledger's display right before the movement of their own round. The database sums the movements
in the order of events, using an index, and returns the readings that differ; only these are examined one by one. The
result of each hour is stored together with the number of the pool's last movement, so that a later comparison covers
only the hours that movements have affected since.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.compared import BEGINNING, END, Compared, HourKey, Span, hour_of, outdated
from services.progressive_meters.domain.comparison import Difference, Reading, Step, differences
from services.progressive_meters.domain.reconciling import ExceptionItem, reading_exception
from services.progressive_meters.queries import statements
from services.progressive_meters.tables import compared_hours, compared_pools
from shared.journal.bulk import insert, replaced
from shared.runtime.differences import Rows
from shared.runtime.rows import rows_of

_KEEP: Final = insert(compared_hours)
_KEEP_POOLS: Final = insert(compared_pools, on_conflict=replaced(compared_pools))
_DIFFERENT: Final = TypeAdapter(tuple[ExceptionItem, ...])

Found = dict[HourKey, Compared]


async def compare_all(
    connection: AsyncConnection, property_name: str, gaming_day: date, totals: Mapping[str, int]
) -> dict[str, Compared]:
    """Compare all readings of a gaming day with the ledger, and return the result for each pool.

    `totals` has each pool's current display, as the sum of its movements (nanocents).
    """
    spans = [Span(pool, BEGINNING, END) for pool in totals]
    return _by_pool(await _compare(connection, property_name, spans, totals, gaming_day))


async def compare_moved(
    connection: AsyncConnection, property_name: str, gaming_day: date, totals: Mapping[str, int]
) -> dict[str, Compared]:
    """Return the comparison of a gaming day for each pool, using stored results for hours without later movements."""
    spans, _ = await _outdated(connection, property_name)
    by_pool: dict[str, list[Span]] = {}
    for span in spans:
        by_pool.setdefault(span.pool, []).append(span)
    found: Found = {}
    for row in await connection.execute(rows_of(compared_hours, property=property_name, gaming_day=gaming_day)):
        if not any(row.hour in span for span in by_pool.get(row.pool, ())):
            found[HourKey(row.pool, row.gaming_day, row.hour)] = _kept(row)
    return _by_pool(found | await _compare(connection, property_name, spans, totals, gaming_day))


async def keep(connection: AsyncConnection, property_name: str, totals: Mapping[str, int]) -> int:
    """Compare the hours affected since the last comparison, store the results and return the number of pools moved."""
    spans, pools = await _outdated(connection, property_name)
    if not spans:
        return 0
    found = await _compare(connection, property_name, spans, totals, None)
    await connection.execute(statements.FORGET, _parameters(property_name, spans))
    await _KEEP.write(connection, [{"property": property_name, **_row(*one)} for one in found.items()])
    await _KEEP_POOLS.write(connection, [{"property": property_name, **pool} for pool in pools])
    return len(pools)


def _row(key: HourKey, one: Compared) -> dict[str, Any]:
    listed = dict(zip(("movements", "display", "reserve", "overflow"), one.listed, strict=True))
    different = _DIFFERENT.dump_json(one.different, exclude_none=True).decode() if one.different else None
    return {**key._asdict(), **listed, "readings": one.readings, "different": different}


def _kept(row: Any) -> Compared:
    different = () if row.different is None else _DIFFERENT.validate_python(row.different)
    return Compared(row.readings, _listed(row), different)


def _listed(row: Any) -> tuple[int, int, int, int]:
    return (row.movements, int(row.display), int(row.reserve), int(row.overflow))


def _by_pool(found: Found) -> dict[str, Compared]:
    sums: dict[str, Compared] = {}
    for key, one in found.items():
        sums[key.pool] = sums.get(key.pool, Compared()) + one
    return sums


async def compare_kept(connection: AsyncConnection, property_name: str, totals: Mapping[str, int]) -> tuple[Rows, Rows]:
    """Return two sets of rows for the hours with current results: as stored, and as computed anew."""
    spans, _ = await _outdated(connection, property_name, marked=False)
    whole = [Span(pool, BEGINNING, END) for pool in totals]

    def still(found: Mapping[HourKey, Mapping[str, Any]]) -> Rows:
        return {
            (property_name, *key): row
            for key, row in found.items()
            if not any(span.pool == key.pool and key.hour in span for span in spans)
        }

    kept = {
        HourKey(row.pool, row.gaming_day, row.hour): _row(HourKey(row.pool, row.gaming_day, row.hour), _kept(row))
        for row in await connection.execute(rows_of(compared_hours, property=property_name))
    }
    found = await _compare(connection, property_name, whole, totals, None)
    return still(kept), still({key: _row(key, one) for key, one in found.items()})


async def _outdated(
    connection: AsyncConnection, property_name: str, *, marked: bool = True
) -> tuple[list[Span], list[dict[str, Any]]]:
    """Return the spans of hours with outdated results, and the number of the last movement of each pool concerned.

    With `marked`, all hours of a pool also count as outdated if a rebuild has rewritten the pool's movements.
    """
    spans: list[Span] = []
    pools: list[dict[str, Any]] = []
    since: dict[str, int] = {}
    for row in await connection.execute(statements.POOLS, {"property": property_name}):
        is_known = row.compared is not None and row.compared <= row.number
        is_known = is_known and not (marked and row.compared_mark != row.mark)
        if is_known and row.compared == row.number:
            continue
        pools.append({"pool": row.pool, "number": row.number, "mark": row.mark})
        if is_known:
            since[row.pool] = row.compared
        else:
            spans.append(Span(row.pool, BEGINNING, END))
    if since:
        asked = {"property": property_name, "pools": list(since), "numbers": list(since.values())}
        again: dict[str, list[datetime]] = {}
        for pool, at in await connection.execute(statements.ROUNDS_AGAIN, asked):
            again.setdefault(pool, []).append(at)
        for pool, at, often in await connection.execute(statements.FIRST_MOVED, asked):
            spans += [Span(pool, BEGINNING, END)] if often else outdated(pool, at, again.get(pool, ()))
    return spans, pools


async def _compare(
    connection: AsyncConnection,
    property_name: str,
    spans: Sequence[Span],
    totals: Mapping[str, int],
    gaming_day: date | None,
) -> Found:
    """Compare the readings in these spans, on one gaming day if given, and return the result for each hour."""
    whole = [] if gaming_day is None else [span for span in spans if span.begins == BEGINNING]
    parts = [span for span in spans if span not in whole]
    found: Found = {}
    read: dict[tuple[str, datetime], Span] = {}
    for of, counted, listed in (
        (whole, statements.COUNTED_OF_DAY, statements.LISTED_OF_DAY),
        (parts, statements.COUNTED, statements.LISTED),
    ):
        if not of:
            continue
        asked = _parameters(property_name, of) | {"gaming_day": gaming_day}
        for row in await connection.execute(counted, asked):
            found[HourKey(row.pool, row.gaming_day, row.hour)] = Compared(row.readings)
            place = (row.pool, BEGINNING if of is whole else row.begins)
            before = read.get(place) or Span(row.pool, row.hour, row.last)
            read[place] = Span(row.pool, min(before.begins, row.hour), max(before.ends, row.last))
        for row in await connection.execute(listed, asked):
            key = HourKey(row.pool, row.gaming_day, row.hour)
            found[key] = found.get(key, Compared()) + Compared(listed=_listed(row))
    for difference in await _differences(connection, property_name, list(read.values()), totals, gaming_day):
        reading = difference.reading
        key = HourKey(reading.pool, reading.gaming_day, hour_of(reading.closed_at))
        found[key] += Compared(different=(reading_exception(difference),))
    return found


async def _differences(
    connection: AsyncConnection,
    property_name: str,
    spans: Sequence[Span],
    totals: Mapping[str, int],
    gaming_day: date | None,
) -> list[Difference]:
    """Return the readings in these spans that differ from the ledger; for `totals` see `compare_all`."""
    if not spans:
        return []
    asked = _parameters(property_name, spans) | {"totals": [totals[one.pool] for one in spans]}
    readings: dict[str, list[Reading]] = {}
    for row in await connection.execute(statements.NOT_EXPLAINED, asked | {"gaming_day": gaming_day}):
        readings.setdefault(row.pool, []).append(Reading(*row))
    return [] if not readings else await different_of(connection, property_name, readings, totals)


async def different_of(
    connection: AsyncConnection,
    property_name: str,
    readings: Mapping[str, Collection[Reading]],
    totals: Mapping[str, int],
) -> list[Difference]:
    """Examine the given readings, by pool, and return those that differ from the ledger.

    For `totals` see `compare_all`.
    """
    spans = [
        Span(pool, min(one.opened_at for one in read), max(one.closed_at for one in read))
        for pool, read in readings.items()
    ]
    asked = _parameters(property_name, spans)
    since = {pool: int(display) for pool, display in await connection.execute(statements.SINCE, asked)}
    steps: dict[str, list[Step]] = {}
    for row in await connection.execute(statements.STEPS, asked):
        step = Step(row.at, row.number, row.table, row.round_id, int(row.display))
        steps.setdefault(row.pool, []).append(step)
    return [
        difference
        for pool, read in readings.items()
        for difference in differences(list(read), totals[pool] - since.get(pool, 0), steps.get(pool, ()))
    ]


def _parameters(property_name: str, spans: Sequence[Span]) -> dict[str, Any]:
    return {
        "property": property_name,
        "pools": [one.pool for one in spans],
        "begins": [one.begins for one in spans],
        "ends": [one.ends for one in spans],
    }
