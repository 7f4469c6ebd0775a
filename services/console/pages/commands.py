"""The form of a command: filled in, confirmed, and sent once under its idempotency key; and the service's answer."""

import asyncio
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final
from uuid import uuid4
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.choices import choices_for
from services.console.confirming import hash_of, lines, needs_a_look
from services.console.console import Asked, Person, form_of, page
from services.console.felt import RoundView
from services.console.forms import Filled, filled, places
from services.console.operations import Operation
from services.console.pages.days import zone_of
from services.console.pages.subjects import Subject, subject_of
from services.console.protection import local_path
from services.console.services import Refused

OWN: Final = ("csrf", "key", "back", "rows", "_confirmed", "_change")
"""Names in a form that are not fields of the command."""

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/do/{service}/{name}")

    @router.get("")
    async def form(request: Request, person: Asked, service: str, name: str) -> Response:
        operation = person.console.operations.get(service, name)
        given = {key: value for key, value in request.query_params.items() if key not in OWN}
        return await command_form(request, person, operation, given, back=request.query_params.get("back", "/"))

    @router.post("")
    async def send(request: Request, person: Asked, service: str, name: str) -> Response:
        return await command_sent(request, person, person.console.operations.get(service, name))

    return router


async def command_sent(
    request: Request,
    person: Person,
    operation: Operation,
    fixed: Mapping[str, str] = _NONE,
    about: Subject | None = None,
    view: RoundView | None = None,
) -> Response:
    """Return the response to a submitted form: the form with errors, the confirmation step, or the service's answer.

    `fixed` overrides fields of the form; `about` is the command's subject, if already read; `view` is the round whose
    felt is drawn beside the fields.
    """
    form = await form_of(request)
    typed = {key: value for key, value in form.items() if key not in OWN} | dict(fixed)
    back, key = form.get("back", "/"), form.get("key", "")
    again = partial(command_form, request, person, operation, typed, back=back, about=about, view=view)
    if form.get("rows") or form.get("_change"):  # more list rows, without JavaScript, or edit again
        return await again(key=key, more=form.get("rows", ""))
    zone = await _zone(person, typed)
    read = filled(operation, typed, ZoneInfo(zone or "UTC"))
    if read.mistakes:
        return await again(key=key, mistakes=read.mistakes)
    shown = lines(operation, read)
    confirmed = hash_of(operation, read)
    if (operation.confirmed or needs_a_look(shown)) and form.get("_confirmed") != confirmed:
        return page(
            request,
            "confirm.html",
            person,
            operation=operation,
            lines=shown,
            confirmed=confirmed,
            given=typed,
            back=local_path(back),
            key=key or _new_key(),
            subject=about or await subject_of(person, operation, typed),
            view=view,
            zone=zone,
        )
    try:
        answer = await _do(person, operation, read, key)
    except Refused as refused:
        mistakes = places(refused.problem, read.moved)
        key = key if refused.status >= 500 else _new_key()  # the refusal is recorded under the old key
        return await again(key=key, mistakes=mistakes, refused=refused)
    said = {"operation": operation, "answer": answer, "back": local_path(back), "zone": zone}
    return page(request, "done.html", person, **said)


async def _zone(person: Person, given: dict[str, str]) -> str | None:
    """Return the time zone of a command's property; None if the command has no property, or the zone is unknown."""
    return await zone_of(person, given["property"]) if given.get("property") else None


def _new_key() -> str:
    """Return a new idempotency key for a form."""
    return f"console.{uuid4()}"


async def _do(person: Person, operation: Operation, read: Filled, key: str) -> Any:
    body = read.body if operation.of_body else None
    return await person.calls.do(operation.service, operation.path_with(read.path), body, key=key or _new_key())


async def command_form(
    request: Request,
    person: Person,
    operation: Operation,
    given: dict[str, str],
    *,
    back: str,
    key: str = "",
    mistakes: dict[str, str] | None = None,
    refused: Refused | None = None,
    more: str = "",
    about: Subject | None = None,
    view: RoundView | None = None,
) -> Response:
    """Return a form page filled with `given`; `mistakes` are errors by field, the rest as for `command_sent`."""
    choices, zone, subject = await asyncio.gather(
        choices_for(person, operation.asked, given),
        _zone(person, given),
        _given(about) if about else subject_of(person, operation, given),
    )
    return page(
        request,
        "command.html",
        person,
        status=200 if not mistakes and refused is None else (refused.status if refused is not None else 422),
        operation=operation,
        given=given,
        back=local_path(back),
        key=key or _new_key(),
        mistakes=mistakes or {},
        refused=refused,
        more=more,
        subject=subject,
        view=view,
        allowed=person.may(*operation.roles),
        choices=choices,
        zone=zone,
    )


async def _given(subject: Subject) -> Subject:
    """Return the given subject, as an awaitable."""
    return subject
