"""A service's own copy of approved documents in versions, so that it goes on while the registry is away."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy import Column, DateTime, Integer, MetaData, Table, Text, func, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.versions import in_effect
from shared.journal.bulk import insert
from shared.journal.recording import Recording
from shared.runtime.consume.handler import Handler


class ApprovedVersion(Protocol):
    """The fact that a version was approved."""

    @property
    def hash(self) -> str:
        """Return the hash of the document and its number."""

    @property
    def effective_from(self) -> datetime:
        """Return the moment from which on it counts."""


VersionT = TypeVar("VersionT", bound=ApprovedVersion)
MadeT = TypeVar("MadeT")


def copy_table(name: str, metadata: MetaData, schema: str, *key: str) -> Table:
    """Declare the copy in a service's schema: each approved version as it was published; `key` names its document."""
    return Table(
        name,
        metadata,
        *(Column(part, Text, primary_key=True) for part in key),
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("effective_from", DateTime(timezone=True), nullable=False),
        Column("document", JSONB, nullable=False),
        Column("received_at", DateTime(timezone=True), nullable=False),
        schema=schema,
    )


class ApprovedDocuments(Handler[None]):
    """Keep approved versions in a copy; a service that reads them whole gives a subclass with its table.

    The first of the tables that it `keeps` is the copy.
    """

    gather_seconds = 0.2
    model: ClassVar[Any]
    """The fact that a version was approved."""

    def check(self, approved: Any) -> None:
        """Look at an approved version before it is kept. Raises: Refused where nothing can be done under it."""

    def handle(self, event: Event[Any], state: None) -> Sequence[Recording]:
        """Check an approved version; nothing is recorded of it."""
        del state
        if isinstance(event.data, self.model):
            self.check(event.data)
        return ()

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write the versions that are not there yet; one that is there never changes."""
        table, *_ = self.keeps
        said = [column.name for column in table.columns if column.name not in ("document", "received_at")]
        rows = [
            {name: getattr(event.data, name) for name in said}
            | {"document": event.data.model_dump(mode="json"), "received_at": at}
            for event in events
            if isinstance(event.data, self.model)
        ]
        await insert(table, on_conflict="skip").write(connection, rows)


class Approved(Generic[VersionT, MadeT]):
    """The approved versions of a copy, each as what a service makes of it when it is first asked for.

    They are those of all properties, or of one.
    """

    def __init__(
        self,
        table: Table,
        model: Any,
        make: Callable[[VersionT], MadeT],
        property_name: str | None = None,
    ) -> None:
        self._table = table
        self._key = [column.name for column in table.primary_key if column.name != "version"]
        self._of_property = true() if property_name is None else table.c.property == property_name
        self._model = model
        self._make = make
        self._versions: dict[tuple[str, ...], list[VersionT]] = {}
        self._by_hash: dict[str, VersionT] = {}
        self._made: dict[str, MadeT] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Read them again if their number has changed; a version that is there never changes."""
        counted = select(func.count()).select_from(self._table).where(self._of_property)
        count = (await connection.execute(counted)).scalar_one()
        if count == len(self._by_hash):
            return
        rows = (await connection.execute(select(self._table.c.document).where(self._of_property))).all()
        self.know([self._model.model_validate(row.document) for row in rows])

    def know(self, versions: Sequence[VersionT]) -> None:
        """Know these versions, and no others."""
        self._versions.clear()
        self._by_hash.clear()
        for approved in versions:
            self._versions.setdefault(tuple(getattr(approved, part) for part in self._key), []).append(approved)
            self._by_hash[approved.hash] = approved

    def under(self, digest: str) -> MadeT | None:
        """Return the version with this hash; None where it is not known."""
        approved = self._by_hash.get(digest)
        return None if approved is None else self.made(approved)

    def at(self, moment: datetime, *key: str) -> MadeT | None:
        """Return the version of a document in effect at a moment; None where there is none."""
        approved: VersionT | None = in_effect(self._versions.get(key, []), moment)
        return None if approved is None else self.made(approved)

    def versions(self, *key: str) -> list[MadeT]:
        """Return all versions of a document."""
        return [self.made(approved) for approved in self._versions.get(key, ())]

    def approved(self, *key: str) -> Sequence[VersionT]:
        """Return the facts that versions of a document were approved."""
        return self._versions.get(key, ())

    def made(self, approved: VersionT) -> MadeT:
        """Return what is made of a version."""
        made = self._made.get(approved.hash)
        if made is None:
            made = self._made[approved.hash] = self._make(approved)
        return made
