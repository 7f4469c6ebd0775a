"""Generic pages for numbered records of services, for records without a page of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page
from services.console.operations import filled_path
from services.console.pages.days import zone_of
from services.console.services import INVENTORY, METERS, SETTLEMENT, Refused, path
from services.console.views import words_of
from services.console.words import say


@dataclass(frozen=True, slots=True)
class Numbered:
    """A kind of numbered record: its service, and the OpenAPI path template of the route that reads one record.

    The route's last parameter is the record's number; `of` has the values of all other path parameters except the
    property. `own_page` is the path, below the property, of the console's specific page for such records, if it exists.
    """

    service: str
    route: str
    of: Mapping[str, str] = field(default_factory=dict)
    own_page: str = ""

    def path_of(self, property_name: str, number: str) -> str:
        """Return the path of a record in the service."""
        numbered = self.route.rpartition("/")[2].strip("{}")
        return filled_path(self.route, {**self.of, "property": property_name, numbered: number})


_SLIP: Final = "/slips/{property}/{slip}/{number}"

NUMBERED: Final[Mapping[str, Numbered]] = {
    "fill": Numbered(INVENTORY, _SLIP, {"slip": "fill"}),
    "credit": Numbered(INVENTORY, _SLIP, {"slip": "credit"}),
    "slip_request": Numbered(INVENTORY, "/requests/{property}/{request}"),
    "cage_transfer": Numbered(INVENTORY, "/cage/{property}/transfers/{transfer}"),
    "cage_count": Numbered(INVENTORY, "/cage/{property}/counts/{count}"),
    "cage_movement": Numbered(INVENTORY, "/cage-movements/{property}/{number}"),
    "drop_count": Numbered(INVENTORY, "/drop-counts/{property}/{count}", own_page="desk/counts"),
    "credit_line_request": Numbered(INVENTORY, "/credit-lines/{property}/requests/{request}"),
    "redemption": Numbered(INVENTORY, "/counter-checks/{property}/redemptions/{step}"),
    "check_write_off": Numbered(INVENTORY, "/check-write-offs/{property}/{check_write_off}"),
    "write_off": Numbered(INVENTORY, "/write-offs/{property}/{write_off}"),
    "investigation": Numbered(INVENTORY, "/investigations/{property}/{investigation}"),
    "pit_change": Numbered(INVENTORY, "/pit-changes/{property}/{change}", own_page="pit-changes"),
    "correction": Numbered(SETTLEMENT, "/corrections/{property}/{correction}", own_page="corrections"),
    "meter_change": Numbered(METERS, "/changes/{property}/{change}"),
}
"""The numbered records by kind; none of these is recorded as access to patron data when read."""

SIGNED: Final[Mapping[str, tuple[str, ...]]] = {
    "fill": ("requested_by", "prepared_by", "carried_by", "received_by", "observed_by"),
    "credit": ("requested_by", "prepared_by", "surrendered_by", "observed_by", "carried_by", "received_by"),
}
"""The people who sign a slip, by its kind, in the order of their steps. The numbered records with a form for paper."""

PARTS: Final = ("original", "duplicate")
"""The parts of a slip's form."""

CHECK: Final = "check"
"""The kind of counter checks, which are read by serial number."""


def address_of(kind: str, property_name: str, number: str) -> str:
    """Return the URL of a record's page."""
    own = NUMBERED[kind].own_page if kind in NUMBERED else ""
    return path("p", property_name, *(own.split("/") if own else ("records", kind)), number)


def title_of(kind: str, number: object) -> str:
    """Return the title of a record, such as `Fill slip 12`."""
    return f"{say(f'search.kinds.{kind}').capitalize()} {number}"


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/records")

    @router.get("/{kind}/{number}")
    async def record(request: Request, person: Asked, property: str, kind: str, number: str) -> Response:
        found = await _read(person, property, kind, number)
        table, day = found.get("table"), found.get("gaming_day")
        shown_at = f"{path('p', property, 'floor', table)}?day={day}" if table and day else ""
        return page(
            request,
            "numbered.html",
            person,
            title=title_of(kind, number),
            found=found,
            shown_at=shown_at if person.may("reports.read") else "",
            form=path("p", property, "records", kind, number, "form") if kind in SIGNED else "",
            zone=await zone_of(person, property),
        )

    @router.get("/{kind}/{number}/form")
    async def form(request: Request, person: Asked, property: str, kind: str, number: str) -> Response:
        found = await _read(person, property, kind if kind in SIGNED else "", number)
        return page(
            request,
            "slip.html",
            person,
            title=title_of(kind, number),
            slip=found,
            parts=PARTS,
            signed=SIGNED[kind],
            zone=await zone_of(person, property),
        )

    return router


async def _read(person: Person, property_name: str, kind: str, number: str) -> Mapping[str, Any]:
    """Return a record. Raises: Refused if it does not exist, or the person may not read it."""
    if kind == CHECK:
        checks = await person.calls.get(INVENTORY, path("counter-checks", property_name, "find"), typed=number)
        found: Mapping[str, Any] | None = next((one for one in checks["items"] if one["serial"] == number), None)
    elif kind in NUMBERED:
        found = await person.calls.get(NUMBERED[kind].service, NUMBERED[kind].path_of(property_name, number))
    else:
        found = None
    if found is None:
        detail = say("refused.record_why", kind=words_of(kind), number=number, property=property_name)
        raise Refused(INVENTORY, 404, {"title": say("refused.record"), "detail": detail})
    return found
