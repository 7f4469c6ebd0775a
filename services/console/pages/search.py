"""One search box for everything: a round, table, slip number, person, meter, account, hash."""

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.console import Asked, Person, page
from services.console.pages.days import running_day
from services.console.services import (
    ACCOUNTS,
    INVENTORY,
    METERS,
    REPORTING,
    SETTLEMENT,
    Missing,
    or_missing,
    path,
    together,
)

_HASH: Final = re.compile(r"[0-9a-f]{8,64}")
_TERM_MAX: Final = 200
_WORD_OF_TABLE: Final = re.compile(r"^table\s+")
"""The word that people may type before the name of a table."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: its kind, its name, and the address of its page."""

    kind: str
    name: str
    address: str
    about: str = ""


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}/search")

    @router.get("")
    async def search(request: Request, person: Asked, property: str, q: str = "") -> Response:
        term = q.strip()[:_TERM_MAX]
        hits = await _found(person, property, term) if term else []
        meant = hits if len(hits) == 1 else [hit for hit in hits if hit.name.lower() == term.lower()]
        if len(meant) == 1 and "hx-request" not in request.headers:
            return RedirectResponse(meant[0].address, status_code=303)
        return page(request, "search.html", person, term=term, hits=hits)

    return router


async def _found(person: Person, property_name: str, term: str) -> list[Hit]:
    """Return what matches the term and is visible to the person; services that do not answer are skipped."""
    running = await or_missing(running_day(person, property_name))
    day = "" if isinstance(running, Missing) else running["gaming_day"]
    looks: list[Awaitable[list[Hit]]] = [
        _tables(person, property_name, term),
        _rounds(person, property_name, term, day),
        _slips(person, property_name, term),
        _meters(person, property_name, term),
        _accounts(person, property_name, term),
        _reports(person, property_name, term),
        _people(person, property_name, term, day),
    ]
    found = await asyncio.gather(*looks)
    return [hit for hits in found for hit in hits]


async def _tables(person: Person, name: str, term: str) -> list[Hit]:
    [floor] = await together(person.calls.get(REPORTING, path("floors", name)))
    named = _WORD_OF_TABLE.sub("", term.lower())
    return [
        Hit("table", one["table"], path("p", name, "floor", one["table"]), one["game"])
        for one in (floor or {}).get("tables", ())
        if named and named in one["table"].lower()
    ]


async def _rounds(person: Person, name: str, term: str, day: str) -> list[Hit]:
    by_hash = {"hash": term, "gaming_day": day} if _HASH.fullmatch(term) else {}
    [found] = await together(person.calls.get(SETTLEMENT, "/rounds/find", property=name, round_id=term, **by_hash))
    return [
        Hit("round", one["round_id"], path("p", name, "rounds", one["table"], one["round_id"]), one["table"])
        for one in (found or {}).get("items", ())
    ]


async def _slips(person: Person, name: str, term: str) -> list[Hit]:
    number = term.lower().removeprefix("fill").removeprefix("credit").strip(" #")
    if not number.isdigit():
        return []
    kinds = [kind for kind in ("fill", "credit") if term.lower().startswith(kind)] or ["fill", "credit"]
    answers = await together(*(person.calls.get(INVENTORY, path("slips", name, kind, number)) for kind in kinds))
    return [
        Hit(
            "slip",
            f"{one['slip']} {one['number']}",
            path("p", name, "floor", one["table"]) + f"?day={one['gaming_day']}",
            one["status"],
        )
        for one in answers
        if one
    ]


async def _meters(person: Person, name: str, term: str) -> list[Hit]:
    [found] = await together(person.calls.get_all(METERS, "/pools", property=name))
    return [
        Hit("meter", one["pool"], path("p", name, "meters", one["pool"]))
        for one in found or ()
        if term.lower() in one["pool"].lower()
    ]


async def _accounts(person: Person, name: str, term: str) -> list[Hit]:
    [found] = await together(person.calls.get(ACCOUNTS, path("accounts", name, term)))
    return [Hit("account", term, path("p", name, "patrons", "accounts", term))] if found else []


async def _reports(person: Person, name: str, term: str) -> list[Hit]:
    [found] = await together(person.calls.get(REPORTING, "/reports"))
    return [
        Hit("report", one["title"], path("p", name, "reports", one["name"]))
        for one in found or ()
        if term.lower() in one["title"].lower() and person.may(one["role"])
    ]


async def _people(person: Person, name: str, term: str, day: str) -> list[Hit]:
    """Return the people in the access report who match the term."""
    if not person.may("reports.read") or not re.fullmatch(r"[\w.@-]{3,64}", term):
        return []
    [report] = await together(
        person.calls.get(REPORTING, "/reports/access", property=name, gaming_day=day, period="month", **{"as": "json"})
    )
    rows = [row for section in (report or {}).get("content", {}).get("sections", ()) for row in section["rows"]]
    people = {str(row.get("person")) for row in rows if term.lower() in str(row.get("person", "")).lower()}
    where = path("p", name, "reports", "access") + f"?day={day}&period=month"
    return [Hit("person", one, where) for one in sorted(people)]
