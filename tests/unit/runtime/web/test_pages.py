"""Lists, page by page."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.http.access import Nobody
from shared.runtime.http.app import create_app
from shared.runtime.http.pagination import Asked, Listing, Page
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient


class Hold(NamedTuple):
    """Something with a place in a list."""

    at: datetime
    number: int


HOLDS: Listing[tuple[datetime, int]] = Listing("holds", tuple[AwareDatetime, int])
FOUND = [Hold(datetime(2026, 11, 20, hour, tzinfo=UTC), hour) for hour in range(1, 6)]


def read(limit: int, cursor: str | None) -> Page[Hold]:
    """Read a page as a service does: one more than the limit, from behind the key in the cursor."""
    after = HOLDS.after(cursor)
    found = [hold for hold in FOUND if after is None or (hold.at, hold.number) > after]
    return HOLDS.page(found[: limit + 1], limit, lambda hold: (hold.at, hold.number))


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_the_pages_are_the_list(limit: int) -> None:
    """Each item once and in order, whatever the limit; the last page has no cursor, and no page is empty."""
    read_so_far, cursor = list[Hold](), None
    for _ in range(len(FOUND)):
        page = read(limit, cursor)
        assert 1 <= len(page.items) <= limit
        read_so_far += page.items
        cursor = page.next
        if cursor is None:
            break
    assert cursor is None
    assert FOUND == read_so_far


def test_a_list_of_nothing_is_one_empty_page() -> None:
    """And begins and ends there."""
    assert Page[Hold](items=[], next=None) == HOLDS.page([], 5, lambda hold: (hold.at, hold.number))


@pytest.mark.parametrize(
    "cursor",
    [
        Listing[Any]("rounds", tuple[AwareDatetime, int]).cursor((datetime(2026, 11, 20, tzinfo=UTC), 1)),
        Listing[Any]("holds", tuple[str]).cursor(("GA-1",)),
        urlsafe_b64encode(b'["2026-11-20T00:00:00Z",1]').decode(),
        urlsafe_b64encode(b"\xff").decode(),
        "a",
        "§",
        "",
    ],
)
def test_a_cursor_of_another_list_is_rejected(cursor: str) -> None:
    """Also where its key has the same types, and whatever is no cursor at all."""
    with pytest.raises(Rejected, match="begin without one") as rejected:
        HOLDS.after(cursor)
    assert Reason.CURSOR_UNKNOWN is rejected.value.reason


@pytest.mark.parametrize("part", ["\0", "GA-1\0", 2**63, -(2**63) - 1], ids=ascii)
def test_a_cursor_that_no_database_can_look_for_is_rejected(part: str | int) -> None:
    """A text with NUL, and a number of more than 64 bits: made by hand, for no row can have them."""
    forged: Listing[Any] = Listing("forged", tuple[str | int])
    with pytest.raises(Rejected, match="begin without one") as rejected:
        forged.after(forged.cursor((part,)))
    assert Reason.CURSOR_UNKNOWN is rejected.value.reason


def test_a_cursor_goes_into_a_query_as_it_is() -> None:
    """It needs no quoting."""
    cursor = Listing[Any]("names", tuple[str, str]).cursor(("ÿ§?&=+/", "x"))
    assert cursor.replace("-", "").replace("_", "").isalnum()
    assert ("ÿ§?&=+/", "x") == Listing[Any]("names", tuple[str, str]).after(cursor)


class Account(BaseModel):
    """What a route lists."""

    account: str


def test_a_route_lists_pages() -> None:
    """From the first page by its cursors to the last, as its OpenAPI document says; a wrong cursor is a problem."""
    listing, router = Listing[tuple[str]]("accounts", tuple[str]), APIRouter()

    @router.get("/accounts")
    async def list_accounts(asked: Asked) -> Page[Account]:
        after = listing.after(asked.cursor)
        found = [Account(account=name) for name in "ABC" if after is None or (name,) > after]
        return listing.page(found[: asked.limit + 1], asked.limit, lambda account: (account.account,))

    async def never(*_: Any) -> None:
        raise AssertionError("what is only read is not recorded")

    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=Nobody(),
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        first = client.get("/accounts?limit=2").json()
        last = client.get(f"/accounts?limit=2&cursor={first['next']}").json()
        wrong = client.get("/accounts?cursor=bm9wZQ")
        operation = client.get("/openapi.json").json()["paths"]["/accounts"]["get"]
    assert [{"account": "A"}, {"account": "B"}] == first["items"]
    assert {"items": [{"account": "C"}], "next": None} == last
    assert (400, "urn:pitledger:problem:cursor-unknown") == (wrong.status_code, wrong.json()["type"])
    assert {"200", "400", "422"} == operation["responses"].keys()
