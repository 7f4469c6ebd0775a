"""Calls every operation of a service with what its OpenAPI document allows and with what it does not.

Schemathesis makes the requests. Each is sent by somebody who has the role; where the service has said what it knows of
a property, an account or a number, many ask about that, so that answers have something in them.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from random import Random
from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import problem_uri
from tests.support.asgi import AppClient

CHECKS: Final[list[Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
_METHODS: Final = ("GET", "PUT", "POST", "DELETE", "PATCH")
_KEPT_MAX: Final = 50
_SHARE_KNOWN: Final = 0.7
_NOT_AS_RECORDED: Final = problem_uri(Reason.NOT_AS_RECORDED)


class Known:
    """What a service has said of the things that it knows, by the names under which requests ask for them."""

    def __init__(self) -> None:
        self._values: dict[str, deque[Any]] = {}
        self._documents: dict[str, dict[str, Any]] = {}

    def know(self, name: str, document: dict[str, Any]) -> None:
        """Keep a document whole under its name: its members go together."""
        self._documents[name] = document

    def hear(self, said: Any, name: str = "") -> None:
        """Keep every plain value of a document under its name."""
        match said:
            case dict():
                for key, value in said.items():
                    self.hear(value, key)
            case list():
                for value in said[:_KEPT_MAX]:
                    self.hear(value, name)
            case str() | int() if not isinstance(said, bool):
                kept = self._values.setdefault(name, deque(maxlen=_KEPT_MAX))
                if said not in kept:
                    kept.append(said)
            case _:
                pass
        if isinstance(said, dict) and isinstance(said.get("next"), str):
            self.hear([said["next"], *_forged(said["next"])], "cursor")

    def one(self, name: str, kind: str) -> str:
        """Return a known value of a name as text; one of its kind where none is known."""
        usual = {"date": "2026-11-20", "date-time": "2026-11-20T12:00:00Z", "integer": "1"}
        return str(self._values[name][-1]) if self._values.get(name) else usual.get(kind, "day")

    def put_into(self, asked: Any, random: Random) -> None:
        """Ask about what is known, in most places of a request where its name stands."""
        if isinstance(asked, dict):
            for key, value in asked.items():
                if key in self._documents and random.random() < _SHARE_KNOWN:
                    asked[key] = dict(self._documents[key])
                elif isinstance(value, dict | list):
                    self.put_into(value, random)
                elif (kept := self._values.get(key)) and random.random() < _SHARE_KNOWN:
                    asked[key] = random.choice(kept)
        elif isinstance(asked, list):
            for value in asked:
                self.put_into(value, random)


def _forged(cursor: str) -> Iterator[str]:
    """Yield cursors that somebody made of one: what no column of a database holds, in the place of each value."""
    name, key = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for at in range(len(key)):
        for odd in ("\0", "\ud800", 2**70, -(2**70), "0001-01-01", "9999-12-31T23:59:59-23:00"):
            document = json.dumps([name, [*key[:at], odd, *key[at + 1 :]]])
            yield urlsafe_b64encode(document.encode()).decode().rstrip("=")


class Called:
    """What came of the calls of a service: how many of which status, and what was wrong with answers."""

    def __init__(self, checks: Sequence[Any]) -> None:
        self.checks = checks
        self.answers: Counter[int] = Counter()
        self.statuses: defaultdict[str, set[int]] = defaultdict(set)
        """By operation, such as `GET /accounts`."""
        self.wrong: dict[str, str] = {}

    def note(self, operation: str, failure: Failure | FailureGroup, asked: str) -> None:
        """Keep the first answer of a kind that is wrong at an operation."""
        for one in failure.exceptions if isinstance(failure, FailureGroup) else (failure,):
            kind = f"{operation}: {getattr(one, 'title', type(one).__name__)}"
            self.wrong.setdefault(kind, f"{asked}: {getattr(one, 'message', one)}")


def call_every(
    client: AppClient, known: Known, *, examples: int, number: int, checks: Sequence[Any] = CHECKS
) -> Called:
    """Call every operation of a service so many times, and check; the same number makes the same requests."""
    document = client.get("/openapi.json").json()
    tokens = _tokens(document)
    schema = schemathesis.openapi.from_dict(document)
    results = list(schema.get_all_operations())
    operations = [result.ok() for result in results if isinstance(result, Ok)]
    assert len(operations) == len(results) > 5
    called = Called(checks)
    # What reads comes first, and teaches what can be asked about; and again last, when commands have been done.
    reading = [one for one in operations if one.method.upper() == "GET"]
    for operation in (*reading, *(one for one in operations if one not in reading), *reading):
        _call(client, operation, known, called, tokens[operation.path, operation.method], examples, number)
    return called


def _call(
    client: AppClient,
    operation: Any,
    known: Known,
    called: Called,
    token: Mapping[str, str],
    examples: int,
    number: int,
) -> None:
    """Call an operation so many times, with what is allowed and with what is not."""
    modes = [operation.as_strategy(GenerationMode.POSITIVE)]
    if operation.body or operation.query or operation.headers or operation.path_parameters:
        modes.append(operation.as_strategy(GenerationMode.NEGATIVE))

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(*modes), choice=st.integers(0, 2**32))
    def call(case: Any, choice: int) -> None:
        random = Random(choice)  # what is known changes while hypothesis draws: it must not see that
        if case.meta is None or not case.meta.generation.mode.is_negative:
            for part in (case.path_parameters, case.query, case.body):
                known.put_into(part, random)
        said = case.as_transport_kwargs(base_url="http://test")
        body = {name: said[name] for name in ("params", "json") if said.get(name) is not None}
        if said.get("data") is not None:
            body["content"] = said["data"]
        answer = client.request(said["method"], said["url"], headers={**said["headers"], **token}, **body)
        called.answers[answer.status_code] += 1
        called.statuses[operation.label].add(answer.status_code)
        if answer.status_code < HTTPStatus.MULTIPLE_CHOICES and "json" in answer.headers.get("content-type", ""):
            known.hear(answer.json())
        asked = f"{said['method']} {answer.request.url} {body}: {answer.status_code} {answer.text[:500]}"
        if _NOT_AS_RECORDED in answer.text:
            called.wrong.setdefault(f"{operation.label}: refused for records that nobody altered", asked)
        try:
            case.validate_response(answer, checks=called.checks)
        except (Failure, FailureGroup) as failure:
            called.note(operation.label, failure, asked)

    call()


def _tokens(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, str]]:
    """Take out of a document who may call its operations, and return the header of somebody who may, for each.

    Other tests call without; a request that is wrong in something else has to get past the door.
    """
    found = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            roles = [role for one in operation.pop("security", ()) for role in one.get("bearer", ())]
            found[path, method] = {"Authorization": f"Bearer token of {roles[0]}"} if roles else {}
    return found


def unsupported(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each method that a path does not have, with the path."""
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method.lower() not in methods:
                yield method, path
