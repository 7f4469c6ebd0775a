"""Reports: the header that all have alike, how they are answered, and reading them in one snapshot."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import version
from math import floor
from typing import Annotated, Final, TypeVar

from fastapi import Request, Response
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.web.documents import CSV, JSON, UNCHANGED, accepted, entity_tag, respond
from shared.runtime.web.problems import Responses, problems

_GENERATED: Final = {"generated_at", "generated_by"}
"""What differs each time a report is read, and so does not enter its ETag."""


Percent = Annotated[str, StringConstraints(pattern=r"^-?\d+\.\d{2}$")]
"""A percentage with two decimals; the name of its field ends in `_percent`."""


def percent_of(part: int | Fraction, whole: int) -> Percent | None:
    """Return a part as a percentage of a whole, half a step rounded away from zero; None where the whole is 0.

    >>> percent_of(400, 900), percent_of(-1, 800), percent_of(-1, 10**6), percent_of(1, 0)
    ('44.44', '-0.13', '0.00', None)
    """
    if whole == 0:
        return None
    share = Fraction(part) / whole
    steps = floor(abs(share) * 10_000 + Fraction(1, 2))
    sign = "-" if steps and share < 0 else ""
    return f"{sign}{steps // 100}.{steps % 100:02}"


class ReportStatus(StrEnum):
    """How far a gaming day has come, and with it every report about it."""

    OPEN = "open"
    """The day is not over."""
    PRELIMINARY = "preliminary"
    """The day is over; nobody has audited it."""
    AUDITED = "audited"
    """Revenue audit has checked it."""
    FINAL = "final"
    """It is sealed: from now on there are only adjusting entries."""
    RESTATED = "restated"
    """What came after the seal makes another report than the sealed one."""


class ReportHeader(BaseModel):
    """What every report says of itself."""

    title: str
    property: Name
    status: ReportStatus
    generated_at: AwareDatetime
    generated_by: str
    system_version: str = Field(default_factory=lambda: version("pitledger"))
    input_open: int = Field(
        ge=0, description="records of its input that are missing or in quarantine: its figures may still change"
    )


class DayReportHeader(ReportHeader):
    """What a report about one gaming day says of itself."""

    gaming_day: date


class RangeReportHeader(ReportHeader):
    """What a report about several gaming days says of itself; both days are in it."""

    first_day: date
    last_day: date


ReportT = TypeVar("ReportT", bound=ReportHeader)

REPORT: Final[Responses] = UNCHANGED
"""For the `responses` of a route that answers with a report as JSON."""

REPORT_OR_CSV: Final[Responses] = {
    200: {"content": {CSV: {"schema": {"type": "string"}}}},
    **UNCHANGED,
    **problems(Reason.NOT_ACCEPTABLE),
}
"""For the `responses` of a route that answers with a report as JSON or as CSV."""


def report_response(
    request: Request, report: ReportT, *, as_csv: Callable[[ReportT], str] | None = None, name: str = "report"
) -> Response:
    """Return a report with its ETag, or 304: as JSON, or as a CSV file of a name where the caller prefers that.

    The ETag does not depend on when and by whom the report was generated.
    Raises: Rejected where the caller accepts neither.
    """
    offered = (JSON,) if as_csv is None else (JSON, CSV)
    asked = request.headers.get("accept", "")
    media_type = accepted(asked, offered)
    if media_type is None:
        raise Rejected(Reason.NOT_ACCEPTABLE, f"'Accept: {asked}' does not allow {' or '.join(offered)}")
    tag = entity_tag(media_type + report.model_dump_json(exclude=_GENERATED))
    if as_csv is None or media_type == JSON:
        return respond(request, report.model_dump_json(), JSON, tag)
    response = respond(request, as_csv(report), f"{CSV}; header=present", tag)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Give a connection that reads one state of the database, whatever is recorded meanwhile, and writes nothing."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
