"""The HTTP interface of reporting: the daily win, the win to date and the exceptions."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response, Security
from fastapi.security import HTTPBearer
from pydantic import AwareDatetime, TypeAdapter

from services.reporting import reading, to_date
from services.reporting.documents import DailyWin, as_csv, daily_win, etag
from services.reporting.exception_list import ExceptionItem, ExceptionKind, Exceptions, ExceptionState
from services.reporting.processing import catch_up
from services.reporting.reading import Place, Wanted
from services.reporting.to_date import Period, WinToDate, first_days, win_to_date
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.service.run import Parts
from shared.runtime.web.access import caller_with
from shared.runtime.web.documents import accepted, is_current
from shared.runtime.web.unported import problems

ROLE = "report"
"""Who may read the reports."""

_JSON = "application/json"
_CSV = "text/csv"


Reader = Annotated[str, Depends(caller_with(ROLE))]
PropertyName = Annotated[Name, Query(alias="property", description="the property")]
GamingDay = Annotated[date, Query(description="the gaming day")]
OnlyTable = Annotated[Name | None, Query(description="only this table")]
OnlyGame = Annotated[Name | None, Query(description="only this game")]

_place: TypeAdapter[Place] = TypeAdapter(tuple[AwareDatetime, str, int, int, int])

_Document = TypeVar("_Document", DailyWin, WinToDate)

_ACCESS = {"_401": "the bearer token is missing or not known", "_403": f"the caller does not have the role '{ROLE}'"}


_REPRESENTATIONS: dict[int | str, dict[str, Any]] = {
    200: {"content": {_CSV: {"schema": {"type": "string"}}}},
    304: {"description": "unchanged"},
    **problems(**_ACCESS, _406="neither JSON nor CSV is accepted"),
}


def routes(parts: Parts) -> APIRouter:
    """The routes, reading the database of a running service."""
    bearer = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))
    router = APIRouter(prefix="/reports", tags=["reports"], dependencies=[bearer])

    @router.get(
        "/daily-win", response_model=DailyWin, summary="Read the daily win of a property", responses=_REPRESENTATIONS
    )
    async def read_daily_win(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        gaming_day: GamingDay,
        table: OnlyTable = None,
        game: OnlyGame = None,
    ) -> Response:
        """By table, game and wager; as JSON, or as CSV with `Accept: text/csv`."""
        representation = _representation(request)
        await catch_up(parts.engine)
        wanted = Wanted(property_name, gaming_day, gaming_day, table, game)
        async with reading.snapshot(parts.engine) as connection:
            report = daily_win(
                property_name=property_name,
                gaming_day=gaming_day,
                table=table,
                game=game,
                wagers=await reading.wager_sums(connection, wanted),
                games=await reading.round_counts(connection, wanted),
                through=await reading.reached(connection),
                exceptions_open=await reading.count_open(connection, property_name),
                system_version=version("pitledger"),
                generated_at=parts.clock(),
                generated_by=reader,
            )
        return _answer(request, report, representation, as_csv, f"daily-win-{property_name}-{gaming_day.isoformat()}")

    @router.get(
        "/win-to-date",
        response_model=WinToDate,
        summary="Read the actual and theoretical win of a property to date",
        responses=_REPRESENTATIONS,
    )
    async def read_win_to_date(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        gaming_day: GamingDay,
        table: OnlyTable = None,
        game: OnlyGame = None,
    ) -> Response:
        """By game and wager, of the day, and of its week, month and year so far; as JSON, or as CSV."""
        representation = _representation(request)
        await catch_up(parts.engine)
        async with reading.snapshot(parts.engine) as connection:
            periods = {}
            for name, first in first_days(gaming_day).items():
                wanted = Wanted(property_name, first, gaming_day, table, game)
                sums = await reading.sums_to_date(connection, wanted)
                periods[name] = Period(first, sums, await reading.wagered_to_date(connection, wanted))
            report = win_to_date(
                property_name=property_name,
                gaming_day=gaming_day,
                table=table,
                game=game,
                periods=periods,
                through=await reading.reached(connection),
                exceptions_open=await reading.count_open(connection, property_name),
                system_version=version("pitledger"),
                generated_at=parts.clock(),
                generated_by=reader,
            )
        name = f"win-to-date-{property_name}-{gaming_day.isoformat()}"
        return _answer(request, report, representation, to_date.as_csv, name)

    @router.get(
        "/exceptions",
        response_model_exclude_none=True,
        summary="List exceptions",
        responses=problems(**_ACCESS, _400="the cursor is not one of this service"),
    )
    async def list_exceptions(
        reader: Reader,
        property_name: Annotated[
            Name | None, Query(alias="property", description="of this property, or of none that is known")
        ] = None,
        state: Annotated[ExceptionState | None, Query(description="only in this state")] = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        limit: Annotated[int, Query(ge=1, le=500, description="most exceptions on a page")] = 100,
        cursor: Annotated[str | None, Query(max_length=400, description="`next` of the page before")] = None,
    ) -> Exceptions:
        """Gaps in streams, refused records, rounds that were taken back, voided or superseded, and notices."""
        await catch_up(parts.engine)
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.find_exceptions(
                connection,
                property_name=property_name,
                state=state,
                kind=kind,
                after=None if cursor is None else _after(cursor),
                limit=limit + 1,
            )
            through = await reading.reached(connection)
        return Exceptions(
            system_version=version("pitledger"),
            generated_at=parts.clock(),
            generated_by=reader,
            through=list(through),
            items=list(found[:limit]),
            next=_cursor(found[limit - 1]) if len(found) > limit else None,
        )

    return router


def _representation(request: Request) -> str:
    asked = request.headers.get("accept", "")
    representation = accepted(asked, (_JSON, _CSV))
    if representation is None:
        raise Rejected(Reason.NOT_ACCEPTABLE, f"'Accept: {asked}' allows neither {_JSON} nor {_CSV}")
    return representation


def _answer(
    request: Request, report: _Document, representation: str, as_csv: Callable[[_Document], str], name: str
) -> Response:
    headers = {"ETag": etag(report, representation), "Vary": "Accept, Authorization", "Cache-Control": "no-cache"}
    if is_current(request.headers.get("if-none-match", ""), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if representation == _JSON:
        return Response(report.model_dump_json(), headers=headers, media_type=_JSON)
    headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return Response(as_csv(report), headers=headers, media_type=f"{_CSV}; header=present")


def _cursor(last: ExceptionItem) -> str:
    place = [last.since.isoformat(), last.entry.service, last.entry.shard, last.entry.seq, last.number]
    return urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode()).decode()


def _after(cursor: str) -> Place:
    try:
        return _place.validate_json(urlsafe_b64decode(cursor))
    except ValueError as error:
        raise Rejected(
            Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error
