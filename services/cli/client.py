"""The HTTP client for the services' APIs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from ssl import create_default_context
from typing import Any, Final
from uuid import uuid4
from zoneinfo import ZoneInfo

import httpx

from services.cli.exits import CheckFailed, CommandError, InputRefused, NotFound, NothingThere, UsageWrong
from services.cli.services import TOKEN_VARIABLE, load, url_variable
from services.cli.subjects import HASH, Approvals
from shared.contracts.property_snapshot import clock_text

_SECONDS_MAX: Final = 60.0
_UTC: Final = ZoneInfo("UTC")
_PAGE: Final = "500"

_ERRORS: Final[dict[int, type[CommandError]]] = {
    HTTPStatus.UNAUTHORIZED: UsageWrong,
    HTTPStatus.FORBIDDEN: UsageWrong,
    HTTPStatus.NOT_FOUND: NothingThere,
    HTTPStatus.CONFLICT: CheckFailed,
    HTTPStatus.UNPROCESSABLE_ENTITY: InputRefused,
}
"""The error to raise for each HTTP status; NotFound for every other status."""


def client_of(service: str) -> "Client":
    """Return a client for a service with the token in the environment. Raises: UsageWrong without one."""
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise UsageWrong(f"{TOKEN_VARIABLE} is not set: give your token for {service}")
    url = os.environ.get(url_variable(service)) or f"http://127.0.0.1:{load(service).port}"
    return Client(service, url, token)


class Client(httpx.Client):
    """An HTTP client of a service that sends a person's token. Methods raise CommandError for a problem document."""

    def __init__(self, service: str, url: str, token: str) -> None:
        try:
            super().__init__(
                base_url=url,
                timeout=_SECONDS_MAX,
                trust_env=False,
                verify=create_default_context(),  # the CA certificates of this machine, or of SSL_CERT_FILE
                headers={"authorization": f"Bearer {token}"},
            )
        except httpx.InvalidURL as error:
            raise UsageWrong(f"{url!r} is not a URL of {service}: {error}") from None
        self._service = service

    def read(self, path: str, **wanted: str | Sequence[str]) -> dict[str, Any]:
        """Return the JSON document at a path; `wanted` are query parameters."""
        found: dict[str, Any] = self._answer("GET", path, params=wanted)
        return found

    def read_list(self, path: str) -> list[dict[str, Any]]:
        """Return the JSON list at a path that is not paginated."""
        found: list[dict[str, Any]] = self._answer("GET", path)
        return found

    def read_bytes(self, path: str, **wanted: str) -> bytes:
        """Return the body of a response that is not JSON, as bytes."""
        return self._answered("GET", path, params=wanted).content

    def pages(self, path: str, **wanted: str) -> Iterator[dict[str, Any]]:
        """Return the items of a list, from all of its pages."""
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = self.read(path, **wanted, **cursor, limit=_PAGE)
            yield from page["items"]
            cursor = {"cursor": page["next"]} if page.get("next") else None

    def do(self, path: str, document: object = None, *, key: str | None = None) -> dict[str, Any]:
        """Send a command, and return the response; a repetition with the same idempotency key has no further effect."""
        sent = {"idempotency-key": key or f"pitledger.{uuid4()}"}
        answer: dict[str, Any] = self._answer("POST", path, json=document, headers=sent)
        return answer

    def approve(
        self, path: str, document: Mapping[str, Any] | None = None, *, sha256: str | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Approve the subject with the hash `sha256`, by default its current content, and return the answer."""
        if sha256 is None:
            subject = self.approvals.subject_of(path, document)
            assert subject is not None, f"{path} of {self._service} approves nothing"
            sha256 = self.read(subject)["sha256"]
        return self.do(path, {**(document or {}), HASH: sha256}, key=key)

    @cached_property
    def approvals(self) -> Approvals:
        """Return the service's approval commands, read from its OpenAPI document."""
        return Approvals(self.read("/openapi.json"))

    def _answer(self, method: str, path: str, **sent: Any) -> Any:
        return self._json(self._answered(method, path, **sent))

    def _answered(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Send a request, and return the successful response. Raises: CommandError otherwise."""
        try:
            response = self.request(method, path, **sent)
        except httpx.HTTPError as error:
            raise NotFound(f"{self._service} does not answer at {self.base_url}: {error}") from error
        if response.is_error:
            what = f"{method} {path} of {self._service}: {response.status_code}"
            raise _failed(what, response.status_code, self._json(response))
        return response

    def _json(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise NotFound(f"what answers at {self.base_url} is not {self._service}: {response.text[:80]!r}") from None


def finding_line(one: Mapping[str, Any]) -> str:
    """Return a fault in a document as one line: place, problem, and paragraph.

    >>> finding_line({"pointer": "/decks", "detail": "'decks' 9: at most 8", "paragraph": "§ 633a.3(a)"})
    "/decks: 'decks' 9: at most 8 (§ 633a.3(a))"
    """
    paragraph = f" ({one['paragraph']})" if one.get("paragraph") else ""
    return f"{one['pointer']}: {one['detail']}{paragraph}"


def _failed(what: str, status: int, problem: Mapping[str, Any]) -> CommandError:
    """Return the error for a problem document; if it has several faults, `details` lists them, one per line."""
    mistakes = [f"{one['at']}: {one['what']}" for one in problem.get("errors") or ()]
    mistakes += [finding_line(one) for one in problem.get("problems") or ()]
    lines = mistakes or problem.get("detail", "").splitlines()
    several = len(lines) > 1
    failed = _ERRORS.get(status, NotFound)(f"{what}: {f'{len(lines)} problems, above' if several else ''.join(lines)}")
    failed.details = "\n".join(lines) if several else ""
    return failed


def property_zones(client: Client) -> dict[str, ZoneInfo]:
    """Return the time zones of the caller's properties, by property; `client` must call reporting."""
    return {one["property"]: ZoneInfo(one["time_zone"]) for one in client.read_list("/floors")}


def property_zone(client: Client, property_name: str) -> ZoneInfo:
    """Return a property's time zone; `client` must call reporting."""
    return property_zones(client)[property_name]


class Clocks:
    """The time zones of the caller's properties, read from reporting once; UTC if reporting does not answer."""

    def __init__(self) -> None:
        try:
            with client_of("reporting") as client:
                self._zones = property_zones(client)
        except CommandError:
            self._zones = {}

    def text(self, moment: str, property_name: str | None) -> str:
        """Return a time as text in the property's time zone or, if that is unknown, in UTC and marked so."""
        at, zone = datetime.fromisoformat(moment), self._zones.get(property_name or "")
        return f"{clock_text(at, _UTC)} UTC" if zone is None else clock_text(at, zone)
