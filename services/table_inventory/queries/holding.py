"""Lock the pit events that a command depends on, so that they cannot change before the command is recorded."""

from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.runtime.rows import rows_of


async def hold(connection: AsyncConnection, table: Table, /, **key: Any) -> None:
    """Take a shared lock on the rows with this key until the transaction ends.

    If a row was changed since the transaction began, the database refuses the lock, and the command is retried.
    """
    await connection.execute(rows_of(table, **key).with_for_update(read=True))
