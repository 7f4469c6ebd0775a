"""Reports: their header, their ETag, and the form in which they are answered."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from importlib.metadata import version
from typing import Annotated

import httpx
import pytest
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from shared.contracts.reports import DayReportHeader, ReportStatus
from shared.runtime.metrics import Metrics
from shared.runtime.web import REPORT_OR_CSV, document_response, report_response
from shared.runtime.web.app import create_app
from tests.support.asgi import AppClient


class Win(DayReportHeader):
    """A report."""

    title: str = "Win"
    win_cents: int


class Account(BaseModel):
    """A document that says when it was read."""

    read_at: datetime
    patron: str | None = None


def as_csv(report: Win) -> str:
    """A report of one figure."""
    return f"win_cents\r\n{report.win_cents}\r\n"


@pytest.fixture
def client() -> Iterator[AppClient]:
    """A service with a report, whose figure and reader are those of the query, and a document that has a version."""
    router = APIRouter()
    moments = iter(datetime(2026, 11, 21, 9, second, tzinfo=UTC) for second in range(60))

    @router.get("/win", response_model=Win, responses=REPORT_OR_CSV)
    async def win(request: Request, cents: int, reader: Annotated[str, Query()] = "ann") -> Response:
        report = Win(
            property="riverbend",
            gaming_day=date(2026, 11, 20),
            status=ReportStatus.PRELIMINARY,
            generated_at=next(moments),
            generated_by=reader,
            input_open=0,
            win_cents=cents,
        )
        return report_response(request, report, as_csv=as_csv, name="win-riverbend")

    @router.get("/accounts/{number}", response_model=Account)
    async def account(request: Request, number: int) -> Response:
        return document_response(request, Account(read_at=next(moments)), version=number)

    async def never(*_: object) -> None:
        raise AssertionError("nothing is rejected at the door: these are no commands")

    app = create_app(
        service="test", version="1", metrics=Metrics(), checks={}, callers=(), record_refusal=never, router=router
    )
    with AppClient(app) as client:
        yield client


def ask(client: AppClient, path: str = "/win?cents=5", **headers: str) -> httpx.Response:
    """Read something with these headers."""
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_a_report_says_where_it_comes_from(client: AppClient) -> None:
    """All have these members alike."""
    assert {
        "title": "Win",
        "property": "riverbend",
        "gaming_day": "2026-11-20",
        "status": "preliminary",
        "generated_at": "2026-11-21T09:00:00Z",
        "generated_by": "ann",
        "system_version": version("pitledger"),
        "input_open": 0,
        "win_cents": 5,
    } == ask(client).json()


def test_the_etag_tells_whether_the_figures_changed(client: AppClient) -> None:
    """Not when and by whom the report was read: 304 for the same figures, 200 for others, and apart for each form."""
    first = ask(client)
    tag = first.headers["etag"]
    again = ask(client, "/win?cents=5&reader=bob", if_none_match=f'"x", {tag}')
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    assert 200 == ask(client, "/win?cents=6", if_none_match=tag).status_code
    assert 200 == ask(client, if_none_match=tag, accept="text/csv").status_code
    assert ("no-cache", "Accept, Authorization") == (first.headers["cache-control"], first.headers["vary"])


def test_a_report_is_a_csv_file_where_that_is_preferred(client: AppClient) -> None:
    """With a name to save it under."""
    response = ask(client, accept="text/csv, application/json;q=0.5")
    assert "win_cents\r\n5\r\n" == response.text
    assert response.headers["content-type"].startswith("text/csv; header=present")
    assert 'attachment; filename="win-riverbend.csv"' == response.headers["content-disposition"]


def test_a_form_that_there_is_not_is_a_problem(client: AppClient) -> None:
    """406, and which forms there are."""
    response = ask(client, accept="image/png")
    assert (406, "urn:pitledger:problem:not-acceptable") == (response.status_code, response.json()["type"])
    assert "'Accept: image/png' does not allow application/json or text/csv" == response.json()["detail"]


def test_a_document_may_be_tagged_by_its_version(client: AppClient) -> None:
    """The same version is the same document; members without a value are left out."""
    first = ask(client, "/accounts/1")
    assert {"read_at"} == first.json().keys()
    assert 304 == ask(client, "/accounts/1", if_none_match=first.headers["etag"]).status_code
    assert 200 == ask(client, "/accounts/2", if_none_match=first.headers["etag"]).status_code


def test_the_openapi_document_describes_the_forms(client: AppClient) -> None:
    """JSON and CSV, 304 with the header that leads to it, and 406."""
    operation = client.get("/openapi.json").json()["paths"]["/win"]["get"]
    assert {"application/json", "text/csv"} == operation["responses"]["200"]["content"].keys()
    assert "ETag" in operation["responses"]["200"]["headers"]
    assert {"200", "304", "406", "422"} == operation["responses"].keys()
    assert "If-None-Match" in [parameter["name"] for parameter in operation["parameters"]]
