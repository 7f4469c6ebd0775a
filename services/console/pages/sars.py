"""Pages of suspicious activity reports (SARs): due reports, and all reports by status, from prepared to accepted.

Only people who prepare SARs see these pages. Nobody else may learn whether any exist, so traces omit the URLs.
"""

import asyncio
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, page, rows_max
from services.console.listing import Act, Record, cols, filled, listed
from services.console.pages.days import zone_of
from services.console.services import SUSPICIONS, or_missing, path, together
from services.console.words import say

_STEPS: Final = {
    "prepared": ("release-sar", "withdraw-sar"),
    "released": ("record-sar-filed", "withdraw-sar"),
    "filed": ("record-sar-acknowledgement",),
    "rejected": ("withdraw-sar", "destroy-sar-file"),
    "accepted": ("destroy-sar-file",),
    "withdrawn": ("destroy-sar-file",),
}
"""The statuses in the order in which they are shown, each with the commands that may follow."""

_LAST: Final = ("accepted", "withdrawn")
"""The final statuses, in whose lists the latest reports come first."""

_COLUMNS: Final = ("sar", "subject", "detected_on", "file_by", "prepared_by", "released_by")
_MORE: Final = {
    "filed": ("filed_by", "filed_at", "tracking_id"),
    "rejected": ("filed_at", "tracking_id", "destroyed_at"),
    "accepted": ("filed_at", "bsa_id", "destroyed_at"),
    "withdrawn": ("withdrawn_by", "withdrawn_at", "withdraw_reason"),
}
_SHOWN: Final = (
    "subject",
    "detected_on",
    "first_day",
    "last_day",
    "dollars",
    "amends",
    "continues",
    "files_again",
    "bsa_id",
)


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/sars")

    @router.get("")
    async def sars(request: Request, person: Asked, property: str) -> Response:
        most, asked = rows_max(request), {"property": property}
        zone, due, answers = await asyncio.gather(
            zone_of(person, property),
            or_missing(person.calls.get(SUSPICIONS, "/due-sars", **asked)),
            together(
                *(
                    person.calls.get_first(SUSPICIONS, "/sars", most, **asked, status=status, from_end=status in _LAST)
                    for status in _STEPS
                )
            ),
        )
        lists = [listed("sars.due", due, cols("sar", "file_by", "days_left", "status", "late"), seen=_with_lateness)]
        for status, answer in zip(_STEPS, answers, strict=True):
            lists.append(
                listed(
                    f"sars.{status}",
                    answer,
                    cols(*_COLUMNS, *_MORE.get(status, ())),
                    acts=partial(_acts, property),
                    link=lambda one: path("p", property, "sars", str(one["sar"])),
                )
            )
        shown, empty = filled(lists)
        text: dict[str, Any] = {"title": say("sars.title"), "lead": say("sars.lead"), "empty": empty}
        return page(request, "lists.html", person, **text, more=[], lists=shown, zone=zone)

    @router.get("/{sar}")
    async def sar(request: Request, person: Asked, property: str, sar: str) -> Response:
        found = await person.calls.get(SUSPICIONS, path("sars", property, sar))
        zone = await zone_of(person, property)
        lists = [
            listed("sars.said", [found], cols(*_SHOWN)),
            listed("sars.errors", list(found["errors"]), cols("code", "place", "is_warning")),
        ]
        lead = say("sars.one_lead", **{name: found[name] for name in ("status", "file_by", "content_sha256")})
        shown, empty = filled(lists)
        text: dict[str, Any] = {"title": say("sars.one", sar=sar), "lead": lead, "empty": empty}
        return page(request, "lists.html", person, **text, more=_acts(property, found), lists=shown, zone=zone)

    return router


def _acts(property_name: str, one: Record) -> list[Act]:
    here = {"property": property_name, "sar": one["sar"]}
    if one["status"] == "withdrawn" and one.get("filed_at") is None:
        return []  # its file was destroyed
    return [Act(SUSPICIONS, name, here) for name in _STEPS[one["status"]]]


def _with_lateness(one: Record) -> Record:
    return {**one, "late": say("sars.late") if one.get("days_left", 0) < 0 else ""}


def is_confidential(address: str) -> bool:
    """Return whether a console URL path concerns SARs, so that traces must omit it.

    >>> is_confidential("/p/riverside/sars/3"), is_confidential("/do/suspicious-activity/release-sar")
    (True, True)
    >>> is_confidential("/api/suspicious-activity/sars"), is_confidential("/p/riverside/filings/3")
    (True, False)
    """
    parts = address.split("/")
    return SUSPICIONS in parts[2:3] or (parts[1:2] == ["p"] and parts[3:4] == ["sars"])
