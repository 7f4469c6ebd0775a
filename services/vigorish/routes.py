"""The HTTP interface of vigorish: the report, the exceptions, and the lines behind them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import date
from hashlib import sha256
from importlib.metadata import version
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Response, Security
from fastapi.security import HTTPBearer
from pydantic import TypeAdapter
from pydantic_core import to_json

from services.vigorish import reading
from services.vigorish.reading import LineKey
from services.vigorish.reports import ExceptionKind, ExceptionList, LinePage, VigorishReport, exceptions, report
from shared.contracts.envelope import Name, canonical
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.service.run import Parts
from shared.runtime.web.access import caller_with
from shared.runtime.web.unported import problems

ROLE: Final = "report"
"""Who may read."""

Reader = Annotated[str, Depends(caller_with(ROLE))]
PropertyName = Annotated[Name, Query(alias="property", description="the property")]
TableName = Annotated[Name | None, Query(description="only this table")]

_line: TypeAdapter[LineKey] = TypeAdapter(LineKey)


def routes(parts: Parts) -> APIRouter:
    """The routes, reading the database of a running service."""
    bearer = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))
    router = APIRouter(
        prefix="/reports",
        tags=["reports"],
        dependencies=[bearer],
        responses=problems(
            _401="the bearer token is missing or not known",
            _403=f"the caller does not have the role '{ROLE}'",
            _422="the request is malformed",
        ),
    )

    @router.get(
        "/vigorish",
        response_model=VigorishReport,
        summary="Read the vigorish of a property",
        responses={304: {"description": "unchanged"}},
    )
    async def read_vigorish(
        reader: Reader,
        property_name: PropertyName,
        gaming_day: date,
        table: TableName = None,
        if_none_match: Annotated[str, Header(alias="If-None-Match", description="ETags that are known already")] = "",
    ) -> Response:
        """Assessed, collected, waived, returned and outstanding; by table, seat, dealer, shift, and who owes it."""
        async with reading.snapshot(parts.engine) as connection:
            rows = await reading.owed_on(connection, property_name, gaming_day, table)
            missing = await reading.input_open(connection)
        found = report(
            rows,
            property_name=property_name,
            gaming_day=gaming_day,
            system_version=version("pitledger"),
            generated_at=parts.clock(),
            generated_by=reader,
            input_open=missing,
        )
        content = found.model_dump(mode="json", exclude={"generated_at", "generated_by"})
        tag = f'"{sha256(canonical(content)).hexdigest()[:32]}"'
        headers = {"ETag": f"W/{tag}", "Cache-Control": "no-cache"}
        if tag in (one.strip().removeprefix("W/") for one in if_none_match.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(found.model_dump_json(), headers=headers, media_type="application/json")

    @router.get("/exceptions", response_model_exclude_none=True, summary="List vigorish that is not as it must be")
    async def list_exceptions(
        reader: Reader,
        property_name: PropertyName,
        gaming_day: date,
        table: TableName = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
    ) -> ExceptionList:
        """Outstanding at the end of a round, too much or late, and what rate and rounding do not explain."""
        async with reading.snapshot(parts.engine) as connection:
            rows = await reading.owed_on(connection, property_name, gaming_day, table)
            missing = await reading.input_open(connection)
        return ExceptionList(
            property=property_name,
            gaming_day=gaming_day,
            system_version=version("pitledger"),
            generated_at=parts.clock(),
            generated_by=reader,
            input_open=missing,
            items=[item for item in exceptions(rows) if kind is None or item.kind == kind],
        )

    @router.get(
        "/assessments",
        response_model_exclude_none=True,
        summary="List what was assessed, line by line",
        dependencies=[Depends(caller_with(ROLE))],
        responses=problems(_400="the cursor is not one of this service"),
    )
    async def list_assessments(
        property_name: PropertyName,
        gaming_day: date,
        table: TableName = None,
        limit: Annotated[int, Query(ge=1, le=500, description="most items on a page")] = 50,
        cursor: Annotated[str | None, Query(max_length=400, description="`next` of the page before")] = None,
    ) -> LinePage:
        """Base, rate, rounding rule and result of each line, with the entry of the journal that says so."""
        after = None if cursor is None else _after(cursor)
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.lines_after(
                connection, property_name, gaming_day, table=table, after=after, limit=limit + 1
            )
        following = urlsafe_b64encode(to_json(found[limit - 1][0])).decode() if len(found) > limit else None
        return LinePage(items=[item for _, item in found[:limit]], next=following)

    return router


def _after(cursor: str) -> LineKey:
    try:
        return _line.validate_json(urlsafe_b64decode(cursor))
    except ValueError as error:
        raise Rejected(
            Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error
