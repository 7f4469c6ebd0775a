"""A running stack on which a day is played: its addresses, and tokens for filing and approving."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Addresses and tokens of a running stack. `database_url` is a SQLAlchemy URL whose login may read all schemas."""

    bootstrap_servers: str
    database_url: str
    registry_url: str
    filer_token: str
    approver_token: str

    @property
    def conninfo(self) -> str:
        """Return the database's connection string for psycopg."""
        return conninfo_of(self.database_url)


def conninfo_of(url: str) -> str:
    """Return the psycopg connection string for a database's SQLAlchemy URL."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
