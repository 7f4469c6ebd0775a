"""Every operation of every service, called with whatever its own description allows, and with what it does not.

The OpenAPI document of a service says what may be sent and what is answered: no 5xx, no status, content type, header or
member that it does not describe, and what it does not allow is refused. `make fuzz-apis` tries many more requests.
"""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.cli.keys import PATRON_KEYS
from services.cli.services import NAMES
from services.wagering_accounts.domain.sealing import new_wrapping_key
from shared.runtime.web import ROLES
from tests.faults.in_process import database, read, records_of
from tests.faults.subject import Subject
from tests.faults.subjects import SUBJECTS
from tests.fuzz.apis import Known, call_every, unsupported
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of
from tests.support.worker import MOMENT

EXAMPLES = int(os.environ.get("API_EXAMPLES", "2"))
"""How many requests are made of each operation; of what only reads twice as many."""
SEED = int(os.environ.get("API_SEED", "1"))


def known_of(subject: Subject) -> Known:
    """What the story of a service is about."""
    known = Known()
    for ask in subject.commands:
        known.hear(ask.body)
    for messages in (*subject.references.values(), *subject.records.values()):
        for message in messages:
            known.hear(message["data"] if isinstance(message, dict) else None)
    for name in ("version", "quarantine", "request", "number", "seq", "shard", "correction", "revision"):
        known.hear([1, 2], name)
    known.hear(1, "limit")
    return known


@pytest.fixture(params=SUBJECTS, ids=NAMES)
def subject(request: pytest.FixtureRequest) -> Subject:
    """A service with a story."""
    found: Subject = request.param
    return found


@pytest.fixture(autouse=True)
def patron_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wagering accounts have the keys of patrons, as each service in production that needs them."""
    keys = tmp_path / PATRON_KEYS
    keys.write_text(new_wrapping_key("k1"))
    monkeypatch.setenv("PITLEDGER_PATRON_KEYS_FILE", str(keys))


@pytest.fixture
def desk(subject: Subject, databases: Databases) -> Iterator[Desk]:
    """The service after its story, which it has sealed, and for each role somebody who has no other."""
    sealed = replace(subject, seals=seals_of(subject.manifest.name))
    url = database(sealed, databases)
    read(sealed, url, records_of({**subject.references, **subject.records}))
    people = {role: [role] for role in ROLES}
    with desk_of(subject.manifest, url, people=people, clock=lambda: MOMENT, outbox=Outbox()) as found:
        yield found
    databases.drop(url)


def test_every_answer_is_one_that_is_described(desk: Desk, subject: Subject) -> None:
    """Whatever is sent, to whatever operation; and much of what is sent is answered with what was asked for."""
    called = call_every(desk.client, known_of(subject), examples=EXAMPLES, number=SEED)
    total, answers = called.answers.total(), dict(sorted(called.answers.items()))
    sys.stdout.write(f"{subject.name}: {total:,} requests, seed {SEED}: {answers}\n")
    assert not called.wrong, "\n\n".join(f"{kind}\n  {what}" for kind, what in sorted(called.wrong.items()))
    assert called.answers[200] > total // 10
    document = desk.client.get("/openapi.json").json()
    for method, path in unsupported(document):
        answer = desk.client.request(method, re.sub(r"{\w+}", "x", path))
        assert_problem(answer, 405, "Method Not Allowed")
