"""What a known person is refused at the door lands in the journal of the service, whichever service it is."""

import hmac
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from services.cli.services import NAMES, load
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Reason
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.services import settled_database

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PEOPLE = {"ann": ["submissions.file"], "bob": []}


@pytest.mark.parametrize("service", [name for name in NAMES if not load(name).confidential])
def test_every_command_route_records_whom_it_refuses(service: str, databases: Databases) -> None:
    """Somebody without the role sends each command of each service: 403, and one entry that says so.

    At the door of a confidential service nothing is recorded: whoever has no role is not told that anything is.
    """
    url = settled_database(databases, service)
    with desk_of(load(service), url, people=PEOPLE, clock=lambda: NOON) as desk:
        paths = desk.client.get("/openapi.json").json()["paths"]
        posts = [re.sub(r"{\w+}", "1", path) for path, methods in paths.items() if "post" in methods]
        for path in posts:
            assert_problem(desk.post(path, {}, person="bob"), 403, "bob does not have the role")
        assert sorted((f"POST {path}", Reason.ROLE_MISSING, "bob") for path in posts) == sorted(
            (fact.command, fact.reason, fact.by) for fact in refused(desk)
        )
    databases.drop(url)


def refused(desk: Desk) -> list[CommandRefused]:
    """Return what the journal says of refused commands; it verifies."""
    return [fact for fact in desk.facts("command.refused") if isinstance(fact, CommandRefused)]


class Clock:
    """A time that tests set."""

    now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Noon."""
    return Clock()


@pytest.fixture
def registry(databases: Databases, clock: Clock) -> Iterator[Desk]:
    """A service with commands."""
    url = settled_database(databases, "paytable-registry")
    with desk_of(load("paytable-registry"), url, people=PEOPLE, clock=clock) as desk:
        yield desk
    databases.drop(url)


def test_what_is_malformed_is_recorded_without_what_stood_there(registry: Desk) -> None:
    """The places and kinds of the mistakes, and the keyed hash of the body that was sent; never a value."""
    body = {"property": "riverside", "secret": "4711-kiwi"}
    assert_problem(registry.post("/submissions", body, person="ann", key="k-1"), 422, "secret")
    [fact] = refused(registry)
    assert (Reason.MALFORMED, "ann", "k-1", NOON) == (fact.reason, fact.by, fact.key, fact.at)
    assert "missing" in fact.detail
    assert "kiwi" not in fact.model_dump_json()
    sent = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    key = sha256(b"token of ann").digest()
    assert hmac.new(key, sent, sha256).hexdigest() == fact.content


def test_the_same_request_refused_again_is_one_entry_a_day(registry: Desk, clock: Clock) -> None:
    """So a client that tries again and again does not make the journal grow; another day, body or key is another."""
    for _ in range(3):
        registry.post("/submissions", {"property": "riverside"}, person="ann", key="k-1")
    assert 1 == len(refused(registry))
    registry.post("/submissions", {"property": "bayside"}, person="ann", key="k-1")
    registry.post("/submissions", {"property": "riverside"}, person="ann", key="k-2")
    clock.now = NOON + timedelta(days=1)
    registry.post("/submissions", {"property": "riverside"}, person="ann", key="k-1")
    assert 4 == len(refused(registry))


def test_nobody_known_and_nothing_asked_leave_no_entry(registry: Desk) -> None:
    """Anybody could fill a journal with unknown tokens; and what only reads asks for nothing."""
    assert_problem(registry.post("/submissions", {}, person=None), 401, "Bearer")
    assert_problem(registry.post("/submissions", {}, person="eve"), 401, "not known")
    assert_problem(registry.get("/submissions/riverside/blackjack/1", person="bob"), 403, "does not have the role")
    assert_problem(registry.post("/nothing", {}, person="ann"), 404, "Not Found")
    assert [] == refused(registry)
