"""Lists in pages, with opaque cursors that are valid for one list only.

The rows of a table, ordered by some of its columns:

ACCOUNTS = TableListing(balances, "account")

@router.get("/accounts")
async def list_accounts(asked: Asked, table: Name | None = None) -> Page[AccountDocument]:
    async with snapshot(engine) as connection:
        return await ACCOUNTS.read(connection, asked, AccountDocument.model_validate, table=table)

Any other list:

ACCOUNTS = Listing("accounts", tuple[str])

@router.get("/accounts")
async def list_accounts(asked: Asked) -> Page[AccountDocument]:
    after = ACCOUNTS.after(asked.cursor)
    found = ...  # up to `asked.limit` + 1 items in the order of the key, from the first one after `after`
    return ACCOUNTS.page(found, asked.limit, lambda account: (account.account,))
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import GenericAlias
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field, TypeAdapter
from sqlalchemy import ColumnElement, Row, Table, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.rows import rows_of

ItemT = TypeVar("ItemT")
KeyT = TypeVar("KeyT", bound=tuple[object, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """The requested page of a list: the maximum number of items, and the cursor."""

    limit: Annotated[int, Query(ge=1, le=500, description="maximum number of items on the page")] = 100
    cursor: Annotated[str | None, Query(max_length=1000, description="`next` of the previous page")] = None


Asked = Annotated[PageRequest, Depends()]
"""The requested page, as a parameter of a route."""
FromEnd = Annotated[bool, Query(description="whether to list in reverse order")]
"""Whether to list in reverse order, as a parameter of a route."""


class Page(BaseModel, Generic[ItemT]):
    """A page of a list, in the order of the list."""

    items: list[ItemT]
    next: str | None = Field(default=None, description="the cursor of the next page; absent on the last page")


class Listing(Generic[KeyT]):
    """A named list, ordered by a key: a tuple that is unique for each item."""

    def __init__(self, name: str, key: Any) -> None:
        self._name = name
        self._position: TypeAdapter[tuple[str, KeyT]] = TypeAdapter(tuple[str, key])

    def after(self, cursor: str | None) -> KeyT | None:
        """Return the key in a cursor, or None without a cursor. Raises: Rejected for a cursor of another list."""
        if cursor is None:
            return None
        try:
            name, key = self._position.validate_json(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        except (binascii.Error, ValueError) as error:
            raise self._unknown(cursor) from error
        if name != self._name or not all(map(_is_kept, key)):
            raise self._unknown(cursor)
        return key

    def page(self, found: Sequence[ItemT], limit: int, key: Callable[[ItemT], KeyT]) -> Page[ItemT]:
        """Return a page of at most `limit` items, with the cursor of the next page if more items were found."""
        return Page(items=list(found[:limit]), next=self.cursor(key(found[limit - 1])) if len(found) > limit else None)

    def cursor(self, key: KeyT) -> str:
        """Return the cursor of the page that begins after the item with this key."""
        return urlsafe_b64encode(self._position.dump_json((self._name, key))).decode().rstrip("=")

    def _unknown(self, cursor: str) -> Rejected:
        return Rejected(Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this list; begin without one")


def _is_kept(part: object) -> bool:
    """Return whether a query accepts this part of a key: text without NUL, an integer of 64 bits, or another type."""
    match part:
        case str():
            return "\0" not in part
        case int():
            return -(2**63) <= part < 2**63
        case _:
            return True


class TableListing:
    """The rows of a table as a list, ordered by some of its columns, ascending or descending."""

    def __init__(self, table: Table, *columns: str) -> None:
        self._table = table
        self._key = [table.c[name] for name in columns]
        key = GenericAlias(tuple, tuple(column.type.python_type for column in self._key))
        self._ways: dict[bool, Listing[tuple[Any, ...]]] = {
            False: Listing(table.name, key),
            True: Listing(f"{table.name}, from the end", key),
        }

    async def read(
        self,
        connection: AsyncConnection,
        asked: PageRequest,
        item: Callable[[Row[Any]], ItemT],
        from_end: bool = False,
        conditions: Sequence[ColumnElement[bool]] = (),
        /,
        **values: Any,
    ) -> Page[ItemT]:
        """Return the requested page of the rows that have these column values and meet the conditions.

        A value of None does not filter. Raises: Rejected for a cursor of another list, or of the reverse order.
        """
        way = self._ways[from_end]
        order = [column.desc() for column in self._key] if from_end else self._key
        query = rows_of(self._table, **values).where(*conditions).order_by(*order).limit(asked.limit + 1)
        after = way.after(asked.cursor)
        if after is not None:
            here, there = tuple_(*self._key), tuple_(*after)
            query = query.where(here < there if from_end else here > there)
        rows = (await connection.execute(query)).all()
        page = way.page(rows, asked.limit, lambda row: tuple(row._mapping[column.name] for column in self._key))
        return Page(items=[item(row) for row in page.items], next=page.next)
