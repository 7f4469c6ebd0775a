"""The servers that tests run on, and the seed of everything random.

A test asks for the least that it needs:

- `database_url`: an empty database of its own; `module_database_url` one per module; `databases` makes more, also from
  a prepared template.
- `durable_postgres`: a server of its own that syncs to disk and may be stopped, killed and started again.
- `server_directory`: an empty directory for the data of one.
- `broker`: the session's broker, for tests that name their topics themselves.
- `fresh_broker`: a broker without any topic or group, for tests that use the topics of the services.
- `real_kafka`: Apache Kafka, emptied; `apache_kafka`: the same, and the test may stop, kill and restart it.
- `kafka_packages`: what Apache Kafka is started from, for tests that start it themselves.
- `whole_stack`: the turn of a test that starts every service, which on a few processors only one should do at a time.
- `some_of`: a part, drawn by the commit, of what a test looks at one after the other.
- `rng`: random numbers that the printed seed repeats.

`--broker=kafka` runs what is marked `on_kafka` on Apache Kafka, and only that: where brokers differ. With
`--nightly=also` it runs whatever asks for a broker, without what is marked `any_broker`. A run on the embedded broker
leaves out what is marked so or asks for Apache Kafka itself. `KAFKA_BOOTSTRAP_SERVERS` and `DATABASE_URL`, where set,
name servers to be used instead of started ones.

What is marked `nightly` runs with `--nightly=also`, on whichever broker it asks for. So do all examples of what is
`sampled`, of which a run by day draws some by the commit (`--sample` repeats another one's), and five times as many of
Hypothesis. With `--nightly=only` nothing else runs. `--times=4` draws four times what a run by day does of what is
sampled, and not all.
"""

import gc
import os
import random
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from shared.local import Broker, EmbeddedPackageMissingError, KafkaServer, PostgresServer
from shared.local._jars import jars
from shared.local.account import temporary_directory, unprivileged_account
from tests.support import brokers
from tests.support.brokers import AnyBroker, GivenBroker
from tests.support.databases import Databases
from tests.support.kafka import give_up
from tests.support.nightly import DRAWN_BY_DAY, SomeOf, commit, drawn
from tests.support.turns import WHOLE_STACK, turn

# The data of tests need not survive a power failure.
QUICK_POSTGRES = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}

_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 4 << 30


def in_memory() -> None:
    """Have everything temporary lie in memory where there is room: a database costs a tenth of what it does on disk.

    What the system has not yet written when a process is killed is there afterwards, in memory as on disk.
    """
    if _MEMORY.is_mount() and shutil.disk_usage(_MEMORY).free >= _MEMORY_BYTES:
        os.environ.setdefault("TMPDIR", str(_MEMORY))
        tempfile.tempdir = None


in_memory()

# How long an example takes says something of the machine alone.
settings.register_profile("day", deadline=None, max_examples=DRAWN_BY_DAY)
settings.register_profile("night", deadline=None, max_examples=100)

# What tests send as if they were a service is signed only where a test is about that.
os.environ.setdefault("PITLEDGER_MESSAGE_AUTHENTICATION", "off")

# The broker in memory holds back what comes for half of this, which is half a second where nothing else is said; Apache
# Kafka holds nothing back. A stack in memory asks as often by itself (decision 52).
os.environ.setdefault("PITLEDGER_FETCH_SECONDS", "0.2")

ON_KAFKA = {"real_kafka", "apache_kafka"}
IN_TURNS = {"whole_stack", "demo"}
ON_A_BROKER = {"broker", "fresh_broker", "module_broker"} | ON_KAFKA


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of our own."""
    parser.addoption("--broker", choices=["embedded", "kafka"], default="embedded", help="what broker tests run on")
    parser.addoption("--nightly", choices=["also", "only"], help="run what is left to the night, too, or alone")
    parser.addoption("--times", type=int, help="with --nightly, draw so many times what is drawn by day, and not all")
    parser.addoption("--sample", default=commit(), help="what draws the examples of a run by day: the commit")
    parser.addoption("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="seed of the fixture rng")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Which servers the tests run on, and how to repeat what is random."""
    given = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
    return [
        f"sample: {config.getoption('--sample')} (repeat with --sample=..., or all with --nightly=also)",
        f"random seed: {config.getoption('--seed')} (repeat with --seed={config.getoption('--seed')})",
        f"broker: {given + ' (KAFKA_BOOTSTRAP_SERVERS)' if given else config.getoption('--broker')}",
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Draw as many examples as the time of the day has room for, before any test says how many it wants."""
    settings.load_profile("day" if config.getoption("--nightly") is None else "night")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: all of that stays until the end, and is not looked at again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A run on Apache Kafka is of what needs a broker; one on the embedded broker of all that does not need Kafka."""
    on_kafka, nightly = config.getoption("--broker") == "kafka", config.getoption("--nightly")

    def belongs(item: pytest.Item) -> bool:
        def marked(*names: str) -> bool:
            return any(item.get_closest_marker(name) is not None for name in names)

        if nightly is None and marked("nightly"):
            return False
        fixtures = set(getattr(item, "fixturenames", ()))
        if nightly == "only" and not (marked("nightly", "sampled", "hypothesis") or "some_of" in fixtures):
            return False
        if on_kafka:
            needs_one = bool(fixtures & ON_A_BROKER) and not marked("any_broker")
            return needs_one and (nightly is not None or marked("on_kafka"))
        return marked("nightly") or not (fixtures & ON_KAFKA or marked("on_kafka"))

    kept = list(filter(belongs, items))
    if (times := _times(config)) is not None:
        kept = drawn(kept, config.getoption("--sample"), times)
    config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = sorted(kept, key=_has_turns, reverse=True)


def _times(config: pytest.Config) -> int | None:
    """How many times what the marks say is drawn of what is sampled; None: all of it runs."""
    times: int | None = config.getoption("--times")
    return 1 if config.getoption("--nightly") is None else times


def _has_turns(item: pytest.Item) -> bool:
    """Whether a test starts every service: one process begins with all of these, and no other waits for its turn."""
    return not IN_TURNS.isdisjoint(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all processes of this run of the tests share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture
def whole_stack(run_directory: Path) -> Iterator[None]:
    """The turn of a test that starts every service: several at once are slower than one after the other."""
    with turn(run_directory / WHOLE_STACK):
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test's own, the same for the same seed whichever tests run."""
    return random.Random(f"{request.config.getoption('--seed')} {request.node.nodeid}")


@pytest.fixture
def some_of(request: pytest.FixtureRequest) -> SomeOf:
    """Draws so many of what a test looks at one after the other, by the commit; at night more, or all."""
    if (times := _times(request.config)) is None:
        return lambda values, _: list(values)
    chance = random.Random(f"{request.config.getoption('--sample')} {request.node.nodeid}")
    return lambda values, number: chance.sample(values, min(times * number, len(values)))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The session's embedded PostgreSQL, quick and forgetful; a test must not stop it."""
    with PostgresServer(settings=QUICK_POSTGRES) as server:
        yield server


@pytest.fixture
def durable_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of the test's own with the durability of production, to be stopped, killed and started at will."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def server_directory() -> Iterator[Path]:
    """An empty directory that the account of an embedded server can come to, unlike pytest's own when we are root."""
    directory = temporary_directory("pitledger-test-", unprivileged_account())
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Makes fresh databases on the server of `DATABASE_URL`, or else on the session's."""
    url = os.environ.get("DATABASE_URL") or request.getfixturevalue("postgres").url
    databases = Databases(url)
    yield databases
    databases.drop_all()


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """The URL of an empty database of the test's own."""
    url = databases.create()
    yield url
    databases.drop(url)


@pytest.fixture(scope="module")
def module_database_url(databases: Databases) -> Iterator[str]:
    """The URL of an empty database that the tests of a module share."""
    url = databases.create()
    yield url
    databases.drop(url)


@pytest.fixture(scope="session")
def kafka_packages() -> None:
    """What Apache Kafka is started from is there, or can be fetched."""
    try:
        jars()
    except EmbeddedPackageMissingError as error:
        give_up(error, os.environ)


@pytest.fixture(scope="session")
def _apache_kafka(kafka_packages: None) -> Iterator[KafkaServer]:
    with KafkaServer() as kafka:
        yield kafka


@pytest.fixture(scope="session")
def _given_broker() -> Iterator[GivenBroker | None]:
    bootstrap_servers = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
    if not bootstrap_servers:
        yield None
        return
    topics = brokers.topics_of(bootstrap_servers)
    if topics:
        pytest.fail(
            f"KAFKA_BOOTSTRAP_SERVERS={bootstrap_servers} has the topics {sorted(topics)}; tests delete topics, so "
            "they only run on a cluster that has none: name an empty one"
        )
    yield GivenBroker(bootstrap_servers)
    brokers.empty(bootstrap_servers)


@pytest.fixture(scope="session")
def broker(request: pytest.FixtureRequest, _given_broker: GivenBroker | None) -> Iterator[AnyBroker]:
    """The session's broker; a test must neither stop it nor use the topics of the services on it."""
    if _given_broker is not None:
        yield _given_broker
    elif request.config.getoption("--broker") == "kafka":
        kafka: KafkaServer = request.getfixturevalue("_apache_kafka")
        yield kafka
    else:
        with Broker() as embedded:
            yield embedded


@pytest.fixture
def fresh_broker(request: pytest.FixtureRequest, _given_broker: GivenBroker | None) -> Iterator[AnyBroker]:
    """A broker without topics or groups: an embedded one of the test's own, or a real cluster emptied."""
    if _given_broker is not None or request.config.getoption("--broker") == "kafka":
        yield request.getfixturevalue("real_kafka")
    else:
        with Broker() as embedded:
            yield embedded


@pytest.fixture(scope="module")
def module_broker(request: pytest.FixtureRequest, _given_broker: GivenBroker | None) -> Iterator[AnyBroker]:
    """Like `fresh_broker`, shared by the tests of a module."""
    if _given_broker is not None:
        brokers.empty(_given_broker.bootstrap_servers)
        yield _given_broker
    elif request.config.getoption("--broker") == "kafka":
        kafka: KafkaServer = request.getfixturevalue("_apache_kafka")
        kafka.start()
        brokers.empty(kafka.bootstrap_servers)
        yield kafka
    else:
        with Broker() as embedded:
            yield embedded


@pytest.fixture
def real_kafka(request: pytest.FixtureRequest, _given_broker: GivenBroker | None) -> AnyBroker:
    """The cluster of `KAFKA_BOOTSTRAP_SERVERS` or else Apache Kafka, without topics or groups."""
    if _given_broker is not None:
        brokers.empty(_given_broker.bootstrap_servers)
        return _given_broker
    kafka: AnyBroker = request.getfixturevalue("apache_kafka")
    return kafka


@pytest.fixture
def apache_kafka(_apache_kafka: KafkaServer) -> KafkaServer:
    """Apache Kafka without topics or groups, to be stopped, killed and started at will."""
    _apache_kafka.start()
    brokers.empty(_apache_kafka.bootstrap_servers)
    return _apache_kafka
