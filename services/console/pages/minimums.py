"""Page with handle and theoretical win of recorded rounds as they would be under other table minimums."""

from datetime import date, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, page
from services.console.forms import cents_of
from services.console.pages.days import running_day
from services.console.services import SETTLEMENT, Refused
from services.console.words import say


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/minimums/{game}")

    @router.get("")
    async def form(
        request: Request, person: Asked, property: str, game: str, first: str = "", last: str = "", minimum: str = ""
    ) -> Response:
        found: Any = None
        refused: Refused | None = None
        running = (await running_day(person, property))["gaming_day"]
        given = {
            "first": first or str(date.fromisoformat(running) - timedelta(days=1)),
            "last": last or running,
            "minimum": minimum,
        }
        if minimum:
            try:
                asked = {"property": property, "game": game, "first": given["first"], "last": given["last"]}
                found = await person.calls.get(SETTLEMENT, "/minimums", **asked, minimum_cents=_cents(minimum))
            except ValueError:
                detail = say("minimums.dollars")
                refused = Refused(SETTLEMENT, 422, {"title": say("minimums.not_read"), "detail": detail})
            except Refused as error:
                refused = error
        return page(
            request,
            "minimums.html",
            person,
            status=200 if refused is None else refused.status,
            game=game,
            given=given,
            found=found,
            refused=refused,
        )

    return router


def _cents(text: str) -> list[str]:
    """Return dollar amounts, separated by spaces or commas, as cents. Raises: ValueError."""
    amounts = [cents_of(one) for one in text.replace(",", " ").split()]
    if not amounts or any(one <= 0 for one in amounts):
        raise ValueError(text)
    return [str(one) for one in amounts]
