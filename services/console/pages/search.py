"""One search box for everything: tables, rounds, slips, serial numbers, patrons, meters, accounts, people, hashes."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.choices import choices_of_property
from services.console.console import Asked, Person, page
from services.console.pages.days import running_day
from services.console.pages.records import CHECK, NUMBERED, address_of, title_of
from services.console.services import (
    ACCOUNTS,
    INVENTORY,
    METERS,
    REPORTING,
    SETTLEMENT,
    SUSPICIONS,
    Missing,
    or_missing,
    path,
    together,
)
from services.console.words import said
from shared.contracts.filings import FORM_NUMBERS

_HASH: Final = re.compile(r"(?=.*[a-f]|.{12})[0-9a-f]{8,64}")
"""The first digits of a hash. Short numbers do not match, because a search by hash reads all entries of a day."""
_TERM_MAX: Final = 200
_NUMBER: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_REFERENCE: Final = re.compile(r"[!-~]{1,128}")
"""A reference in the form that services accept: without spaces."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A reference of a patron."""
_PERSON: Final = re.compile(r"[\w.@-]{3,64}")
_BETWEEN: Final = re.compile(r"[\s#:.-]*")
"""The characters allowed between the word for a kind and the number."""
_SLIPS: Final = frozenset({"fill", "credit"})
"""The kinds of numbered records that are found by a bare number as well."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: its kind, its name, and the address of its page.

    If `is_checked`, the result exists; otherwise it was not looked up, because the access would be recorded. If
    `is_recorded`, opening its page is recorded as access to patron data.
    """

    kind: str
    name: str
    address: str
    about: str = ""
    is_checked: bool = True
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """A person's search at a property: the text without the word for a kind, and the kinds of records (empty: all)."""

    person: Person
    property: str
    text: str
    kinds: frozenset[str] = frozenset()

    def wants(self, kind: str) -> bool:
        """Return whether the search includes records of this kind."""
        return not self.kinds or kind in self.kinds

    def may_read(self, service: str, route: str) -> bool:
        """Return whether the person may read a route (an OpenAPI path template); True while that is unknown."""
        query = self.person.console.operations.query(service, route)
        return query is None or self.person.may(*query.roles)

    async def items(self, service: str, route: str, at: str = "", **asked: object) -> list[Any]:
        """Return the items of a list route; empty if refused. `at` is the actual path if `route` has placeholders."""
        if not self.may_read(service, route):
            return []
        [found] = await together(self.person.calls.get(service, at or route, **asked))
        return list((found or {}).get("items", ()))


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/search")

    @router.get("")
    async def search(request: Request, person: Asked, property: str, q: str = "") -> Response:
        term = q.strip()[:_TERM_MAX]
        hits = await _found(person, property, term) if term else []
        meant = meant_by(term, hits)
        if meant is not None and "hx-request" not in request.headers:
            return RedirectResponse(meant.address, status_code=303)
        return page(request, "search.html", person, term=term, hits=hits)

    return router


def meant_by(term: str, hits: list[Hit]) -> Hit | None:
    """Return the unambiguous result of a search: the only result, or the only result with exactly the searched name.

    None also if opening the result would be recorded as access to patron data; a person must select such a result.

    >>> table, round_ = Hit("table", "BJ-01", "/t"), Hit("round", "r-bj-01", "/r")
    >>> meant_by("table bj 01", [table, round_]) == meant_by("bj01", [table]) == table
    True
    >>> meant_by("r", [table, round_]), meant_by("p-7", [Hit("patron", "p-7", "/p", is_checked=False)])
    (None, None)
    """
    checked = [hit for hit in hits if hit.is_checked and not hit.is_recorded]
    words = {plain(term), *(plain(text) for _, text in named_kinds(term))}
    meant = checked if len(checked) == 1 else [hit for hit in checked if plain(hit.name) in words]
    return meant[0] if len(meant) == 1 else None


def plain(text: str) -> str:
    """Return a text normalized for comparison: case-folded, without spaces, hyphens and other signs.

    >>> plain("table BJ-01"), plain("bj 01")
    ('tablebj01', 'bj01')
    """
    return "".join(filter(str.isalnum, text)).casefold()


def named_kinds(term: str) -> list[tuple[str, str]]:
    """Return pairs of kind and remaining term, for kinds whose word starts the term.

    If several words match, the longest one is used; the initials of slips (`F-12`) need a number.

    >>> named_kinds("fill #12"), named_kinds("Cage transfer 3"), named_kinds("table BJ01")
    ([('fill', '12')], [('cage_transfer', '3')], [('table', 'BJ01')])
    >>> named_kinds("F-12"), named_kinds("FP-12"), named_kinds("tables")
    ([('fill', '12')], [], [])
    """
    for word, kinds in _words():
        if not term.casefold().startswith(word):
            continue
        between = _BETWEEN.match(term, len(word))
        assert between is not None, "it matches nothing as well"
        rest = term[between.end() :]
        is_apart = between.end() > len(word)
        if rest and (_NUMBER.fullmatch(rest) or (is_apart and len(word) > 1)):
            return [(kind, rest) for kind in kinds]
    return []


@cache
def _words() -> list[tuple[str, list[str]]]:
    """Return the words that denote kinds of records, longest first, each with its kinds."""
    found: dict[str, list[str]] = {}
    for kind, words in said("search.words").items():
        for word in words.split(","):
            found.setdefault(word.strip().casefold(), []).append(kind)
    return sorted(found.items(), key=lambda one: -len(one[0]))


async def _found(person: Person, property_name: str, term: str) -> list[Hit]:
    """Return the results that match the term and are visible to the person, skipping services that do not answer."""
    named = named_kinds(term)
    searches = [Looking(person, property_name, term)]
    if named:
        searches = [Looking(person, property_name, named[0][1], frozenset(kind for kind, _ in named))]
        if _REFERENCE.fullmatch(term):  # `F-12` and `box-1` may be whole references as well
            searches.append(Looking(person, property_name, term))
    looks = [look(one) for one in searches for look in _LOOKS]
    found = [hit for hits in await asyncio.gather(*looks) for hit in hits]
    once = {(hit.kind, hit.address): hit for hit in found}
    return sorted(once.values(), key=lambda hit: not hit.is_checked)


async def _tables(looking: Looking) -> list[Hit]:
    if not looking.wants("table") or not looking.person.may("reports.read"):
        return []
    names = (await choices_of_property(looking.person, looking.property)).get("table", ())
    wanted = plain(looking.text)
    return [
        Hit("table", name, path("p", looking.property, "floor", name))
        for name in names
        if wanted and wanted in plain(name)
    ]


async def _rounds(looking: Looking) -> list[Hit]:
    if not looking.wants("round") or not _REFERENCE.fullmatch(looking.text):
        return []
    by_hash: dict[str, str] = {}
    if _HASH.fullmatch(looking.text.lower()):
        running = await or_missing(running_day(looking.person, looking.property))
        day = "" if isinstance(running, Missing) else running["gaming_day"]
        by_hash = {"hash": looking.text.lower(), "gaming_day": day}
    asked = {"property": looking.property, "typed": looking.text, **by_hash}
    return [
        Hit(
            "round", one["round_id"], path("p", looking.property, "rounds", one["table"], one["round_id"]), one["table"]
        )
        for one in await looking.items(SETTLEMENT, "/rounds/find", **asked)
    ]


async def _numbered(looking: Looking) -> list[Hit]:
    """Return the records with the searched number: slips for a bare number, other kinds only with their word."""
    if not _NUMBER.fullmatch(looking.text):
        return []
    kinds = [kind for kind in NUMBERED if (kind in looking.kinds if looking.kinds else kind in _SLIPS)]
    answers = await asyncio.gather(*(_of_kind(looking, kind) for kind in kinds))
    return [hit for hits in answers for hit in hits]


async def _of_kind(looking: Looking, kind: str) -> list[Hit]:
    one = NUMBERED[kind]
    if not looking.may_read(one.service, one.route):
        return []
    number = str(int(looking.text))
    [found] = await together(looking.person.calls.get(one.service, one.path_of(looking.property, number)))
    if not found:
        return []
    about = [str(found[name]) for name in ("table", "gaming_day", "status") if found.get(name)]
    return [Hit(kind, title_of(kind, number), address_of(kind, looking.property, number), " · ".join(about))]


async def _checks(looking: Looking) -> list[Hit]:
    if not looking.wants(CHECK) or not _REFERENCE.fullmatch(looking.text):
        return []
    at = path("counter-checks", looking.property, "find")
    route = "/counter-checks/{property}/find"
    return [
        Hit(CHECK, one["serial"], address_of(CHECK, looking.property, one["serial"]), one.get("table") or "")
        for one in await looking.items(INVENTORY, route, at, typed=looking.text)
    ]


async def _boxes(looking: Looking) -> list[Hit]:
    if not looking.wants("box") or not _NAME.fullmatch(looking.text):
        return []
    at = path("drop-counts", looking.property, "boxes", "find")
    return [
        Hit(
            "box",
            one["box"],
            path("p", looking.property, "floor", one["table"]) + f"?day={one['gaming_day']}",
            f"{one['table']} · {one['gaming_day']} · {one['shift']}",
        )
        for one in await looking.items(INVENTORY, "/drop-counts/{property}/boxes/find", at, box=looking.text)
    ]


async def _ratings(looking: Looking) -> list[Hit]:
    if not looking.wants("rating") or not _REFERENCE.fullmatch(looking.text):
        return []
    asked = {"property": looking.property, "typed": looking.text}
    return [
        Hit("rating", one["rating"], path("p", looking.property, "ratings", one["rating"]), one["gaming_day"])
        for one in await looking.items(INVENTORY, "/ratings/find", **asked)
    ]


async def _invoices(looking: Looking) -> list[Hit]:
    if not looking.wants("invoice") or not _REFERENCE.fullmatch(looking.text):
        return []
    at = path("tax-invoices", looking.property, "find")
    found = await looking.items(INVENTORY, "/tax-invoices/{property}/find", at, typed=looking.text)
    latest = {one["invoice"]: one for one in reversed(found)}
    return [
        Hit("invoice", name, path("p", looking.property, "days", one["last_day"]), one["payee"])
        for name, one in latest.items()
    ]


async def _filings(looking: Looking) -> list[Hit]:
    if not looking.wants("filing") or not _REFERENCE.fullmatch(looking.text):
        return []
    asked = {"property": looking.property, "typed": looking.text}
    return [
        Hit(
            "filing",
            title_of("filing", one["filing"]),
            path("p", looking.property, "filings", one["filing"]),
            f"{FORM_NUMBERS[one['form']]} · {one['period']} · {one['status']}",
            is_recorded=True,
        )
        for one in await looking.items(ACCOUNTS, "/filings/find", **asked)
    ]


async def _meters(looking: Looking) -> list[Hit]:
    wanted = plain(looking.text)
    if not looking.wants("meter") or not wanted or not looking.may_read(METERS, "/pools"):
        return []
    [found] = await together(looking.person.calls.get_all(METERS, "/pools", property=looking.property))
    return [
        Hit("meter", one["pool"], path("p", looking.property, "meters", one["pool"]))
        for one in found or ()
        if wanted in plain(one["pool"])
    ]


async def _accounts(looking: Looking) -> list[Hit]:
    if not looking.wants("account") or not _REFERENCE.fullmatch(looking.text):
        return []
    asked = {"property": looking.property, "typed": looking.text}
    return [
        Hit(
            "account",
            one["account"],
            path("p", looking.property, "patrons", "accounts", one["account"]),
            one["kind"],
            is_recorded=True,
        )
        for one in await looking.items(ACCOUNTS, "/accounts/find", **asked)
    ]


async def _reports(looking: Looking) -> list[Hit]:
    wanted = plain(looking.text)
    if not looking.wants("report") or not wanted or not looking.may_read(REPORTING, "/reports"):
        return []
    [found] = await together(looking.person.calls.get(REPORTING, "/reports"))
    return [
        Hit("report", one["title"], path("p", looking.property, "reports", one["name"]))
        for one in found or ()
        if wanted in plain(one["title"]) and looking.person.may(one["role"])
    ]


async def _people(looking: Looking) -> list[Hit]:
    """Return the people in the access reports of this month and the previous one who match the term.

    A person leads to the latest month in which something was done under that name.
    """
    person, name, text = looking.person, looking.property, looking.text
    if not looking.wants("person") or not person.may("reports.read") or not _PERSON.fullmatch(text):
        return []
    running = await or_missing(running_day(person, name))
    if isinstance(running, Missing):
        return []
    day = date.fromisoformat(running["gaming_day"])
    months = [day.replace(day=1) - timedelta(days=1), day]
    asked = [{"property": name, "gaming_day": one.isoformat(), "period": "month", "as": "json"} for one in months]
    reports = await together(*(person.calls.get(REPORTING, "/reports/access", **one) for one in asked))
    latest: dict[str, date] = {}
    for month, report in zip(months, reports, strict=True):
        rows = [row for section in (report or {}).get("content", {}).get("sections", ()) for row in section["rows"]]
        people = (str(row.get("person", "")) for row in rows)
        latest.update((one, month) for one in people if text.lower() in one.lower())
    access = path("p", name, "reports", "access")
    return [Hit("person", one, f"{access}?day={month}&period=month") for one, month in sorted(latest.items())]


async def _not_looked_up(looking: Looking) -> list[Hit]:
    """Return unchecked results for a typed patron reference or SAR number, if the person may read such records.

    Services record every access to these, so the search must not read them; the result may not exist.
    """
    name, text = looking.property, looking.text
    found: list[Hit] = []
    reads_patrons = looking.may_read(ACCOUNTS, "/patrons/{property}/{patron}")
    if looking.wants("patron") and _NAME.fullmatch(text) and reads_patrons:
        found.append(Hit("patron", text, path("p", name, "patrons", text), is_checked=False))
    if "sar" in looking.kinds and _NUMBER.fullmatch(text) and looking.may_read(SUSPICIONS, "/sars/{property}/{sar}"):
        found.append(Hit("sar", title_of("sar", int(text)), path("p", name, "sars", int(text)), is_checked=False))
    return found


_LOOKS: Final[tuple[Callable[[Looking], Awaitable[list[Hit]]], ...]] = (
    *(_tables, _rounds, _numbered, _checks, _boxes, _ratings, _invoices, _filings),
    *(_meters, _accounts, _reports, _people, _not_looked_up),
)
