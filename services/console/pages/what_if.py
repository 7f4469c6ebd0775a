"""Pages that settle the rounds of some gaming days under another rules submission, and show the difference."""

import json
from datetime import date, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.charts import what_if_cumulative, what_if_difference
from services.console.console import Asked, form_of, page
from services.console.gallery import hung
from services.console.pages.days import running_day
from services.console.services import REGISTRY, SETTLEMENT, Refused, path
from services.console.words import say
from shared.contracts.json_text import read_json
from shared.contracts.submissions import RulesSubmission

_TAKEN = tuple(RulesSubmission.model_fields)


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/what-if/{game}/{version}")

    @router.get("")
    async def form(request: Request, person: Asked, property: str, game: str, version: int) -> Response:
        shown = await person.calls.get(REGISTRY, path("submissions", property, game, version))
        last = (await running_day(person, property))["gaming_day"]
        first = str(date.fromisoformat(last) - timedelta(days=1))  # a day that has just begun has few rounds or none
        given = {"first": first, "last": last, "submission": json.dumps(shown["submission"], indent=2)}
        return page(request, "what_if.html", person, shown=shown, given=given, found=None, refused=None, charts=[])

    @router.post("")
    async def ask(request: Request, person: Asked, property: str, game: str, version: int) -> Response:
        shown = await person.calls.get(REGISTRY, path("submissions", property, game, version))
        given = await form_of(request)
        found: Any = None
        refused: Refused | None = None
        try:
            content = read_json(given.get("submission", ""))
            wanted = {name: shown[name] for name in _TAKEN if name in shown} | {"submission": content}
            days = {"first": given.get("first"), "last": given.get("last")}
            found = await person.calls.ask(SETTLEMENT, "/what-if", wanted, **days)
        except (ValueError, RecursionError) as error:
            refused = Refused(SETTLEMENT, 422, {"title": say("refused.document"), "detail": str(error)})
        except Refused as error:
            refused = error
        drawn = [] if found is None else [what_if_difference(found), what_if_cumulative(found)]
        return page(
            request,
            "what_if.html",
            person,
            status=200 if refused is None else refused.status,
            shown=shown,
            given=given,
            found=found,
            refused=refused,
            charts=hung(request, person.session, drawn),
        )

    return router
