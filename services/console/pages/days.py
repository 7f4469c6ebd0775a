"""Pages of a gaming day up to its seal: the live master game report, open items and checks, closing steps."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.console import Asked, Person, page, rows_max
from services.console.listing import MOVED, Act, cols, flat, listed
from services.console.services import INVENTORY, METERS, REPORTING, Missing, Refused, path, together
from services.console.views import dollars
from services.console.words import say


async def running_day(person: Person, property_name: str) -> Mapping[str, Any]:
    """Return the current gaming day and shift of a property. Raises: Refused if the person may not see the property."""
    floors = await person.calls.get(REPORTING, "/floors")
    found: Mapping[str, Any] | None = next((one for one in floors if one["property"] == property_name), None)
    if found is None:
        raise Refused(REPORTING, 404, {"title": say("refused.property"), "detail": property_name})
    return found


async def zone_of(person: Person, property_name: str) -> str | None:
    """Return the time zone of a property; None if reporting does not answer."""
    zones = person.console.zones
    if property_name not in zones:
        try:
            zones[property_name] = (await running_day(person, property_name))["time_zone"]
        except Refused:
            return None
    return zones[property_name]


_POOL: Final = (
    "pool",
    "opening_cents",
    "seed_cents",
    "contribution_cents",
    "award_cents",
    "reset_cents",
    "transfer_cents",
    "released_cents",
    "closing_cents",
    "difference_cents",
    "readings",
    "readings_different",
    "liability_cents",
)
"""The columns of a pool on a gaming day."""


_DIFFERENT: Final = (
    "pool",
    "kind",
    "table",
    "game",
    "round_id",
    "reported_before_cents",
    "ledger_before_cents",
    "reported_after_cents",
    "ledger_after_cents",
    "settled_cents",
    "rated_cents",
    "reset_cents",
)
"""The columns of the mismatches on a gaming day."""

_SAID: Final = (
    "number",
    "closed_at",
    "table",
    "game",
    "round_id",
    "reported_before_cents",
    "ledger_before_cents",
    "settled_cents",
    "award_cents",
    "reset_cents",
    "reported_after_cents",
    "ledger_after_cents",
    "different",
)
"""The columns of a table's meter readings."""


_NEXT_STEP: Final = {"open": "close-day", "preliminary": "audit-day", "audited": "seal-day"}
"""The command of the step that follows a stage of a gaming day."""


def stage_of(day: Mapping[str, Any]) -> str:
    """Return the stage of a gaming day: its status, but `audited` for an audited day, whose status is `preliminary`."""
    return "audited" if day.get("audited_at") and day["status"] == "preliminary" else str(day["status"])


def next_step(day: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Act]:
    """Return a list with the command for a gaming day's next closing step; empty for a final day."""
    name = _NEXT_STEP.get(stage_of(day))
    return [] if name is None else [Act(INVENTORY, name, asked)]


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}")

    @router.get("/days")
    async def days(person: Asked, property: str, day: str = "") -> Response:
        wanted = day or (await running_day(person, property))["gaming_day"]
        return RedirectResponse(path("p", property, "days", wanted), status_code=303)

    @router.get("/days/{day}")
    async def day_page(request: Request, person: Asked, property: str, day: date) -> Response:
        calls = person.calls
        asked = {"property": property, "gaming_day": day.isoformat()}
        running, (whole, contests, hours, invoices) = await asyncio.gather(
            running_day(person, property),
            together(
                calls.get(INVENTORY, path("gaming-days", property, day.isoformat(), "whole")),
                calls.get(INVENTORY, path("contests", property, day.isoformat())),
                calls.get(INVENTORY, path("tip-hours", property, day.isoformat())),
                calls.get(INVENTORY, path("tax-invoices", property), last_day=day.isoformat()),
            ),
        )
        report = None
        if isinstance(whole, Missing):  # a reader of reports without a role in the day's close
            cut = {"rows": rows_max(request), "as": "json"}
            [report] = await together(calls.get(REPORTING, "/reports/master-game", **asked, **cut))
        acts = [
            *([] if isinstance(whole, Missing) else next_step(whole["day"], asked)),
            Act(INVENTORY, "enter-adjustment", asked),
            Act(INVENTORY, "enter-contest", asked),
            Act(INVENTORY, "enter-tip-hours", {"property": property, "last_day": day.isoformat()}),
            Act(INVENTORY, "enter-tax-invoice", {"property": property, "last_day": day.isoformat()}),
        ]
        return page(
            request,
            "day.html",
            person,
            day=day.isoformat(),
            before=(day - timedelta(days=1)).isoformat(),
            after=(day + timedelta(days=1)).isoformat(),
            running=running,
            zone=running["time_zone"],
            whole=whole,
            report=report,
            shown=report,
            acts=acts,
            wanted={"gaming_day": day.isoformat(), "period": "day", "table": "", "game": "", "known_at": ""},
            lists=_lists(asked, whole, contests, hours, invoices),
        )

    @router.get("/days/{day}/meters")
    async def meters(
        request: Request, person: Asked, property: str, day: date, again: Literal["true", "false"] = "false"
    ) -> Response:
        """Show the meters of a gaming day beside their ledgers; with `again`, compare every reading again.

        Without `again`, stored comparisons are used unless a later movement affects them.
        """
        asked = {"property": property, "gaming_day": day.isoformat()}
        at = path("reconciliations", property, day.isoformat())
        found, different = await asyncio.gather(
            person.calls.get(METERS, at, again=again),
            person.calls.get_page(METERS, f"{at}/exceptions", again=again),
        )
        agree = "days.meters_good" if found["balanced"] else "days.meters_wrong"
        return page(
            request,
            "day_meters.html",
            person,
            title=say("days.meters_of", day=day),
            lead=say(agree, liability=dollars(found["liability_cents"]), exceptions=found["exceptions"]),
            wrong=found["wrong"],
            again=again == "true",
            more=[Act(METERS, "reconcile-day", asked)],
            lists=[
                listed("days.different", different, cols(*_DIFFERENT), link=_readings_of(property, day)),
                listed("meters.pools", found["pools"], cols(*_POOL), link=_readings_of(property, day)),
            ],
            zone=await zone_of(person, property),
        )

    @router.get("/days/{day}/meters/{pool}")
    async def meter(request: Request, person: Asked, property: str, day: date, pool: str) -> Response:
        """Show the readings of a meter on a gaming day, each beside the ledger, and its movements, latest first."""
        at = path("reconciliations", property, day.isoformat(), "pools", pool, "readings")
        moved = path("pools", property, pool, "movements")
        zone, (said, movements) = await asyncio.gather(
            zone_of(person, property),
            together(
                person.calls.get_page(METERS, at, from_end=True),
                person.calls.get_page(METERS, moved, gaming_day=day.isoformat(), from_end=True),
            ),
        )
        return page(
            request,
            "lists.html",
            person,
            title=say("days.meter_of", pool=pool, day=day),
            lead="",
            more=[],
            lists=[
                listed("days.readings", said, cols(*_SAID), seen=_said),
                listed("meters.movements", movements, cols(*MOVED), seen=flat),
            ],
            zone=zone,
        )

    @router.get("/months/{month}")
    async def month(property: str, month: str) -> Response:
        return RedirectResponse(f"{path('p', property, 'reports', 'drop-and-win')}?day={month}-01&period=month", 303)

    @router.get("/years/{year}")
    async def year(property: str, year: int) -> Response:
        return RedirectResponse(f"{path('p', property, 'reports', 'drop-and-win')}?day={year}-01-01&period=year", 303)

    return router


def _readings_of(property_name: str, day: date) -> Callable[[Mapping[str, Any]], str]:
    """Return a function that returns the URL of a pool's meter readings on a gaming day."""
    return lambda one: path("p", property_name, "days", day.isoformat(), "meters", one["pool"])


def _said(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a meter reading, with `different` as a text that is empty if the reading equals the ledger."""
    return {**one, "different": say("days.differs") if one["different"] else ""}


def _lists(asked: Mapping[str, Any], whole: Any, contests: Any, hours: Any, invoices: Any) -> list[Any]:
    missing = isinstance(whole, Missing)

    def of_variance(one: Mapping[str, Any]) -> list[Act]:
        values = {**asked, "variance": one["variance"], "table": one["table"], "number": one["number"]}
        if one["status"] == "resolved":
            return []
        return [Act(INVENTORY, "own-variance", values), Act(INVENTORY, "resolve-variance", values)]

    def of_adjustment(one: Mapping[str, Any]) -> list[Act]:
        values = {**asked, "adjustment": one["adjustment"]}
        if one["status"] != "entered":
            return []
        return [Act(INVENTORY, "approve-adjustment", values), Act(INVENTORY, "reject-adjustment", values)]

    def of_contest(one: Mapping[str, Any]) -> list[Act]:
        values = {**asked, "contest": one["contest"], "revision": one["revision"]}
        if one["status"] != "entered":
            return []
        return [Act(INVENTORY, "approve-contest", values), Act(INVENTORY, "reject-contest", values)]

    def of_hours(one: Mapping[str, Any]) -> list[Act]:
        values = {name: one[name] for name in ("property", "last_day", "revision")}
        if one["status"] != "entered":
            return []
        return [Act(INVENTORY, "approve-tip-hours", values), Act(INVENTORY, "reject-tip-hours", values)]

    def of_invoice(one: Mapping[str, Any]) -> list[Act]:
        values = {name: one[name] for name in ("property", "invoice", "revision")}
        if one["status"] != "entered":
            return []
        return [Act(INVENTORY, "approve-tax-invoice", values), Act(INVENTORY, "reject-tax-invoice", values)]

    excused = () if missing else whole["day"].get("excused", ())
    shown = ("table", "variance", "number", "shift", "at", "expected_cents", "counted_cents", "cents", "level")
    return [
        *([listed("days.excused", excused, cols("table", "reason"))] if excused else []),
        listed(
            "days.variances",
            whole if missing else whole["variances"],
            cols(*shown, "status", "owner", "conclusion"),
            acts=of_variance,
        ),
        listed(
            "days.adjustments",
            whole if missing else whole["adjustments"],
            cols("adjustment", "table", "shift", "figure", "cents", "reason", "status", "entered_by", "approved_by"),
            acts=of_adjustment,
        ),
        listed(
            "days.contests",
            contests,
            cols("contest", "revision", "fees_cents", "prizes_cents", "status", "entered_by", "approved_by"),
            acts=of_contest,
        ),
        listed(
            "days.tip_hours",
            hours,
            cols("first_day", "last_day", "revision", "reason", "status", "entered_by", "approved_by"),
            acts=of_hours,
        ),
        listed(
            "days.tax_invoices",
            invoices,
            cols("invoice", "revision", "payee", "cents", "received_on", "status", "entered_by", "approved_by"),
            acts=of_invoice,
        ),
        listed(
            "days.follow_ups",
            whole if missing else whole["follow_ups"],
            cols("kind", "subject", "table", "cents", "reason", "owner", "since"),
        ),
    ]
