"""The database as services see it: a real PostgreSQL, and everything that goes wrong on the way to it.

What a driver waits for, it waits for at a gate: so statements of several processes come in an order that the seed
decides. Whoever the database makes wait for a lock is left waiting until whoever holds it has let go. Its session is
stopped meanwhile: of several that wait for one transaction, the server would have go on whoever wakes up first.
"""

import os
import select
from collections.abc import Callable, Collection, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from signal import SIGCONT, SIGSTOP, Signals
from typing import Any, Final, Protocol

import psycopg
from psycopg import AsyncConnection, waiting
from psycopg.adapt import AdaptersMap
from psycopg.conninfo import make_conninfo
from psycopg.waiting import Ready, Wait
from sqlalchemy import event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache

from shared.runtime.database import create_engine
from tests.simulation.chance import Chance
from tests.simulation.scheduler import Killed, Owner, Scheduler

_SILENCE_MS: Final = 4
"""When the server has said nothing for so long, it is asked whether it waits for a lock."""

_CONNECT_SECONDS: Final = 10.0
_HANG_UP_MS: Final = 10_000

_BEFORE, _AFTER = "connection lost before a statement", "connection lost after a statement"
_ENDED, _DEADLOCK = "session ended by the server", "deadlock"
_NOT_DONE, _DONE = "commit not done, answer lost", "commit done, answer lost"
_REFUSED = "commit refused: serialization failure"
_CRASHES: Final = {
    "crash before a statement": (True, False),
    "crash after a statement": (False, True),
    "crash before a commit": (True, False),
    "crash after a commit": (False, True),
}

_STATEMENT: Final = ("crash before a statement", "crash after a statement", _BEFORE, _AFTER, _ENDED)
_COMMIT: Final = ("crash before a commit", "crash after a commit", _NOT_DONE, _DONE, _REFUSED)
_FAULTS: Final = {
    "_execute_gen": ("statement", (*_STATEMENT, _DEADLOCK)),
    "_start_copy_gen": ("copy begins", _STATEMENT),
    "copy_end": ("copy ends", _STATEMENT),
    "_exit_gen": ("statements", _STATEMENT),
    "_commit_gen": ("commit", _COMMIT),
}
"""What a driver waits for, by the name of its generator: how it is called here, and what may go wrong."""

_SQLSTATES: Final = {_DEADLOCK: b"40P01", _REFUSED: b"40001"}


class _Compiled(LRUCache[Any, Any]):
    """What SQLAlchemy makes of statements, made once for all runs: every engine has its dialect, and all are alike."""

    def get(self, key: Any, default: Any = None) -> Any:
        """Return what was made of a statement, whichever engine it was made for."""
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[1:], value)


_COMPILED: Final = _Compiled(5000)


class Process(Owner, Protocol):
    """A process of a service, as far as its database is concerned."""

    alive: bool
    connections: "set[Connection]"

    def crash(self, why: str) -> None:
        """End at once."""


class Connection(AsyncConnection[Any]):
    """A connection of a process."""

    process: Process
    run: Callable[["Connection", Any], Any]
    statement: str = ""

    async def wait(self, gen: Any, *_: Any, **__: Any) -> Any:
        """Wait for the server, when it is one's turn; however long the driver would wait."""
        return await self.run(self, gen)


@dataclass(eq=False)
class _Blocked:
    """What waits for a lock."""

    connection: Connection
    gen: Generator[Any, Any, Any]
    state: Any
    done: Any
    session: int
    """The number of the server's process."""

    def signal(self, what: Signals) -> None:
        """Stop the server's process, or let it go on."""
        assert self.session > 0, "any other number is of several processes"
        with suppress(ProcessLookupError):  # its session has ended
            os.kill(self.session, what)


class Store:
    """The database of a run, and who is connected to it."""

    def __init__(self, scheduler: Scheduler, chance: Chance, url: str) -> None:
        self.url = url
        self._scheduler = scheduler
        self._chance = chance
        self._blocked: list[_Blocked] = []
        given = make_url(url).set(drivername="postgresql")
        self.control = psycopg.connect(given.render_as_string(hide_password=False), autocommit=True)
        scheduler.unblock = self._unblock
        scheduler.is_blocked = lambda: bool(self._blocked)

    def close(self) -> None:
        """Close what the run itself asked by, and wait until the server knows: the database can be dropped at once."""
        number = os.dup(self.control.pgconn.socket)
        self.control.close()
        _until_hung_up(number)
        os.close(number)

    def engine(self, process: Process, role: str) -> AsyncEngine:
        """Return the engine of a process, as a service makes it."""
        engine = create_engine(self.url, role=role)
        engine.sync_engine._compiled_cache = _COMPILED

        @event.listens_for(engine.sync_engine, "do_connect")
        def simulated(dialect: Any, record: Any, arguments: Any, parameters: dict[str, Any]) -> None:
            del dialect, record, arguments
            parameters["async_creator_fn"] = partial(self._connect, process)

        return engine

    def cut(self, connections: set[Connection]) -> None:
        """Cut connections, and wait until the server has undone what was open on them."""
        for one in self._blocked:
            if one.connection in connections:
                one.signal(SIGCONT)
        self._terminate([one for one in connections if not one.closed])
        for connection in connections:
            connection.pgconn.finish()
        for one in [one for one in self._blocked if one.connection in connections]:
            self._blocked.remove(one)
            with suppress(psycopg.Error):  # it wants to tell the server that it ends
                one.gen.close()

    def _terminate(self, connections: Collection[Connection]) -> None:
        """Have the server end sessions, and wait until it has: it hangs up when all that was open is undone.

        `pg_terminate_backend` can wait itself, but looks only ten times a second.
        """
        if connections:
            numbers = [one.pgconn.backend_pid for one in connections]
            self.control.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [numbers])
        for one in connections:
            _until_hung_up(one.pgconn.socket)

    # --- connecting ---

    async def _connect(
        self, process: Process, conninfo: str = "", *, context: Any = None, **parameters: Any
    ) -> Connection:
        await self._scheduler.gate("connects")
        if self._chance.strikes("connection refused"):
            raise psycopg.OperationalError("connection refused")
        gen: Any = Connection._connect_gen(make_conninfo(conninfo, **parameters))
        connection: Any = waiting.wait_conn(gen, interval=0.1, timeout=_CONNECT_SECONDS)
        connection.prepare_threshold = 5  # as `AsyncConnection.connect` leaves it
        if context is not None:
            connection._adapters = AdaptersMap(context.adapters)
        connection.process = process
        connection.run = self._run
        process.connections.add(connection)
        return connection  # type: ignore[no-any-return]

    # --- statements ---

    async def _run(self, connection: Connection, gen: Any) -> Any:
        process, (what, kinds) = connection.process, _FAULTS.get(gen.__name__, ("", ()))
        _require_alive(process, gen)
        if not what or connection.closed or _is_ping(gen):
            return await self._drive(connection, gen)
        await self._scheduler.gate(what)
        _require_alive(process, gen)
        fault = self._chance.first(kinds)
        if fault is None:
            return await self._drive(connection, gen)
        return await self._disturbed(fault, connection, gen)

    async def _disturbed(self, fault: str, connection: Connection, gen: Any) -> Any:
        """Do a statement or not, and go wrong."""
        before, after = _CRASHES.get(fault, (False, False))
        if before:
            gen.close()
            connection.process.crash(fault)
            raise Killed(fault)
        if fault in _SQLSTATES and connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
            gen.close()
            raise self._refusal(connection, fault)
        if fault == _ENDED:
            self._terminate([connection])
            return await self._drive(connection, gen)
        if fault in (_BEFORE, _NOT_DONE):
            gen.close()
        else:
            result = await self._drive(connection, gen)
            if fault in _SQLSTATES:
                return result  # nothing is open that could be refused
            _require_alive(connection.process, gen)
            if after:
                connection.process.crash(fault)
                raise Killed(fault)
        self.cut({connection})
        raise psycopg.OperationalError(fault)

    def _refusal(self, connection: Connection, fault: str) -> Exception:
        """Have the server abort the transaction; return its error."""
        raised = connection.pgconn.exec_(b"DO $$BEGIN RAISE SQLSTATE '%b'; END$$" % _SQLSTATES[fault])
        return psycopg.errors.error_from_result(raised)

    async def _drive(self, connection: Connection, gen: Any) -> Any:
        """Do a statement to its end, which nothing comes between, unless it waits for a lock."""
        try:
            state = next(gen)
        except StopIteration as end:
            return end.value
        done = self._scheduler.loop.create_future()
        one = _Blocked(connection, gen, state, done, connection.pgconn.backend_pid)
        if not self._go_on(one):
            one.signal(SIGSTOP)
            self._blocked.append(one)
            self._chance.note("    waits for a lock")
        return await done

    def _go_on(self, one: _Blocked) -> bool:
        """Go on with a statement; return whether it is done, and does not wait for a lock."""
        poll = select.poll()
        number = one.connection.pgconn.socket
        poll.register(number, _events(one.state))
        while True:
            found = poll.poll(_SILENCE_MS)
            if not found:
                if self._waits_for_lock(one.connection):
                    return False
                continue
            try:
                one.state = one.gen.send(_ready(found[0][1]))
            except StopIteration as end:
                if not one.done.done():
                    one.done.set_result(end.value)
                return True
            except Exception as error:  # noqa: BLE001 - whoever waits gets it
                if not one.done.done():
                    one.done.set_exception(error)
                return True
            poll.modify(number, _events(one.state))

    def _waits_for_lock(self, connection: Connection) -> bool:
        row = self.control.execute("SELECT pg_blocking_pids(%s)", [connection.pgconn.backend_pid]).fetchone()
        return row is not None and bool(row[0])

    def _unblock(self) -> bool:
        """Go on with what waits for a lock no more."""
        going = False
        for one in list(self._blocked):
            if self._waits_for_lock(one.connection):
                continue
            one.signal(SIGCONT)
            if self._go_on(one):
                self._blocked.remove(one)
                self._chance.note("    has its lock")
                going = True
            else:
                one.signal(SIGSTOP)
        return going


def _until_hung_up(number: int) -> None:
    """Wait until the server has closed its end of a socket; what it said before is left to be read."""
    poll = select.poll()
    poll.register(number, select.POLLRDHUP)
    assert poll.poll(_HANG_UP_MS), "the server does not end a session"


def _require_alive(process: Process, gen: Any) -> None:
    if not process.alive:
        gen.close()
        raise Killed("its process has ended")


def _is_ping(gen: Any) -> bool:
    return gen.__name__ == "_execute_gen" and gen.gi_frame.f_locals.get("query") in (";", b";")


def _events(state: Any) -> int:
    return (select.POLLIN if state & Wait.R else 0) | (select.POLLOUT if state & Wait.W else 0)


def _ready(events: int) -> Any:
    ready = (Ready.R if events & (select.POLLIN | select.POLLHUP | select.POLLERR) else 0) | (
        Ready.W if events & select.POLLOUT else 0
    )
    return Ready(ready) if ready else Ready.R
