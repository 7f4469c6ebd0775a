"""Lists, page by page: opaque cursors that fit one list alone.

ACCOUNTS = Listing("accounts", tuple[str])

@router.get("/accounts")
async def list_accounts(limit: Limit = 50, cursor: Cursor = None) -> Page[AccountDocument]:
    after = ACCOUNTS.after(cursor)
    found = ...  # one more than `limit`, in the order of the key, from the one behind `after`
    return ACCOUNTS.page(found, limit, lambda account: (account.account,))
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field, TypeAdapter

from shared.contracts.rejection import Reason, Rejected

ItemT = TypeVar("ItemT")
KeyT = TypeVar("KeyT", bound=tuple[object, ...])

Limit = Annotated[int, Query(ge=1, le=500, description="most items on a page")]
Cursor = Annotated[str | None, Query(max_length=1000, description="`next` of the page before")]


class Page(BaseModel, Generic[ItemT]):
    """Some items of a list, in its order."""

    items: list[ItemT]
    next: str | None = Field(default=None, description="the cursor of the items that follow; none on the last page")


class Listing(Generic[KeyT]):
    """A list with a name of its own, in the order of a key: the position of an item, as a tuple."""

    def __init__(self, name: str, key: Any) -> None:
        self._name = name
        self._position: TypeAdapter[tuple[str, KeyT]] = TypeAdapter(tuple[str, key])

    def after(self, cursor: str | None) -> KeyT | None:
        """Return the key in a cursor, None without one. Raises: Rejected for a cursor that is not of this list."""
        if cursor is None:
            return None
        try:
            name, key = self._position.validate_json(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        except (binascii.Error, ValueError) as error:
            raise self._unknown(cursor) from error
        if name != self._name:
            raise self._unknown(cursor)
        return key

    def page(self, found: Sequence[ItemT], limit: int, key: Callable[[ItemT], KeyT]) -> Page[ItemT]:
        """Return the page of what was found: at most `limit` items, and a cursor where there are more."""
        return Page(items=list(found[:limit]), next=self.cursor(key(found[limit - 1])) if len(found) > limit else None)

    def cursor(self, key: KeyT) -> str:
        """Return the cursor behind the item with a key."""
        return urlsafe_b64encode(self._position.dump_json((self._name, key))).decode().rstrip("=")

    def _unknown(self, cursor: str) -> Rejected:
        return Rejected(Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this list; begin without one")
