"""A provider that is not ours: the tokens of somebody who logged in there open our door, until they do not."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import APIRouter, Request
from oidc_provider_mock import run_server_in_thread

from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.http.access import Caller, require_role, token_hash
from shared.runtime.http.app import create_app
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.asgi import AppClient, assert_problem

BACK = "http://127.0.0.1/back"


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The provider."""
    with run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"


class House:
    """A service whose door the tokens of the provider open, and the clock on its wall."""

    def __init__(self, issuer: str, revoked: Path) -> None:
        self.issuer, self.revoked, self.later = issuer, revoked, timedelta()
        settings = Settings(
            oidc_issuer=issuer,
            oidc_revoked_file=revoked,
            DATABASE_URL="postgresql+psycopg://127.0.0.1/none",
            KAFKA_BOOTSTRAP_SERVERS="127.0.0.1:1",
        )
        metrics = Metrics()
        self.tokens = Tokens(settings, issuer, clock=lambda: datetime.now(UTC) + self.later, metrics=metrics)
        router = APIRouter()

        @router.get("/reports/{property}")
        async def read(property: Name, person: Annotated[str, require_role(READ_REPORTS)]) -> str:  # noqa: A002
            return person

        async def never(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
            raise AssertionError(detail)

        app = create_app(
            service="test",
            version="1",
            metrics=metrics,
            checks={"identities": self.tokens.check},
            identities=self.tokens,
            record_refusal=never,
            router=router,
        )
        self.client = AppClient(app)

    def log_in(self, person: str, *, to: str = "pitledger", **claims: object) -> str:
        """Log a person in, as a browser does; gives the ID token."""
        with httpx.Client(base_url=self.issuer, trust_env=False) as browser:
            browser.put(f"/users/{person}", json=claims).raise_for_status()
            asked = {"client_id": to, "redirect_uri": BACK, "response_type": "code", "scope": "openid"}
            back = browser.post("/oauth2/authorize", params=asked, data={"sub": person})
            [code] = parse_qs(urlsplit(back.headers["location"]).query)["code"]
            grant = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK}
            answer = browser.post("/oauth2/token", data=grant, auth=(to, "any"))
            token: str = answer.raise_for_status().json()["id_token"]
            return token

    def read(self, token: str, of_property: str = "riverside") -> httpx.Response:
        """Read a report with a token."""
        return self.client.get(f"/reports/{of_property}", headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def house(issuer: str, tmp_path: Path) -> Iterator[House]:
    """A service that has just started."""
    revoked = tmp_path / "revoked.yaml"
    revoked.write_text("")
    house = House(issuer, revoked)
    with house.client:
        yield house


def test_whoever_logged_in_reads_what_roles_and_properties_allow(house: House) -> None:
    """The claims say it: another property, another role, another audience, and a token that was touched are refused."""
    token = house.log_in("ann", roles=["reports.read"], properties=["riverside"])
    assert (200, "ann") == ((answer := house.read(token)).status_code, answer.json())
    assert_problem(house.read(token, "bayside"), 403, "ann does not work for property bayside")
    assert 200 == house.read(house.log_in("bob", roles="reports.read", properties="*"), "bayside").status_code
    assert_problem(house.read(house.log_in("eve")), 403, "eve does not have the role 'reports.read'")
    both = house.log_in("kim", roles=["reports.read", "boxes.count", "days.audit"], properties=["*"])
    assert_problem(house.read(both), 403, "kim has the roles 'boxes.count' and 'days.audit'")
    assert_problem(house.read(house.log_in("ann", to="another", roles=["reports.read"])), 401, "is not for 'pitledger'")
    head, said, _ = token.split(".")
    assert_problem(house.read(f"{head}.{said}.{both.split('.')[2]}"), 401, "its signature is not the provider's")
    assert 200 == house.client.get("/readyz").status_code


def test_a_token_ends_when_the_provider_said_and_before_that_when_it_is_revoked(house: House) -> None:
    """The provider says one hour; the file of the house says now."""
    token = house.log_in("ann", roles=["reports.read"], properties=["*"])
    assert 200 == house.read(token).status_code
    house.revoked.write_text(f"- token_sha256: {token_hash(token)}\n")
    assert_problem(house.read(token), 401, "the token of ann was revoked")
    house.revoked.write_text("")
    assert 200 == house.read(token).status_code
    house.later = timedelta(hours=1, minutes=1)
    assert_problem(house.read(token), 401, "the token expired at")
