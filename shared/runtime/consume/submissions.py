"""A service's own copy of the approved rules submissions, so that it goes on while the registry is away."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy import Column, DateTime, Integer, MetaData, Table, Text, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts import submission_events
from shared.contracts.submission_events import (
    SubmissionApproved,
    SubmissionApprovedEvent,
    SubmissionEvent,
    in_effect,
    submission_hash,
)
from shared.journal.entry import Draft, Entry
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.consume.consumer import Clock
from shared.runtime.consume.processing import Record

MadeT = TypeVar("MadeT")


def submissions_table(metadata: MetaData, schema: str) -> Table:
    """Declares the copy in a service's schema: each approved version as it was published."""
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


class RulesSubmissions:
    """Reads the approved submissions into the copy; give it to a service among its `references`."""

    topic = submission_events.TOPIC

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    def decode(self, record: Record) -> SubmissionEvent:
        """The event in a record. Raises: Refused."""
        return submission_events.decode(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[SubmissionEvent]) -> "Copies":
        """Starts a batch."""
        del connection, events
        return Copies(self.table, self.clock)


class Copies:
    """The approved submissions of one batch."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self.approved: list[SubmissionApproved] = []

    def derive(self, event: SubmissionEvent, record: Record) -> Sequence[Draft]:
        """Takes an approved version; leads to no entries. Raises: Refused, as `check` does."""
        del record
        if isinstance(event, SubmissionApprovedEvent):
            check(event.data)
            self.approved.append(event.data)
        return ()

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        """Writes the versions that are not there yet; one that is there never changes."""
        del entries
        if self.approved:
            await connection.execute(
                upsert(self._table).on_conflict_do_nothing(),
                [
                    {
                        "property": approved.property,
                        "game": approved.game,
                        "version": approved.version,
                        "effective_from": approved.effective_from,
                        "document": approved.model_dump(mode="json"),
                        "received_at": self._clock(),
                    }
                    for approved in self.approved
                ],
            )


class ApprovedSubmissions(Generic[MadeT]):
    """The approved submissions of the copy, each as what a service makes of it when it is first asked for."""

    def __init__(self, table: Table, make: Callable[[SubmissionApproved], MadeT]) -> None:
        self._table = table
        self._make = make
        self._versions: dict[tuple[str, str], list[SubmissionApproved]] = {}
        self._by_hash: dict[str, SubmissionApproved] = {}
        self._made: dict[str, MadeT] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Reads them again if their number has changed; a version, once there, never changes."""
        count = (await connection.execute(select(func.count()).select_from(self._table))).scalar_one()
        if count == len(self._by_hash):
            return
        self._versions.clear()
        for row in await connection.execute(select(self._table.c.document)):
            approved = SubmissionApproved.model_validate(row.document)
            self._versions.setdefault((approved.property, approved.game), []).append(approved)
            self._by_hash[approved.hash] = approved

    def under(self, digest: str) -> MadeT | None:
        """The submission with this hash; None where it is not known."""
        approved = self._by_hash.get(digest)
        return None if approved is None else self._as_made(approved)

    def in_effect(self, property_name: str, game: str, moment: datetime) -> MadeT | None:
        """The submission in effect at a moment; None where there is none."""
        approved: SubmissionApproved | None = in_effect(self._versions.get((property_name, game), []), moment)
        return None if approved is None else self._as_made(approved)

    def versions(self, property_name: str, game: str) -> list[MadeT]:
        """All versions for a game."""
        return [self._as_made(approved) for approved in self._versions.get((property_name, game), ())]

    def _as_made(self, approved: SubmissionApproved) -> MadeT:
        made = self._made.get(approved.hash)
        if made is None:
            made = self._made[approved.hash] = self._make(approved)
        return made


def check(approved: SubmissionApproved) -> None:
    """Raises Refused where the document is not what its hash says, or nothing could be settled under it."""
    computed = submission_hash(approved, approved.version)
    if computed != approved.hash:
        raise Refused(f"the submission's hash is {computed}, not {approved.hash}: it is not what was approved")
    compile_rules(approved.regulation, approved.submission)
