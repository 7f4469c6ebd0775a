"""Pit events of a table, and their corrections and voids, which one person proposes and another approves."""

import json
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page
from services.console.listing import Act, Listed, Record, cols, listed
from services.console.pages.commands import command_form
from services.console.pages.corrections import restated
from services.console.pages.days import zone_of
from services.console.services import INVENTORY, or_missing, path, together
from services.console.words import say
from shared.contracts.people import same_person

READERS: Final = ("reports.read", "pit.correct", "pit.correct.approve")
"""The roles of which one is enough to see pit events and their changes."""


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}")

    @router.get("/pit-events/{table}")
    async def events(
        request: Request, person: Asked, property: str, table: str, day: str = "", cursor: str = ""
    ) -> Response:
        there = path("pit-events", property, table)
        found = await person.calls.get_page(INVENTORY, there, gaming_day=day, from_end=True, cursor=cursor)
        return page(
            request,
            "pit_events.html",
            person,
            table=table,
            day=day,
            next=found.get("next"),
            lists=[
                listed(
                    "pit_events.stand",
                    found["items"],
                    cols("sequence", "at", "event", "gaming_day", "shift", "cents", "revision"),
                    link=lambda one: path("p", property, "pit-events", table, one["sequence"]),
                    seen=lambda one: {**one["data"], **one},
                )
            ],
            zone=await zone_of(person, property),
        )

    @router.get("/pit-events/{table}/{sequence}")
    async def event(request: Request, person: Asked, property: str, table: str, sequence: int) -> Response:
        found = await person.calls.get(INVENTORY, path("pit-events", property, table, sequence))
        named = {name: found[name] for name in ("property", "table", "sequence")} | {"replaces": found["revision"]}
        return page(
            request,
            "pit_event.html",
            person,
            shown=found,
            void=[Act(INVENTORY, "propose-pit-change", named, say("pit_events.void"))],
            zone=await zone_of(person, property),
        )

    @router.get("/pit-events/{table}/{sequence}/correct")
    async def correct(request: Request, person: Asked, property: str, table: str, sequence: int) -> Response:
        """Show the correction form, filled in with the event."""
        found = await person.calls.get(INVENTORY, path("pit-events", property, table, sequence))
        operation = person.console.operations.get(INVENTORY, "propose-pit-change")
        given = {
            "property": property,
            "table": table,
            "sequence": str(sequence),
            "replaces": str(found["revision"]),
            "at": found["at"],
            "instead": json.dumps(found["data"], indent=2),
        }
        back = path("p", property, "pit-events", table, sequence)
        return await command_form(request, person, operation, given, back=back)

    @router.get("/pit-changes")
    async def changes(request: Request, person: Asked, property: str) -> Response:
        lists = [await waiting(person, property), *await _decided(person, property)]
        title, lead = say("pit_changes.title"), say("pit_changes.lead")
        zone = await zone_of(person, property)
        return page(request, "lists.html", person, title=title, lead=lead, more=[], lists=lists, zone=zone)

    @router.get("/pit-changes/{number}")
    async def change(request: Request, person: Asked, property: str, number: int) -> Response:
        found = await person.calls.get(INVENTORY, path("pit-changes", property, number))
        return page(
            request,
            "pit_change.html",
            person,
            shown=found,
            members=_members(found["before"], found.get("after")),
            days=await restated(person, property, found["restates"]),
            acts=_acts_of(found, person.session.person),
            zone=await zone_of(person, property),
        )

    return router


async def waiting(person: Person, property_name: str) -> Listed:
    """Return the pending changes, each with a link to its page."""
    asked = {"property": property_name, "status": "proposed"}
    answer = await or_missing(person.calls.get_all(INVENTORY, "/pit-changes", **asked))
    return _listed("pit_changes.waiting", answer, property_name, "proposed_by", "proposed_at", "reason")


async def _decided(person: Person, property_name: str) -> list[Listed]:
    approved, rejected = await together(
        *(
            person.calls.get_page(INVENTORY, "/pit-changes", property=property_name, status=status, from_end=True)
            for status in ("approved", "rejected")
        )
    )
    by = ("proposed_by", "approved_by", "approved_at", "effect")
    why = ("proposed_by", "rejected_by", "rejected_at", "rejection_reason")
    return [
        _listed("pit_changes.approved", approved, property_name, *by),
        _listed("pit_changes.rejected", rejected, property_name, *why),
    ]


def _listed(name: str, answer: Any, property_name: str, *more: str) -> Listed:
    columns = cols("change", "table", "sequence", "event", "gaming_day", *more)
    return listed(name, answer, columns, link=lambda one: path("p", property_name, "pit-changes", one["change"]))


def _acts_of(one: Record, person: str) -> list[Act]:
    """Return the actions a person may take on a change: the proposer may only withdraw it."""
    if one["status"] != "proposed":
        return []
    values = {"property": one["property"], "change": one["change"]}
    own = same_person(one["proposed_by"], person)
    names = ("reject-pit-change",) if own or not one["stands"] else ("approve-pit-change", "reject-pit-change")
    return [Act(INVENTORY, name, values) for name in names]


def _members(before: Record, after: Record | None) -> list[Record]:
    """Return the members of an event before and after the change; None if a side lacks one.

    >>> _members({"at": "1", "data": {"cents": 2}}, {"at": "1", "data": {"cents": 3}})[1]
    {'name': 'cents', 'before': 2, 'after': 3, 'changed': True}
    """
    here, there = ({"at": one["at"], **one["data"]} if one else {} for one in (before, after))
    return [
        {"name": name, "before": here.get(name), "after": there.get(name), "changed": here.get(name) != there.get(name)}
        for name in dict.fromkeys((*here, *there))
    ]
