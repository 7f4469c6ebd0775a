"""Who may call the HTTP interfaces."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from fastapi import APIRouter, Depends, Request

from shared.runtime.errors import Stop
from shared.runtime.metrics import Metrics
from shared.runtime.web.access import Caller, caller_with, load_callers, token_hash
from shared.runtime.web.app import create_app
from tests.support.asgi import AppClient


async def never(request: Request, caller: Caller, status: int, reason: str) -> None:
    """No refusal is recorded: what is only read is no command."""
    raise AssertionError((request.method, caller.person, status, reason))


@pytest.fixture
def client() -> Iterator[AppClient]:
    """A service with one route, for people who may file; ann may, bob may something else."""
    router = APIRouter()

    @router.get("/whoami")
    def whoami(person: str = Depends(caller_with("submit"))) -> str:
        return person

    ann = Caller(person="ann", token_sha256=token_hash("token of ann"), roles=frozenset({"submit", "approve"}))
    bob = Caller(person="bob", token_sha256=token_hash("token of bob"), roles=frozenset({"approve"}))
    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        callers=[bob, ann],
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        yield client


def test_a_person_with_the_role_is_named(client: AppClient) -> None:
    """The route learns who calls."""
    response = client.get("/whoami", headers={"Authorization": "Bearer token of ann"})
    assert (200, "ann") == (response.status_code, response.json())


def test_the_scheme_may_be_written_in_any_case(client: AppClient) -> None:
    """Authentication schemes are case-insensitive (RFC 9110)."""
    assert 200 == client.get("/whoami", headers={"Authorization": "bearer token of ann"}).status_code


@pytest.mark.parametrize(
    ("authorization", "detail"),
    [
        (None, "send 'Authorization: Bearer <token>'"),
        ("Bearer", "send 'Authorization: Bearer <token>'"),
        ("Bearer ", "send 'Authorization: Bearer <token>'"),
        ("Basic YW5uOmFubg==", "send 'Authorization: Bearer <token>'"),
        ("Bearer token of nobody", "the token is not known"),
        (f"Bearer {token_hash('token of ann')}", "the token is not known"),
    ],
)
def test_a_stranger_is_told_how_to_authenticate(client: AppClient, authorization: str | None, detail: str) -> None:
    """Without a known token: 401 with a challenge, as a problem; the hash of a token is not a token."""
    response = client.get("/whoami", headers={} if authorization is None else {"Authorization": authorization})
    assert (401, "Bearer") == (response.status_code, response.headers["www-authenticate"])
    assert ("application/problem+json", detail) == (response.headers["content-type"], response.json()["detail"])


def test_a_person_without_the_role_is_refused(client: AppClient) -> None:
    """A known person without the role: 403, naming both."""
    response = client.get("/whoami", headers={"Authorization": "Bearer token of bob"})
    assert (403, "bob does not have the role 'submit'") == (response.status_code, response.json()["detail"])


def test_a_token_is_kept_as_its_sha_256() -> None:
    """The tokens file can be written with any tool that computes SHA-256."""
    assert sha256(b"correct horse").hexdigest() == token_hash("correct horse")


def test_without_a_file_nobody_is_known() -> None:
    """The safe default: nobody may write."""
    assert () == load_callers(None)


def test_an_empty_file_names_nobody(tmp_path: Path) -> None:
    """A file without people is one way to lock everybody out."""
    path = tmp_path / "tokens.yaml"
    path.write_text("# nobody yet\n")
    assert () == load_callers(path)


def test_the_file_names_people_with_hashes_and_roles(tmp_path: Path) -> None:
    """The form that the documentation shows."""
    path = tmp_path / "tokens.yaml"
    path.write_text(f"- person: ann\n  token_sha256: {token_hash('t')}\n  roles: [submit]\n")
    assert [Caller(person="ann", token_sha256=token_hash("t"), roles=frozenset({"submit"}))] == list(load_callers(path))


@pytest.mark.parametrize(
    "item",
    [
        "{person: ann, token: secret, roles: [submit]}",
        "{person: ann, token_sha256: secret, roles: [submit]}",
        f"{{token_sha256: {'0' * 64}, roles: [submit]}}",
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, item: str) -> None:
    """A token in the clear, a hash that is none, a person without a name: the service does not start."""
    path = tmp_path / "tokens.yaml"
    path.write_text(f"- {item}\n")
    with pytest.raises(Stop, match="does not say who may call"):
        load_callers(path)
