"""A running Pitledger that a day is played against: where it is, and who may file and approve at its registry."""

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
        """Return the database as psycopg wants it."""
        return conninfo_of(self.database_url)


def conninfo_of(url: str) -> str:
    """Return a SQLAlchemy URL of a database as psycopg wants it."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
