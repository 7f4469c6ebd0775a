"""Pages of wagering accounts and patrons; every view of a patron is recorded with the viewer."""

import asyncio
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.choices import choices_of_property
from services.console.console import Asked, Person, page
from services.console.listing import Act, Listed, cols, listed
from services.console.pages.days import zone_of
from services.console.services import ACCOUNTS, Refused, path, together
from services.console.words import say

_NOT_FOUND: Final = 404


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/patrons")

    @router.get("")
    async def patrons(
        request: Request, person: Asked, property: str, table: str = "", patron: str = "", account: str = ""
    ) -> Response:
        here = {"property": property}
        if patron:
            return RedirectResponse(path("p", property, "patrons", patron), status_code=303)
        if account:
            return RedirectResponse(path("p", property, "patrons", "accounts", account), status_code=303)
        [accounts], choices = await asyncio.gather(
            together(person.calls.get_page(ACCOUNTS, "/accounts", property=property, table=table)),
            choices_of_property(person, property),
        )
        lists = [
            listed(
                "patrons.accounts",
                accounts,
                cols(
                    "account",
                    "table",
                    "kind",
                    "status",
                    "available_cents",
                    "held_cents",
                    "staked_cents",
                    "promotional_cents",
                ),
                link=lambda one: path("p", property, "patrons", "accounts", one["account"]),
            )
        ]
        more = [Act(ACCOUNTS, "open-account", here), Act(ACCOUNTS, "register-patron", here)]
        return page(
            request,
            "patrons.html",
            person,
            title=say("patrons.title"),
            lead="",
            more=more,
            lists=lists,
            zone=await zone_of(person, property),
            table_name=table,
            choices=choices,
        )

    @router.get("/accounts/{account}")
    async def account_page(request: Request, person: Asked, property: str, account: str, cursor: str = "") -> Response:
        at, here = path("accounts", property, account), {"property": property, "account": account}
        state = await person.calls.get(ACCOUNTS, at)
        statement, adjustments = await together(
            person.calls.get(ACCOUNTS, f"{at}/statement", limit=200, cursor=cursor, from_end=True),
            person.calls.get_all(ACCOUNTS, f"{at}/adjustments"),
        )
        shown = ("recorded_at", "kind", "available_change_cents", "available_cents", "held_cents", "staked_cents")
        lists = [
            listed(
                "patrons.account",
                [state],
                cols(
                    "account",
                    "kind",
                    "patron",
                    "table",
                    "status",
                    "available_cents",
                    "held_cents",
                    "staked_cents",
                    "promotional_cents",
                ),
                link=lambda one: path("p", property, "patrons", one["patron"]) if one.get("patron") else "",
            ),
            listed("patrons.statement", statement, cols(*shown, "round_id", "table", "gaming_day")),
            listed(
                "patrons.adjustments",
                adjustments,
                cols(
                    "adjustment", "cents", "before_cents", "after_cents", "reason", "status", "entered_by", "decided_by"
                ),
                acts=lambda one: (
                    [
                        Act(ACCOUNTS, "approve-adjustment", {**here, "adjustment": one["adjustment"]}),
                        Act(ACCOUNTS, "reject-adjustment", {**here, "adjustment": one["adjustment"]}),
                    ]
                    if one["status"] == "entered"
                    else []
                ),
            ),
        ]
        names = ("buy-in", "cash-out", "enter-adjustment", "grant-promotion", "enter-promotion", "move-promotion")
        return page(
            request,
            "lists.html",
            person,
            title=say("patrons.one_account", account=account),
            lead="",
            more=[Act(ACCOUNTS, name, here) for name in (*names, "write-off-promotion")],
            lists=lists,
            zone=await zone_of(person, property),
        )

    @router.get("/{patron}")
    async def patron_page(request: Request, person: Asked, property: str, patron: str) -> Response:
        found = await _registered(person, property, patron)
        here = {"property": property, "patron": patron}
        lists = [] if found is None else [await _accounts_of(person, property, patron)]
        registered = (
            *("set-limit", "set-exclusion", "set-tax-residence", "change-access-code", "open-account"),
            *("identify-patron", "enter-erasure", "approve-erasure", "reject-erasure"),
        )
        names = ("register-patron", "open-account") if found is None else registered
        return page(
            request,
            "patron.html",
            person,
            title=say("patrons.one", patron=patron),
            lead=say("patrons.unregistered" if found is None else "patrons.recorded"),
            more=[Act(ACCOUNTS, name, here) for name in names],
            lists=lists,
            zone=await zone_of(person, property),
            found=found,
        )

    return router


async def _accounts_of(person: Person, property_name: str, patron: str) -> Listed:
    [accounts] = await together(person.calls.get_all(ACCOUNTS, "/accounts", property=property_name, patron=patron))
    return listed(
        "patrons.accounts",
        accounts,
        cols("account", "table", "kind", "status", "available_cents", "held_cents", "promotional_cents"),
        link=lambda one: path("p", property_name, "patrons", "accounts", one["account"]),
    )


async def _registered(person: Person, property_name: str, patron: str) -> Any:
    """Return a registered patron's data; None for a reference that was never registered."""
    try:
        return await person.calls.get(ACCOUNTS, path("patrons", property_name, patron))
    except Refused as refused:
        if refused.status != _NOT_FOUND:
            raise
        return None
