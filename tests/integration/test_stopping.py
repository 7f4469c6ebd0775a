"""A service that is told to stop ends within the grace of whoever stops it, whatever its clients and servers do."""

import os
import signal
import socket
from contextlib import ExitStack

import httpx
import pytest

from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from tests.support import Databases, eventually
from tests.support.answers import get
from tests.support.brokers import AnyBroker
from tests.support.services import Worker, create_topics, settled_database
from tests.support.worker import MOMENT

pytestmark = pytest.mark.any_broker

GRACE_SECONDS = 30.0
"""What Compose, Kubernetes and `pitledger up` give."""

TOPICS = {"properties": 1, "settlements": 2}


@pytest.mark.parametrize("has_broker", [True, False])
def test_the_wagering_accounts_stop_in_time_under_clients_that_hold_on(
    fresh_broker: AnyBroker, databases: Databases, has_broker: bool
) -> None:
    """Connections that say nothing, half a head, half a body: it ends in good order, also while Kafka is away."""
    url, port = settled_database(databases, "wagering-accounts"), free_port()
    create_topics(fresh_broker.bootstrap_servers, TOPICS)
    with DevelopmentIssuer() as issuer, ExitStack() as clients:
        settings = {"PITLEDGER_HTTP_PORT": str(port), **issuer.settings}
        worker = Worker(
            "wagering-accounts", database_url=url, bootstrap_servers=fresh_broker.bootstrap_servers, settings=settings
        )
        clients.callback(worker.kill)

        def ready() -> bool:
            assert worker.exit_code is None, worker.log()[-4000:]
            return get(f"http://{LOOPBACK}:{port}/readyz").status_code == httpx.codes.OK

        eventually(ready, because="the service is ready", retry_on=httpx.TransportError)
        token = issuer.token("cage.ann", ["accounts.manage"], at=MOMENT)
        head = f"POST /accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nIdempotency-Key: k\r\n"
        for sent in ("", "POST /acc", head, f"{head}Content-Length: 10\r\n\r\n123"):
            for _ in range(5):
                client = clients.enter_context(socket.create_connection((LOOPBACK, port), timeout=10))
                client.sendall(sent.encode())
        if not has_broker:
            fresh_broker.kill()
            clients.callback(fresh_broker.start)
        os.kill(worker.pid, signal.SIGTERM)
        assert 0 == worker.wait(GRACE_SECONDS), worker.log()[-4000:]
    databases.drop(url)
