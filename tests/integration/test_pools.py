"""What each operation of a service answers when the connections that it needs are all taken."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.database import Pool, Pools, create_engine
from shared.runtime.http import ROLES
from tests.faults.in_process import database, read, records_of
from tests.faults.subject import Subject
from tests.fuzz.apis import Called, call_every
from tests.support import Databases
from tests.support.desk import desk_of
from tests.support.known import known_of
from tests.support.nightly import AT_NIGHT
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of
from tests.support.worker import MOMENT

_TWO = Pool(connections_max=2, wait_seconds=0.02)

_RECORD_WHO_LOOKED = {
    "GET /same-persons",
    "GET /patrons/{property}/{patron}/identity",
    "GET /patrons/{property}/{patron}/erasure",
}
"""What asks, and is on record before it is answered."""

_ONLY_COMPUTE = {"POST /what-if"}
"""What is sent with a body, and changes nothing."""


pytestmark = [AT_NIGHT, pytest.mark.usefixtures("patron_keys")]


@pytest.fixture
def url(subject: Subject, databases: Databases) -> Iterator[str]:
    """A database after the story, which the service has sealed."""
    sealed = replace(subject, seals=seals_of(subject.manifest.name))
    url = database(sealed, databases)
    read(sealed, url, records_of({**subject.references, **subject.records}))
    yield url
    databases.drop(url)


def called_without(subject: Subject, url: str, *names: str) -> Called:
    """Return what came of calling every operation while the connections of these pools were taken by others.

    A command without one is not tried again and again: nobody gives a connection back meanwhile.
    """
    pools = Pools(*(create_engine(url, role=subject.schema, pool=_TWO) for _ in range(3)))
    people = {role: [role] for role in ROLES}
    with desk_of(subject.manifest, url, people=people, clock=lambda: MOMENT, outbox=Outbox(), pools=pools) as desk:
        taken = AsyncExitStack()

        async def take(engine: AsyncEngine) -> None:
            for _ in range(_TWO.connections_max):
                await taken.enter_async_context(engine.connect())

        for name in names:
            desk.client.run(take(getattr(pools, name)))
        try:
            with pytest.MonkeyPatch.context() as patch:
                if "commands" in names:
                    patch.setattr("shared.runtime.commands.engine._SECONDS_MAX", 0.0)
                return call_every(desk.client, known_of(subject), examples=1, number=1, checks=())
        finally:
            desk.client.run(taken.aclose())


def failing(called: Called, *, methods: str) -> dict[str, set[int]]:
    """Return the operations of these methods that failed, with how."""
    found = {name: {status for status in statuses if status >= 500} for name, statuses in called.statuses.items()}
    return {name: bad for name, bad in found.items() if bad and (name.startswith("GET ") == (methods == "asking"))}


def test_without_any_connection_it_is_to_be_tried_again(subject: Subject, url: str) -> None:
    """No operation calls that a defect of its own: 503, which says that the same request may be sent again."""
    called = called_without(subject, url, "readers", "commands", "background")
    failed = failing(called, methods="asking") | failing(called, methods="changing")
    assert failed
    assert {503} == set().union(*failed.values())


def test_readers_that_wait_keep_no_command_waiting(subject: Subject, url: str) -> None:
    """Whoever changes something has connections that no reader takes."""
    called = called_without(subject, url, "readers")
    assert failing(called, methods="asking")
    assert failing(called, methods="changing").keys() <= _ONLY_COMPUTE


def test_commands_that_wait_keep_no_reader_waiting(subject: Subject, url: str) -> None:
    """Whoever asks has connections that no command takes."""
    called = called_without(subject, url, "commands", "background")
    assert failing(called, methods="asking").keys() <= _RECORD_WHO_LOOKED | {"GET /readyz"}
