"""Filings with FinCEN and the IRS: what is due, waits for its release, to be sent, for an answer; what came back."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page, rows_max
from services.console.listing import Act, Col, Listed, Record, cols, filled, listed
from services.console.pages.days import zone_of
from services.console.services import ACCOUNTS, REPORTING, Missing, path, together
from services.console.words import say
from shared.contracts.filings import FORM_NUMBERS

_STEPS: Final = {
    "prepared": ("release-filing", "withdraw-filing"),
    "released": ("record-filed", "withdraw-filing"),
    "filed": ("record-acknowledgement",),
    "rejected": (),
    "accepted": (),
    "withdrawn": (),
}
"""The statuses in the order in which they are shown, each with the commands that may follow."""

_AGAIN: Final = {
    "filed": ("record-filed",),
    "rejected": ("record-acknowledgement",),
    "accepted": ("record-acknowledgement",),
}
"""The commands that replace what was recorded of a filing, for a reason; they are on its own page."""

_TAXES: Final = ("withheld_cents", "state_withheld_cents", "local_withheld_cents")
_OF_REPORT: Final = {
    True: ("with_others", "in_dollars", "out_dollars", "amends", "bsa_id"),
    False: ("account_number", "winnings_cents", *_TAXES, "corrects"),
}
"""The columns of a currency transaction report, and of an information return."""

_NO_LONGER: Final = ("to_withdraw", "to_correct")
"""The statuses of what was prepared or sent, and no longer holds."""

_NOW_AND_FILED: Final = ("in_cents", "out_cents", "filed_in_cents", "filed_out_cents")
"""The amounts of a currency report as they are now, and as they were filed."""

_DUE: Final = ("due", "rejected", *_NO_LONGER)
"""The statuses of information returns of which something is to be done."""

_IN_LEAD: Final = ("period", "status", "content_sha256")

_LAST: Final = ("accepted", "withdrawn")
"""The statuses after which nothing follows: the latest filings come first."""

_UNSENT: Final = ("prepared", "released", "rejected")
_SENT: Final = ("filed_at", "tracking_id")
_MORE: Final = {
    "filed": ("filed_by", *_SENT),
    "rejected": (*_SENT, "acknowledged_at"),
    "accepted": (*_SENT, "acknowledged_at"),
    "withdrawn": ("withdrawn_by", "withdrawn_at", "withdraw_reason"),
}


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}/filings")

    @router.get("")
    async def filings(request: Request, person: Asked, property: str) -> Response:
        zone = await zone_of(person, property)
        now = person.console.clock().astimezone(ZoneInfo(zone or "UTC"))
        due, lists = await asyncio.gather(
            _due(person, property, now.date()), _by_status(person, property, now, rows_max(request))
        )
        shown, empty = filled([*due, *lists])
        return page(
            request,
            "lists.html",
            person,
            title=say("filings.title"),
            lead=say("filings.lead"),
            more=[],
            lists=shown,
            empty=empty,
            zone=zone,
        )

    @router.get("/{filing}")
    async def filing(request: Request, person: Asked, property: str, filing: str) -> Response:
        found = await person.calls.get(ACCOUNTS, path("filings", property, filing))
        zone = await zone_of(person, property)
        reports = [report_in_words(one) for one in found["reports"]]
        lists = [
            *(await _changed_in(person, property, found)),
            listed(
                "filings.reports",
                reports,
                cols("report", "subject", "reference", *_OF_REPORT[found["form"] == "ctr"], "accepted", "errors"),
                link=partial(_patron, property),
            ),
            listed("filings.errors", list(found["errors"]), cols("code", "place", "is_warning")),
        ]
        shown, empty = filled(lists)
        return page(
            request,
            "lists.html",
            person,
            title=say("filings.one", filing=filing),
            lead=say("filings.one_lead", form=FORM_NUMBERS[found["form"]], **{name: found[name] for name in _IN_LEAD}),
            more=[*_acts(property, found), *_acts(property, found, _AGAIN)],
            lists=shown,
            empty=empty,
            zone=zone,
        )

    return router


async def _due(person: Person, property_name: str, today: date) -> list[Any]:
    """Return what is to be reported of this month and the one before, or this year and the one before."""
    if not person.may("patrons.report"):
        return []
    months = (today.replace(day=1) - timedelta(days=1), today)
    answers = await together(
        *(
            person.calls.get(
                REPORTING, "/reports/currency", property=property_name, gaming_day=day.isoformat(), period="month"
            )
            for day in months
        ),
        *(
            person.calls.get(
                REPORTING, "/reports/winnings", property=property_name, gaming_day=f"{year}-12-31", period="year"
            )
            for year in (today.year - 1, today.year)
        ),
    )
    reported, returned = answers[: len(months)], answers[len(months) :]
    return [
        listed(
            "filings.due",
            _rows_of(reported, "filed"),
            cols("gaming_day", "form", "person", "entry", "reported_with", "file_by", "late"),
            only=lambda one: one["status"] == "due",
        ),
        _changed(property_name, _rows_of(reported, "filed")),
        listed(
            "filings.returns_due",
            _rows_of(returned, "returns"),
            cols("year", "form", "patron", "winnings_cents", *_TAXES, "status", "copy_by", "file_by", "late"),
            only=lambda one: one["status"] in _DUE,
            seen=_still,
        ),
    ]


def _changed(property_name: str, answer: Missing | list[Record], filing: str | None = None) -> Listed:
    """Return the currency reports with other amounts than hold now: of all filings, or of one."""
    return listed(
        "filings.changed",
        answer,
        cols("filing", "gaming_day", "form", "person", "entry", "status", *_NOW_AND_FILED, "bsa_id", "file_by", "late"),
        only=lambda one: one["status"] in _NO_LONGER and filing in (None, one["filing"]),
        link=lambda one: path("p", property_name, "filings", one["filing"]),
        seen=_still,
    )


def _still(one: Record) -> Record:
    """Return what is still to be done with its status in words."""
    return {**one, "status": say(f"filings.still.{one['status']}")}


async def _changed_in(person: Person, property_name: str, found: Record) -> list[Listed]:
    """Return which reports in a filing no longer hold, for those who may know what persons moved."""
    if found["form"] != "ctr" or not person.may("patrons.report"):
        return []
    asked = {"property": property_name, "gaming_day": found["period"], "period": "day"}
    report = await together(person.calls.get(REPORTING, "/reports/currency", **asked))
    return [_changed(property_name, _rows_of(report, "filed"), str(found["filing"]))]


def _rows_of(answers: Sequence[Record | Missing], section: str) -> Missing | list[Record]:
    """Return the rows of a section of reports: nothing is known of a period before the books; or why there is none."""
    reports = [one for one in answers if not isinstance(one, Missing)]
    if not reports:
        return next(one for one in answers if isinstance(one, Missing))
    return [
        row
        for report in reports
        for one in report["content"]["sections"]
        if one["name"] == section
        for row in one["rows"]
    ]


async def _by_status(person: Person, property_name: str, now: datetime, most: int | None) -> list[Any]:
    asked = {"property": property_name}
    answers = await together(
        *(
            person.calls.get_first(ACCOUNTS, "/filings", most, **asked, status=status, from_end=status in _LAST)
            for status in _STEPS
        )
    )
    return [_list(property_name, status, answer, now) for status, answer in zip(_STEPS, answers, strict=True)]


def _list(property_name: str, status: str, answer: Any, now: datetime) -> Any:
    return listed(
        f"filings.{status}",
        answer,
        _columns(status),
        acts=partial(_acts, property_name),
        link=lambda one: path("p", property_name, "filings", str(one["filing"])),
        seen=lambda one: {**with_lateness(one, now=now), "form": FORM_NUMBERS[one["form"]]},
    )


def _columns(status: str) -> list[Col]:
    named = ("filing", "form", "period", "report_count", "copy_by", "file_by", "late", "prepared_by", "released_by")
    return cols(*named, *_MORE.get(status, ()))


def _acts(property_name: str, one: Record, steps: Mapping[str, tuple[str, ...]] = _STEPS) -> list[Act]:
    here = {"property": property_name, "filing": one["filing"]}
    return [Act(ACCOUNTS, name, here) for name in steps.get(one["status"], ())]


def with_lateness(one: Record, *, now: datetime) -> Record:
    """Return a filing with whether it is late: not sent by its last day, or sent after it, on the property's calendar.

    `now` is in the property's time zone.
    """
    sent = now.isoformat() if one["status"] in _UNSENT else one.get("filed_at")
    late = sent is not None and one["file_by"] < datetime.fromisoformat(sent).astimezone(now.tzinfo).date().isoformat()
    return {**one, "late": say("filings.late") if late else ""}


def report_in_words(one: Record) -> Record:
    """Return a report with its amounts in dollars, and in words its errors and whom it is about."""
    errors = "; ".join(f"{each['code']} {each['place']}" for each in one["errors"])
    dollars = {name: f"${one[name]:,}" for name in ("in_dollars", "out_dollars") if name in one}
    subject = say(f"filings.subject.{one['kind']}")
    return {
        **one,
        **dollars,
        "subject": subject,
        "with_others": ", ".join(one.get("with_others", ())),
        "errors": errors,
    }


def _patron(property_name: str, one: Record) -> str:
    return path("p", property_name, "patrons", one["reference"]) if one["kind"] == "patron" else ""
