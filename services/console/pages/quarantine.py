"""Quarantine: the records that services could not process, what may be done about each, and what waits for approval."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, page
from services.console.listing import Act, cols, listed
from services.console.pages.days import zone_of
from services.console.services import Refused, path, together
from services.console.words import say


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}/quarantine")

    @router.get("")
    async def quarantine(request: Request, person: Asked, property: str, status: str = "open") -> Response:
        names = sorted({service for service, name in person.console.operations.known if name == "ask-replay"})
        answers = await together(*(person.calls.get_page(name, "/quarantine", status=status) for name in names))
        lists = [
            listed(
                f"services.{name}",
                answer,
                cols("quarantine", "topic", "source", "sequence", "reason", "quarantined_at", "stops", "resolved_at"),
                link=lambda one, name=name: path("p", property, "quarantine", name, one["quarantine"]),  # type: ignore[misc]
            )
            for name, answer in zip(names, answers, strict=True)
        ]
        return page(
            request,
            "quarantine.html",
            person,
            title=say("quarantine.title"),
            lead=say("quarantine.lead"),
            more=[],
            lists=lists,
            zone=await zone_of(person, property),
            chosen=status,
        )

    @router.get("/{service}/{quarantine}")
    async def one(request: Request, person: Asked, property: str, service: str, quarantine: str) -> Response:
        if service not in person.console.services.urls:
            raise Refused(service, 404, {"title": say("refused.service"), "detail": service})
        found = await person.calls.get(service, path("quarantine", quarantine))
        here = {"quarantine": quarantine, "property": property}
        requests = listed(
            "quarantine.requests",
            found.get("requests") or [],
            cols("request", "action", "reason", "asked_by", "asked_at", "decision", "decided_by", "decided_at"),
            acts=lambda each: (
                [
                    Act(service, "approve-quarantine-request", {**here, "request": each["request"]}),
                    Act(service, "reject-quarantine-request", {**here, "request": each["request"]}),
                ]
                if each["decision"] == "asked"
                else []
            ),
        )
        acts = [
            Act(service, "ask-replay", {**here, "mended": found.get("value_text") or ""}),
            Act(service, "ask-dismissal", here),
        ]
        return page(
            request,
            "quarantined.html",
            person,
            title=say("quarantine.one", number=quarantine),
            lead="",
            more=[] if found.get("resolved_at") else acts,
            lists=[requests],
            zone=await zone_of(person, property),
            found=found,
        )

    return router
