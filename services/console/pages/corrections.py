"""Pages of round corrections: the list, a correction with its effect, and the form to propose a correction."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page
from services.console.felt import RoundView, regulation_of
from services.console.felt.record_form import record_fields, record_typed
from services.console.listing import Act, Listed, Record, cols, listed
from services.console.operations import Operation
from services.console.pages.commands import command_form, command_sent
from services.console.pages.days import zone_of
from services.console.pages.rounds import round_view
from services.console.services import INVENTORY, SETTLEMENT, Missing, Refused, or_missing, path, together
from services.console.words import say
from shared.contracts.people import same_person

READERS = ("rounds.read", "rounds.correct", "rounds.correct.approve")
"""The roles that may see corrections; one of them suffices."""

_SEALED = ("final", "restated")
_ROUND: Final = ("property", "table", "round_id")


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}")

    @router.get("/corrections")
    async def corrections(request: Request, person: Asked, property: str) -> Response:
        lists = [await waiting(person, property), *await _decided(person, property)]
        zone = await zone_of(person, property)
        title, lead = say("corrections.title"), say("corrections.lead")
        return page(request, "lists.html", person, title=title, lead=lead, more=[], lists=lists, zone=zone)

    @router.get("/corrections/{number}")
    async def correction(request: Request, person: Asked, property: str, number: int) -> Response:
        found = await person.calls.get(SETTLEMENT, path("corrections", property, number))
        return page(
            request,
            "corrections.html",
            person,
            shown=found,
            days=await restated(person, property, found["restates"]),
            acts=acts_of(found, person.session.person),
        )

    @router.get("/rounds/{table}/{round_id}/correct")
    async def correct(request: Request, person: Asked, property: str, table: str, round_id: str) -> Response:
        """Show the form of a correction, filled with the record in force."""
        operation, given, view = await _proposal(person, property, table, round_id)
        back = path("p", property, "rounds", table, round_id)
        return await command_form(request, person, operation, given, back=back, view=view)

    @router.post("/rounds/{table}/{round_id}/correct")
    async def corrected(request: Request, person: Asked, property: str, table: str, round_id: str) -> Response:
        operation, given, view = await _proposal(person, property, table, round_id)
        return await command_sent(request, person, operation, {name: given[name] for name in _ROUND}, view=view)

    return router


async def _proposal(
    person: Person, property_name: str, table: str, round_id: str
) -> tuple[Operation, dict[str, str], RoundView]:
    """Return the form to correct a round, its initial values (those of the record in force), and the round's data.

    The form has a field for each member of the game's record model, or a single JSON field if the regulation is
    unknown.
    """
    found = await person.calls.get(SETTLEMENT, path("rounds", property_name, table, round_id))
    record, view = _record_of(found), await round_view(person, found)
    given = {"property": property_name, "table": table, "round_id": round_id, "replaces": str(found["revision"])}
    operation = replace(
        person.console.operations.get(SETTLEMENT, "propose-correction"),
        page=path("p", property_name, "rounds", table, round_id, "correct"),
        fixed=frozenset(given),
    )
    fields = record_fields("round", regulation_of(found), record)
    if fields is None:
        return operation, given | {"round": json.dumps(record, indent=2)}, view
    of_body = tuple(fields if one.name == fields.name else one for one in operation.of_body)
    return replace(operation, of_body=of_body), given | dict(record_typed(fields, fields.name, record)), view


async def waiting(person: Person, property_name: str) -> Listed:
    """Return the pending corrections, each with a link to its page."""
    answer = await or_missing(person.calls.get_all(SETTLEMENT, "/corrections", property=property_name, status="asked"))
    return _listed("corrections.waiting", answer, property_name, "proposed_by", "proposed_at", "reason")


async def _decided(person: Person, property_name: str) -> list[Listed]:
    answers = await together(
        *(
            person.calls.get_page(SETTLEMENT, "/corrections", property=property_name, status=status, from_end=True)
            for status in ("approved", "rejected")
        )
    )
    return [
        _listed("corrections.approved", answers[0], property_name, "proposed_by", "decided_by", "decided_at", "effect"),
        _listed(
            "corrections.rejected",
            answers[1],
            property_name,
            "proposed_by",
            "decided_by",
            "decided_at",
            "decision_reason",
        ),
    ]


def _listed(name: str, answer: Any, property_name: str, *more: str) -> Listed:
    columns = cols("correction", "table", "round_id", "gaming_day", *more)
    return listed(name, answer, columns, link=lambda one: path("p", property_name, "corrections", one["correction"]))


def acts_of(one: Record, person: str) -> list[Act]:
    """Return the commands by which a person may decide a correction; none for the person's own or a decided one."""
    if one["status"] != "asked" or same_person(one["proposed_by"], person):
        return []
    values = {"property": one["property"], "correction": one["correction"]}
    names = ("approve-correction", "reject-correction") if one["stands"] else ("reject-correction",)
    return [Act(SETTLEMENT, name, values) for name in names]


async def restated(person: Person, property_name: str, days: Sequence[str]) -> list[Record]:
    """Return a record per gaming day that a change restates, with `sealed` or, if unknown, the reason `why`."""
    answers = await together(*(person.calls.get(INVENTORY, path("gaming-days", property_name, day)) for day in days))
    return [_restated(day, answer) for day, answer in zip(days, answers, strict=True)]


def _restated(day: str, answer: Any) -> Record:
    """Return the record of a restated gaming day, with `sealed` or, if that is unknown, the reason `why`."""
    if isinstance(answer, Missing):
        return {"day": day, "sealed": False, "why": answer.why}
    return {"day": day, "sealed": answer["status"] in _SEALED, "why": ""}


def _record_of(found: Record) -> Any:
    """Return a round's record in force. Raises: Refused if no revision is in force."""
    for entry in found["entries"]:
        if (entry["shard"], entry["seq"]) == (found.get("shard"), found.get("seq")):
            return entry["data"]["record"]
    raise Refused(SETTLEMENT, 409, {"title": say("corrections.void"), "detail": say("corrections.void_why")})
