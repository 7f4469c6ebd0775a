"""Verify bearer tokens of an OpenID provider: signed JSON Web Tokens (RFC 7519, RFC 8725, RFC 9068)."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog
from joserfc import jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jws import JWSRegistry, extract_compact
from pydantic import StrictFloat, StrictInt, TypeAdapter, ValidationError
from sqlalchemy.engine import make_url

from shared.contracts.envelope import Contract, Person
from shared.contracts.people import is_legible
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.clock import Clock
from shared.runtime.errors import FatalServiceError
from shared.runtime.http.access import TOLD_WITHOUT_ONE, Caller, token_hash
from shared.runtime.http.oidc_keys import Get, Keys, get_json, is_loopback
from shared.runtime.http.revocation_list import Revoked
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings

log = structlog.get_logger()

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
)
"""Accepted signature algorithms, all asymmetric: shared secrets (HS...) and `none` are refused (RFC 8725, 3.1)."""

TYPES: Final = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""Accepted values of a token's `typ`. Other kinds of token that providers sign, such as logout tokens, are refused."""

LEEWAY: Final = timedelta(seconds=30)
"""Allowed clock difference between provider and service."""

_TOKEN_CHARACTERS_MAX: Final = 8192
_KNOWN_MAX: Final = 10_000
"""Maximum number of cached tokens; the oldest is evicted first. Caching avoids verifying a signature again."""

_registry: Final = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
_person: TypeAdapter[str] = TypeAdapter(Person)


class _Claims(Contract, extra="ignore"):
    """The claims that every token must have."""

    iss: str
    aud: str | tuple[str, ...]
    exp: StrictInt | StrictFloat
    iat: StrictInt | StrictFloat
    nbf: StrictInt | StrictFloat | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    """A verified token: its caller, the id of the key that signed it, and its times."""

    caller: Caller
    kid: str
    issued_at: datetime
    not_before: datetime
    expires_at: datetime


class _NotAccepted(Exception):
    """A token is not accepted; `why` is the label under which the metric counts it."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(detail)
        self.why = why


class Tokens:
    """Identities from the bearer tokens of one OpenID provider."""

    def __init__(self, settings: Settings, issuer: str, *, clock: Clock, metrics: Metrics, get: Get = get_json) -> None:
        """Check the issuer. Raises: FatalServiceError if its answers could be altered in transit."""
        _require_protected(settings, issuer)
        self.keys = Keys(issuer, metrics, get)
        self.revoked = Revoked(settings.oidc_revoked_file)
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._known: dict[str, _Known] = {}

    async def run(self) -> None:
        """Refresh the provider's keys until cancelled."""
        await self.keys.run()

    async def check(self) -> str | None:
        """Return why no token can be verified, or None."""
        return await self.keys.check() or await self.revoked.check()

    async def caller_of(self, token: str) -> Caller:
        """Return the caller that a token identifies. Raises: Rejected."""
        try:
            return await self._accepted(token)
        except _NotAccepted as refused:
            self._metrics.callers_refused.labels(refused.why).inc()
            raise Rejected(Reason.UNKNOWN_CALLER, str(refused)) from None

    async def _accepted(self, token: str) -> Caller:
        """Return the caller of a token. Expiry and revocation are checked for every request, the signature only once.

        Raises: _NotAccepted, Rejected.
        """
        if not token:
            raise _NotAccepted("none", TOLD_WITHOUT_ONE)
        if len(token) > _TOKEN_CHARACTERS_MAX:
            raise _NotAccepted("malformed", f"the token has more than {_TOKEN_CHARACTERS_MAX} characters")
        digest = token_hash(token)
        known = self._known.get(digest)
        if known is None or not self.keys.knows(known.kid):
            known = await self._verify(token, digest)
            self._remember(digest, known)
        now = self._clock()
        if now >= known.expires_at + LEEWAY:
            self._known.pop(digest, None)
            raise _NotAccepted("expired", f"the token expired at {known.expires_at.isoformat()}: get another one")
        if now < known.not_before - LEEWAY:
            raise _NotAccepted("early", f"the token holds from {known.not_before.isoformat()} on")
        if self.revoked.is_revoked(known.caller.person, digest, known.issued_at):
            raise _NotAccepted("revoked", f"the token of {known.caller.person} was revoked")
        return known.caller

    def _remember(self, digest: str, known: _Known) -> None:
        self._known[digest] = known
        while len(self._known) > _KNOWN_MAX:
            del self._known[next(iter(self._known))]

    async def _verify(self, token: str, digest: str) -> _Known:
        """Verify a token's signature and claims. Raises: _NotAccepted, Rejected."""
        kid = _kid_of(token)
        key = await self.keys.find(kid)
        if key is None or key.kid is None:
            raise _NotAccepted("key", f"the token is not known: the provider has no key {str(kid)[:64]!r}")
        try:
            # EdDSA is deprecated in favor of Ed25519 (RFC 9864), which not every provider uses yet.
            with warnings.catch_warnings(action="ignore", category=SecurityWarning):
                claims = jwt.decode(token, key, algorithms=ALGORITHMS, registry=_registry).claims
        except (JoseError, ValueError):
            raise _NotAccepted("signature", "the token is not known: its signature is not the provider's") from None
        return self._read(claims, key.kid, digest)

    def _read(self, claims: Mapping[str, Any], kid: str, digest: str) -> _Known:
        """Validate the claims of a token. Raises: _NotAccepted."""
        settings = self._settings
        try:
            found = _Claims.model_validate(claims)
            issued, expires = _moment(found.iat), _moment(found.exp)
            begins = issued if found.nbf is None else max(issued, _moment(found.nbf))
        except (ValidationError, OverflowError, ValueError, OSError):
            raise _NotAccepted("claims", "the token does not say who issued it, for whom, and until when") from None
        if found.iss != self.keys.issuer:
            raise _NotAccepted("issuer", f"the token is of another issuer than {self.keys.issuer}")
        if settings.oidc_audience not in ((found.aud,) if isinstance(found.aud, str) else found.aud):
            raise _NotAccepted("audience", f"the token is not for {settings.oidc_audience!r}")
        if expires - issued > timedelta(seconds=settings.oidc_token_seconds_max):
            limit = f"{settings.oidc_token_seconds_max:g} s (PITLEDGER_OIDC_TOKEN_SECONDS_MAX)"
            raise _NotAccepted("lifetime", f"the token lives longer than {limit}")
        try:
            person = _person.validate_python(_claim(claims, settings.oidc_person_claim), strict=True)
        except ValidationError:
            raise _NotAccepted(
                "claims", f"the claim {settings.oidc_person_claim!r} of the token names nobody"
            ) from None
        if not is_legible(person):
            detail = f"the claim {settings.oidc_person_claim!r} of the token names {person!r}: not all of it is seen"
            raise _NotAccepted("claims", detail)
        caller = Caller(
            person=person,
            token_sha256=digest,
            roles=_names(claims, settings.oidc_roles_claim),
            properties=_names(claims, settings.oidc_properties_claim),
        )
        if caller.conflict is not None:
            log.error("caller with conflicting roles denied", person=person, conflict=str(caller.conflict))
        return _Known(caller, kid, issued, begins, expires)


def identities_of(settings: Settings, *, clock: Clock, metrics: Metrics) -> Tokens | None:
    """Return the identities of the configured OpenID provider, or None if none is configured.

    Raises: FatalServiceError.
    """
    if settings.oidc_issuer is None:
        return None
    return Tokens(settings, settings.oidc_issuer, clock=clock, metrics=metrics)


def _require_protected(settings: Settings, issuer: str) -> None:
    """Accept a provider without TLS, such as the development issuer, only if everything is on this machine's loopback.

    Raises: FatalServiceError.
    """
    if not issuer.startswith("http:"):
        return
    url = make_url(settings.database_url.get_secret_value())
    brokers = [server.strip().rpartition(":")[0].strip("[]") for server in settings.kafka_bootstrap_servers.split(",")]
    elsewhere = {
        "PITLEDGER_HTTP_HOST": not is_loopback(settings.http_host),
        "DATABASE_URL": url.host is not None and not is_loopback(url.host),
        "KAFKA_BOOTSTRAP_SERVERS": not all(is_loopback(host) for host in brokers),
    }
    if named := [variable for variable, is_elsewhere in elsewhere.items() if is_elsewhere]:
        why = f"{', '.join(named)} reach beyond this machine"
        raise FatalServiceError(
            f"PITLEDGER_OIDC_ISSUER {issuer!r} has no TLS and is for a stack on one machine alone, but {why}"
        )


def _kid_of(token: str) -> str | None:
    """Return the key id in a token's header, or None if absent. Raises: _NotAccepted for an unacceptable header."""
    try:
        header = extract_compact(token.encode("ascii")).protected
    except (JoseError, ValueError):
        raise _NotAccepted("malformed", "the token is not known: it is no signed JSON Web Token") from None
    if not isinstance(header, dict):
        raise _NotAccepted("malformed", "the token is not known: it is no signed JSON Web Token")
    kid, kind, algorithm = header.get("kid"), header.get("typ", "JWT"), header.get("alg")
    if algorithm not in ALGORITHMS:
        raise _NotAccepted(
            "algorithm", f"the token is not known: signatures by {str(algorithm)[:32]!r} are not accepted"
        )
    if not isinstance(kind, str) or kind.lower() not in TYPES:
        raise _NotAccepted("type", f"the token is not known: a {str(kind)[:32]!r} lets nobody in")
    if not isinstance(kid, str | None):
        raise _NotAccepted("malformed", "the token is not known: it is no signed JSON Web Token")
    return kid


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Return a claim by its name, or by a path such as `realm_access.roles`; None if it is missing."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _names(claims: Mapping[str, Any], name: str) -> frozenset[str]:
    """Return the names in a claim that is a list or a space-separated text; empty for any other type."""
    match _claim(claims, name):
        case str() as text:
            return frozenset(text.split())
        case list() as items:
            return frozenset(item for item in items if isinstance(item, str))
        case _:
            return frozenset()
