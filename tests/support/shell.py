"""A service whose routes end in every way that there is, for the tests of the HTTP shell."""

from typing import Any

import httpx
from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel, ConfigDict

from shared.contracts.rejection import Reason, Rejected
from shared.journal.ledger import Fenced
from shared.rules.errors import Refused
from shared.runtime.http.access import Caller
from shared.runtime.http.app import ReadinessCheck, create_app
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient
from tests.support.identities import KnownTokens


class Wager(BaseModel):
    """A body with one field."""

    model_config = ConfigDict(extra="forbid")

    cents: int


def a_router() -> APIRouter:
    """Routes that end in every way that there is."""
    router = APIRouter()
    errors = {
        "refused": Refused("'double' 12000 exceeds the wager 10000", seat=3, paragraph="§ 633a.10(a)"),
        "form": Refused("unknown field 'x'"),
        "decided": Rejected(Reason.ALREADY_DECIDED, "version 2 was approved already", cites="§ 601a.9"),
        "nothing": Rejected(Reason.NOT_FOUND, "there is no version 9"),
        "fenced": Fenced("shard commands stands at entry 9"),
        "away": TimeoutError("the database"),
    }

    @router.get("/errors/{which}")
    @router.post("/errors/{which}")
    def fail(which: str) -> None:
        raise errors[which]

    @router.post("/wagers/{number}")
    def wager(number: int, wager: Wager) -> int:
        return number + wager.cents

    return router


BEARER = {"Authorization": "Bearer token of ann"}

Recorded = list[tuple[str, str, Reason, str]]
"""The rejections that were recorded: path, person, reason, detail."""


def a_check(found: str | None) -> ReadinessCheck:
    """A check that finds this."""

    async def check() -> str | None:
        return found

    return check


def an_app(metrics: Metrics | None = None, recorded: Recorded | None = None, **found: str | None) -> FastAPI:
    """A service with these routes, whose checks find these, and which ann may call."""

    async def record(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
        if recorded is not None:
            recorded.append((request.url.path, caller.person, reason, detail))

    return create_app(
        service="test",
        version="1",
        metrics=metrics or Metrics(),
        checks={name: a_check(what) for name, what in found.items()},
        identities=KnownTokens({"ann": ()}),
        record_refusal=record,
        router=a_router(),
    )


def ask(app: FastAPI, method: str, path: str, **arguments: Any) -> httpx.Response:
    """One request to a service."""
    with AppClient(app) as client:
        return client.request(method, path, **arguments)
