"""The page of design tokens and components: what the pages of the console are made of, with made-up figures."""

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.choices import NO_CHOICES
from services.console.console import Asked, page
from services.console.floor import Band, TableView
from services.console.operations import Field

_TOKEN: Final = re.compile(r"^  --([a-z-]+): ([^;]+);$", re.MULTILINE)
_SIZE: Final = "text-"
_COUNTED_AT: Final = "2026-11-22T15:00:00+00:00"

FIELDS: Final = (
    Field(name="table", kind="text"),
    Field(name="cents", kind="cents", help="in dollars"),
    Field(name="purpose", kind="choice", choices=("shift", "drop", "spot")),
    Field(name="reason", kind="long", required=False),
)


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/design")

    @router.get("")
    async def design(request: Request, person: Asked) -> Response:
        """Show each token and component as it is used; the theme is that of the browser."""
        sizes = [name.removeprefix(_SIZE) for name in tokens() if name.startswith(_SIZE)]
        return page(
            request,
            "design.html",
            person,
            colors=[name for name in tokens() if tokens()[name].startswith("#")],
            sizes=sizes,
            cards=_CARDS,
            rows=_ROWS,
            fields=FIELDS,
            given={"table": "BJ01", "cents": "1,50"},
            choices=NO_CHOICES,
            mistakes={"cents": "an amount in dollars, such as 1250, 1,250 or 1,250.00: cents stand after a point"},
            zone="America/New_York",
            may_request=True,
        )

    return router


@cache
def tokens() -> dict[str, str]:
    """Return the tokens of the style sheet with their values in the light theme, by name."""
    light = files("services.console.static").joinpath("console.css").read_text().partition("@media")[0]
    return dict(_TOKEN.findall(light))


def table(name: str, *, is_open: bool, expected_cents: int, win_cents: int, alarms: int) -> TableView:
    """Return a table of the floor with a count of $20,000.00."""
    said: dict[str, Any] = {"table": name, "game": "blackjack", "kind": None, "play": "rounds", "sales": "each"}
    said |= {"minimum_cents": 25_00, "win_cents": win_cents, "drop_cents": 9_000_00, "rounds_in_hour": 64}
    said |= {"exceptions": 0, "alarms": alarms, "late": 0, "last_round": None, "dealer": "dealer.dan", "heads": 5}
    count = {"cents": 20_000_00, "purpose": "opener", "counted_by": "dealer.dan", "at": _COUNTED_AT}
    tray = {"open": is_open, "counted": count, "expected_cents": expected_cents}
    return TableView(said, tray | {"gaming_day": "2026-11-22", "shift": "day"}, 0, 0, 0, ())


_CARDS: Final = (
    (
        table("BJ01", is_open=True, expected_cents=18_250_00, win_cents=1_240_00, alarms=0),
        Band(1_240_00, 1_000_00, 900_00),
    ),
    (
        table("BJ02", is_open=True, expected_cents=8_400_00, win_cents=-9_300_00, alarms=1),
        Band(-9_300_00, 1_100_00, 3_000_00),
    ),
    (table("BJ03", is_open=False, expected_cents=20_000_00, win_cents=0, alarms=0), None),
)
_ROWS: Final = (
    {"number": 12, "slip": "fill", "status": "received", "cents": 20_000_00, "prepared_at": _COUNTED_AT},
    {"number": 13, "slip": "credit", "status": "void", "cents": -50_00, "prepared_at": _COUNTED_AT},
)
