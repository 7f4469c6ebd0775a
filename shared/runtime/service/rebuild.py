"""Rebuild the read model of a service in one transaction, and say what in it was not as it should be.

What follows from the journal is projected again by the service's one projector; what a handler keeps of a topic is
kept again from the topic. Every writer of the service waits meanwhile, or is fenced: nobody records an entry without a
row of `shards`.
"""

from functools import cache

from sqlalchemy import MetaData, Table, text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.differences import Comparison
from shared.runtime.errors import Stop
from shared.runtime.service.comparing import compare_all
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.packs import use_own_packs
from shared.runtime.service.projecting import project_all, tables_of
from shared.runtime.settings import Settings


async def rebuild(engine: AsyncEngine, manifest: Manifest, settings: Settings, *, check: bool) -> Comparison:
    """Rebuild the read model and compare it with what was there; with `check`, leave what was there.

    The login must own the tables. Whoever reads them waits for a check, which empties them for the while that it takes;
    a rebuild lets everybody read on what was there, so that no report is of half a table. Raises: Stop where entries do
    not fit, of which a check tells; as `project_all`.
    """
    use_own_packs(settings)
    tables = tables_of(manifest)
    empty = "TRUNCATE" if check else "DELETE FROM"  # what is rolled back then leaves no dead rows
    async with engine.connect() as connection, connection.begin() as transaction:
        await connection.execute(text("SET LOCAL ROLE NONE"))  # the service itself may not empty what it keeps
        await connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        names = ", ".join(table.fullname for table in (manifest.journal.shards, *tables))
        await connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))
        for table in tables:
            name = kept(table).fullname
            await connection.execute(text(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS TABLE {table.fullname}"))
            await connection.execute(text(f"{empty} {table.fullname}"))
        unfit = await project_all(connection, manifest, settings)
        pairs = [(kept(table), table) for table in tables]
        comparison = Comparison(await compare_all(connection, manifest, pairs), unfit)
        if check:
            await transaction.rollback()
        elif unfit:
            first = unfit[0]
            raise Stop(f"{comparison.first}: {first.what}; rebuild from the journal as it was before, or correct it")
        return comparison


@cache
def kept(table: Table) -> Table:
    """Return the temporary table that has the rows as they were, while the table is rebuilt.

    It is the same each time, so that what compares the two is compiled once.
    """
    return table.to_metadata(MetaData(), schema="pg_temp", name=f"kept_{table.name}")
