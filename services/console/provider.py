"""The OpenID provider: the authorization code flow with PKCE (RFC 6749, RFC 7636, RFC 9700).

This module has only the login steps; roles and properties are read from a token by shared.runtime.http.bearer_tokens,
as in every service.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jws import JWSRegistry, extract_compact
from pydantic import BaseModel, ConfigDict, Field

from shared.contracts.json_text import read_model
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.clock import Clock
from shared.runtime.http.bearer_tokens import ALGORITHMS, LEEWAY, Tokens
from shared.runtime.http.oidc_keys import get_json, is_protected
from shared.runtime.settings import Settings

_SECONDS_MAX: Final = 10.0
_GRANTED_SECONDS_MAX: Final = 366 * 24 * 3600
_SILENT: Final = 503
_WELL_KNOWN: Final = "/.well-known/openid-configuration"
_registry: Final = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)


class LoginRefused(Exception):
    """The provider refuses the login, or its response cannot be trusted. `status` is the error page's HTTP status."""

    def __init__(self, why: str, *, status: int = 403) -> None:
        self.status = status
        super().__init__(why)

    @classmethod
    def of(cls, rejected: Rejected) -> "LoginRefused":
        """Return the refusal for a token that is rejected or cannot be verified now."""
        return cls(rejected.detail, status=_SILENT if rejected.reason is Reason.TRY_AGAIN else 403)


class _About(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    end_session_endpoint: str | None = None


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    access_token: str
    expires_in: Annotated[int, Field(ge=0, le=_GRANTED_SECONDS_MAX)] = 300
    refresh_token: str | None = None
    id_token: str | None = None


@dataclass(frozen=True, slots=True)
class Granted:
    """The tokens granted for a code or a refresh token."""

    token: str
    ends: datetime
    refresh_token: str | None
    id_token: str | None


def granted_of(answer: bytes, now: datetime) -> Granted:
    """Return the tokens in a response of the provider, with expiry counted from now. Raises: ValueError."""
    said = read_model(_Answer, answer)
    ends = now + timedelta(seconds=said.expires_in)
    return Granted(said.access_token, ends, said.refresh_token, said.id_token)


class Provider:
    """Client of the OpenID provider that the settings name."""

    def __init__(self, settings: Settings, tokens: Tokens, client: httpx.AsyncClient, clock: Clock) -> None:
        self._settings = settings
        self._tokens = tokens
        self._client = client
        self._clock = clock
        self._known: _About | None = None

    async def address(self, *, state: str, nonce: str, verifier: str, back: str) -> str:
        """Return the provider's URL that starts a login. Raises: LoginRefused."""
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._settings.console_client_id,
            "redirect_uri": back,
            "scope": self._settings.console_scope,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **({"audience": self._settings.oidc_audience} if self._settings.console_asks_audience else {}),
        }
        return _with_query((await self._about()).authorization_endpoint, asked)

    async def redeem(self, code: str, *, verifier: str, nonce: str, back: str) -> Granted:
        """Return the tokens for an authorization code. Raises: LoginRefused."""
        granted = await self._grant(
            {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        )
        if granted.id_token is None:
            raise LoginRefused("the provider sends no ID token")
        await self.check_id_token(granted.id_token, nonce)
        return granted

    async def refresh(self, refresh_token: str) -> Granted:
        """Return new tokens for a refresh token. Raises: LoginRefused."""
        return await self._grant({"grant_type": "refresh_token", "refresh_token": refresh_token})

    async def farewell(self, id_token: str, back: str) -> str:
        """Return the provider's logout URL, or `back` if the provider has none."""
        try:
            about = await self._about()
        except LoginRefused:
            return back
        if about.end_session_endpoint is None:
            return back
        asked = {
            "id_token_hint": id_token,
            "post_logout_redirect_uri": back,
            "client_id": self._settings.console_client_id,
        }
        return _with_query(about.end_session_endpoint, asked)

    async def _about(self) -> _About:
        if self._known is None:
            issuer = self._tokens.keys.issuer
            try:
                about = _About.model_validate(await get_json(issuer.rstrip("/") + _WELL_KNOWN))
            except (httpx.HTTPError, OSError, TimeoutError, ValueError) as error:
                raise LoginRefused(f"the OpenID provider does not answer: {error}", status=_SILENT) from None
            places = (about.authorization_endpoint, about.token_endpoint)
            if about.issuer != issuer or not all(map(is_protected, places)):
                raise LoginRefused(f"{issuer} does not say where to log in, protected by TLS", status=_SILENT)
            self._known = about
        return self._known

    async def _grant(self, asked: Mapping[str, str]) -> Granted:
        about, secret_file = await self._about(), self._settings.console_client_secret_file
        client = self._settings.console_client_id
        named = {"client_id": client} if secret_file is None else {}
        known = httpx.USE_CLIENT_DEFAULT if secret_file is None else httpx.BasicAuth(client, _secret(secret_file))
        try:
            response = await self._client.post(
                about.token_endpoint, data={**asked, **named}, timeout=_SECONDS_MAX, auth=known
            )
            return granted_of(response.content, self._clock())
        except httpx.HTTPError as error:
            raise LoginRefused(f"the OpenID provider does not answer: {error}", status=_SILENT) from None
        except ValueError:
            raise LoginRefused(f"the OpenID provider gives no token: it answers {response.status_code}") from None

    async def check_id_token(self, id_token: str, nonce: str) -> None:
        """Raise LoginRefused unless the ID token is valid and was issued for this login."""
        try:
            kid = extract_compact(id_token.encode("ascii")).protected.get("kid")
            key = await self._tokens.keys.find(kid if isinstance(kid, str) else None)
            if key is None:
                raise LoginRefused("the ID token is signed with a key that the provider does not have")
            claims: dict[str, Any] = jwt.decode(id_token, key, algorithms=ALGORITHMS, registry=_registry).claims
        except Rejected as rejected:
            raise LoginRefused.of(rejected) from None
        except (JoseError, ValueError):
            raise LoginRefused("the signature of the ID token is not the provider's") from None
        audience, ends = claims.get("aud"), claims.get("exp")
        if claims.get("iss") != self._tokens.keys.issuer:
            raise LoginRefused("the ID token is of another issuer")
        named = [audience] if isinstance(audience, str) else audience if isinstance(audience, list) else []
        if self._settings.console_client_id not in named:
            raise LoginRefused("the ID token is for another client")
        if not isinstance(ends, int | float) or self._clock().timestamp() > ends + LEEWAY.total_seconds():
            raise LoginRefused("the ID token has expired")
        if not compare_digest(str(claims.get("nonce")).encode(), nonce.encode()):
            raise LoginRefused("the ID token answers another login")


def _secret(file: Path) -> str:
    return file.read_text().strip()


def _with_query(url: str, asked: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}"
