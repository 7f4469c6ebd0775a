"""`pitledger up --directory`: what was acknowledged is there again, whichever process is killed, and whenever."""

import json
import os
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import pytest
from confluent_kafka.admin import AdminClient

from infra.wanted_topics import wanted
from loadtest.bench.processes import parent_of, processes_below
from services.cli.services import CONSOLE, NAMES, load
from services.cli.stack.fork_server import SERVER, TOGETHER
from services.cli.stack.running_stack import BROKER_PORT, POSTGRES_PORT
from services.console.serve import PORT as CONSOLE_PORT
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from shared.local.ports import LOOPBACK
from shared.runtime.database_names import role_of
from tests.support import eventually
from tests.support.nightly import AT_NIGHT
from tests.support.processes import left_over
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rebuilding import execute
from tests.support.rounds import completed, submission
from tests.support.services import produce
from tests.support.up import PARTS, Up, up

SERVICES: Final = ("round-settlement", "vigorish")
"""One that reads tables, one that reads that; each is forked and started again as the others are."""
QUICK: Final = {"PITLEDGER_KAFKA_SESSION_SECONDS": "1"}
ROUNDS: Final = 100

_POSTED: Final = (
    "SELECT count(*), count(DISTINCT sequence) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
)
_TAKEN: Final = "SELECT count(*) FROM vigorish.shards WHERE name LIKE 'settlements/%' AND next_offset > 0"


def leash_of(stack: Up, part: str) -> int:
    """The parent of a server."""
    leash = parent_of(stack.pid_of(part))
    assert leash is not None
    return leash


KILLED: Final[Sequence[tuple[str, Callable[[Up], int]]]] = (
    ("round-settlement", lambda stack: int(stack.document["pids"]["round-settlement"])),
    *((part, partial(Up.pid_of, part=part)) for part in PARTS),
    ("Apache Kafka", partial(leash_of, part="Apache Kafka")),
)
"""What is killed: a service, each part that is not one, and a leash, the parent of a server. Each is named as it is."""


@pytest.fixture(autouse=True)
def _usual_ports_taken() -> Iterator[None]:
    """The usual ports are taken, so that a stack of somebody else's on this machine is in nobody's way."""
    with ExitStack() as held:
        for port in (POSTGRES_PORT, BROKER_PORT, CONSOLE_PORT, *(load(service).port for service in SERVICES)):
            with suppress(OSError):  # somebody else has it
                held.enter_context(socket.create_server((LOOPBACK, port)))
        yield


def cluster_of(stack: Up) -> str | None:
    """The id of the cluster that its broker says it is."""
    return AdminClient({"bootstrap.servers": stack.servers}).list_topics(timeout=10).cluster_id


def send(stack: Up, first: int, last: int) -> None:
    """Send rounds of one table, and return when the broker has acknowledged them."""
    produce(stack.servers, "table.events", [completed("BJ-01", number) for number in range(first, last + 1)])


def all_posted(stack: Up, count: int) -> bool:
    """Whether so many rounds are posted, each once, and no other."""
    return stack.rows(_POSTED) == [(count, count)]


@AT_NIGHT
@pytest.mark.usefixtures("kafka_packages", "whole_stack")
def test_nothing_that_was_acknowledged_is_lost(server_directory: Path) -> None:
    """The stack is killed with rounds on the way, then each of its parts; Ctrl-C lets it finish what waits.

    A stack prints its addresses as soon as all is ready, and when told to end it leaves nothing running.
    """
    with up(server_directory, services=SERVICES, settings=QUICK) as stack:
        assert stack.document["keeps"] is True
        cluster = cluster_of(stack)
        keys = Path(stack.environment["PITLEDGER_CHECKPOINT_VERIFIERS_FILE"]).parent
        registry = Signer.from_pem(keys / "paytable-registry.pem", signer_name("paytable-registry"))
        produce(stack.servers, "properties", [property_event(plausibility=OF_ANY_AGE)], signer=registry)
        produce(stack.servers, "submissions", [submission()], signer=registry)
        known = "SELECT 1 FROM round_settlement.properties, round_settlement.submissions"
        eventually(lambda: stack.rows(known), because="property and submission arrived")
        send(stack, 1, ROUNDS)
        stack.process.kill()  # at once: most of the rounds are only in the broker

    with up(server_directory, services=SERVICES, settings=QUICK) as stack:
        assert cluster == cluster_of(stack)
        eventually(lambda: all_posted(stack, ROUNDS), because="what was acknowledged is posted")

        for number, (part, pid_of) in enumerate(KILLED):
            first, count = ROUNDS * (number + 1) + 1, ROUNDS * (number + 2)
            again = Counter(stack.messages())[f"{part} is started again"] + 1
            send(stack, first, first + ROUNDS // 2 - 1)
            os.kill(pid_of(stack), signal.SIGKILL)
            eventually(partial(stack.has_started_again, part, again), because=f"{part} is started again")
            send(stack, first + ROUNDS // 2, count)
            eventually(partial(all_posted, stack, count), because=f"all posted after the end of {part}")
        assert stack.process.poll() is None

        count += ROUNDS
        send(stack, count - ROUNDS + 1, count)
        family = [each.pid for each in processes_below(stack.process.pid)]
        stack.process.send_signal(signal.SIGINT)
        assert 0 == stack.process.wait(90), stack.said.read_text()
        assert ["taking in what waits", "stopping", "stopped; nothing is left running"] == stack.messages()[-3:]
        assert [] == left_over(family, [])

    with up(server_directory, services=SERVICES, settings=QUICK, together=True) as stack:
        assert all_posted(stack, count), "it was posted before the end"
        assert stack.rows(_TAKEN)[0][0], "and passed on"
        send(stack, count + 1, count + ROUNDS)
        os.kill(stack.pid_of_service("round-settlement"), signal.SIGKILL)
        eventually(
            partial(stack.has_started_again, TOGETHER, 1), because="the process of all services is started again"
        )
        eventually(partial(all_posted, stack, count + ROUNDS), because="all posted after its end")
        ends_when_told_to(stack)
    assert set(NAMES) == {file.stem for file in keys.glob("*.pem")}


def ends_when_told_to(stack: Up, services: Sequence[str] = SERVICES) -> None:
    """What it printed is what is there, and all of that ends with it, by SIGTERM too."""
    assert set(services) == set(stack.document["services"])
    for url in stack.document["services"].values():
        assert 200 == httpx.get(f"{url}/healthz", timeout=10).status_code
    family = [each.pid for each in processes_below(stack.process.pid)]
    assert set(services) == set(stack.document["pids"])
    assert {stack.pid_of_service(service) for service in services} <= set(family)
    stack.process.terminate()
    assert 0 == stack.process.wait(90), stack.said.read_text()
    assert "stopped; nothing is left running" == stack.messages()[-1]
    assert [] == left_over(family, [])


@pytest.mark.usefixtures("kafka_packages", "whole_stack")
@AT_NIGHT
@pytest.mark.parametrize("together", [False, True], ids=["each alone", "together"])
def test_a_service_that_does_not_start_leaves_the_others_running(server_directory: Path, together: bool) -> None:
    """It is named with its reason; what mends it is done beside the rest, or with the servers alone, and it comes."""
    settings = {**QUICK, "PITLEDGER_RETRY_SECONDS_MAX": "1"}
    with up(server_directory, services=SERVICES, settings=settings) as stack:
        assert {} == stack.document["not_ready"]
        produce(stack.servers, "table.events", [(b"k", b"noise")])
        refused = "SELECT count(*) FROM round_settlement.quarantine WHERE resolved_at IS NULL"
        eventually(lambda: [(1,)] == stack.rows(refused), because="it was refused")
        ends_when_told_to(stack)
    with up(server_directory, servers_only=True) as servers:
        reconciled = servers.call("reconcile", "--service", "round-settlement")
        assert 0 == reconciled.returncode, reconciled.stdout + reconciled.stderr
        assert ({}, None) == (servers.document["services"], servers.document["console"])
        execute(servers.environment["DATABASE_URL"], "ALTER ROLE vigorish CONNECTION LIMIT 0")
        assert servers.rows(_TAKEN), "the database answers"
        ends_when_told_to(servers, services=())
    with up(server_directory, services=SERVICES, settings=settings, together=together) as stack:
        assert ["vigorish"] == list(stack.document["not_ready"])
        reason = stack.document["not_ready"]["vigorish"]
        assert ("does not answer" if together else "vigorish ended by itself") in reason
        assert "last in its log" in reason
        ready = f"{stack.document['services']['round-settlement']}/readyz"
        eventually(lambda: 200 == httpx.get(ready).status_code, seconds=60, because="round settlement goes on")
        for remedy in (
            ("verify", "--service", "round-settlement"),
            ("reconcile", "--service", "round-settlement"),
            ("quarantine", "dismiss", "1", "--reason", "noise of the vendor"),
        ):
            done = stack.call(*remedy)
            assert 0 == done.returncode, done.stdout + done.stderr
        another = stack.call("up")
        assert (2, True) == (another.returncode, "this terminal has the environment of the stack" in another.stderr)
        execute(stack.environment["DATABASE_URL"], "ALTER ROLE vigorish CONNECTION LIMIT -1")
        eventually(lambda: "vigorish is ready" in stack.messages(), because="it was mended", seconds=90)
        ends_when_told_to(stack)


def lines(log: Path) -> list[dict[str, object]]:
    """The lines of a log; what is none of ours, such as a warning of Python's, has its text alone."""
    found = []
    for line in log.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            found.append({"event": line, "level": None})
    return found


@pytest.mark.usefixtures("kafka_packages", "whole_stack")
@pytest.mark.parametrize("server", [TOGETHER, pytest.param(SERVER, marks=AT_NIGHT)])
def test_a_start_warns_of_nothing(server_directory: Path, server: str) -> None:
    """Each part logs that it started and what it reads, once; `up` names its own steps alone."""
    with up(server_directory, together=server == TOGETHER) as stack:
        logs = {log.stem: lines(log) for log in Path(stack.document["logs"]).glob("*.log")}
        steps = [line for line in stack.messages() if " is taken: " not in line]
    assert [f"{name}: schema {role_of(name)} is up to date" for name in NAMES] == [
        line["event"] for line in logs.pop("schemas")
    ]
    assert {topic.name for topic in wanted()} == {line["topic"] for line in logs.pop("topics")}
    assert {*NAMES, CONSOLE, server} == set(logs)
    assert [] == [(name, line) for name, log in logs.items() for line in log if line["level"] != "info"]
    said = {name: Counter(str(line["event"]) for line in log) for name, log in logs.items()}
    told = {CONSOLE: 1, **{name: int(not load(name).confidential) for name in NAMES}, server: 0}
    assert told == {name: log["started"] for name, log in said.items()}
    assert {"partitions assigned", "started"} == set().union(*said.values())
    assert [
        "starting PostgreSQL and the Kafka broker",
        "creating topics and schemas",
        f"starting {', '.join(NAMES)}",
    ] == steps
