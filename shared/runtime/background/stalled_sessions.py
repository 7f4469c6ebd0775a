"""End database sessions of a service that hold locks while they wait for the rest of a request."""

from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.database_names import application_name

log = structlog.get_logger()

LOOK_SECONDS: Final = 30.0
STALLED_SECONDS: Final = 60.0
"""As long as PostgreSQL lets a transaction of ours be idle."""

_END = text("""
    SELECT pid, pg_terminate_backend(pid) AS ended FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user AND application_name = :name
      AND pid <> pg_backend_pid() AND state = 'active' AND wait_event = 'ClientRead'
      AND query_start <= clock_timestamp() - make_interval(secs => :seconds)""")


async def end_stalled_sessions(engine: AsyncEngine, role: str, *, after_seconds: float = STALLED_SECONDS) -> int:
    """End a role's sessions that have waited too long for the rest of a pipeline or COPY; return their number.

    The process at the other end is frozen, or its host is. PostgreSQL's own timeouts do not see it:
    `idle_in_transaction_session_timeout` counts from the end of a request, `statement_timeout` ends with the statement,
    and inside COPY neither interrupts the wait. Its locks would keep the next owner of its partitions waiting.
    """
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL ROLE NONE"))  # sessions belong to the login
        found = await connection.execute(_END, {"name": application_name(role), "seconds": after_seconds})
        ended = [row.pid for row in found if row.ended]
    for pid in ended:
        log.warning("stalled database session ended", role=role, pid=pid, seconds=after_seconds)
    return len(ended)
