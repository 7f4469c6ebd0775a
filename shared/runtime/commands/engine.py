"""The command engine: decides waiting commands in order, and records and answers them in one transaction.

A caller gets the answer after the batch is committed. The answer is kept forever under the command's key, so a command
takes effect once. A rejection is recorded and kept like any other answer.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice, takewhile
from typing import Any, Final

import structlog
from psycopg.errors import UniqueViolation
from pydantic import BaseModel
from pydantic_core import to_json
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.people import canonical_person
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Entry, EntryDraft, command_digest
from shared.journal.ledger import Fenced, Write
from shared.journal.pipeline import Pipeline, pipeline
from shared.journal.recording import Causation, draft, recorded
from shared.journal.shard import Shard, Unsealed
from shared.journal.tables import COMMAND_INDEX
from shared.runtime.commands.command import Accepted, Answered, Command, Commands, Now
from shared.runtime.commands.idempotency import Answer, CommandKey, IdempotencyStore, StoredResponse
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import ErrorKind, is_fenced, kind_of, may_pass
from shared.runtime.high_water import HighWaterMark
from shared.runtime.projector import Transaction
from shared.runtime.retrying import retry

log = structlog.get_logger()

BATCH_COMMANDS: Final = 200
"""Maximum number of commands in a transaction."""

_SECONDS_MAX: Final = 10.0
"""How long a batch is retried before its callers are answered that they should try again."""

_UNDECIDED: Final = Answer(None, "")
"""Placeholder answer of a command that is being decided."""

_TAKEN_MAX: Final = 10
"""Maximum number of retries of a batch that inserts a row which exists already."""

_PUBLISH_SECONDS: Final = 0.1
"""Maximum delay between a commit and the publication of its entries."""


class _Taken(Fenced):
    """A row to be inserted already exists: another process has just inserted it, or the command has a bug."""


class _ShardAdded(Fenced):
    """A shard was added, because no command shard was free, for example at the first command of a service."""


class _Done(_Taken):
    """A command is already recorded: another process has just recorded it, or its stored answer was deleted."""


@dataclass(slots=True)
class _Waiting:
    """A command whose caller is waiting for the answer."""

    command: Command
    person: str
    key: str
    content: bytes
    answer: asyncio.Future[Answer]

    @property
    def place(self) -> CommandKey:
        """Return the key of the answer, which does not depend on the spelling of the person's name."""
        return (canonical_person(self.person), self.key)


@dataclass(slots=True)
class _Batch:
    """A batch that is not committed yet: the answers by (person, key), the locked shard, and the entries."""

    answers: dict[tuple[str, str], StoredResponse]
    shard: Shard
    at: datetime
    entries: list[Entry] = field(default_factory=list)
    refused: list[Rejected] = field(default_factory=list)
    new: list[tuple[tuple[str, str], StoredResponse]] = field(default_factory=list)
    turned_away: dict[int, Rejected] = field(default_factory=dict)
    """The rejections of commands that must not get the answer stored under their key, by index in the batch."""


class Engine:
    """Accepts commands one by one, and commits them in batches."""

    def __init__(self, context: RuntimeContext, commands: Commands) -> None:
        self._context = context
        self._commands = commands
        self._answers = IdempotencyStore(context.ledger)
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._committed: list[Entry] = []
        self._kept: AsyncConnection | None = None

    async def do(self, command: Command, *, person: str, key: str) -> Answer:
        """Return the answer to a command once it is committed; a retry under the same key gets the same answer.

        Raises: Rejected if the key was used for another command; database errors if the command could not be committed.
        """
        self._context.tracing.asked(key)
        waiting = _Waiting(command, person, key, command.digest(), asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await waiting.answer

    async def close(self) -> None:
        """Wait until all callers are answered and no connection is in use."""
        if self._worker is not None:
            await asyncio.wait({self._worker})

    # --- batches ---

    async def _work(self) -> None:
        """Commit batches until no command is waiting."""
        try:
            while self._waiting:
                await self._settle(self._next_batch())
                if not self._waiting and (kept := self._kept) is not None:
                    self._kept = None
                    await kept.close()
        finally:
            self._worker = None

    def _next_batch(self) -> Sequence[_Waiting]:
        """Take the next batch from the queue: the first commands, up to the first one that belongs to other shards."""
        shards = self._shards(self._waiting)
        same = takewhile(lambda each: self._shards([each]) == shards, self._waiting)
        batch = list(islice(same, BATCH_COMMANDS))
        self._waiting = self._waiting[len(batch) :]
        return batch

    def _shards(self, batch: Sequence[_Waiting]) -> str:
        """Return the prefix of the shard names of a batch, with the slash."""
        return f"{self._commands.shards_of(batch[0].command)}/"

    async def _settle(self, batch: Sequence[_Waiting]) -> None:
        """Answer all commands of a batch; if it cannot be committed as a whole, commit its commands one by one."""
        try:
            done = await self._retrying(batch)
        except Exception as error:  # noqa: BLE001 - the waiting callers get it
            if len(batch) > 1 and kind_of(error) in (ErrorKind.BUG, ErrorKind.REFUSED, ErrorKind.FENCED):
                for each in batch:
                    await self._settle([each])
                return
            for each in batch:
                if not each.answer.done():
                    each.answer.set_exception(error)
            return
        for number, each in enumerate(batch):
            if each.answer.done():
                continue  # the caller has disconnected
            if number in done.turned_away:
                each.answer.set_exception(done.turned_away[number])
            else:
                each.answer.set_result(done.answers[each.place].answer)

    async def _retrying(self, batch: Sequence[_Waiting]) -> _Batch:
        failures: list[BaseException] = []

        def passes(error: BaseException) -> bool:
            failures.append(error)
            taken, done = (sum(isinstance(one, kind) for one in failures) for kind in (_Taken, _Done))
            # If another process has just recorded the command, the next attempt finds its answer.
            return may_pass(error) and taken <= _TAKEN_MAX and not (isinstance(error, _Done) and done > 1)

        attempt = partial(self._commit, batch)
        try:
            return await retry(
                attempt,
                passes=passes,
                note=_note_failure,
                seconds_max=_SECONDS_MAX,
                at_once=is_fenced,
            )
        except _ShardAdded:  # the time limit does not count: the added shard is free
            return await attempt()
        except _Done as error:
            if len(batch) > 1 or sum(isinstance(one, _Done) for one in failures) == 1:
                raise
            raise self._unanswerable(batch[0]) from error

    def _unanswerable(self, waiting: _Waiting) -> Rejected:
        """Return the rejection of a command that is recorded in the journal but has no stored answer."""
        rejected = Rejected(
            Reason.NOT_AS_RECORDED,
            f"Idempotency-Key {waiting.key!r} of {waiting.person}: the command is on record, and its answer is gone "
            "from the database; nothing is done again",
        )
        self._note(rejected)
        return rejected

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection in a transaction; it is reused while commands are waiting, and replaced after an error.

        Commands that are decided one after the other see one snapshot of the database.
        """
        connection, self._kept = self._kept or await self._context.pools.commands.connect(), None
        try:
            if self._commands.ask_all is None:
                await connection.execution_options(isolation_level="REPEATABLE READ")
            async with connection.begin():
                yield connection
        except BaseException:
            await connection.close()
            raise
        self._kept = connection

    async def _commit(self, batch: Sequence[_Waiting]) -> _Batch:
        async with self._transaction() as connection:
            await self._context.high_water.compared()  # the connection may be to another server than before
            transaction = Transaction(connection)
            done, answered = await self._begin(transaction, batch)
            new = self._unanswered(batch, done)
            if together := [each for each in new if not self._commands.is_alone(each.command)]:
                assert answered is not None, "what they need was asked for"
                transaction.state = await answered()
                await self._together(transaction, together, done)
            if alone := [each for each in new if self._commands.is_alone(each.command)]:
                await self._alone(connection, alone, done)
        self._context.high_water.reached([done.shard])
        for entry in done.entries:
            self._context.metrics.entries.labels(entry.draft.kind).inc()
        for rejected in done.refused:
            self._note(rejected)
        if done.entries:
            self._publish_soon(done.entries)
        return done

    async def _begin(self, transaction: Transaction, batch: Sequence[_Waiting]) -> tuple[_Batch, Answered | None]:
        """Lock a command shard (the only one, or any free one), and load the stored answers.

        The state for commands that are decided as a batch is queried in the same round trip. Raises: _ShardAdded if no
        shard was free.
        """
        ask, ledger, prefix = self._commands.ask_all, self._context.ledger, self._shards(batch)
        known = self._context.high_water.known(prefix)
        together = [each.command for each in batch if not self._commands.is_alone(each.command)]
        answered: Answered | None = None
        async with pipeline(transaction.connection) as sent:
            shard = await ledger.take_shard(sent, prefix, skip_locked=ask is not None)
            given = await self._answers.find(sent, {each.place for each in batch})
            if ask is not None and together:
                answered = await ask(replace(transaction, sent=sent), together)
            # Queried last: if the database was set back before the answers or the state were read, these positions show
            # it.
            positions = await ledger.find_positions(sent, prefix)
        found = await shard.fetchone()
        self._require_all(known, dict(await positions.fetchall()))
        if found is not None:
            return _Batch(await self._answers.read(given), self._taken(found), self._context.clock()), answered
        async with self._context.pools.commands.begin() as own:
            await ledger.add_shard(own, prefix)
        raise _ShardAdded("a shard of commands was added")

    def _require_all(self, known: Mapping[str, HighWaterMark], next_seqs: Mapping[str, int]) -> None:
        """Check that no command shard is behind its high-water mark. Raises: Rejected.

        All shards are checked, because the command may have been recorded in any of them.
        """
        try:
            self._context.high_water.require_all(known, next_seqs)
        except Rejected as rejected:
            self._note(rejected)
            raise

    def _taken(self, row: Sequence[Any]) -> Shard:
        """Return the locked shard.

        Raises: Rejected if its row lacks the service's signature, or if the shard is behind its high-water mark.
        """
        try:
            shard = self._context.ledger.taken(row)
            self._context.high_water.require(shard)
        except Unsealed as error:
            rejected = Rejected(Reason.NOT_AS_RECORDED, str(error))
            self._note(rejected)
            raise rejected from error
        except Rejected as rejected:
            self._note(rejected)
            raise
        return shard

    def _note(self, rejected: Rejected) -> None:
        """Count a rejected command; log it if the reason is an altered database or journal."""
        self._context.metrics.refused.labels(rejected.reason.value).inc()
        if rejected.reason in (Reason.NOT_AS_RECORDED, Reason.JOURNAL_IN_DOUBT):
            log.error(
                "command refused because of a journal problem", reason=rejected.reason.value, detail=rejected.detail
            )

    def _unanswered(self, batch: Sequence[_Waiting], done: _Batch) -> list[_Waiting]:
        """Return the commands to decide: the first command under each key that has no stored answer."""
        known = dict(done.answers)
        new: list[_Waiting] = []
        for number, each in enumerate(batch):
            given = known.get(each.place)
            if given is None:
                known[each.place] = StoredResponse(_UNDECIDED, each.content, each.command.name(), done.at)
                new.append(each)
            elif given.forged is not None:
                detail = (
                    f"the answer under Idempotency-Key {each.key!r} is not what this service answered: {given.forged}"
                )
                done.turned_away[number] = Rejected(Reason.NOT_AS_RECORDED, detail)
                self._note(done.turned_away[number])
            elif given.content != each.content:
                done.turned_away[number] = Rejected(
                    Reason.KEY_REUSED,
                    f"Idempotency-Key {each.key!r} was used for another command ({given.command}, "
                    f"{given.answered_at.isoformat()}); send a new key with a new command",
                )
        return new

    async def _alone(self, connection: AsyncConnection, batch: Sequence[_Waiting], done: _Batch) -> None:
        """Decide commands one by one: each is recorded and projected before the next one is decided."""
        if self._commands.ask_all is not None:  # other processes decide such commands on their own shards
            lock = func.pg_advisory_xact_lock(func.hashtextextended(self._context.tables.schema, 0))
            await connection.execute(select(lock))
        given = len(done.new)
        for each in batch:
            try:
                state = await self._commands.load(connection, each.command)
            except Rejected as rejected:
                entry = self._answer(each, done, rejected, 0)
            else:
                entry = self._decided(each, state, done, 0)
            await self._record(Transaction(connection), [entry], done)
            if entry.fact is not None:
                await self._commands.keep(connection, each.command, entry.fact)
        prefix = self._shards(batch)
        known = self._context.high_water.known(prefix)
        async with pipeline(connection) as sent:
            await self._answers.keep(sent, done.new[given:])
            positions = await self._context.ledger.find_positions(sent, prefix)
        self._require_all(known, dict(await positions.fetchall()))

    async def _together(self, transaction: Transaction, batch: Sequence[_Waiting], done: _Batch) -> None:
        """Decide a batch on one state that the handlers update, then record and project it."""
        drafts = [self._decided(each, transaction.state, done, number) for number, each in enumerate(batch)]

        async def write(sent: Pipeline, entries: Sequence[Entry]) -> None:
            transaction.sent = sent
            await self._context.projector.project(transaction, recorded(entries))
            await self._answers.keep(sent, done.new)

        await self._record(transaction, drafts, done, write)

    def _decided(self, each: _Waiting, state: object, done: _Batch, number: int) -> EntryDraft:
        now = Now(each.person, done.at, each.key, done.shard.name, done.shard.next_seq + number)
        try:
            outcome: Accepted | Rejected = self._commands.decide(each.command, state, now)
        except Rejected as rejected:
            outcome = rejected
        return self._answer(each, done, outcome, number)

    def _answer(self, each: _Waiting, done: _Batch, outcome: Accepted | Rejected, number: int) -> EntryDraft:
        """Add the answer of a command to the batch, and return the draft of its entry."""
        command, person, key = each.command, each.person, each.key
        if isinstance(outcome, Rejected):
            answer = Answer.of_rejection(outcome)
            done.refused.append(outcome)
            recording = command.refusal(outcome, by=person, at=done.at, key=key)
        else:
            body = outcome.answer
            text = body.model_dump_json(exclude_none=True) if isinstance(body, BaseModel) else to_json(body).decode()
            answer = Answer(None, text, outcome.location)
            if outcome.rejected is not None:
                answer = Answer.of_rejection(outcome.rejected)
            recording = outcome.recording
        given = StoredResponse(answer, each.content, command.name(), done.at)
        done.answers[each.place] = given
        done.new.append((each.place, given))
        source, seq = f"/{self._context.service}/{done.shard.name}", done.shard.next_seq + number
        stream = type(recording.fact).KIND.stream
        if stream is not None:
            source = stream.format_map(dict(recording.fact))
        return draft(recording, Causation(source, seq, key, None, done.at, command_digest(*each.place)))

    async def _record(
        self, transaction: Transaction, drafts: Sequence[EntryDraft], done: _Batch, write: Write | None = None
    ) -> None:
        """Append entries and project them: by `write` in the same round trip, or without it afterwards."""
        accounts = {posting.account for each in drafts for posting in each.postings}
        if (
            await self._context.ledger.ensure_accounts(self._context.pools.commands, accounts)
            and self._commands.ask_all is None
        ):
            raise Fenced("accounts were added that this transaction does not see")
        shard = done.shard
        try:
            entries, done.shard = await self._context.ledger.append(
                transaction.connection,
                shard,
                drafts,
                next_offset=shard.next_offset,
                recorded_at=done.at,
                write=write,
                held=True,
            )
            if write is None:
                await self._context.projector.project(transaction, recorded(entries))
        except (IntegrityError, UniqueViolation) as error:  # a missing row cannot be locked: decide again
            cause = getattr(error, "orig", error)
            if isinstance(cause, UniqueViolation):
                kind = _Done if cause.diag.constraint_name == COMMAND_INDEX else _Taken
                raise kind(str(error)) from error
            raise
        done.entries += entries

    # --- publishing ---

    def _publish_soon(self, entries: Sequence[Entry]) -> None:
        """Wake the relay once for all entries committed within a short time, because the relay uses the same CPU."""
        self._committed += entries
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PUBLISH_SECONDS, self._publish)

    def _publish(self) -> None:
        committed, self._committed, self._timer = self._committed, [], None
        self._context.wake(committed)


def _note_failure(error: BaseException) -> None:
    log.warning("command batch failed, retrying", kind=kind_of(error).value, error=str(error))
