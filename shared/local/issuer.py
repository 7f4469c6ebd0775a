"""The development issuer: an OpenID provider on this machine, for the users of a local stack.

It generates a new key at each start and serves its discovery document, public key and login page on the loopback
interface. There are no passwords: anyone who can reach it picks a person from a list, and gets that person's token by
the authorization code flow with PKCE. A system gets a token by client credentials, under the name of one of the people.
Services accept an issuer without TLS only if the whole stack is on this machine (shared.runtime.http.bearer_tokens).
"""

import json
import secrets
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

from shared.local.ports import LOOPBACK

AUDIENCE: Final = "pitledger"
TOKEN_LIFE: Final = timedelta(hours=24)
"""The lifetime of its tokens, which the services of its stack are configured to accept."""
_ALGORITHM: Final = "ES256"
_KEYS: Final = "/keys"
_AUTHORIZE: Final = "/authorize"
_TOKEN: Final = "/token"  # noqa: S105 - a path
_LOGOUT: Final = "/logout"
_CLIENT_CREDENTIALS: Final = "client_credentials"
_BODY_BYTES_MAX: Final = 16_384
_CODES_MAX: Final = 1_000


class DevelopmentIssuer:
    """An issuer that serves during a `with` block; its tokens are valid for `life`."""

    def __init__(self, *, life: timedelta = TOKEN_LIFE) -> None:
        self._life = life
        self._key = ECKey.generate_key("P-256", {"use": "sig", "alg": _ALGORITHM}, auto_kid=True)
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _Answering)
        self.url = f"http://{LOOPBACK}:{self._server.server_port}"
        """The issuer's URL, the value of PITLEDGER_OIDC_ISSUER."""
        self._server.documents = {  # type: ignore[attr-defined]
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": self.url + _KEYS,
                "authorization_endpoint": self.url + _AUTHORIZE,
                "token_endpoint": self.url + _TOKEN,
                "end_session_endpoint": self.url + _LOGOUT,
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", _CLIENT_CREDENTIALS],
                "code_challenge_methods_supported": ["S256"],
            },
            _KEYS: {"keys": [self._key.as_dict(private=False)]},
        }
        self._server.issuer = self  # type: ignore[attr-defined]
        self.people: Mapping[str, Iterable[str]] = {}
        """Person or system that may log in -> roles."""
        self.redirects: frozenset[str] = frozenset()
        """The redirect URIs that a login may use."""
        self._codes: dict[str, Mapping[str, str]] = {}
        self._thread = Thread(target=self._server.serve_forever, name="issuer", daemon=True)

    @property
    def settings(self) -> Mapping[str, str]:
        """Return the environment variables that make a service accept the issuer's tokens."""
        return {
            "PITLEDGER_OIDC_ISSUER": self.url,
            "PITLEDGER_OIDC_AUDIENCE": AUDIENCE,
            "PITLEDGER_OIDC_TOKEN_SECONDS_MAX": f"{self._life.total_seconds():.0f}",
        }

    def token(
        self,
        person: str,
        roles: Iterable[str],
        properties: Iterable[str] = ("*",),
        *,
        at: datetime | None = None,
        life: timedelta | None = None,
    ) -> str:
        """Return a new access token of a person, issued now or at the moment `at`."""
        issued = int((at or datetime.now(UTC)).timestamp())
        ends = issued + int((life or self._life).total_seconds())
        claims = {"jti": secrets.token_urlsafe(16), "roles": sorted(roles), "properties": sorted(properties)}
        return self._signed("at+jwt", {"aud": AUDIENCE, "sub": person, "iat": issued, "exp": ends, **claims})

    def _signed(self, kind: str, claims: Mapping[str, Any]) -> str:
        header = {"alg": _ALGORITHM, "kid": self._key.kid, "typ": kind}
        return jwt.encode(header, {"iss": self.url, **claims}, self._key)

    def code_for(self, person: str, asked: Mapping[str, str]) -> str | None:
        """Return the redirect URL with an authorization code for the selected person; None for an invalid request."""
        if person not in self.people or asked.get("redirect_uri") not in self.redirects:
            return None
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return None
        code = secrets.token_urlsafe(24)
        self._codes[code] = {**asked, "person": person}
        while len(self._codes) > _CODES_MAX:
            del self._codes[next(iter(self._codes))]
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked.get('state', '')})}"

    def granted(self, system: str) -> Mapping[str, Any] | None:
        """Return the token response for a system (RFC 6749, section 4.4); None if the system is unknown."""
        if system not in self.people:
            return None
        return {"access_token": self.token(system, self.people[system]), **self._bearer}

    @property
    def _bearer(self) -> Mapping[str, Any]:
        return {"token_type": "Bearer", "expires_in": int(self._life.total_seconds())}

    def redeem(self, asked: Mapping[str, str]) -> Mapping[str, Any] | None:
        """Return the token response for an authorization code; None if code, redirect or verifier is wrong.

        A code is valid for one attempt.
        """
        known = self._codes.pop(asked.get("code", ""), None)
        if known is None or asked.get("redirect_uri") != known["redirect_uri"]:
            return None
        digest = sha256(asked.get("code_verifier", "").encode()).digest()
        if urlsafe_b64encode(digest).rstrip(b"=").decode() != known["code_challenge"]:
            return None
        person, now = known["person"], int(datetime.now(UTC).timestamp())
        seconds = int(self._life.total_seconds())
        whose = {"aud": known.get("client_id", ""), "sub": person, "nonce": known.get("nonce", "")}
        return {
            "access_token": self.token(person, self.people[person]),
            **self._bearer,
            "id_token": self._signed("JWT", {**whose, "iat": now, "exp": now + seconds}),
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Log in · development issuer</title><style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }}
body {{ max-width: 44rem; margin: 2rem auto; padding: 0 1rem }}
button {{ display: block; width: 100%; margin: .4rem 0; padding: .6rem .8rem; font: inherit; text-align: left;
  border: 1px solid GrayText; border-radius: .4rem; background: Canvas; color: CanvasText }}
small {{ display: block; font-size: .8rem; overflow-wrap: anywhere }}
</style></head><body><main><h1>Who are you?</h1>
<p>This is the development issuer of a stack on one machine: it asks for no password, and services elsewhere refuse
it.</p><form method="post">{people}</form></main></body></html>
"""


class _Answering(BaseHTTPRequestHandler):
    """Serves the issuer's documents, and lets its users log in."""

    timeout = 5.0
    protocol_version = "HTTP/1.1"

    @property
    def _issuer(self) -> DevelopmentIssuer:
        issuer: DevelopmentIssuer = self.server.issuer  # type: ignore[attr-defined]
        return issuer

    def do_GET(self) -> None:
        documents: Mapping[str, Any] = self.server.documents  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        asked = _asked(parts.query)
        if parts.path == _AUTHORIZE and asked.get("redirect_uri") in self._issuer.redirects:
            self._page(_people(self._issuer.people))
        elif parts.path == _LOGOUT and asked.get("post_logout_redirect_uri", "").startswith(self._homes):
            self._redirect(asked["post_logout_redirect_uri"])
        else:
            self._json(documents.get(parts.path))

    def do_POST(self) -> None:
        length = min(int(self.headers.get("Content-Length", "0")), _BODY_BYTES_MAX)
        sent, parts = _asked(self.rfile.read(length).decode()), urlsplit(self.path)
        if parts.path == _TOKEN and sent.get("grant_type") == _CLIENT_CREDENTIALS:
            self._json(self._issuer.granted(sent.get("client_id") or self._client))
        elif parts.path == _TOKEN:
            self._json(self._issuer.redeem(sent))
        elif parts.path == _AUTHORIZE and (to := self._issuer.code_for(sent.get("person", ""), _asked(parts.query))):
            self._redirect(to)
        else:
            self._json(None)

    @property
    def _client(self) -> str:
        """Return the client id in the Authorization header (HTTP Basic), or an empty text; the secret is ignored."""
        scheme, _, encoded = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return ""
        return unquote_plus(b64decode(encoded).decode().partition(":")[0])

    @property
    def _homes(self) -> tuple[str, ...]:
        """Return the URL prefixes to which a logout may redirect."""
        return tuple(f"{urlsplit(one).scheme}://{urlsplit(one).netloc}/" for one in self._issuer.redirects)

    def _json(self, document: object) -> None:
        self._answer(404 if document is None else 200, "application/json", json.dumps(document).encode())

    def _page(self, people: str) -> None:
        self._answer(200, "text/html; charset=utf-8", _PAGE.format(people=people).encode())

    def _redirect(self, to: str) -> None:
        self._answer(303, "text/plain", b"", ("Location", to))

    def _answer(self, status: int, kind: str, body: bytes, *more: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *more):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Log nothing, because the process that started the issuer logs for it."""


def _asked(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query).items()}


def _people(people: Mapping[str, Iterable[str]]) -> str:
    return "".join(
        f'<button name="person" value="{escape(person)}">{escape(person)}'
        f"<small>{escape(', '.join(roles))}</small></button>"
        for person, roles in people.items()
    )
