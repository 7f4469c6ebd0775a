"""An OpenID provider in the process of the test, and tokens that it or somebody else signed."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

from shared.contracts.rejection import Rejected
from shared.runtime.http.access import Caller
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings

NOW = datetime(2026, 11, 22, 18, tzinfo=UTC)
ISSUER = "https://id.example/realms/house"
EC = ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"})
RSA = RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"})
OKP = OKPKey.generate_key("Ed25519", {"kid": "okp", "use": "sig"})
STRANGER = ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"})
CLAIMS: Mapping[str, Any] = {
    "iss": ISSUER,
    "aud": ["pitledger", "other"],
    "sub": "ann",
    "iat": int(NOW.timestamp()),
    "exp": int((NOW + timedelta(minutes=10)).timestamp()),
    "roles": ["days.audit", "reports.read"],
    "properties": ["riverside"],
}


def signed(key: Key = EC, algorithm: str = "ES256", header: Mapping[str, Any] | None = None, **claims: Any) -> str:
    """A token that the provider, or somebody else, signed; a claim of None is left out."""
    said = {name: value for name, value in {**CLAIMS, **claims}.items() if value is not None}
    head = {"alg": algorithm, "kid": key.kid, **(header or {})}
    return jwt.encode({name: value for name, value in head.items() if value}, said, key, algorithms=[algorithm])


class Provider:
    """An OpenID provider that answers, or does not, and a clock."""

    def __init__(self, **settings: Any) -> None:
        self.keys: list[Key] = [EC, RSA, OKP]
        self.others: list[Any] = []
        self.now = NOW
        self.asked: list[str] = []
        self.away = False
        self.said: dict[str, Any] = {"issuer": ISSUER, "jwks_uri": "https://id.example/keys"}
        self.metrics = Metrics()
        self.tokens = Tokens(
            Settings(**settings), ISSUER, clock=lambda: self.now, metrics=self.metrics, get=self._answer
        )

    async def _answer(self, url: str) -> Any:
        self.asked.append(url)
        if self.away:
            raise OSError("nobody there")
        return (
            self.said
            if url.endswith("openid-configuration")
            else {"keys": [*self.others, *(key.as_dict(private=False) for key in self.keys)]}
        )

    def refused(self, why: str) -> float:
        """How many tokens were not accepted for this."""
        return self.metrics.registry.get_sample_value("pitledger_callers_refused_total", {"why": why}) or 0.0

    def caller(self, token: str) -> Caller:
        """Whose token it is."""
        return asyncio.run(self.tokens.caller_of(token))

    def rejected(self, token: str) -> Rejected:
        """Why a token is not accepted."""
        with pytest.raises(Rejected) as rejected:
            self.caller(token)
        return rejected.value
