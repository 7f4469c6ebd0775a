"""Pending work of the pit, the cage, the count room and revenue audit, with the commands for the next steps."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.console import Asked, Person, page, rows_max
from services.console.listing import Act, Record, cols, listed
from services.console.pages import corrections, pit_events
from services.console.pages.days import running_day, zone_of
from services.console.services import ACCOUNTS, INVENTORY, VIGORISH, Missing, Refused, path, together
from services.console.words import say

_CAGE: Final = ("cage.transact",)
_SLIPS: Final = ("reports.read", "slips.request", "slips.prepare")
_CREDIT_LINES: Final = ("reports.read", "creditlines.request", "creditlines.approve", "checks.prepare")
_CHECKS: Final = ("reports.read", "creditlines.request", "creditlines.approve", "cage.transact")
_COUNT: Final = ("reports.read", "boxes.count")


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/desk")

    @router.get("")
    async def desk(request: Request, person: Asked, property: str) -> Response:
        floor = await running_day(person, property)
        day = floor["gaming_day"]
        here = {"property": property, "gaming_day": day, "shift": floor.get("shift", "")}
        parts = await asyncio.gather(
            _slips(person, here),
            _checks(person, here, rows_max(request)),
            _credit_lines(person, here, rows_max(request)),
            _check_write_offs(person, here, rows_max(request)),
            _at_the_cage(person, here, rows_max(request)),
            _rounds(person, here),
            _alarms(person, here),
            _audit(person, here),
            _corrections(person, property),
        )
        more = [
            Act(INVENTORY, "request-slip", {**here, "slip": "fill"}, say("desk.fill")),
            Act(INVENTORY, "request-slip", {**here, "slip": "credit"}, say("desk.credit")),
            Act(INVENTORY, "enter-manual-slip", here),
            Act(INVENTORY, "void-manual-slip", here),
            Act(INVENTORY, "move-at-cage", here),
            Act(INVENTORY, "identify-winner", here),
            Act(INVENTORY, "open-count", here),
            Act(INVENTORY, "enter-contest", here),
            Act(INVENTORY, "open-investigation", {**here, "month": str(day)[:7]}),
        ]
        return page(
            request,
            "desk.html",
            person,
            title=say("desk.title"),
            lead=say("desk.lead", day=day, shift=here["shift"]),
            more=more,
            lists=[one for part in parts for one in part],
            zone=floor.get("time_zone"),
            counts=person.may(*_COUNT),
        )

    @router.get("/count")
    async def find_count(property: str, count: str = "") -> Response:
        return RedirectResponse(path("p", property, "desk", "counts", count or "1"), status_code=303)

    @router.get("/counts/{count}")
    async def count(request: Request, person: Asked, property: str, count: str) -> Response:
        found = await person.calls.get(INVENTORY, path("drop-counts", property, count))
        here = {"property": property, "count": count}
        boxes = listed(
            "desk.boxes",
            found["boxes"],
            cols("table", "exchange", "shift", "box", "turns", "agreed", "counted_by"),
            acts=lambda one: [
                Act(INVENTORY, "count-box", {**here, "table": one["table"], "exchange": one["exchange"]})
            ],
        )
        concluded = found.get("concluded")
        return page(
            request,
            "lists.html",
            person,
            title=say("desk.count", count=count),
            lead=say("desk.count_lead", day=found["gaming_day"], status=found["status"]),
            more=[] if concluded else [Act(INVENTORY, "conclude-count", here)],
            lists=[boxes],
            zone=await zone_of(person, property),
        )

    return router


async def _corrections(person: Person, name: str) -> list[Any]:
    desks = [one for one in (corrections, pit_events) if person.may(*one.READERS)]
    return [await one.waiting(person, name) for one in desks]


async def _slips(person: Person, here: Record) -> list[Any]:
    if not person.may(*_SLIPS):
        return []
    name = here["property"]
    asked, prepared, carried = await together(
        person.calls.get_all(INVENTORY, "/requests", property=name),
        person.calls.get_all(INVENTORY, "/slips", property=name, status="prepared"),
        person.calls.get_all(INVENTORY, "/slips", property=name, status="carried"),
    )
    under_way = carried if isinstance(carried, Missing) else [*(prepared or ()), *carried]

    def steps(one: Record) -> list[Act]:
        slip = {"property": name, "slip": one["slip"], "number": one["number"]}
        received = [Act(INVENTORY, "receive-credit", slip)] if one["slip"] == "credit" else []
        return [*received, Act(INVENTORY, "void-slip", slip)]

    return [
        listed(
            "desk.requests",
            asked,
            cols("request", "slip", "table", "gaming_day", "shift", "cents", "requested_by", "requested_at"),
            acts=lambda one: [
                Act(INVENTORY, "prepare-slip", {"property": name, "request": one["request"]}),
                Act(INVENTORY, "withdraw-request", {"property": name, "request": one["request"]}),
            ],
        ),
        listed(
            "desk.slips",
            under_way,
            cols(
                "number", "slip", "table", "status", "cents", "prepared_by", "prepared_at", "carried_by", "carried_at"
            ),
            link=lambda one: path("p", name, "records", one["slip"], one["number"]),
            acts=steps,
        ),
    ]


async def _checks(person: Person, here: Record, most: int | None) -> list[Any]:
    if not person.may(*_CHECKS):
        return []
    name = here["property"]
    [checks] = await together(person.calls.get_first(INVENTORY, path("counter-checks", name), most))
    return [
        listed(
            "desk.checks",
            checks,
            cols("serial", "drawer", "table", "first_issued_at", "issued_cents", "left_cents"),
            acts=lambda one: [
                Act(INVENTORY, step, {"property": name, "serial": one["serial"]})
                for step in ("redeem-check", "begin-collection", "enter-check-write-off")
            ],
            more=[
                Act(INVENTORY, step, {"property": name})
                for step in ("replace-checks", "clear-check", "return-check", "void-redemption")
            ],
        )
    ]


async def _credit_lines(person: Person, here: Record, most: int | None) -> list[Any]:
    if not person.may(*_CREDIT_LINES):
        return []
    name = here["property"]
    asked, lines = await together(
        person.calls.get_first(INVENTORY, path("credit-lines", name, "requests"), most, only_open=True),
        person.calls.get_first(INVENTORY, path("credit-lines", name, "patrons"), most),
    )

    def of_patron(one: Record) -> list[Act]:
        who = {"property": name, "patron": one["patron"]}
        return [Act(INVENTORY, step, who) for step in ("prepare-check", "reduce-credit-line", "suspend-credit-line")]

    return [
        listed(
            "desk.credit_line_requests",
            asked,
            cols("request", "patron", "change", "limit_cents", "status", "requested_by", "requested_at"),
            acts=lambda one: [
                Act(INVENTORY, step, {"property": name, "request": one["request"]})
                for step in ("verify-credit-line", "approve-credit-line", "decline-credit-line")
            ],
            more=[Act(INVENTORY, "request-credit-line", {"property": name})],
        ),
        listed(
            "desk.credit_lines",
            lines,
            cols("patron", "limit_cents", "outstanding_cents", "available_cents"),
            acts=of_patron,
            more=[Act(INVENTORY, "void-preparation", {"property": name})],
        ),
    ]


async def _check_write_offs(person: Person, here: Record, most: int | None) -> list[Any]:
    if not person.may(*_CHECKS):
        return []
    name = here["property"]
    [found] = await together(person.calls.get_first(INVENTORY, path("check-write-offs", name), most))

    def steps(one: Record) -> list[Act]:
        names = {"entered": ("approve-check-write-off", "reject-check-write-off"), "approved": ("recover-check",)}
        of_one = {"property": name, "check_write_off": one["check_write_off"]}
        return [Act(INVENTORY, step, of_one) for step in names[one["status"]]]

    return [
        listed(
            "desk.check_write_offs",
            found,
            cols(
                "serial", "drawer", "write_off_kind", "status", "cents", "recovered_cents", "entered_by", "entered_at"
            ),
            acts=steps,
            only=lambda one: one["status"] != "rejected" and one["recovered_cents"] < one["cents"],
        )
    ]


async def _at_the_cage(person: Person, here: Record, most: int | None) -> list[Any]:
    if not person.may(*_CAGE):
        return []
    name, day = here["property"], here["gaming_day"]
    of_day = {"property": name, "gaming_day": day}
    [moved] = await together(person.calls.get_first(INVENTORY, "/cage-movements", most, **of_day))
    return [
        listed(
            "desk.cage",
            moved,
            cols("number", "kind", "direction", "medium", "cents", "patron", "on_behalf_of", "window", "by", "at"),
            acts=lambda one: [Act(INVENTORY, "void-at-cage", {"property": name, "number": one["number"]})],
            seen=lambda one: {**one, "on_behalf_of": ", ".join(one.get("on_behalf_of", ()))},
        )
    ]


async def _rounds(person: Person, here: Record) -> list[Any]:
    if not person.may("reports.read"):
        return []
    name = here["property"]
    seats, [rounds] = await asyncio.gather(
        _of_two_days(here, lambda day: person.calls.get_all(VIGORISH, "/follow-ups", property=name, gaming_day=day)),
        together(person.calls.get_all(ACCOUNTS, "/open-rounds", property=name)),
    )
    return [
        listed(
            "desk.vigorish",
            seats,
            cols(
                *("gaming_day", "table", "round_id", "seat", "kind"),
                *("assessed_cents", "collected_cents", "outstanding_cents"),
            ),
            link=lambda one: path("p", name, "rounds", one["table"], one["round_id"]),
        ),
        listed("desk.open_rounds", rounds, cols("round_id", "table", "status", "opened_at")),
    ]


async def _alarms(person: Person, here: Record) -> list[Any]:
    if not person.may("reports.read", "alarms.resolve"):
        return []
    name = here["property"]
    [alarms] = await together(person.calls.get_all(INVENTORY, path("alarms", name)))
    return [
        listed(
            "desk.alarms",
            alarms,
            cols("alarm", "owner", "owned_at", "conclusion", "resolved_at"),
            acts=lambda one: [Act(INVENTORY, "resolve-alarm", {"property": name, "alarm": one["alarm"]})],
            only=lambda one: not one.get("resolved_at"),
        )
    ]


async def _audit(person: Person, here: Record) -> list[Any]:
    if not person.may("reports.read", "days.audit"):
        return []
    name = here["property"]
    [cases], follow_ups = await asyncio.gather(
        together(person.calls.get_all(INVENTORY, "/investigations", property=name)),
        _of_two_days(here, lambda day: _before_the_seal(person, name, day)),
    )
    return [
        listed(
            "desk.investigations",
            cases,
            cols("investigation", "month", "what", "subject", "found", "owner", "opened_at"),
            acts=lambda one: [
                Act(INVENTORY, step, {"property": name, "investigation": one["investigation"]})
                for step in ("assign-investigation", "conclude-investigation")
            ],
            only=lambda one: not one.get("concluded_at"),
        ),
        listed(
            "desk.follow_ups",
            follow_ups,
            cols("gaming_day", "kind", "subject", "table", "cents", "reason", "owner", "since"),
        ),
    ]


async def _before_the_seal(person: Person, name: str, day: str) -> Any:
    return (await person.calls.get(INVENTORY, path("gaming-days", name, day, "follow-ups")))["items"]


async def _of_two_days(here: Record, ask: Callable[[str], Awaitable[Any]]) -> Any:
    """Return the records of the current gaming day and of the previous one, which awaits its count and audit.

    Each record gets its `gaming_day`. If an answer is missing, returns its Missing instead.
    """
    day = here["gaming_day"]
    before = str(date.fromisoformat(day) - timedelta(days=1))
    answers = await together(_unless_unknown(ask(before)), ask(day))
    missing = next((one for one in answers if isinstance(one, Missing)), None)
    if missing is not None:
        return missing
    return [{**one, "gaming_day": of} for of, answer in zip((before, day), answers, strict=True) for one in answer]


async def _unless_unknown(answer: Awaitable[Any]) -> Any:
    """Return a service's answer; empty if the gaming day is unknown, such as one before the property's first day."""
    try:
        return await answer
    except Refused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        return []
