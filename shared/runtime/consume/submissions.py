"""A service's own copy of the approved rules submissions, so that it goes on while the registry is away."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, DateTime, Integer, MetaData, Table, Text, func, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.reading import Reader
from shared.contracts.submissions import SubmissionApproved, in_effect, submission_hash
from shared.contracts.topics import SUBMISSIONS
from shared.journal.bulk import insert
from shared.journal.recording import Recording
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.consume.handler import Handler

MadeT = TypeVar("MadeT")


def submissions_table(metadata: MetaData, schema: str) -> Table:
    """Declare the copy in a service's schema: each approved version as it was published."""
    return Table(
        "submissions",
        metadata,
        Column("property", Text, primary_key=True),
        Column("game", Text, primary_key=True),
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("effective_from", DateTime(timezone=True), nullable=False),
        Column("document", JSONB, nullable=False),
        Column("received_at", DateTime(timezone=True), nullable=False),
        schema=schema,
    )


class RulesSubmissions(Handler[None]):
    """Keep the approved submissions in the copy; give a subclass with its table to a service as a reference."""

    reader = Reader(SUBMISSIONS, SubmissionApproved)

    def handle(self, event: Event[SubmissionApproved], state: None) -> Sequence[Recording]:
        """Check an approved version; nothing is recorded of it. Raises: Refused, as `check` does."""
        del state
        check(event.data)
        return ()

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write the versions that are not there yet; one that is there never changes."""
        [table] = self.keeps
        rows = [
            {
                "property": event.data.property,
                "game": event.data.game,
                "version": event.data.version,
                "effective_from": event.data.effective_from,
                "document": event.data.model_dump(mode="json"),
                "received_at": at,
            }
            for event in events
            if isinstance(event.data, SubmissionApproved)
        ]
        await insert(table, on_conflict="skip").write(connection, rows)


class ApprovedSubmissions(Generic[MadeT]):
    """The approved submissions of the copy, each as what a service makes of it when it is first asked for.

    They are those of all properties, or of one.
    """

    def __init__(
        self, table: Table, make: Callable[[SubmissionApproved], MadeT], property_name: str | None = None
    ) -> None:
        self._table = table
        self._of_property = true() if property_name is None else table.c.property == property_name
        self._make = make
        self._versions: dict[tuple[str, str], list[SubmissionApproved]] = {}
        self._by_hash: dict[str, SubmissionApproved] = {}
        self._made: dict[str, MadeT] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Read them again if their number has changed; a version that is there never changes."""
        counted = select(func.count()).select_from(self._table).where(self._of_property)
        count = (await connection.execute(counted)).scalar_one()
        if count == len(self._by_hash):
            return
        rows = (await connection.execute(select(self._table.c.document).where(self._of_property))).all()
        self._versions.clear()  # without a wait from here on, so that nobody reads a part of them
        for row in rows:
            approved = SubmissionApproved.model_validate(row.document)
            self._versions.setdefault((approved.property, approved.game), []).append(approved)
            self._by_hash[approved.hash] = approved

    def under(self, digest: str) -> MadeT | None:
        """Return the submission with this hash; None where it is not known."""
        approved = self._by_hash.get(digest)
        return None if approved is None else self._as_made(approved)

    def in_effect(self, property_name: str, game: str, moment: datetime) -> MadeT | None:
        """Return the submission in effect at a moment; None where there is none."""
        approved: SubmissionApproved | None = in_effect(self._versions.get((property_name, game), []), moment)
        return None if approved is None else self._as_made(approved)

    def versions(self, property_name: str, game: str) -> list[MadeT]:
        """Return all versions for a game."""
        return [self._as_made(approved) for approved in self._versions.get((property_name, game), ())]

    def _as_made(self, approved: SubmissionApproved) -> MadeT:
        made = self._made.get(approved.hash)
        if made is None:
            made = self._made[approved.hash] = self._make(approved)
        return made


def check(approved: SubmissionApproved) -> None:
    """Raise Refused where the document is not what its hash says, or nothing could be settled under it."""
    computed = submission_hash(approved, approved.version)
    if computed != approved.hash:
        raise Refused(f"the submission's hash is {computed}, not {approved.hash}: it is not what was approved")
    compile_rules(approved.regulation, approved.submission)
