"""OAUTHBEARER tokens for kafka-python, which leaves fetching them to the application."""

import ssl
from pathlib import Path

import httpx
from kafka.net.sasl.oauth import AbstractTokenProvider

from shared.contracts.json_text import read_json

_ANSWER_SECONDS_MAX = 10.0


class TokenProvider(AbstractTokenProvider):
    """Fetches a token at each login, with client credentials (RFC 6749, section 4.4)."""

    def __init__(
        self, url: str, *, client_id: str, client_secret: str, scope: str | None, ca_file: Path | None
    ) -> None:
        self._url = url
        self._credentials = (client_id, client_secret)
        self._form = {"grant_type": "client_credentials"} | ({} if scope is None else {"scope": scope})
        self._known = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))

    def token(self) -> str:
        """Return a new token. Raises: httpx.HTTPError if the endpoint does not issue one."""
        answer = httpx.post(
            self._url, data=self._form, auth=self._credentials, verify=self._known, timeout=_ANSWER_SECONDS_MAX
        )
        answer.raise_for_status()
        return str(read_json(answer.content)["access_token"])
