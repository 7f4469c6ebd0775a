"""Pages of filings with FinCEN and the IRS: reports due, and filings by status, from prepared to accepted."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page, rows_max
from services.console.listing import Act, Col, Listed, Record, cols, filled, listed
from services.console.pages.days import zone_of
from services.console.services import ACCOUNTS, REPORTING, Missing, or_missing, path, together, unless
from services.console.words import say
from shared.contracts.filings import FORM_NUMBERS
from shared.runtime.filing.filed_amounts import changed_since_prepared, has_last_day, is_due_again, report_behind

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
"""The commands that replace what was recorded on a filing, by status; only the filing's own page has them."""

_TAXES: Final = ("withheld_cents", "state_withheld_cents", "local_withheld_cents")
_OF_REPORT: Final = {
    True: ("with_others", "in_dollars", "out_dollars", "amends", "bsa_id"),
    False: ("account_number", "winnings_cents", *_TAXES, "corrects"),
}
"""The columns of a currency transaction report, and of an information return."""

_NO_LONGER: Final = ("to_withdraw", "to_correct")
"""The statuses of reports that were prepared or sent and no longer match the books."""

_AMOUNTS: Final = ("in_cents", "out_cents", "winnings_cents", *_TAXES)
"""The amount columns of currency reports and information returns."""

_LATEST: Final = tuple(f"latest_{name}" for name in _AMOUNTS)
"""The amount columns of the latest report, sent or prepared."""

_NOW_AND_LATEST: Final = (*_AMOUNTS[:2], *_LATEST[:2])
"""The columns of current amounts, and of amounts of the latest report, of a currency transaction report."""

_DUE: Final = ("due", "rejected", *_NO_LONGER)
"""The statuses of information returns that require an action."""

_LATE: Final = "late"
"""The currency report's remark on reports that were not filed in time."""

_IN_LEAD: Final = ("period", "status", "content_sha256")

_LAST: Final = ("accepted", "withdrawn")
"""The final statuses, in whose lists the latest filings come first."""

UNSENT: Final = ("prepared", "released", "rejected")
"""The statuses of filings that must still be sent, or sent again."""
_SENT: Final = ("filed_at", "tracking_id")
_MORE: Final = {
    "filed": ("filed_by", *_SENT),
    "rejected": ("next_step", *_SENT, "acknowledged_at"),
    "accepted": (*_SENT, "acknowledged_at"),
    "withdrawn": ("withdrawn_by", "withdrawn_at", "withdraw_reason"),
}


def routes() -> APIRouter:
    """Return the routes of these pages."""
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
    """Return lists of due reports: currency reports of this and the last month, returns of this and the last year."""
    if not person.may("patrons.report"):
        return []
    reported, returned = await _reported(person, property_name, today)
    return [
        listed(
            "filings.due",
            reported,
            cols("gaming_day", "form", "person", "entry", "reported_with", "file_by", "late"),
            only=lambda one: one["status"] == "due",
        ),
        _changed(property_name, reported),
        listed(
            "filings.returns_due",
            returned,
            cols(
                *("year", "form", "patron", "winnings_cents", *_TAXES),
                *("status", "filing", "amendment", "copy_by", "file_by", "late"),
            ),
            only=lambda one: one["status"] in _DUE,
            seen=_still,
        ),
    ]


async def currency_reports(person: Person, property_name: str, today: date) -> Missing | list[Record]:
    """Return a row with the filing status of each currency transaction report of this and the last month."""
    months = (today.replace(day=1) - timedelta(days=1), today)
    return await _rows_of_periods(person, property_name, "currency", "filed", "month", months)


async def _returns(person: Person, property_name: str, today: date) -> Missing | list[Record]:
    """Return a row for each information return of this and the last year."""
    years = (date(today.year - 1, 12, 31), date(today.year, 12, 31))
    return await _rows_of_periods(person, property_name, "winnings", "returns", "year", years)


async def _reported(person: Person, property_name: str, today: date) -> tuple[Missing | list[Record], ...]:
    """Return the rows of the currency transaction reports, and the rows of the information returns."""
    return tuple(
        await asyncio.gather(
            currency_reports(person, property_name, today),
            _returns(person, property_name, today),
        )
    )


async def _rows_of_periods(
    person: Person, property_name: str, report: str, section: str, period: str, days: Sequence[date]
) -> Missing | list[Record]:
    """Return the rows of a section of a report, for the periods that contain these days.

    A period without records has no rows. If an answer is missing, returns its Missing with the reason.
    """
    asked = {"property": property_name, "period": period}
    calls = (person.calls.get(REPORTING, f"/reports/{report}", **asked, gaming_day=str(day)) for day in days)
    answers = await together(*(unless(HTTPStatus.NOT_FOUND, one) for one in calls))
    for one in answers:
        if isinstance(one, Missing):
            return one
    recorded = [one for one in answers if one is not None]
    return _rows_of(recorded, section) if recorded else []


class OpenReports(NamedTuple):
    """The numbers of currency transaction reports that are due, late among these, to correct, and to withdraw."""

    due: int
    late: int
    to_correct: int
    to_withdraw: int


def open_reports(rows: Sequence[Record]) -> OpenReports:
    """Count the currency transaction reports that require an action; a report on several persons counts once."""
    due = [one for one in rows if one["status"] == "due" and not one.get("reported_with")]
    changed = [one["status"] for one in rows if _no_longer_holds(one) and not one.get("reported_with")]
    late = sum(one.get("late") == _LATE for one in due)
    return OpenReports(len(due), late, changed.count("to_correct"), changed.count("to_withdraw"))


def _changed(property_name: str, answer: Missing | list[Record], filing: str | None = None) -> Listed:
    """Return a list of currency transaction reports that no longer match the books, of all filings or of one."""
    return _listed_changed(
        property_name,
        answer,
        (
            *("gaming_day", "form", "person", "entry", "status", "why", *_NOW_AND_LATEST),
            *("bsa_id", "amendment", "file_by", "late"),
        ),
        filing,
    )


def _listed_changed(
    property_name: str, answer: Missing | list[Record], columns: Sequence[str], filing: str | None
) -> Listed:
    return listed(
        "filings.changed",
        answer,
        cols("filing", *columns),
        only=lambda one: _no_longer_holds(one) and (filing is None or filing in (one["filing"], one.get("amendment"))),
        link=lambda one: path("p", property_name, "filings", one["open_filing"]),
        seen=lambda one: {
            **_still(one),
            **_latest(one),
            "open_filing": (one["status"] == "to_withdraw" and one.get("amendment")) or one["filing"],
        },
    )


def _no_longer_holds(one: Record) -> bool:
    """Return whether a report no longer matches the books and is not yet corrected by an amendment."""
    return one["status"] in _NO_LONGER and not (one["status"] == "to_correct" and one.get("amendment"))


def _latest(one: Record) -> Record:
    """Return the amounts of a report's latest version: the unsent amendment, or else the sent report."""
    amounts = ((name, one.get(f"amended_{name}"), one.get(f"filed_{name}")) for name in _AMOUNTS)
    return {f"latest_{name}": filed if amended is None else amended for name, amended, filed in amounts}


def _still(one: Record) -> Record:
    """Return a report's row with its status as text; the text names the amendment if that is to be withdrawn."""
    if one["status"] == "to_withdraw" and (amendment := one.get("amendment")):
        return {**one, "status": say("filings.still.amendment_to_withdraw", filing=amendment)}
    return {**one, "status": say(f"filings.still.{one['status']}")}


async def _changed_in(person: Person, property_name: str, found: Record) -> list[Listed]:
    """Return the reports of a filing that no longer match the books, if the person may see patrons' data."""
    if not person.may("patrons.report"):
        return []
    name, asked = report_behind(found)
    filing, report = str(found["filing"]), await together(person.calls.get(REPORTING, f"/reports/{name}", **asked))
    if found["form"] == "ctr":
        return [_changed(property_name, _rows_of(report, "filed"), filing)]
    rows, form = _rows_of(report, "returns"), FORM_NUMBERS[found["form"]]
    columns = ("patron", "account_number", "status", *_AMOUNTS[2:], *_LATEST[2:], "amendment", "late")
    of_form = rows if isinstance(rows, Missing) else [one for one in rows if one["form"] == form]
    return [_listed_changed(property_name, of_form, columns, filing)]


class Warned(NamedTuple):
    """The warning to show before a step (empty for none), and whether the step is offered."""

    why: str = ""
    is_offered: bool = True


async def why_not_released(person: Person, filing: Record) -> Warned:
    """Return a warning for the releaser of a filing, naming reports that no longer match the books; empty if all match.

    A filing that is not awaiting release gets no warning, because its release is refused anyway.
    """
    if filing["status"] != "prepared":
        return Warned()
    if not person.may("patrons.report"):
        return Warned(say("filings.not_compared"))
    name, asked = report_behind(filing)
    report = await or_missing(person.calls.get(REPORTING, f"/reports/{name}", **asked))
    if isinstance(report, Missing):
        return Warned(report.why)
    changed = changed_since_prepared(filing, report)
    return Warned(say("filings.no_longer", changed="; ".join(map(str, changed))) if changed else "")


async def why_not_erased(person: Person, record: Record) -> Warned:
    """Return a warning that lists a patron's pending reports, which prevent the patron's erasure.

    Pending are reports of this and the last month, and returns of this and the last year, that are due, must be filed
    again or corrected, or wait in a filing. If these cannot be read, the erasure is offered with a warning.
    """
    if not person.may("patrons.report"):
        return Warned(say("filings.erasure_not_compared"))
    zone = await zone_of(person, record["property"])
    today = person.console.clock().astimezone(ZoneInfo(zone or "UTC")).date()
    due = []
    for rows in await _reported(person, record["property"], today):
        if isinstance(rows, Missing):
            return Warned(rows.why)
        for one in rows:
            if one.get("person", one.get("patron")) == record["patron"] and one["status"] in _DUE:
                period = one.get("gaming_day", one.get("year"))
                due.append(say("filings.still_due", form=one["form"], period=period, status=_still(one)["status"]))
    return Warned(say("filings.erasure_waits", due="; ".join(due)), is_offered=False) if due else Warned()


def _rows_of(answers: Sequence[Record | Missing], section: str) -> Missing | list[Record]:
    """Return a section's rows from all reports that are not missing; if all are missing, return the first Missing."""
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
    rejected = list(_STEPS).index("rejected")
    answers[rejected] = await _with_next_step(person, answers[rejected])
    return [_list(property_name, status, answer, now) for status, answer in zip(_STEPS, answers, strict=True)]


async def _with_next_step(person: Person, answer: Any) -> Any:
    """Return rejected filings, each with its next step: filed again, must be filed again, or no longer due."""
    if isinstance(answer, Missing):
        return answer
    items = answer if isinstance(answer, list) else answer["items"]
    left = [one for one in items if not one.get("filed_again")] if person.may("patrons.report") else []
    behind = {(one["form"], one["period"]): report_behind(one) for one in left}
    calls = (person.calls.get(REPORTING, f"/reports/{name}", **asked) for name, asked in behind.values())
    reports = dict(zip(behind, await together(*calls), strict=True))
    seen = [{**one, **_next_step(one, reports.get((one["form"], one["period"])))} for one in items]
    return seen if isinstance(answer, list) else {**answer, "items": seen}


def _next_step(one: Record, report: Any) -> Record:
    """Return a rejected filing's next step as text, and `is_open`: whether it must be filed again and may be late."""
    if one.get("filed_again"):
        return {"next_step": say("filings.next.filed_again"), "is_open": False}
    if report is None:
        return {"next_step": say("filings.next.not_compared"), "is_open": True}
    if isinstance(report, Missing):
        return {"next_step": report.why, "is_open": True}
    is_open = is_due_again(one["filing"], report)
    return {"next_step": say("filings.next.again" if is_open else "filings.next.due_no_more"), "is_open": is_open}


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
    """Return a filing with a text `late`, which is empty unless the filing's last day passed before it was sent.

    A rejected filing counts as not sent as long as it must be filed again. Other filings that only amend or correct
    reports are never late. `now` must be in the property's time zone, in which dates are compared.
    """
    sent = now.isoformat() if one["status"] in UNSENT and one.get("is_open", True) else one.get("filed_at")
    late = (
        sent is not None
        and has_last_day(one)
        and one["file_by"] < datetime.fromisoformat(sent).astimezone(now.tzinfo).date().isoformat()
    )
    return {**one, "late": say("filings.late") if late else ""}


def report_in_words(one: Record) -> Record:
    """Return a filed report with its amounts in dollars, and its errors and subject as text."""
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
