"""Hand-overs of tables: each shift's periods at a table, and periods in which the clock's shift differed. Pure.

A table's shift ends with the count at which the table is handed over, which may be minutes or hours after the clock's
change of shift. Counts belong to the table's shift, but rounds are recorded with the clock's shift.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol

from sqlalchemy import text

from shared.contracts.property_snapshot import PropertySnapshot

# The periods of each shift, from its last statement: the one with the highest revision.
TIMES: Final = """times AS MATERIALIZED (
        SELECT w.table_name, w.gaming_day, w.shift, CAST(t.said ->> 'since' AS timestamptz) AS after,
               coalesce(CAST(t.said ->> 'until' AS timestamptz), 'infinity') AS until
        FROM (SELECT DISTINCT ON (table_name, gaming_day, data ->> 'shift')
                     table_name, gaming_day, data ->> 'shift' AS shift, data -> 'times' AS times
              FROM reporting.facts
              WHERE property = :property AND kind = 'win.stated' AND recorded_at <= :known_at
                AND gaming_day BETWEEN :begin AND :end
                AND (CAST(:tables AS text[]) IS NULL OR table_name = ANY(:tables))
              ORDER BY table_name, gaming_day, data ->> 'shift', CAST(data ->> 'revision' AS integer) DESC) w
        CROSS JOIN LATERAL jsonb_array_elements(w.times) t(said))"""
"""SQL for the periods in which tables were open in a shift, each after `after` and up to and including `until`."""

OPEN_IN_SHIFTS: Final = text(
    f"""
    WITH {TIMES}
    SELECT table_name, gaming_day, shift, after, least(until, :known_at) AS until FROM times
    ORDER BY table_name, after"""  # noqa: S608 - our own text
)

_INSTANT: Final = timedelta(microseconds=1)
"""The resolution of moments, used to step from a moment to the one just before or after it."""


class OpenInShift(Protocol):
    """A row of OPEN_IN_SHIFTS: a period (`after` excluded, `until` included) in which a table was open in a shift."""

    @property
    def gaming_day(self) -> date: ...

    @property
    def shift(self) -> str: ...

    @property
    def after(self) -> datetime: ...

    @property
    def until(self) -> datetime: ...


class HandedOver(NamedTuple):
    """A period (`after` excluded, `until` included) in which a table's `shift` differed from the shift of the clock."""

    gaming_day: date
    table: str
    after: datetime
    until: datetime
    shift: str


def handed_over_arrays(periods: Iterable[HandedOver]) -> dict[str, list[Any]]:
    """Return periods as the array parameters of `statements.HANDED_OVER`."""
    names = ("handed_days", "handed_tables", "handed_after", "handed_until", "handed_shifts")
    columns = list(zip(*periods, strict=True)) or [()] * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def periods_of_another_shift(place: PropertySnapshot, opened: OpenInShift) -> Iterator[tuple[datetime, datetime]]:
    """Yield the parts of the period `opened` in which the clock's shift differed from the table's.

    If daylight saving time begins or ends in the period, the whole period is yielded, even if the shifts differ only in
    a part of the period.
    """
    after, until = opened.after, opened.until
    if after >= until:
        return
    if after.astimezone(place.zone).utcoffset() != until.astimezone(place.zone).utcoffset():
        yield after, until
        return
    begins = (moment - _INSTANT for moment in place.shifts_begin_at(opened.gaming_day))
    for part in pairwise([after, *(moment for moment in begins if after < moment < until), until]):
        if place.shift_at(part[0] + _INSTANT) != opened.shift:
            yield part
