"""Commands together: whoever waits is decided in order against locked rows, recorded and answered in one transaction.

A batch takes any command shard that is free, by locking its row: so several processes work side by side, each batch has
a shard to itself, and nothing needs to be claimed or given back. An answer is given when its batch is committed, and
kept for ever under its key.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

import structlog
from psycopg.errors import UniqueViolation
from pydantic_core import to_json
from sqlalchemy import func
from sqlalchemy import select as select_from
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import store
from services.wagering_accounts.books import Account, AccountKey, Books, Fact, postings_of
from services.wagering_accounts.configuration import Configurations
from services.wagering_accounts.decisions import Circumstances, Command, Decision, Declined
from services.wagering_accounts.store import Recorded
from services.wagering_accounts.tables import journal
from shared.contracts.envelope import canonical
from shared.journal.bulk import compiled, keyed, select
from shared.journal.entry import Draft, Entry
from shared.journal.ledger import Fenced, Shard
from shared.journal.pipeline import Pipeline, pipeline
from shared.runtime.command.answers import Answer, refusal
from shared.runtime.consume.consumer import RETRY_SECONDS
from shared.runtime.errors import Kind, kind_of
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import Conflict

log = structlog.get_logger()

BATCH_COMMANDS: Final = 200
"""Most commands in one transaction."""

_SECONDS_MAX: Final = 10.0
"""How long a batch is tried again before its callers are told to."""

_PUBLISH_SECONDS: Final = 0.1
"""Longest wait until what is committed is published."""

_OF_COMMANDS = journal.shards.c.name.like("commands/%")
_FREE_SHARD = compiled(
    select_from(journal.shards)
    .where(_OF_COMMANDS)
    .order_by(journal.shards.c.shard)
    .with_for_update(skip_locked=True)
    .limit(1)
)
_SHARD_COUNT = select_from(func.count()).where(_OF_COMMANDS)
_ANSWERED = select(journal.idempotency)


@dataclass(slots=True)
class _Waiting:
    """A command whose caller waits."""

    person: str
    key: str
    command: Command
    answer: asyncio.Future[Answer]
    content: bytes = b""

    @property
    def place(self) -> tuple[str, str]:
        return (self.person, self.key)


@dataclass(slots=True)
class _Batch:
    """What a batch comes to, until it is committed."""

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    contents: dict[tuple[str, str], tuple[bytes, str, datetime]] = field(default_factory=dict)
    """What each key stands for: the content, in words, and when it was answered."""
    facts: list[Fact] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    new: list[tuple[_Waiting, Answer]] = field(default_factory=list)
    conflicts: dict[int, Conflict] = field(default_factory=dict)
    """By the number of the command in the batch."""


class Commands:
    """Takes commands one by one and commits them together."""

    def __init__(self, parts: Parts, configurations: Configurations) -> None:
        self._parts = parts
        self._configurations = configurations
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._wake: asyncio.TimerHandle | None = None
        self._kept: AsyncConnection | None = None

    async def do(self, command: Command, *, person: str, key: str) -> Answer:
        """Answers a command once it is recorded; the same again when it is sent again under its key.

        Raises: Conflict where the key was used for another command; what kept the database from answering.
        """
        waiting = _Waiting(person, key, command, asyncio.get_running_loop().create_future())
        waiting.content = sha256(canonical([command.name, command.content()])).digest()
        self._waiting.append(waiting)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await waiting.answer

    async def _work(self) -> None:
        """Commits batch after batch until nobody waits."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH_COMMANDS], self._waiting[BATCH_COMMANDS:]
                await self._settle(batch)
        finally:
            self._worker = None
            if (kept := self._kept) is not None:
                self._kept = None
                await kept.close()

    async def _settle(self, batch: Sequence[_Waiting]) -> None:
        """Answers everybody of a batch; where it cannot be committed as a whole, each alone."""
        try:
            done = await self._retrying(batch)
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            if len(batch) > 1 and kind_of(error) in (Kind.BUG, Kind.REFUSED):
                for each in batch:
                    await self._settle([each])
                return
            for each in batch:
                if not each.answer.done():
                    each.answer.set_exception(error)
            return
        for number, each in enumerate(batch):
            if each.answer.done():
                continue  # whoever asked has gone
            if number in done.conflicts:
                each.answer.set_exception(done.conflicts[number])
            else:
                each.answer.set_result(done.answers[each.place])

    async def _retrying(self, batch: Sequence[_Waiting]) -> _Batch:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _SECONDS_MAX
        while True:
            try:
                return await self._commit(batch)
            except Exception as error:
                kind = kind_of(error)
                if kind in (Kind.BUG, Kind.REFUSED) or loop.time() > deadline:
                    raise
                log.warning("commands are tried again", kind=kind.value, error=str(error))
                if kind is not Kind.FENCED:
                    await asyncio.sleep(RETRY_SECONDS)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction, on one connection while commands wait; after an error on another."""
        connection, self._kept = self._kept or await self._parts.engine.connect(), None
        try:
            async with connection.begin():
                yield connection
        except BaseException:
            await connection.close()
            raise
        self._kept = connection

    async def _commit(self, batch: Sequence[_Waiting]) -> _Batch:
        parts = self._parts
        async with self._transaction() as connection:
            done = _Batch()
            shard = await self._begin(connection, batch, done)
            books = await store.read(
                connection, [each.command.needs() for each in batch if each.place not in done.answers]
            )
            starts = {key: replace(account) for key, account in books.accounts.items()}
            moment = parts.clock()
            for number, each in enumerate(batch):
                self._decide(number, each, books, done, shard, moment)
            if done.drafts:
                await self._record(connection, shard, books, done, starts, moment)
        if done.drafts:
            for draft in done.drafts:
                parts.metrics.entries.labels(draft.kind).inc()
            self._publish_soon()
        return done

    def _publish_soon(self) -> None:
        """Wakes the relay, once for what is committed within a short time: it shares the processor with us."""
        if self._wake is None:
            self._wake = asyncio.get_running_loop().call_later(_PUBLISH_SECONDS, self._publish)

    def _publish(self) -> None:
        self._wake = None
        self._parts.wake()

    async def _begin(self, connection: AsyncConnection, batch: Sequence[_Waiting], done: _Batch) -> Shard:
        """Locks a free shard, and reads which commands are answered already."""
        async with pipeline(connection) as sent:
            free = await sent.read(_FREE_SHARD, [])
            answered = await sent.read(_ANSWERED, keyed(_ANSWERED, {each.place for each in batch}))
        async for row in answered:
            done.answers[row.person, row.key] = Answer(row.status, row.body, row.location)
            done.contents[row.person, row.key] = (row.content, row.command, row.answered_at)
        if (shard := await free.fetchone()) is not None:
            return Shard(*shard)
        count = (await connection.execute(_SHARD_COUNT)).scalar_one()
        return await self._parts.ledger.open_shard(connection, f"commands/{count}")

    def _decide(self, number: int, each: _Waiting, books: Books, done: _Batch, shard: Shard, moment: datetime) -> None:
        known = done.contents.get(each.place)
        if known is not None:
            content, command, answered_at = known
            if content != each.content:
                done.conflicts[number] = Conflict(
                    f"Idempotency-Key {each.key!r} was used for another command ({command}, "
                    f"{answered_at.isoformat()}); send a new key with a new command"
                )
            return
        configuration = self._configurations.at(moment)
        now = Circumstances(each.person, moment, configuration.gaming_day(moment), configuration)
        try:
            decision = each.command.decide(books, now)
        except Declined as declined:
            fact, answer = _declined(each.command, declined, now, books)
        else:
            fact, answer = decision.fact, _answer(decision)
        involved = {*(movement.account for movement in fact.movements)}
        if fact.account is not None:
            involved.add(fact.account)
        for key in involved:
            account = books.accounts[key]
            account.version += 1
            books.change("accounts", account)
        done.facts.append(fact)
        done.drafts.append(_draft(fact, books, each.key, shard, shard.next_seq + len(done.drafts), moment))
        done.answers[each.place] = answer
        done.contents[each.place] = (each.content, each.command.name, moment)
        done.new.append((each, answer))

    async def _record(
        self,
        connection: AsyncConnection,
        shard: Shard,
        books: Books,
        done: _Batch,
        starts: dict[AccountKey, Account],
        moment: datetime,
    ) -> None:
        ledger = self._parts.ledger
        answers = [
            {
                "person": each.person,
                "key": each.key,
                "command": each.command.name,
                "content": each.content,
                "status": answer.status,
                "location": answer.location,
                "body": answer.body,
                "answered_at": moment,
            }
            for each, answer in done.new
        ]

        async def save(sent: Pipeline, entries: Sequence[Entry]) -> None:
            recorded: list[Recorded] = list(zip(entries, done.facts, strict=True))
            await store.save(sent, books, recorded, store.number(books, recorded, starts), answers)

        legs = {posting.account for draft in done.drafts for posting in draft.postings}
        await ledger.know_accounts(self._parts.engine, legs)
        try:
            await ledger.append(
                connection, shard, done.drafts, next_offset=shard.next_offset, recorded_at=moment, write=save
            )
        except UniqueViolation as error:  # what is not there yet cannot be locked
            raise Fenced("another process opened the same account") from error


def _answer(decision: Decision) -> Answer:
    if decision.problem:
        return refusal(decision.status, decision.body["detail"])
    return Answer(decision.status, to_json(decision.body).decode(), decision.location)


def _declined(command: Command, declined: Declined, now: Circumstances, books: Books) -> tuple[Fact, Answer]:
    """A refusal is a fact too: who asked for what, and why not; nothing from which a code could be guessed."""
    content = command.content()
    data = {
        "property": command.property_name,
        "command": command.name,
        "content": content and {name: value for name, value in content.items() if name != "code"},
        "status": declined.status,
        "detail": declined.detail,
        "by": now.person,
    }
    about = next(iter(command.needs().accounts), None)
    fact = Fact(
        "account.refused",
        data,
        command.property_name,
        now.gaming_day,
        about if about in books.accounts else None,
    )
    return fact, refusal(declined.status, declined.detail)


def _draft(fact: Fact, books: Books, key: str, shard: Shard, seq: int, moment: datetime) -> Draft:
    """An entry about one account is in the stream of that account, any other in that of its shard."""
    source, sequence = f"/wagering-accounts/{shard.name}", seq
    if fact.account is not None:
        source = f"/properties/{fact.property_name}/accounts/{fact.account[1]}"
        sequence = books.accounts[fact.account].version
    return Draft(
        kind=fact.kind,
        source=source,
        sequence=sequence,
        event_id=key,
        offset=None,
        gaming_day=fact.gaming_day,
        occurred_at=moment,
        data=to_json(fact.data),
        postings=postings_of(fact, books),
    )
