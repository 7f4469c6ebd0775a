"""A service's own copy of approved, versioned documents, which it uses even while their registry is unavailable."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from psycopg import AsyncCursor
from sqlalchemy import (
    Column,
    ColumnElement,
    DateTime,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    func,
    null,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.rejection import Reason, Rejected
from shared.journal.bulk import compiled, excluded, insert
from shared.journal.pipeline import Pipeline
from shared.runtime.ingest.handler import ReadModelHandler
from shared.runtime.ingest.signed_copies import lock_copy, read_copy, sign_copy


class ApprovedVersion(Protocol):
    """A fact that approves a version of a document."""

    @property
    def hash(self) -> str:
        """Return the hash of the document together with its version number."""

    @property
    def effective_from(self) -> datetime:
        """Return the moment at which the version takes effect."""


_WITHDRAWN: Final = "withdrawal_received_at"

VersionT = TypeVar("VersionT", bound=ApprovedVersion)
MadeT = TypeVar("MadeT")


def copy_table(name: str, metadata: MetaData, schema: str, *key: str, withdrawals: bool = False) -> Table:
    """Declare the table of a copy, with one row per approved version. The `key` columns identify the document.

    `withdrawals`: a version may be withdrawn before it takes effect.
    """
    return Table(
        name,
        metadata,
        *(Column(part, Text, primary_key=True) for part in key),
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("effective_from", DateTime(timezone=True), nullable=withdrawals),
        Column("document", JSONB, nullable=withdrawals),  # null if the withdrawal came first
        Column("received_at", DateTime(timezone=True), nullable=False),
        *((Column(_WITHDRAWN, DateTime(timezone=True)),) if withdrawals else ()),
        schema=schema,
    )


class ApprovedDocuments(ReadModelHandler[None]):
    """Handler that keeps a copy of approved versions. Subclasses name the table in `copies`."""

    model: ClassVar[Any]
    """The type of the fact that approves a version."""
    withdrawal: ClassVar[Any] = ()
    """The type of the fact that withdraws an approved version, if there is one."""

    def check(self, approved: Any) -> None:
        """Check an approved version before it is stored. Raises: Refused if the service cannot use it."""

    def require_usable(self, event: Event[Any], state: None) -> None:
        """Check the event if it approves a version. Raises: Refused if the service cannot use it."""
        del state
        if isinstance(event.data, self.model):
            self.check(event.data)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Insert missing versions and mark withdrawn ones; a stored version never changes.

        A withdrawal may arrive for a version whose approval this service refused. If that approval is replayed later,
        the version remains withdrawn.
        """
        [table] = self.copies
        said = [column.name for column in table.columns if column.name not in ("document", "received_at", _WITHDRAWN)]
        rows = [
            {name: getattr(event.data, name) for name in said}
            | {"document": event.data.model_dump(mode="json"), "received_at": at}
            for event in events
            if isinstance(event.data, self.model)
        ]
        changed = {event.data.property for event in events if isinstance(event.data, (self.model, self.withdrawal))}
        if not changed:
            return
        await lock_copy(connection, table)
        await read_copy(connection, table, changed)  # raises before altered rows are signed again
        columns = (*said, "document", "received_at")
        await insert(table, columns, on_conflict="skip").write(connection, rows)
        key = [column.name for column in table.primary_key]
        withdrawn = [
            {name: getattr(event.data, name) for name in key} | {"received_at": at, _WITHDRAWN: at}
            for event in events
            if isinstance(event.data, self.withdrawal)
        ]
        if withdrawn:
            first = {_WITHDRAWN: func.coalesce(table.c[_WITHDRAWN], excluded(table)[_WITHDRAWN])}
            await insert(table, (*key, "received_at", _WITHDRAWN), on_conflict=first).write(connection, withdrawn)
        await sign_copy(connection, table, changed)


@cache
def _count(table: Table, of_one: bool) -> str:
    """Return the SQL that counts the versions, and the withdrawn versions, in a copy: of one property or of all."""
    withdrawn_at: ColumnElement[Any] = table.c[_WITHDRAWN] if _WITHDRAWN in table.c else null()
    counted = select(func.count(), func.count(withdrawn_at)).select_from(table)
    which = table.c.property == bindparam("property") if of_one else true()
    return compiled(counted.where(which)).sql


class ApprovedCopy(Generic[VersionT, MadeT]):
    """The approved versions in a copy, of one property or of all, each converted to the service's type on first use."""

    def __init__(
        self,
        table: Table,
        model: Any,
        make: Callable[[VersionT], MadeT],
        property_name: str | None = None,
    ) -> None:
        self._table = table
        self._key = [column.name for column in table.primary_key if column.name != "version"]
        self._property = property_name
        self._model = model
        self._make = make
        self._versions: dict[tuple[str, ...], list[VersionT]] = {}
        self._by_hash: dict[str, VersionT] = {}
        self._withdrawn: frozenset[str] = frozenset()
        self._made: dict[str, MadeT] = {}
        self._counts: tuple[Any, ...] = ()

    async def count(self, sent: Pipeline) -> AsyncCursor[Any]:
        """Send, in a pipeline, the query that counts the versions; pass the resulting row to `refresh`."""
        return await sent.execute(_count(self._table, self._property is not None), {"property": self._property})

    async def refresh(self, connection: AsyncConnection, counts: Sequence[Any] | None = None) -> None:
        """Reload the versions if any were added or withdrawn since the last call; a stored version never changes.

        `counts` is the row of `count`, if the caller already has it. Raises: Rejected if the copy's signature is
        invalid, or if versions that this process knows are missing, because then an older signed copy was put in its
        place.
        """
        if counts is None:
            counted = _count(self._table, self._property is not None)
            counts = (await connection.exec_driver_sql(counted, {"property": self._property})).one()
        if tuple(counts) == self._counts:
            return
        rows = await read_copy(connection, self._table, None if self._property is None else [self._property])
        known = [
            (self._model.model_validate(row.document), getattr(row, _WITHDRAWN, None) is not None)
            for row in rows
            if row.document is not None
        ]
        withdrawn = {version.hash for version, is_withdrawn in known if is_withdrawn}
        if gone := (self._by_hash.keys() - {version.hash for version, _ in known}) | (self._withdrawn - withdrawn):
            raise Rejected(
                Reason.NOT_AS_RECORDED,
                f"the copy of {self._table.name} is not as far as this process knows it: {len(gone)} approved or "
                f"withdrawn versions are gone, such as {min(gone)}; keep the database as it is",
            )
        self.know([version for version, _ in known], withdrawn)
        self._counts = tuple(counts)

    def know(self, versions: Sequence[VersionT], withdrawn: Collection[str] = ()) -> None:
        """Replace the versions in memory; versions whose hashes are in `withdrawn` are never in effect."""
        self._versions.clear()
        self._by_hash.clear()
        self._withdrawn = frozenset(withdrawn)
        for approved in versions:
            if approved.hash not in withdrawn:
                self._versions.setdefault(tuple(getattr(approved, part) for part in self._key), []).append(approved)
            self._by_hash[approved.hash] = approved

    def under(self, digest: str) -> MadeT | None:
        """Return the version with this hash, converted, even if it was withdrawn; None if there is none."""
        approved = self._by_hash.get(digest)
        return None if approved is None else self.made(approved)

    def versions(self, *key: str) -> list[MadeT]:
        """Return all versions of a document that were not withdrawn, converted."""
        return [self.made(approved) for approved in self._versions.get(key, ())]

    def approved(self, *key: str) -> Sequence[VersionT]:
        """Return the approval facts of a document's versions that were not withdrawn."""
        return self._versions.get(key, ())

    def made(self, approved: VersionT) -> MadeT:
        """Return the service's own value for a version; it is converted on first use and then cached."""
        made = self._made.get(approved.hash)
        if made is None:
            made = self._made[approved.hash] = self._make(approved)
        return made
