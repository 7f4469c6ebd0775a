"""The home page of a property: open work, the current gaming day's figures, and the next closing steps."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from http import HTTPStatus
from math import hypot
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.charts import drop_by_hour, section_of
from services.console.charts.bands import SAID, standing_of
from services.console.choices import properties_of
from services.console.console import Asked, Person, page
from services.console.floor import Floors, FloorView
from services.console.gallery import hung
from services.console.listing import Listed, Record, cols, listed
from services.console.pages.days import next_step, stage_of
from services.console.pages.filings import UNSENT, OpenReports, currency_reports, open_reports
from services.console.services import ACCOUNTS, INVENTORY, REPORTING, Missing, path, together, unless
from services.console.words import counted, said, say

_WEEK: Final = timedelta(days=7)
"""How far back the page reads: to the same weekday a week ago, for comparison, and for days still open."""
_READERS: Final = ("reports.read",)
_FIGURES: Final = ("rounds", "handle_cents", "drop_cents", "win_cents")


class Attention(NamedTuple):
    """A matter that requires attention: a text, and the URL of the page to deal with it."""

    text: str
    link: str


class DayWithItems(NamedTuple):
    """A gaming day: its stage, and its follow-ups, oldest first, including follow-ups that arose after the seal."""

    day: Record
    follow_ups: Sequence[Record]

    @property
    def is_sealed(self) -> bool:
        """Return whether the day has been sealed, also if it has been restated since."""
        return self.day["status"] in ("final", "restated")


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}")

    @router.get("")
    async def overview(request: Request, person: Asked, property: str, day: str = "") -> Response:
        if not person.may(*_READERS):
            return RedirectResponse(path("p", property, "desk"), status_code=303)
        floors: Floors = request.app.state.floors
        floor = await floors.of(person, property, day)
        of_day, zone = date.fromisoformat(floor.said["gaming_day"]), floor.said["time_zone"]
        before, statistics, summary, quarantined, unsent, currency, *days = await together(
            floors.of(person, property, (of_day - _WEEK).isoformat()),
            _report(person, "statistics", property, of_day),
            _report(person, "drop-and-win", property, of_day),
            _quarantined(person, property),
            _unsent(person, property),
            _currency(person, property, zone),
            *(_day_with_items(person, property, of_day - timedelta(days=back)) for back in range(_WEEK.days + 1)),
        )
        known = [one for one in days if isinstance(one, DayWithItems)]
        answers = (before, quarantined, unsent, currency, *days)
        missing = dict.fromkeys([*floor.missing, *(one.why for one in answers if isinstance(one, Missing))])
        return page(
            request,
            "overview.html",
            person,
            floor=floor,
            zone=zone,
            attention=[
                *_attention(property, floor, known, quarantined or 0, unsent or 0),
                *([] if isinstance(currency, Missing) else _reports_due(property, open_reports(currency))),
            ],
            live=not day,
            compared=_compared(floor, None if isinstance(before, Missing) or not before.tables else before),
            weekday=of_day - _WEEK,
            before=of_day - timedelta(days=1),
            win=None if isinstance(statistics, Missing) else _against_theoretical(statistics),
            charts=hung(request, person.session, () if isinstance(summary, Missing) else [drop_by_hour(summary, zone)]),
            closing=_closing(property, [one for one in known if not one.is_sealed]),
            missing_whys=list(missing),
        )

    return router


async def _report(person: Person, name: str, property_name: str, day: date) -> Any:
    asked = {"property": property_name, "gaming_day": day.isoformat(), "as": "json"}
    return await person.calls.get(REPORTING, path("reports", name), **asked)


async def _day_with_items(person: Person, property_name: str, day: date) -> DayWithItems | None:
    """Return a gaming day and its follow-ups; None if the property did not exist yet."""
    at = path("gaming-days", property_name, day.isoformat())
    found = await unless(HTTPStatus.NOT_FOUND, person.calls.get(INVENTORY, at))
    if found is None:
        return None
    open_items = await unless(HTTPStatus.NOT_FOUND, person.calls.get(INVENTORY, f"{at}/follow-ups"))
    return None if open_items is None else DayWithItems(found, open_items["items"])


async def _quarantined(person: Person, property_name: str) -> int:
    """Return the number of a property's open quarantined records, counting only the first page of each service."""
    if not person.may("quarantine.read", "quarantine.mend", "quarantine.approve"):
        return 0
    names = person.console.operations.services_with("ask-replay")
    asked = {"status": "open", "listed_under": property_name, "known": list(await properties_of(person))}
    of_services = (person.calls.get_page(name, "/quarantine", **asked) for name in names)
    pages = await asyncio.gather(*(unless(HTTPStatus.FORBIDDEN, one) for one in of_services))
    return sum(len(one["items"]) for one in pages if one is not None)


async def _unsent(person: Person, property_name: str) -> int:
    """Return the number of filings that must be released, sent, or sent again."""
    if not person.may("filings.prepare", "filings.prepare.approve"):
        return 0
    asked = [person.calls.get_all(ACCOUNTS, "/filings", property=property_name, status=one) for one in UNSENT]
    return sum(map(len, await asyncio.gather(*asked)))


async def _currency(person: Person, property_name: str, zone: str) -> Missing | list[Record]:
    """Return the currency transaction reports of this and the last month; empty if the person lacks the role."""
    if not person.may("patrons.report"):
        return []
    today = person.console.clock().astimezone(ZoneInfo(zone)).date()
    return await currency_reports(person, property_name, today)


def _reports_due(property_name: str, reports: OpenReports) -> Iterator[Attention]:
    """Yield a notice each for currency transaction reports that are due, to be corrected, or to be withdrawn."""
    filings = path("p", property_name, "filings")
    if reports.due:
        late = say("overview.attention.late", late=f"{reports.late:,}") if reports.late else ""
        yield Attention(counted("overview.attention.currency_due", reports.due) + late, filings)
    for name, count in (("to_correct", reports.to_correct), ("to_withdraw", reports.to_withdraw)):
        if count:
            yield Attention(counted(f"overview.attention.{name}", count), filings)


def _attention(
    property_name: str, floor: FloorView, days: Sequence[DayWithItems], quarantined: int, unsent: int
) -> Iterator[Attention]:
    """Yield the matters that require attention, oldest gaming day first."""
    desk, today = path("p", property_name, "desk"), floor.said["gaming_day"]
    for one in reversed(days):
        if one.follow_ups:
            yield Attention(
                counted("overview.attention.follow_ups", len(one.follow_ups), day=one.day["gaming_day"]),
                path("p", property_name, "days", one.day["gaming_day"]),
            )
    of_report = f"{path('p', property_name, 'reports', 'exceptions')}?day={today}"
    tables = floor.tables
    for name, count, link in (
        ("requests", sum(one.requests + one.slips for one in tables), desk),
        ("variances", sum(one.variances for one in tables), path("p", property_name, "days", today)),
        ("equipment", sum(len(one.due) for one in tables), path("p", property_name, "floor")),
        ("exceptions", floor.total("exceptions"), of_report),
        ("alarms", floor.total("alarms"), desk),
        ("quarantined", quarantined, path("p", property_name, "quarantine")),
        ("filings", unsent, path("p", property_name, "filings")),
    ):
        if count:
            yield Attention(counted(f"overview.attention.{name}", count), link)


def _compared(floor: FloorView, before: FloorView | None) -> list[dict[str, Any]]:
    """Return the current gaming day's figures, each with the whole-day figure of a week ago (None if there is none)."""
    return [
        {
            "title": say(f"overview.figure.{name}"),
            "unit": "cents" if name.endswith("_cents") else "count",
            "now": floor.total(name),
            "before": None if before is None else before.total(name),
        }
        for name in _FIGURES
    ]


def _against_theoretical(statistics: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return settled win, theoretical win and two standard deviations, in cents; None if there are no such wagers.

    Only wagers with an exact distribution are included. Tables are independent, so their variances add up.
    """
    tables = section_of(statistics, "tables")
    if not tables:
        return None
    deviation = hypot(*(one["deviation_cents"] for one in tables))
    difference = -sum(one["difference_cents"] for one in tables)
    handle, expected = (sum(one[name] for one in tables) for name in ("handle_cents", "expected_cents"))
    return {
        "win_cents": handle - expected + difference,
        "theoretical_cents": handle - expected,
        "band_cents": round(2 * deviation),
        "standing": SAID[standing_of(difference / deviation if deviation else None)],
    }


def _closing(property_name: str, days: Sequence[DayWithItems]) -> Listed:
    """Return the gaming days that are not final, oldest first, each with its open items and its next step."""
    stages = said("stage")

    def row(one: DayWithItems) -> Record:
        oldest = one.follow_ups[0] if one.follow_ups else {}
        return {
            "gaming_day": one.day["gaming_day"],
            "stage": stages[stage_of(one.day)],
            "last_step_by": one.day.get("audited_by") or one.day.get("preliminary_by") or "",
            "open_items": len(one.follow_ups),
            "oldest_item": oldest.get("reason", ""),
            "owner": oldest.get("owner") or "",
            "since": oldest.get("since"),
            "step": next_step(one.day, {"property": property_name, "gaming_day": one.day["gaming_day"]}),
        }

    return listed(
        "overview.closing",
        [row(one) for one in reversed(days)],
        cols("gaming_day", "stage", "last_step_by", "open_items", "oldest_item", "owner", "since"),
        acts=lambda one: one["step"],
        link=lambda one: path("p", property_name, "days", one["gaming_day"]),
    )
