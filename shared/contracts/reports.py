"""The stage of a gaming day, the read position in a journal, and percentages."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Annotated, Final

from pydantic import BaseModel, StringConstraints

from shared.contracts.envelope import canonical

Percent = Annotated[str, StringConstraints(pattern=r"^-?\d+\.\d{2}$")]
"""A percentage with two decimals; the name of its field ends in `_percent`."""


def percent_of(part: int | Fraction, whole: int) -> Percent | None:
    """Return a part as a percentage of a whole, rounded half away from zero; None if the whole is 0.

    >>> percent_of(400, 900), percent_of(-1, 800), percent_of(-1, 10**6), percent_of(1, 0)
    ('44.44', '-0.13', '0.00', None)
    """
    if whole == 0:
        return None
    above, below = abs(part.numerator), abs(part.denominator * whole)  # integers: a page has thousands of these
    steps = (20_000 * above + below) // (2 * below)
    sign = "-" if steps and (part < 0) is not (whole < 0) else ""
    return f"{sign}{steps // 100}.{steps % 100:02}"


def rows_sha256(rows: Sequence[BaseModel]) -> str:
    """Return the SHA-256 of rows as JSON with sorted keys and without white space, in hexadecimal."""
    return sha256(canonical([row.model_dump(mode="json") for row in rows])).hexdigest()


class ReportStatus(StrEnum):
    """The stage of a gaming day, and of every report about it."""

    OPEN = "open"
    """The day is not over."""
    PRELIMINARY = "preliminary"
    """The day is over; it is not sealed, whether revenue audit has checked it or not."""
    FINAL = "final"
    """The day is sealed; later changes are adjusting entries."""
    RESTATED = "restated"
    """Later entries make the report differ from the sealed one."""


_FROM_BEHIND: Final = (ReportStatus.OPEN, ReportStatus.PRELIMINARY, ReportStatus.RESTATED, ReportStatus.FINAL)


def furthest_behind(statuses: Iterable[ReportStatus]) -> ReportStatus:
    """Return the earliest stage among several gaming days; open if there are none.

    >>> furthest_behind([ReportStatus.FINAL, ReportStatus.RESTATED]).value
    'restated'
    """
    return min(statuses, key=_FROM_BEHIND.index, default=ReportStatus.OPEN)


class Reached(BaseModel):
    """The read position in a shard of a service's journal: up to `seq`, with `missing` entries before it."""

    service: str
    shard: int
    seq: int
    missing: int
