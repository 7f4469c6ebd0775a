"""What keeps others out of a stack on one machine: no password in a list of processes, and a login for each service."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from loadtest.bench.expected_journal import Expected
from loadtest.bench.replay import Bench
from loadtest.bench.verdict import Verdict, judge_journal, judge_refused
from loadtest.traffic.arrivals import Stage, due
from loadtest.traffic.corpus import Head, played
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from loadtest.traffic.target import Target
from loadtest.traffic.topic import stored
from services.cli.stack.running_stack import RunningStack
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS
from shared.local import PostgresServer
from tests.support.brokers import AnyBroker
from tests.support.processes import arguments
from tests.support.stack import connect, rows

SERVICES = ("paytable-registry", "round-settlement")
ROLES = ["paytable_registry", "round_settlement"]
TOPICS = (TABLE_EVENTS.name, SETTLEMENTS.name)
SECRET = "a-secret-of-the-environment"


@pytest.fixture(scope="module")
def stack(module_broker: AnyBroker) -> Iterator[RunningStack]:
    """Two services on an embedded PostgreSQL of their own, with a secret in the environment."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    given = {"KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers, "SOME_PASSWORD": SECRET}
    with RunningStack(environment=inherited | given, services=SERVICES) as running:
        yield running


def embedded(stack: RunningStack) -> PostgresServer:
    """The server of the stack."""
    assert stack._servers.postgres is not None
    return stack._servers.postgres


def test_no_argument_of_a_process_holds_a_secret(stack: RunningStack) -> None:
    """Neither what the environment holds nor a password or token of the stack can be read from a list of processes."""
    passwords = embedded(stack)._passwords
    assert {"postgres", "pitledger", *ROLES} == set(passwords)
    secrets = [SECRET, *passwords.values(), *stack.home.tokens.values()]
    shown = list(arguments())
    assert any("_parent_watchdog.py" in each for each in shown), "there is something to look at"
    assert [] == [each for each in shown if any(secret in each for secret in secrets)]


def test_every_service_logs_in_as_its_own_role(stack: RunningStack) -> None:
    """The sessions of the services are those of their roles, of which none is a superuser."""
    query = """
        SELECT DISTINCT usename::text, rolsuper, rolcreaterole FROM pg_stat_activity JOIN pg_roles ON rolname = usename
        WHERE application_name LIKE 'pitledger %' ORDER BY 1
    """
    assert [(role, False, False) for role in ROLES] == rows(stack, query)


def test_the_login_of_a_service_can_do_what_it_was_granted_and_nothing_else(stack: RunningStack) -> None:
    """It reads and appends to its own journal; it changes no entry, and neither reads nor becomes another service."""
    url = embedded(stack)._url_of("round_settlement").replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT count(*) FROM round_settlement.entries")
        for refused in (
            "UPDATE round_settlement.entries SET kind = 'other'",
            "DELETE FROM round_settlement.entries",
            "ALTER TABLE round_settlement.entries DISABLE TRIGGER USER",
            "SET session_replication_role = replica",
            "SELECT count(*) FROM paytable_registry.entries",
            "SET ROLE paytable_registry",
            "SET ROLE pitledger",
            "CREATE TABLE round_settlement.entries_of_my_own (seq BIGINT)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(refused.encode())


def test_the_owner_is_no_superuser(stack: RunningStack) -> None:
    """Who migrates and reads may not switch off what the server enforces."""
    with connect(stack) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SET session_replication_role = replica")


@pytest.mark.parametrize("login", ["postgres", "pitledger", "round_settlement"])
@pytest.mark.parametrize("password", [None, "", "postgres"])
def test_nobody_comes_in_without_the_password(stack: RunningStack, login: str, password: str | None) -> None:
    """Whoever else is on the machine can reach the port, and that is all."""
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=embedded(stack).port, dbname="pitledger", user=login, password=password)


def test_a_load_is_played_and_its_books_are_judged_right(stack: RunningStack) -> None:
    """On this stack: what the harness sends is settled, published, and what follows from it, entry by entry."""
    head = Head(rounds=96, tables=12)
    [site], records = head.sites, list(played(head))
    target = Target(
        bootstrap_servers=stack.bootstrap_servers,
        database_url=stack.database_url,
        registry_url=stack.urls["paytable-registry"],
        filer_token=stack.home.tokens["demo.filer"],
        approver_token=stack.home.tokens["demo.approver"],
    )
    file_and_approve(target, [site.document], site.submissions)
    with Watch(target) as watch, Publisher(target.bootstrap_servers) as publisher:
        watch.wait_for_properties(1, seconds=60)
        watch.wait_for_submissions(len(site.submissions), seconds=60)
        bench = Bench(watch, publisher)
        bench.play(records, due([Stage(len(records), 2000)], seed=1))
        bench.committed()
        bench.reached(lambda: watch.published(), lambda: watch.entries())
    verdict, topics = Verdict(), [list(stored(target.bootstrap_servers, each)) for each in TOPICS]
    judge_journal(verdict, target, records, Expected([site]), *topics)
    judge_refused(verdict, target, ["round_settlement"])
    assert [] == verdict.differences
    assert {"rounds": 96, "entries": 96, "published": 96}.items() <= verdict.compared.items()
