"""End database sessions of a service that hold locks while their client has stopped in the middle of a request."""

from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.database_names import application_name

log = structlog.get_logger()

LOOK_SECONDS: Final = 30.0
STALLED_SECONDS: Final = 60.0
"""Maximum wait for the rest of a request, equal to PostgreSQL's idle timeout for our transactions."""

_END = text("""
    SELECT pid, pg_terminate_backend(pid) AS ended FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user AND application_name = :name
      AND pid <> pg_backend_pid() AND state = 'active' AND wait_event = 'ClientRead'
      AND query_start <= clock_timestamp() - make_interval(secs => :seconds)""")


async def end_stalled_sessions(engine: AsyncEngine, role: str, *, after_seconds: float = STALLED_SECONDS) -> int:
    """End a role's sessions that have waited too long for the rest of a pipeline or COPY; return their number.

    In such a session the client process or its host is frozen. PostgreSQL's own timeouts do not detect that:
    `idle_in_transaction_session_timeout` counts from the end of a request, `statement_timeout` ends with the statement,
    and inside COPY neither interrupts the wait. The session's locks would block the next owner of its partitions.
    """
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL ROLE NONE"))  # sessions belong to the login role
        found = await connection.execute(_END, {"name": application_name(role), "seconds": after_seconds})
        ended = [row.pid for row in found if row.ended]
    for pid in ended:
        log.warning("stalled database session terminated", role=role, pid=pid, seconds=after_seconds)
    return len(ended)
