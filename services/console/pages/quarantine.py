"""Pages of the quarantine: records that services refused, the commands for each, and pending dismissals."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.choices import properties_of
from services.console.console import Asked, Person, page
from services.console.listing import Act, Listed, Record, cols, listed
from services.console.pages.days import zone_of
from services.console.services import Missing, Refused, path, together
from services.console.words import say

_COLUMNS: Final = (
    *("quarantine", "listed_under", "topic", "source", "sequence", "reason"),
    *("quarantined_at", "stops", "resolved_at"),
)


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/quarantine")

    @router.get("")
    async def quarantine(request: Request, person: Asked, property: str, status: str = "open") -> Response:
        names = person.console.operations.services_with("ask-replay")
        asked = {"status": status, "listed_under": property, "known": list(await properties_of(person))}
        answers = await together(*(person.calls.get_page(name, "/quarantine", **asked) for name in names))
        lists = [
            listed(
                f"services.{name}",
                answer,
                cols(*_COLUMNS),
                link=lambda one, name=name: path("p", property, "quarantine", name, one["quarantine"]),  # type: ignore[misc]
                more=_together(name, property, answer),
            )
            for name, answer in _readable(dict(zip(names, answers, strict=True))).items()
        ]
        return page(
            request,
            "quarantine.html",
            person,
            title=say("quarantine.title"),
            lead=say("quarantine.lead"),
            more=[],
            lists=[await _dismissals(person, names, property), *lists],
            zone=await zone_of(person, property),
            chosen=status,
            statuses=person.console.operations.choices("/quarantine", "status", *names) or (status,),
        )

    @router.get("/{service}/{quarantine}")
    async def one(request: Request, person: Asked, property: str, service: str, quarantine: str) -> Response:
        if service not in person.console.services.urls:
            raise Refused(service, 404, {"title": say("refused.service"), "detail": service})
        found = await person.calls.get(service, path("quarantine", quarantine))
        named: Sequence[str] = found.get("listed_under") or ()
        if property not in named and not {property, *await properties_of(person)}.isdisjoint(named):
            detail = say("quarantine.elsewhere", number=quarantine, property=property)
            raise Refused(service, 404, {"title": say("quarantine.none"), "detail": detail})
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


def _readable(answers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answers of the services that this person may read; if there are none, all answers."""
    allowed = {
        name: answer
        for name, answer in answers.items()
        if not isinstance(answer, Missing) or answer.status != HTTPStatus.FORBIDDEN
    }
    return allowed or answers


async def _dismissals(person: Person, names: Sequence[str], property_name: str) -> Listed:
    """Return the bulk dismissals of all services, pending ones first, with the commands that decide them."""
    answers = await together(*(person.calls.get_all(name, "/quarantine/dismissals") for name in names))
    missing = [one for one in answers if isinstance(one, Missing)]
    found: list[Record] = [
        {**one, "service": name}
        for name, answer in zip(names, answers, strict=True)
        for one in answer or ()
        if one.get("property") in (property_name, None)
    ]
    found.sort(key=lambda one: (one["decision"] != "asked", one["asked_at"]))
    columns = cols(
        *("dismissal", "service", "records", "property", "topic", "reason_contains", "before", "until", "reason"),
        *("asked_by", "asked_at", "decision", "decided_by", "decided_at"),
    )
    answer = missing[0] if len(missing) == len(answers) and missing else found
    return listed("quarantine.dismissals", answer, columns, acts=lambda one: _decisions(one, property_name))


def _decisions(one: Record, property_name: str) -> list[Act]:
    """Return the commands that decide a bulk dismissal; none if it is decided already."""
    if one["decision"] != "asked":
        return []
    values = {"property": property_name, "dismissal": one["dismissal"]}
    return [Act(one["service"], name, values) for name in ("approve-dismissal", "reject-dismissal")]


def _together(service: str, property_name: str, answer: Any) -> list[Act]:
    """Return the command that dismisses the listed records in bulk; records that arrive later are not included."""
    rows: Sequence[Mapping[str, Any]] = answer["items"] if answer else ()
    if not rows:
        return []
    last = max(one["quarantine"] for one in rows)
    return [Act(service, "request-dismissal", {"property": property_name, "until": last})]
