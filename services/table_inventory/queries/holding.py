"""Hold what a pit event says while somebody builds on it: nobody takes it back until that is recorded."""

from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.runtime.rows import rows_of


async def hold(connection: AsyncConnection, table: Table, /, **key: Any) -> None:
    """Hold the rows with this key until the transaction ends.

    Where one was taken back since the transaction began, the database refuses it, and the command is decided again.
    """
    await connection.execute(rows_of(table, **key).with_for_update(read=True))
