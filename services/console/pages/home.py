"""The home page: the properties of the logged-in person."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.console import Asked, Person, page
from services.console.services import REPORTING, Refused


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter()

    @router.get("/")
    async def home(request: Request, person: Asked) -> Response:
        floors, why = await _floors(person)
        if len(floors) == 1 and person.session.caller.roles:
            return RedirectResponse(f"/p/{floors[0]['property']}", status_code=303)
        return page(request, "home.html", person, floors=floors, why=why)

    return router


async def _floors(person: Person) -> tuple[list[dict[str, Any]], str]:
    """Return the properties that a user may see, and an error message if reporting refuses.

    The message is empty for a user without any role: the page says so itself.
    """
    try:
        return await person.calls.get(REPORTING, "/floors"), ""
    except Refused as refused:
        return [], str(refused) if person.session.caller.roles else ""
