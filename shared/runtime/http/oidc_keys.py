"""The signing keys of an OpenID provider: discovered, cached, refreshed (OpenID Connect Discovery 1.0).

Keys are refreshed every few minutes, and immediately for a token with an unknown key id, at a limited rate. While the
provider is unavailable, cached keys stay valid for an hour; after that no token is accepted until it answers.
"""

import asyncio
import ipaddress
import warnings
from collections.abc import Awaitable, Callable
from ssl import create_default_context
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import ECKey, JWKRegistry, Key, OKPKey, RSAKey

from shared.contracts.json_text import read_json
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.errors import FatalServiceError
from shared.runtime.metrics import Metrics

log = structlog.get_logger()

KEYS_SECONDS: Final = 300.0
"""Time between two refreshes of the keys."""
KEYS_SECONDS_MAX: Final = 3600.0
"""How long cached keys are valid while the provider is unavailable."""
_RETRY_SECONDS: Final = 5.0
"""Pause after a failed refresh, and minimum time between refreshes because of unknown key ids."""
_ANSWER_SECONDS_MAX: Final = 15.0
_ANSWER_BYTES_MAX: Final = 256 * 1024
_RSA_BITS_MIN: Final = 2048
_WELL_KNOWN: Final = "/.well-known/openid-configuration"

Get = Callable[[str], Awaitable[Any]]
"""Return the JSON document at a URL. Raises: httpx.HTTPError, ValueError."""


def is_loopback(host: str | None) -> bool:
    """Return whether a host name or address is this machine's loopback.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"


def is_protected(url: str) -> bool:
    """Return whether a URL is protected from tampering in transit, by TLS or because it is on the loopback."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
    )


async def get_json(url: str) -> Any:
    """Return the JSON document at a URL. Raises: httpx.HTTPError; ValueError if it is too long or not JSON."""
    # Loading the trust store takes longer than the request itself, so it is loaded only for https; each time, as it
    # changes.
    secure = urlsplit(url).scheme == "https"
    authorities = await asyncio.to_thread(create_default_context) if secure else False
    async with (
        asyncio.timeout(_ANSWER_SECONDS_MAX),
        httpx.AsyncClient(timeout=_ANSWER_SECONDS_MAX, trust_env=False, verify=authorities) as client,
        client.stream("GET", url) as response,
    ):
        if response.status_code != httpx.codes.OK:
            raise ValueError(f"{url} answers {response.status_code}")
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _ANSWER_BYTES_MAX:
                raise ValueError(f"{url} answers with more than {_ANSWER_BYTES_MAX} bytes")
    return read_json(body)


class Keys:
    """The cached public keys of an OpenID provider."""

    def __init__(self, issuer: str, metrics: Metrics, get: Get = get_json) -> None:
        """Check the issuer's URL. Raises: FatalServiceError if it is neither https nor on the loopback."""
        if not is_protected(issuer):
            raise FatalServiceError(
                f"PITLEDGER_OIDC_ISSUER {issuer!r} is no URL with https (http: only on this machine)"
            )
        self.issuer = issuer
        self._get = get
        self._keys: dict[str, Key] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._reading = asyncio.Lock()
        self._error = "it was not asked yet"
        metrics.identity_keys_age.set_function(lambda: self.age_seconds)

    @property
    def age_seconds(self) -> float:
        """Return the age of the cached keys in seconds; infinite before the first successful refresh."""
        return float("inf") if self._read_at is None else monotonic() - self._read_at

    async def check(self) -> str | None:
        """Return why no keys are available, or None."""
        if self.age_seconds <= KEYS_SECONDS_MAX:
            return None
        return f"the keys of {self.issuer} are not known: {self._error}"

    async def run(self) -> None:
        """Refresh the keys until cancelled. Not with `repeat`, because the pause depends on the keys' age."""
        while True:
            await self._read()
            await asyncio.sleep(KEYS_SECONDS if self.age_seconds < KEYS_SECONDS else _RETRY_SECONDS)

    def knows(self, kid: str) -> bool:
        """Return whether the provider has a key with this id, according to cached keys that are still valid."""
        return kid in self._keys and self.age_seconds <= KEYS_SECONDS_MAX

    async def find(self, kid: str | None) -> Key | None:
        """Return the key with this id, or None if there is none. Raises: Rejected if the provider is unavailable.

        A token without a key id is verified with the provider's only key; if there are several keys, None is returned.
        """
        if self._found(kid) is None and self._may_try():
            await self._read()
        if self.age_seconds > KEYS_SECONDS_MAX:
            raise Rejected(Reason.TRY_AGAIN, f"the OpenID provider does not answer: {self._error}")
        return self._found(kid)

    def _found(self, kid: str | None) -> Key | None:
        if self.age_seconds > KEYS_SECONDS_MAX:
            return None
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    def _may_try(self) -> bool:
        return self._tried_at is None or monotonic() - self._tried_at > _RETRY_SECONDS

    async def _read(self) -> None:
        """Refresh the keys; concurrent callers share one request."""
        asked_at = monotonic()
        async with self._reading:
            if self._tried_at is not None and self._tried_at >= asked_at:
                return
            try:
                self._keys = await self._fetch()
                self._read_at = monotonic()
            except (httpx.HTTPError, OSError, TimeoutError, ValueError, JoseError) as error:
                self._error = f"{type(error).__name__}: {error}"
                log.warning("OpenID provider unavailable", issuer=self.issuer, error=self._error)
            finally:
                self._tried_at = monotonic()

    async def _fetch(self) -> dict[str, Key]:
        """Return the provider's signing keys by key id; empty if the provider has withdrawn all."""
        about = await self._get(self.issuer.rstrip("/") + _WELL_KNOWN)
        if not isinstance(about, dict) or about.get("issuer") != self.issuer:
            raise ValueError(f"{self.issuer} does not say that it is the issuer {self.issuer!r}")
        url = str(about.get("jwks_uri"))
        if not is_protected(url) or (urlsplit(url).scheme == "http" and urlsplit(self.issuer).scheme != "http"):
            raise ValueError(f"{self.issuer} has its keys at {url!r}, which is not protected by TLS")
        document = await self._get(url)
        if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
            raise ValueError(f"{url} has no list of keys")
        signing = [one for one in document["keys"] if isinstance(one, dict) and one.get("use", "sig") == "sig"]
        return {key.kid: key for one in signing if (key := _public(one)) is not None and key.kid is not None}


def _public(document: dict[str, Any]) -> Key | None:
    """Return a public key if its type is accepted and it is long enough, otherwise None.

    A provider may publish keys of types that this release does not support.
    """
    try:
        with warnings.catch_warnings(action="ignore", category=SecurityWarning):  # short keys are rejected below
            key = JWKRegistry.import_key(document)
        key.ensure_kid()
    except (JoseError, LookupError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        log.warning("OpenID provider key ignored", key=str(document.get("kid"))[:64], error=str(error))
        return None
    match key:
        case RSAKey() if key.raw_value.key_size >= _RSA_BITS_MIN:
            return key
        case ECKey() | OKPKey():
            return key
        case _:
            return None
