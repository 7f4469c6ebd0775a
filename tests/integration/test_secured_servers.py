"""Services on servers that speak TLS alone: Kafka with logins, certificates and ACLs, and PostgreSQL."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from confluent_kafka import KafkaException, Producer
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from infra import acls
from infra.topics import apply
from services.cli.services import load_all
from shared.local import KafkaServer
from shared.local.ports import LOOPBACK
from shared.runtime.kafka import cluster_id
from shared.runtime.kafka_settings import KafkaSettings
from tests.support import Databases, eventually
from tests.support.certificates import Authority
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import completed, encoded, submission
from tests.support.services import PARTITIONS, migrate, query, running
from tests.support.tls import tls_in_front_of

SERVICE: Final = "round-settlement"
PASSWORDS: Final = {name: f"secret of {name.replace('_', ' ')}" for name in ("admin", "round_settlement", "vigorish")}
ADMIN, OURS, VIGORISH = PASSWORDS


ASK: Final = """
import json, os, sys
from infra.topics import TopicsError, apply
from shared.runtime.kafka_settings import KafkaSettings
for environment in json.load(sys.stdin):
    os.environ.update(environment)
    found = KafkaSettings()
    try:
        apply(found.kafka_bootstrap_servers, client=found.kafka_python(), dry_run=True, timeout_seconds=2)
    except TopicsError:
        print("refused")
    for name in environment:
        del os.environ[name]
"""
"""Whether kafka-python is let in, by each of the environments on standard input."""


@dataclass(frozen=True)
class Secured:
    """A Kafka of TLS alone, with the authority whose certificates it and its clients have."""

    server: KafkaServer
    authority: Authority

    def environment(self, **more: str) -> dict[str, str]:
        """The settings of a client: the brokers and how they are known, and more."""
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.server.bootstrap_servers,
            "PITLEDGER_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
            "PITLEDGER_KAFKA_CA_FILE": str(self.authority.file),
        } | more

    def login(self, name: str, password: str | None = None) -> dict[str, str]:
        """The settings of a client who logs in."""
        known = {"PITLEDGER_KAFKA_USERNAME": name, "PITLEDGER_KAFKA_PASSWORD": password or PASSWORDS[name]}
        return self.environment(**known)


def settings(environment: Mapping[str, str]) -> KafkaSettings:
    """The settings that a process with this environment has."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environment.items():
            patched.setenv(name, value)
        return KafkaSettings()


def tls(authority: Authority, directory: Path) -> dict[str, str]:
    """The properties of a broker with a certificate."""
    certificate, key = authority.issue("kafka")
    store = directory / "kafka.pem"
    store.write_bytes(key.read_bytes() + certificate.read_bytes())
    store.chmod(0o600)
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(store),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.file),
    }


@pytest.fixture(scope="module")
def secured(kafka_packages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Kafka with TLS, SCRAM and ACLs: the topics are there, and each service may do what it must."""
    directory = tmp_path_factory.mktemp("secured")
    authority = Authority(directory)
    jaas = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    properties = {
        **tls(authority, directory),
        "listener.security.protocol.map": "CLIENTS:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
        "listener.name.clients.scram-sha-512.sasl.jaas.config": (
            f'{jaas} username="{ADMIN}" password="{PASSWORDS[ADMIN]}";'
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        # The controller's own listener is in the same process, and nobody else's to reach here.
        "super.users": f"User:{ADMIN};User:ANONYMOUS",
    }
    login = {"PITLEDGER_KAFKA_USERNAME": ADMIN, "PITLEDGER_KAFKA_PASSWORD": PASSWORDS[ADMIN]}
    client = settings(
        {"PITLEDGER_KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "PITLEDGER_KAFKA_CA_FILE": str(authority.file)} | login
    ).librdkafka()
    del client["bootstrap.servers"]
    with KafkaServer(settings=properties, users=PASSWORDS, client=client) as server:
        found = Secured(server, authority)
        admin = settings(found.login(ADMIN)).kafka_python()
        apply(server.bootstrap_servers, partitions=PARTITIONS, client=admin)
        allow(found)
        yield found


def allow(secured: Secured, **options: Any) -> tuple[list[acls.Grant], list[acls.Grant]]:
    """Have the cluster allow the services what their manifests say."""
    manifests = load_all()
    return acls.apply(
        secured.server.bootstrap_servers,
        acls.wanted(manifests, group_prefix="pitledger"),
        principals=[acls.principal_of(manifest) for manifest in manifests],
        client=settings(secured.login(ADMIN)).kafka_python(),
        **options,
    )


@pytest.fixture
def secured_database(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The URL of a database behind a certificate, without what says whom the client trusts."""
    certificate, key = Authority(tmp_path, "postgresql-authority").issue("postgresql")
    url = databases.create()
    server = make_url(url)
    assert server.port is not None
    with tls_in_front_of(server.port, certificate=certificate, key=key) as port:
        yield server.set(host=LOOPBACK, port=port).render_as_string(hide_password=False)
    databases.drop(url)


def known_by(url: str, authority: Path) -> str:
    """The URL for a client that trusts this authority alone."""
    return f"{url}?sslmode=verify-full&sslrootcert={authority}"


def send(environment: Mapping[str, str], topic: str, *events: dict[str, Any]) -> list[str]:
    """Send events, and return why they were not taken."""
    failed: list[str] = []
    producer = Producer({**settings(environment).librdkafka(), "log_level": 0, "message.timeout.ms": 20_000})
    for event in events:
        producer.produce(
            topic,
            key=event["source"],
            value=encoded(event),
            on_delivery=lambda error, _: failed.append(error.name()) if error else None,
        )
    assert 0 == producer.flush(30)
    return failed


def test_a_service_works_on_servers_with_tls_logins_and_acls(
    secured: Secured, secured_database: str, tmp_path: Path
) -> None:
    """With no more than its own login and grants a service reads tables, posts rounds and publishes them."""
    url = known_by(secured_database, tmp_path / "postgresql-authority.pem")
    migrate(url, SERVICE)
    for topic, events in (
        ("properties", [property_event(plausibility=OF_ANY_AGE)]),
        ("submissions", [submission()]),
        ("table.events", [completed("BJ-01", number) for number in (1, 2, 3)]),
    ):
        assert [] == send(secured.login(ADMIN), topic, *events)

    servers = secured.server.bootstrap_servers
    with running(SERVICE, database_url=url, bootstrap_servers=servers, settings=secured.login(OURS)):
        published = "SELECT count(*) FROM round_settlement.relay WHERE published_seq >= 3"
        posted = "SELECT count(*) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
        eventually(lambda: query(url, posted) == [(3,)], because="the rounds are posted")
        eventually(lambda: query(url, published) == [(1,)], because="they are published")


def test_whoever_cannot_log_in_is_refused(secured: Secured, tmp_path: Path) -> None:
    """A wrong password, brokers of an unknown authority, and plain text come to nothing, with both clients."""
    stranger = Authority(tmp_path, "stranger")
    refused = [
        secured.login(OURS, "wrong"),
        secured.login(OURS) | {"PITLEDGER_KAFKA_CA_FILE": str(stranger.file)},
        {"KAFKA_BOOTSTRAP_SERVERS": secured.server.bootstrap_servers},
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("shared.runtime.kafka.ANSWER_SECONDS", 3.0)
        for environment in refused:
            with pytest.raises(KafkaException):
                cluster_id(settings(environment))
        assert cluster_id(settings(secured.login(OURS)))
    # In a process of its own: kafka-python leaves its sockets open where it is not let in.
    asked = subprocess.run(
        [sys.executable, "-c", ASK], input=json.dumps(refused), capture_output=True, text=True, timeout=120, check=True
    )
    assert ["refused"] * len(refused) == asked.stdout.split()


def test_a_service_may_write_what_it_publishes_and_nothing_else(secured: Secured) -> None:
    """Nobody but round settlement can put a settlement on the topic, whatever else they may."""
    assert ["TOPIC_AUTHORIZATION_FAILED"] == send(secured.login(VIGORISH), "settlements", completed("BJ-01", 1))
    assert [] == send(secured.login(VIGORISH), "vigorish", completed("BJ-01", 1))


def test_grants_beyond_the_manifests_are_taken_away(secured: Secured) -> None:
    """Applied again, nothing changes; what somebody has added is found, named and removed."""
    assert ([], []) == allow(secured)
    more = acls.Grant("User:vigorish", "topic", "settlements", "literal", "write")
    admin = settings(secured.login(ADMIN)).kafka_python()
    whole = acls.wanted(load_all(), group_prefix="pitledger")
    there = [grant for grant in whole if grant.principal == more.principal]
    acls.apply(secured.server.bootstrap_servers, [*there, more], principals=[more.principal], client=admin)
    assert ([], [more]) == allow(secured, dry_run=True)
    assert ([], [more]) == allow(secured)
    assert ([], []) == allow(secured)


def test_a_certificate_is_a_login_too(kafka_packages: None, tmp_path: Path) -> None:
    """With mTLS whoever has a certificate of the authority is let in, and nobody without, with both clients."""
    authority = Authority(tmp_path)
    certificate, key = authority.issue("round_settlement")
    properties = {
        **tls(authority, tmp_path),
        "listener.security.protocol.map": "CLIENTS:SSL,CONTROLLER:PLAINTEXT",
        "ssl.client.auth": "required",
    }
    without = {"PITLEDGER_KAFKA_SECURITY_PROTOCOL": "SSL", "PITLEDGER_KAFKA_CA_FILE": str(authority.file)}
    ours = {"PITLEDGER_KAFKA_CERTIFICATE_FILE": str(certificate), "PITLEDGER_KAFKA_KEY_FILE": str(key)}
    client = settings(without | ours).librdkafka()
    del client["bootstrap.servers"]
    with KafkaServer(settings=properties, client=client) as server:
        servers = {"KAFKA_BOOTSTRAP_SERVERS": server.bootstrap_servers}
        assert server.cluster_id == cluster_id(settings(servers | without | ours))
        python = settings(servers | without | ours).kafka_python()
        assert apply(server.bootstrap_servers, client=python, dry_run=True)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("shared.runtime.kafka.ANSWER_SECONDS", 3.0)
            with pytest.raises(KafkaException):
                cluster_id(settings(servers | without))


def test_a_database_of_an_unknown_authority_is_refused(secured_database: str, tmp_path: Path) -> None:
    """`sslmode=verify-full` in DATABASE_URL holds for migrations, services and commands alike: it is libpq's own."""
    stranger = Authority(tmp_path, "stranger")
    assert [(1,)] == query(known_by(secured_database, tmp_path / "postgresql-authority.pem"), "SELECT 1")
    for url in (known_by(secured_database, stranger.file), f"{secured_database}?sslmode=disable"):
        with pytest.raises(psycopg.OperationalError):
            query(url, "SELECT 1")
        with pytest.raises(OperationalError):
            migrate(url, SERVICE)
