"""Documents that a caller may have already: tagged by their content or by their version."""

from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from shared.runtime.http import UNCHANGED, document_response
from shared.runtime.http.access import Nobody
from shared.runtime.http.app import create_app
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient


class Account(BaseModel):
    """A document that says when it was read."""

    read_at: datetime
    patron: str | None = None


class Win(BaseModel):
    """A document that is the same while its figure is."""

    win_cents: int


@pytest.fixture
def client() -> Iterator[AppClient]:
    """A service with a document whose figure is that of the query, and one that has a version."""
    router = APIRouter()
    moments = iter(datetime(2026, 11, 21, 9, second, tzinfo=UTC) for second in range(60))

    @router.get("/win", response_model=Win, responses=UNCHANGED)
    async def win(request: Request, cents: int) -> Response:
        return document_response(request, Win(win_cents=cents))

    @router.get("/accounts/{number}", response_model=Account)
    async def account(request: Request, number: int) -> Response:
        return document_response(request, Account(read_at=next(moments)), version=number)

    async def never(*_: object) -> None:
        raise AssertionError("nothing is rejected at the door: these are no commands")

    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=Nobody(),
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        yield client


def ask(client: AppClient, path: str, **headers: str) -> httpx.Response:
    """Read something with these headers."""
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_the_etag_tells_whether_the_content_changed(client: AppClient) -> None:
    """304 for the same, also where it is one of several tags; 200 for another."""
    first = ask(client, "/win?cents=5")
    tag = first.headers["etag"]
    again = ask(client, "/win?cents=5", if_none_match=f'"x", {tag}')
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    assert 200 == ask(client, "/win?cents=6", if_none_match=tag).status_code
    assert ("no-cache", "Accept, Authorization") == (first.headers["cache-control"], first.headers["vary"])


def test_a_document_may_be_tagged_by_its_version(client: AppClient) -> None:
    """The same version is the same document; members without a value are left out."""
    first = ask(client, "/accounts/1")
    assert {"read_at"} == first.json().keys()
    assert 304 == ask(client, "/accounts/1", if_none_match=first.headers["etag"]).status_code
    assert 200 == ask(client, "/accounts/2", if_none_match=first.headers["etag"]).status_code


def test_the_openapi_document_describes_the_tag(client: AppClient) -> None:
    """304 with the header that leads to it."""
    operation = client.get("/openapi.json").json()["paths"]["/win"]["get"]
    assert "ETag" in operation["responses"]["200"]["headers"]
    assert {"200", "304", "422"} == operation["responses"].keys()
    assert "If-None-Match" in [parameter["name"] for parameter in operation["parameters"]]
