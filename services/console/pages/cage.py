"""Pages of the cage: transfers in transit, counts to verify, the day's counts and transfers, and book balances."""

import asyncio
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page, rows_max
from services.console.listing import Act, Record, cols, listed
from services.console.money import dollars
from services.console.pages.days import running_day
from services.console.services import INVENTORY, path, together
from services.console.words import say

_READERS: Final = ("reports.read", "cage.transact")
_BOOK_READERS: Final = ("reports.read", "days.audit", "days.audit.approve")
_TRANSFER: Final = cols("transfer", "giver", "receiver", "what", "status", "issued_by", "issued_at")
_WAITING: Final = cols("count", "location", "what", "cashier", "next_cashier", "counted_by", "counted_at")
_COUNTED: Final = cols(
    *("count", "location", "status", "before_cents", "counted_cents", "over_short_cents", "cashier", "next_cashier")
)
_LOCATION: Final = cols("location", "kind", "imprest_cents", "cashier", "since_count", "since", "retired_on")

_IN_SERVICE: Final = cols(
    *("revision", "gaming_day", "what", "stated_cents", "put_in_since_cents", "in_service_cents"),
    *("source", "status", "entered_by", "approved_by"),
)


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/cage")

    @router.get("")
    async def cage(request: Request, person: Asked, property: str) -> Response:
        floor = await running_day(person, property)
        day, here = floor["gaming_day"], {"property": property}
        lists = [
            *(await _of_day(person, here, day, rows_max(request)) if person.may(*_READERS) else ()),
            *(await _books(person, here) if person.may(*_BOOK_READERS) else ()),
        ]
        return page(
            request,
            "lists.html",
            person,
            title=say("cage.title"),
            lead=say("cage.lead", day=day, shift=floor.get("shift", "")),
            more=[Act(INVENTORY, "issue-cage-transfer", here), Act(INVENTORY, "enter-cage-count", here)],
            lists=lists,
            zone=floor.get("time_zone"),
        )

    return router


async def _of_day(person: Person, here: Record, day: str, most: int | None) -> list[Any]:
    transfers, counts = (path("cage", here["property"], name) for name in ("transfers", "counts"))
    [under_way], [waiting], [passed], [counted], [locations] = await asyncio.gather(
        together(person.calls.get_first(INVENTORY, transfers, most, status="issued")),
        together(person.calls.get_first(INVENTORY, counts, most, status="entered")),
        together(person.calls.get_first(INVENTORY, transfers, most, gaming_day=day)),
        together(person.calls.get_first(INVENTORY, counts, most, gaming_day=day)),
        together(person.calls.get(INVENTORY, path("cage", here["property"], "locations"))),
    )
    return [
        listed(
            "cage.in_transit",
            under_way,
            _TRANSFER,
            acts=lambda one: [
                Act(INVENTORY, name, {**here, "transfer": one["transfer"]})
                for name in ("receive-cage-transfer", "return-cage-transfer")
            ],
            seen=_in_words,
        ),
        listed(
            "cage.waiting",
            waiting,
            _WAITING,
            acts=lambda one: [
                Act(INVENTORY, name, {**here, "count": one["count"]})
                for name in ("verify-cage-count", "reject-cage-count")
            ],
            seen=_in_words,
        ),
        listed(
            "cage.counts",
            counted,
            _COUNTED,
            only=lambda one: one["status"] != "entered",
        ),
        listed("cage.locations", locations, _LOCATION, seen=_kind_in_words),
        listed("cage.transfers", passed, _TRANSFER, only=lambda one: one["status"] != "issued", seen=_in_words),
    ]


async def _books(person: Person, here: Record) -> list[Any]:
    name = here["property"]
    [books], [in_service] = await asyncio.gather(
        together(person.calls.get(INVENTORY, path("cage", name, "books"))),
        together(person.calls.get(INVENTORY, path("chips-in-service", name))),
    )

    def decide(one: Record) -> list[Act]:
        steps = ("approve-chips-in-service", "reject-chips-in-service") if one["status"] == "entered" else ()
        return [Act(INVENTORY, step, {**here, "revision": one["revision"]}) for step in steps]

    return [
        listed("cage.books", books, cols("location", "cents")),
        listed(
            "cage.in_service",
            in_service,
            cols(
                "revision",
                "gaming_day",
                "what",
                "stated_cents",
                "in_service_cents",
                "source",
                "status",
                "entered_by",
                "approved_by",
            ),
            acts=decide,
            more=[Act(INVENTORY, "enter-chips-in-service", here)],
            seen=_in_words,
        ),
    ]


def _kind_in_words(one: Record) -> Record:
    return {**one, "kind": one["kind"].replace("_", " ")}


def _in_words(one: Record) -> Record:
    """Return a transfer, a count or the chips in service with a field `what` that describes the contents."""
    held = [
        say("cage.pieces", count=each["count"], kind=each["kind"].replace("_", " "), cents=dollars(each["cents"]))
        for each in one["contents"]
    ]
    return {**one, "what": "; ".join(held)}
