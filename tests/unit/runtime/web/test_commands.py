"""Routes that follow from command models."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Any, Literal

import httpx
import pytest
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, SecretStr

from shared.contracts.envelope import Contract, Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.idempotency import Answer
from shared.runtime.http.access import Caller
from shared.runtime.http.app import create_app
from shared.runtime.http.command_routes import command_route
from shared.runtime.http.problems import PROBLEM
from shared.runtime.http.roles import declare_role
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient, assert_problem
from tests.support.identities import KnownTokens

VOID = declare_role("tests.void", "Void slips in a test.")


class VoidSlip(Contract):
    """Void a slip.

    Not after it was received.
    """

    property: Name
    slip: Literal["fill", "credit"]
    number: Annotated[int, Field(strict=True, ge=1)]
    gaming_day: date
    cents: Annotated[int, Field(strict=True, gt=0)]
    parts: tuple[int, ...] = ()


class ConcludeCount(Contract):
    """Conclude a count."""

    number: Annotated[int, Field(ge=1)]


class NewSlip(Contract):
    """Prepare a slip."""

    property: Name


class ChangeCode(Contract):
    """Change an access code."""

    code: Annotated[SecretStr, Field(min_length=4)]


class Slip(BaseModel):
    """A slip as it is answered."""

    number: int


DONE = Answer(None, '{"number":7}')


@dataclass
class FakeEngine:
    """Remember the commands, and answer them as it was told to."""

    answer: Answer | Exception = DONE
    done: list[tuple[Any, str, str]] = field(default_factory=list)

    async def do(self, command: Any, *, person: str, key: str) -> Answer:
        """Remember a command."""
        self.done.append((command, person, key))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class Door:
    """A service with three commands, which ann may send and bob may not, and what was rejected at its door."""

    client: AppClient
    engine: FakeEngine
    rejected: list[tuple[str, Reason, str]]

    def send(self, path: str, **how: Any) -> httpx.Response:
        """Send a command of ann's under the key k-1."""
        headers = {"Authorization": "Bearer token of ann", "Idempotency-Key": "k-1"} | how.pop("headers", {})
        return self.client.post(path, headers={name: value for name, value in headers.items() if value}, **how)


SLIP = "/slips/riverbend/fill/12/void"
BODY = {"gaming_day": "2026-11-20", "cents": 500, "parts": [200, 300]}


@pytest.fixture
def door() -> Iterator[Door]:
    """The service."""
    engine, router, rejected = FakeEngine(), APIRouter(prefix="/slips"), list[tuple[str, Reason, str]]()

    async def hashed(request: ChangeCode, person: str, key: str) -> str:
        return f"{request.code.get_secret_value()} of {person} under {key}"

    @router.post("/9/conclude")
    async def conclude_another_way() -> int:
        return 9

    command_route(
        router,
        engine,
        VoidSlip,
        "/{property}/{slip}/{number}/void",
        role=VOID,
        answers=Slip,
        rejects=[Reason.NOT_FOUND],
    )
    command_route(
        router, engine, ConcludeCount, "/{number}/conclude", role=VOID, answers=Slip, whose="every", status=201
    )
    command_route(router, engine, NewSlip, "/new", role=VOID, answers=Slip)
    command_route(router, engine, ChangeCode, "/code", role=VOID, answers=Slip, whose="every", prepare=hashed)

    async def record(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
        rejected.append((caller.person, reason, detail))

    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=KnownTokens(
            {"ann": ["tests.void"], "bob": [], "kim": ["tests.void"]}, {"ann": ["*"], "kim": ["riverbend"]}
        ),
        record_refusal=record,
        router=router,
    )
    with AppClient(app) as client:
        yield Door(client, engine, rejected)


def test_path_and_body_are_one_command(door: Door) -> None:
    """Validated as a whole, with the types of the model, also where a field is strict and stands in the path."""
    response = door.send(SLIP, json=BODY)
    assert (200, '{"number":7}', "application/json") == (
        response.status_code,
        response.text,
        response.headers["content-type"],
    )
    command = VoidSlip(
        property="riverbend", slip="fill", number=12, gaming_day=date(2026, 11, 20), cents=500, parts=(200, 300)
    )
    assert [(command, "ann", "k-1")] == door.engine.done


@pytest.mark.parametrize("content", [b"", b"{}"])
def test_a_command_without_other_fields_takes_no_body(door: Door, content: bytes) -> None:
    """Or an empty one; its status is the route's, and the location is where it is found."""
    door.engine.answer = replace(DONE, location="/counts/3")
    response = door.send("/slips/3/conclude", content=content)
    assert (201, "/counts/3") == (response.status_code, response.headers["location"])
    assert [(ConcludeCount(number=3), "ann", "k-1")] == door.engine.done


def test_routes_are_looked_at_in_their_order(door: Door) -> None:
    """Commands come before the framework, and not before what is declared before them."""
    assert (200, 9) == ((response := door.send("/slips/9/conclude")).status_code, response.json())
    assert 405 == door.client.get("/slips/3/conclude").status_code
    assert [] == door.engine.done


def test_a_request_may_be_prepared(door: Door) -> None:
    """The engine gets what is made of the request, the person and the key: a hash instead of an access code."""
    assert 200 == door.send("/slips/code", json={"code": "4711-kiwi"}).status_code
    assert [("4711-kiwi of ann under k-1", "ann", "k-1")] == door.engine.done


def test_a_rejected_command_is_its_problem(door: Door) -> None:
    """The engine has it on record: the door records nothing."""
    door.engine.answer = Answer(Reason.TOO_LATE, '{"detail": "slip 12 was received", "cites": "§ 465a.38"}')
    response = door.send(SLIP, json=BODY)
    assert (409, PROBLEM) == (response.status_code, response.headers["content-type"])
    assert {
        "type": "urn:pitledger:problem:too-late",
        "title": "Too late",
        "status": 409,
        "detail": "slip 12 was received",
        "paragraph": "§ 465a.38",
    } == response.json()
    assert [] == door.rejected


def test_what_the_engine_raises_is_rejected_at_the_door(door: Door) -> None:
    """A key that was used for another command leaves no answer behind: the door records it."""
    door.engine.answer = Rejected(Reason.KEY_REUSED, "send a new key")
    assert 409 == door.send(SLIP, json=BODY).status_code
    assert [("ann", Reason.KEY_REUSED, "send a new key")] == door.rejected


def test_every_mistake_is_named_at_once(door: Door) -> None:
    """With its place in the request; on record are places and kinds, never what stood there."""
    response = door.send(
        "/slips/river bend/drop/x/void",
        json={"gaming_day": "today", "parts": ["kiwi"], "plum": 1},
        headers={"Idempotency-Key": "two words"},
    )
    assert (422, "urn:pitledger:problem:malformed") == (response.status_code, response.json()["type"])
    assert {
        "header.Idempotency-Key",
        "path.property",
        "path.slip",
        "path.number",
        "body.gaming_day",
        "body.cents",
        "body.parts.0",
        "body.plum",
    } == {mistake["at"] for mistake in response.json()["errors"]}
    [(person, reason, detail)] = door.rejected
    assert ("ann", Reason.MALFORMED) == (person, reason)
    assert detail.startswith("malformed: header.Idempotency-Key string_pattern_mismatch; path.property ")
    assert "body extra_forbidden" in detail
    assert not [word for word in ("kiwi", "plum", "today", "two words") if word in detail]
    assert [] == door.engine.done


def test_a_member_twice_is_malformed(door: Door) -> None:
    """One reader takes the first, another the last: the command says it once, at whatever depth."""
    for body in (
        b'{"gaming_day": "2026-11-20", "cents": 500, "cents": 90000, "parts": []}',
        b'{"gaming_day": "2026-11-20", "cents": 500, "parts": [], "c\\u0065nts": 1}',
    ):
        response = door.send(SLIP, content=body)
        assert_problem(response, 422, "member 'cents' is there twice in one object")
    assert [] == door.engine.done


def test_many_mistakes_are_counted_and_not_listed(door: Door) -> None:
    """A megabyte of unknown members, or of wrong values, is answered with a short list or with their number."""
    many = {f"m{number}": number for number in range(50_000)}
    unknown = door.send(SLIP, json=BODY | many)
    assert (422, 20) == (unknown.status_code, len(unknown.json()["errors"]))
    wrong = door.send(SLIP, json=BODY | {"parts": ["x"] * 50_000})
    assert_problem(wrong, 422, "body: 50000 mistakes, too many to list")
    assert len(wrong.content) < 1000
    assert [] == door.engine.done


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        (b"{", "body"),
        (b"\xff\xfe", "body"),
        (b'{"\\ud800": 1}', "body"),
        (b"[1]", "body"),
        (b"null", "body"),
        (b'{"number": NaN}', "body"),
        (b"[" * 100_000, "body"),
        (b'{"number": 4}', "body.number"),
    ],
)
def test_a_body_that_is_no_object_of_the_other_fields_is_malformed(door: Door, content: bytes, mistake: str) -> None:
    """No JSON, no object, endless nesting, and above all a field that would overrule the path."""
    response = door.send("/slips/3/conclude", content=content)
    assert 422 == response.status_code
    assert [mistake] == [mistake["at"] for mistake in response.json()["errors"]]
    assert [] == door.engine.done


def test_a_command_has_one_key(door: Door) -> None:
    """Of two, whoever sends it again in another order would have it done twice."""
    headers = [("Authorization", "Bearer token of ann"), ("Idempotency-Key", "k-1"), ("Idempotency-Key", "k-2")]
    response = door.client.post(SLIP, json=BODY, headers=headers)
    assert "header.Idempotency-Key: it is there more than once: a command has one name" == response.json()["detail"]
    assert [] == door.engine.done


def test_a_key_is_needed(door: Door) -> None:
    """Without one the same command could be done twice."""
    response = door.send(SLIP, json=BODY, headers={"Idempotency-Key": None})
    assert (422, ["header.Idempotency-Key"]) == (
        response.status_code,
        [mistake["at"] for mistake in response.json()["errors"]],
    )
    assert [] == door.engine.done


@pytest.mark.parametrize(
    ("authorization", "status", "recorded"),
    [
        (None, 401, []),
        ("Bearer token of eve", 401, []),
        ("Bearer token of bob", 403, [("bob", Reason.ROLE_MISSING, "bob does not have the role 'tests.void'")]),
    ],
)
def test_who_may_not_is_rejected_before_anything_is_read(
    door: Door, authorization: str | None, status: int, recorded: list[tuple[str, Reason, str]]
) -> None:
    """Whatever is in the request; only a known person is on record."""
    response = door.send(SLIP, content=b"{", headers={"Authorization": authorization})
    assert status == response.status_code
    assert recorded == door.rejected
    assert [] == door.engine.done


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        (SLIP, BODY, None),
        (SLIP.replace("riverbend", "uptown"), BODY, "kim does not work for property uptown"),
        ("/slips/new", {"property": "riverbend"}, None),
        ("/slips/new", {"property": "uptown"}, "kim does not work for property uptown"),
        ("/slips/code", {"code": "4711"}, "kim does not work for every property: name one"),
    ],
)
def test_whoever_works_for_a_property_commands_nothing_of_another(
    door: Door, path: str, body: dict[str, Any], detail: str | None
) -> None:
    """Whether it stands in the path or in the body; a command about no property takes somebody who works for all."""
    response = door.send(path, json=body, headers={"Authorization": "Bearer token of kim"})
    if detail is None:
        assert response.is_success, response.text
        assert ["kim"] == [person for _, person, _ in door.engine.done]
    else:
        assert_problem(response, 403, detail)
        assert [] == door.engine.done
        assert [("kim", Reason.PROPERTY_MISSING)] == [(person, reason) for person, reason, _ in door.rejected]


def test_the_openapi_document_follows_from_the_model(door: Door) -> None:
    """Parameters, body without the path's fields, key, role, answer, and the problems of the command."""
    document = door.client.get("/openapi.json").json()
    operation = document["paths"]["/slips/{property}/{slip}/{number}/void"]["post"]
    assert ("Void a slip", "Not after it was received.") == (operation["summary"], operation["description"])
    assert "void_slip_slips__property___slip___number__void_post" == operation["operationId"]
    assert {("path", "property"), ("path", "slip"), ("path", "number"), ("header", "Idempotency-Key")} == {
        (parameter["in"], parameter["name"]) for parameter in operation["parameters"]
    }
    assert {parameter["required"] for parameter in operation["parameters"]} == {True}
    assert [{"bearer": ["tests.void"]}] == operation["security"]
    body = document["components"]["schemas"]["VoidSlip"]
    assert {"$ref": "#/components/schemas/VoidSlip"} == operation["requestBody"]["content"]["application/json"][
        "schema"
    ]
    assert (["cents", "gaming_day", "parts"], False) == (sorted(body["properties"]), body["additionalProperties"])
    assert ["gaming_day", "cents"] == body["required"]
    assert {"200", "401", "403", "404", "409", "422", "503"} == operation["responses"].keys()
    accepted = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert {"$ref": "#/components/schemas/Slip"} == accepted
    assert [PROBLEM] == list(operation["responses"]["404"]["content"])
    conclude = document["paths"]["/slips/{number}/conclude"]["post"]
    assert "requestBody" not in conclude
    assert "201" in conclude["responses"]


def test_a_path_names_fields_of_the_model() -> None:
    """A typing error stops the import."""
    with pytest.raises(ValueError, match="ConcludeCount has no field nr"):
        command_route(APIRouter(), FakeEngine(), ConcludeCount, "/counts/{nr}", role=VOID, answers=Slip)
