"""What the command line does about refused records: the commands of the services themselves, in this process."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar
from uuid import uuid4

from pydantic_core import from_json
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.database import with_engine
from services.cli.environment import settings
from services.cli.exits import CheckFailed, InputRefused, NotThere
from services.cli.services import load
from shared.contracts.rejection import Reason
from shared.journal.quarantine import Quarantined, read_quarantined
from shared.journal.tables import JournalTables
from shared.runtime.command.command import Command
from shared.runtime.command.quarantine import ApproveQuarantineRequest, RequestDocument
from shared.runtime.command.replay import NotSent, Replays
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.run import context_of

T = TypeVar("T")

_WAIT_SECONDS_MAX: Final = 60.0
_LOOK_SECONDS: Final = 0.2


class Quarantine:
    """The quarantine of one service."""

    def __init__(self, manifest: Manifest, context: ServiceContext) -> None:
        self._manifest = manifest
        self._context = context

    async def read(self, work: Callable[[AsyncConnection, JournalTables], Awaitable[T]]) -> T:
        """Return what is read of it."""
        async with self._context.engine.connect() as connection:
            return await work(connection, self._manifest.journal)

    async def record(self, number: int) -> Quarantined:
        """Return one record. Raises: NotThere."""
        found = await self.read(lambda connection, tables: read_quarantined(connection, tables, number))
        if found is None:
            name = self._manifest.name
            raise NotThere(f"{name} has no record {number} in quarantine; see: pitledger quarantine list --all")
        return found

    async def do(self, ask: Command, *, by: str, approved_by: str) -> RequestDocument:
        """Ask for something as one person, and approve it as another. Raises: NotThere, InputRefused, CheckFailed."""
        asked = await self._answered(ask, by)
        approve = ApproveQuarantineRequest(quarantine=asked.quarantine, request=asked.request)
        return await self._answered(approve, approved_by)

    async def send(self, approved: RequestDocument) -> tuple[int, int]:
        """Send an approved replay; return the partition and offset that it got. Raises: NotThere."""
        context, manifest = self._context, self._manifest
        try:
            replays = Replays(context, manifest.readers, context.outbox)
            return await replays.send(approved.quarantine, approved.request)
        except NotSent as error:
            raise NotThere(f"it is approved, but not sent: {error}; ask for it again") from error

    async def wait(self, record: Quarantined, partition: int, offset: int) -> None:
        """Wait until a replay has closed a record. Raises: CheckFailed where it was refused or dropped; NotThere."""
        try:
            async with asyncio.timeout(_WAIT_SECONDS_MAX):
                while (await self.record(record.id)).resolved_at is None:
                    await self.read(partial(_not_refused, record=record, partition=partition, offset=offset))
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            what = f"{self._manifest.name} has not read it within {_WAIT_SECONDS_MAX:.0f} s"
            raise NotThere(f"{what}; is it running?") from None

    async def _answered(self, command: Command, person: str) -> RequestDocument:
        answer = await self._context.commands.do(command, person=person, key=f"pitledger-{uuid4()}")
        if answer.reason is None:
            return RequestDocument.model_validate_json(answer.body)
        detail: str = from_json(answer.body)["detail"]
        errors = {Reason.NOT_FOUND: NotThere, Reason.NOT_ALLOWED: InputRefused}
        raise errors.get(answer.reason, CheckFailed)(detail)


async def _not_refused(
    connection: AsyncConnection, tables: JournalTables, *, record: Quarantined, partition: int, offset: int
) -> None:
    """Raise CheckFailed where a replay was read and has not closed the record: it was refused too, or dropped."""
    q, s = tables.quarantine.c, tables.shards.c
    shards = select(s.shard).where(s.name.startswith(f"{record.topic}/{partition}@"))
    if (await connection.execute(shards.where(s.next_offset > offset))).one_or_none() is None:
        return
    if (await connection.execute(select(q.id).where(q.id == record.id, q.resolved_at.is_not(None)))).one_or_none():
        return
    again = select(q.id, q.reason).where(q.shard.in_(shards), q.partition == partition, q.offset == offset)
    row = (await connection.execute(again)).one_or_none()
    if row is not None:
        raise CheckFailed(f"the replay was refused too and is record {row.id} in quarantine: {row.reason}")
    raise CheckFailed("the replay was dropped: that event is recorded already; dismiss the record instead")


def with_quarantine(service: str, work: Callable[[Quarantine], Awaitable[T]]) -> T:
    """Return what `work` gives with the quarantine of a service. Raises: NotThere where the database is not there."""
    manifest = load(service)

    async def connected(engine: AsyncEngine) -> T:
        context: Any = context_of(manifest, settings(), engine)
        return await work(Quarantine(manifest, context))

    return with_engine(service, connected)
