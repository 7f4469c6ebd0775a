"""The development issuer: an OpenID provider of one machine, for the people of a stack that runs there.

It has a key of its own, a new one each time, and answers two questions on the loopback interface: who it is, and what
its public key is. There is no password and no login: whoever starts it makes the tokens. Services take an issuer
without TLS only where all of the stack is on this machine (shared.runtime.web.tokens).
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

from joserfc import jwt
from joserfc.jwk import ECKey

from shared.local.ports import LOOPBACK

AUDIENCE: Final = "pitledger"
TOKEN_LIFE: Final = timedelta(hours=24)
"""How long its tokens live; services of its stack are told to accept that."""
_ALGORITHM: Final = "ES256"
_KEYS: Final = "/keys"


class DevelopmentIssuer:
    """An issuer that answers for the length of a `with` block."""

    def __init__(self) -> None:
        self._key = ECKey.generate_key("P-256", {"use": "sig", "alg": _ALGORITHM}, auto_kid=True)
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _Answering)
        self.url = f"http://{LOOPBACK}:{self._server.server_port}"
        """The issuer, as PITLEDGER_OIDC_ISSUER names it."""
        self._server.documents = {  # type: ignore[attr-defined]
            "/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": self.url + _KEYS},
            _KEYS: {"keys": [self._key.as_dict(private=False)]},
        }
        self._thread = Thread(target=self._server.serve_forever, name="issuer", daemon=True)

    @property
    def settings(self) -> Mapping[str, str]:
        """Return the environment of a service that takes its tokens."""
        return {
            "PITLEDGER_OIDC_ISSUER": self.url,
            "PITLEDGER_OIDC_AUDIENCE": AUDIENCE,
            "PITLEDGER_OIDC_TOKEN_SECONDS_MAX": f"{TOKEN_LIFE.total_seconds():.0f}",
        }

    def token(
        self,
        person: str,
        roles: Iterable[str],
        properties: Iterable[str] = ("*",),
        *,
        at: datetime | None = None,
        life: timedelta = TOKEN_LIFE,
    ) -> str:
        """Return a new token of a person, issued now or at a moment."""
        issued = int((at or datetime.now(UTC)).timestamp())
        claims = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": person,
            "iat": issued,
            "exp": issued + int(life.total_seconds()),
            "jti": secrets.token_urlsafe(16),
            "roles": sorted(roles),
            "properties": sorted(properties),
        }
        return jwt.encode({"alg": _ALGORITHM, "kid": self._key.kid, "typ": "at+jwt"}, claims, self._key)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Answering(BaseHTTPRequestHandler):
    """Answers with the documents of the issuer."""

    timeout = 5.0

    def do_GET(self) -> None:
        documents: Mapping[str, Any] = self.server.documents  # type: ignore[attr-defined]
        found = documents.get(self.path)
        body = json.dumps(found).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing: whoever starts it has something to say."""
