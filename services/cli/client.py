"""The HTTP interface of a service, as a person calls it."""

from collections.abc import Iterator
from http import HTTPStatus
from ssl import create_default_context
from typing import Any, Final
from uuid import uuid4

import httpx

from services.cli.exits import CheckFailed, CommandError, InputRefused, NotThere, UsageWrong

_SECONDS_MAX: Final = 60.0
_PAGE: Final = "500"

_ERRORS: Final[dict[int, type[CommandError]]] = {
    HTTPStatus.UNAUTHORIZED: UsageWrong,
    HTTPStatus.FORBIDDEN: UsageWrong,
    HTTPStatus.CONFLICT: CheckFailed,
    HTTPStatus.UNPROCESSABLE_ENTITY: InputRefused,
}
"""What an answer of this status is to a command; with any other, something is not there."""


class Client(httpx.Client):
    """A service that is called with a person's token. `read`, `pages` and `do` raise CommandError where it refuses."""

    def __init__(self, service: str, url: str, token: str) -> None:
        try:
            super().__init__(
                base_url=url,
                timeout=_SECONDS_MAX,
                trust_env=False,
                verify=create_default_context(),  # the authorities of this machine, or those of SSL_CERT_FILE
                headers={"authorization": f"Bearer {token}"},
            )
        except httpx.InvalidURL as error:
            raise UsageWrong(f"{url!r} is not a URL of {service}: {error}") from None
        self._service = service

    def read(self, path: str, **wanted: str) -> dict[str, Any]:
        """Return a document."""
        return self._answer("GET", path, params=wanted)

    def pages(self, path: str, **wanted: str) -> Iterator[dict[str, Any]]:
        """Return the items of a list, of all its pages."""
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = self.read(path, **wanted, **cursor, limit=_PAGE)
            yield from page["items"]
            cursor = {"cursor": page["next"]} if page.get("next") else None

    def do(self, path: str, document: object = None, *, key: str | None = None) -> dict[str, Any]:
        """Return the answer to a command; sent again under the same key, it is done once."""
        return self._answer("POST", path, json=document, headers={"idempotency-key": key or f"pitledger.{uuid4()}"})

    def _answer(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        try:
            response = self.request(method, path, **sent)
            answer: dict[str, Any] = response.json()
        except httpx.HTTPError as error:
            raise NotThere(f"{self._service} does not answer at {self.base_url}: {error}") from error
        except ValueError:
            raise NotThere(f"what answers at {self.base_url} is not {self._service}: {response.text[:80]!r}") from None
        if response.is_error:
            details = [answer.get("detail", ""), *(f"{one['at']}: {one['what']}" for one in answer.get("errors", ()))]
            failed = _ERRORS.get(response.status_code, NotThere)
            raise failed(f"{method} {path} of {self._service}: {response.status_code}: {'; '.join(details)}")
        return answer
