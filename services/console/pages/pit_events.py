"""Pages of a table's pit events, and of corrections and voids, which one person proposes and another approves."""

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from services.console.console import Asked, Person, page
from services.console.felt.record_form import event_fields, record_typed
from services.console.listing import Act, Listed, Record, cols, listed
from services.console.operations import Operation
from services.console.pages.commands import command_form, command_sent
from services.console.pages.corrections import restated
from services.console.pages.days import zone_of
from services.console.pages.subjects import Subject
from services.console.services import INVENTORY, or_missing, path, together
from services.console.words import say
from shared.contracts.people import same_person

READERS: Final = ("reports.read", "pit.correct", "pit.correct.approve")
"""The roles that may see pit events and their changes; one of them suffices."""

What = Literal["void", "correct"]
Outcome = Literal["proposed", "waiting", "recorded", "superseded", "rejected", "dismissed"]

_ASKED: Final[Mapping[Outcome, Mapping[str, str]]] = {
    "proposed": {"status": "proposed"},
    "waiting": {"effect": "waiting"},
    "recorded": {"effect": "recorded"},
    "superseded": {"effect": "superseded"},
    "rejected": {"status": "rejected"},
    "dismissed": {"effect": "dismissed"},
}
"""The query parameters that select the changes with an outcome, by outcome."""

_CHANGED: Final = ("change", "kind", "table", "sequence", "event", "gaming_day")
_DECISION: Final = ("proposed_by", "reason", "decided_by", "decided_at")
_OUTCOME: Final = (*_DECISION, "outcome")
_PLACE: Final = ("property", "table", "sequence")
_OF_CORRECTION: Final = ("at", "instead")
_UNCHANGED: Final = ("instead.property", "instead.table")
"""Fields of the form that a correction cannot change."""


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}")

    @router.get("/pit-events/{table}")
    async def events(
        request: Request, person: Asked, property: str, table: str, day: str = "", cursor: str = ""
    ) -> Response:
        there = path("pit-events", property, table)
        found, pending = await asyncio.gather(
            person.calls.get_page(INVENTORY, there, gaming_day=day, from_end=True, cursor=cursor),
            _pending(person, property, table),
        )
        changing = {one["sequence"] for one in pending}
        return page(
            request,
            "pit_events.html",
            person,
            table=table,
            day=day,
            next=found.get("next"),
            lists=[
                listed(
                    "pit_events.listed",
                    found["items"],
                    cols("sequence", "at", "event", "gaming_day", "shift", "cents", "revision", "state"),
                    link=lambda one: path("p", property, "pit-events", table, one["sequence"]),
                    seen=lambda one: {**one["data"], **one, "state": _mark(_state(one, changing))},
                )
            ],
            zone=await zone_of(person, property),
        )

    @router.get("/pit-events/{table}/{sequence}")
    async def event(request: Request, person: Asked, property: str, table: str, sequence: int) -> Response:
        of_event = {"property": property, "table": table, "sequence": sequence}
        found, changes, pending = await asyncio.gather(
            person.calls.get(INVENTORY, path("pit-events", property, table, sequence)),
            person.calls.get_page(INVENTORY, "/pit-changes", **of_event, from_end=True),
            _pending(person, property, table, sequence),
        )
        return page(
            request,
            "pit_event.html",
            person,
            shown=found,
            state=_state(found, [one["sequence"] for one in pending]),
            pending=pending,
            may_change=found["status"] != "voided" and not pending,
            changes=_listed("pit_events.changes", changes, property, *_OUTCOME, of=("change", "kind", "replaces")),
            zone=await zone_of(person, property),
        )

    @router.get("/pit-events/{table}/{sequence}/{what}")
    async def propose(
        request: Request, person: Asked, property: str, table: str, sequence: int, what: What
    ) -> Response:
        """Show the form to void or correct a recorded event."""
        operation, about, given = await _proposal(person, property, table, sequence, what)
        back = path("p", property, "pit-events", table, sequence)
        return await command_form(request, person, operation, given, back=back, about=about)

    @router.post("/pit-events/{table}/{sequence}/{what}")
    async def proposed(
        request: Request, person: Asked, property: str, table: str, sequence: int, what: What
    ) -> Response:
        operation, about, given = await _proposal(person, property, table, sequence, what)
        fixed = {name: value for name, value in given.items() if name in (*_PLACE, *_UNCHANGED)}
        return await command_sent(request, person, operation, fixed, about)

    @router.get("/pit-changes")
    async def changes(
        request: Request, person: Asked, property: str, day: str = "", outcome: Outcome | Literal[""] = ""
    ) -> Response:
        if outcome:
            lists = [await _of_outcome(person, property, day, outcome)]
        else:
            lists = [await waiting(person, property, day), *await _decided(person, property, day)]
        return page(
            request,
            "pit_changes.html",
            person,
            title=say("pit_changes.title"),
            lead=say("pit_changes.lead"),
            more=[],
            lists=lists,
            day=day,
            outcome=outcome,
            outcomes=_offered(person),
            zone=await zone_of(person, property),
        )

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


async def _proposal(
    person: Person, property_name: str, table: str, sequence: int, what: What
) -> tuple[Operation, Subject, dict[str, str]]:
    """Return the form of a void or a correction, the event that it changes, and its initial values.

    The form of a correction has a field for each member of the event, or a single JSON field if the console does not
    know the type of the event. The form of a void lacks these fields, shows what the void would restate, and always
    requires confirmation.
    """
    there = path("pit-events", property_name, table, sequence)
    found = await person.calls.get(INVENTORY, there)
    given = {name: str(found[name]) for name in _PLACE} | {"replaces": str(found["revision"])}
    operation = person.console.operations.get(INVENTORY, "propose-pit-change")
    operation = replace(
        operation,
        title=say(f"pit_events.propose.{what}"),
        description=say(f"pit_events.lead_of.{what}"),
        page=path("p", property_name, "pit-events", table, sequence, what),
        fixed=frozenset(given),
    )
    record = {name: found[name] for name in ("event", "at", "gaming_day")} | found["data"]
    if what == "correct":
        zone = ZoneInfo(await zone_of(person, property_name) or "UTC")
        given |= {"at": datetime.fromisoformat(found["at"]).astimezone(zone).isoformat()}
        fields = event_fields("instead", found["event"])
        if fields is None:
            return operation, Subject(record), given | {"instead": json.dumps(found["data"], indent=2)}
        of_body = tuple(fields if one.name == fields.name else one for one in operation.of_body)
        given |= dict(record_typed(fields, fields.name, found["data"]))
        fixed = operation.fixed | frozenset(_UNCHANGED)
        return replace(operation, of_body=of_body, fixed=fixed), Subject(record), given
    effects = await person.calls.get(INVENTORY, f"{there}/void")
    effects["days"] = [{"day": one, "sealed": one in effects["sealed"], "why": ""} for one in effects["restates"]]
    of_void = tuple(one for one in operation.of_body if one.name not in _OF_CORRECTION)
    return replace(operation, of_body=of_void, confirmed=True), Subject(record, effects=effects), given


async def _pending(person: Person, property: str, table: str, sequence: int | None = None) -> list[Record]:
    """Return changes to an event, or to a table's events, that are proposed, or are approved but not in effect yet."""
    of = {"property": property, "table": table, "sequence": sequence}
    found = await asyncio.gather(
        *(person.calls.get_all(INVENTORY, "/pit-changes", **of, **_ASKED[one]) for one in ("proposed", "waiting"))
    )
    return [one for each in found for one in each]


def _state(one: Record, changing: Collection[int]) -> str:
    return "proposed" if one["sequence"] in changing else str(one["status"])


def _mark(state: str) -> str:
    """Return the text for an event's state in a list, highlighted unless the event is in force."""
    text = say(f"pit_events.status.{state}")
    return text if state == "standing" else Markup('<strong class="flag">{}</strong>').format(text)


async def waiting(person: Person, property_name: str, day: str = "") -> Listed:
    """Return the pending changes, all or those of a gaming day, each with a link to its page."""
    asked = {"property": property_name, "gaming_day": day, **_ASKED["proposed"]}
    answer = await or_missing(person.calls.get_all(INVENTORY, "/pit-changes", **asked))
    return _listed("pit_changes.waiting", answer, property_name, "proposed_by", "proposed_at", "reason")


async def _decided(person: Person, property_name: str, day: str) -> list[Listed]:
    asked = {"property": property_name, "gaming_day": day, "from_end": True}
    approved, rejected = await together(
        *(
            person.calls.get_page(INVENTORY, "/pit-changes", status=status, **asked)
            for status in ("approved", "rejected")
        )
    )
    by = ("proposed_by", "approved_by", "approved_at", "outcome")
    why = ("proposed_by", "rejected_by", "rejected_at", "rejection_reason")
    return [
        _listed("pit_changes.approved", approved, property_name, *by),
        _listed("pit_changes.rejected", rejected, property_name, *why),
    ]


def _offered(person: Person) -> list[Outcome]:
    """Return the outcomes by which table inventory can filter changes; all if its OpenAPI document is unread."""
    operations = person.console.operations
    if operations.query(INVENTORY, "/pit-changes") is None:
        return list(_ASKED)
    taken = {name: operations.choices("/pit-changes", name, INVENTORY) for name in ("status", "effect")}
    return [one for one, asked in _ASKED.items() if all(value in taken[name] for name, value in asked.items())]


async def _of_outcome(person: Person, property_name: str, day: str, outcome: Outcome) -> Listed:
    asked = {"property": property_name, "gaming_day": day, "from_end": True, **_ASKED[outcome]}
    answer = await or_missing(person.calls.get_page(INVENTORY, "/pit-changes", **asked))
    title = say("pit_changes.found", outcome=say(f"pit_changes.outcomes.{outcome}"))
    return replace(_listed("pit_changes.title", answer, property_name, *_DECISION), title=title)


def _listed(name: str, answer: Any, property_name: str, *more: str, of: Sequence[str] = _CHANGED) -> Listed:
    return listed(
        name,
        answer,
        cols(*of, *more),
        link=lambda one: path("p", property_name, "pit-changes", one["change"]),
        seen=lambda one: {
            **one,
            "kind": say(f"pit_changes.kind.{'void' if one['voids'] else 'correct'}"),
            "outcome": say(f"pit_changes.outcomes.{one.get('effect') or one['status']}"),
            "decided_by": one.get("approved_by") or one.get("rejected_by"),
            "decided_at": one.get("approved_at") or one.get("rejected_at"),
        },
    )


def _acts_of(one: Record, person: str) -> list[Act]:
    """Return the actions a person may take on a change: the proposer may only withdraw it."""
    if one["status"] != "proposed":
        return []
    values = {"property": one["property"], "change": one["change"]}
    own = same_person(one["proposed_by"], person)
    names = ("reject-pit-change",) if own or not one["stands"] else ("approve-pit-change", "reject-pit-change")
    return [Act(INVENTORY, name, values) for name in names]


def _members(before: Record, after: Record | None) -> list[Record]:
    """Return an event's members with values before and after a change; None if a side lacks the member.

    The moment of the event is compared as a moment, whichever offset from UTC it was written with.

    >>> sides = ({"at": "2026-11-22T15:00Z", "data": {"c": 2}}, {"at": "2026-11-22T10:00-05:00", "data": {"c": 3}})
    >>> [one["changed"] for one in _members(*sides)], _members(*sides)[1]
    ([False, True], {'name': 'c', 'before': 2, 'after': 3, 'changed': True})
    """
    here, there = ({"at": _in_utc(one["at"]), **one["data"]} if one else {} for one in (before, after))
    return [
        {"name": name, "before": here.get(name), "after": there.get(name), "changed": here.get(name) != there.get(name)}
        for name in dict.fromkeys((*here, *there))
    ]


def _in_utc(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat()
