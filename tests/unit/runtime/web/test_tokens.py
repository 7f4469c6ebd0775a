"""Which bearer tokens are accepted: the provider's, for us, now, and not revoked."""

import asyncio
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, Key, RSAKey

from shared.contracts.json_text import MemberTwice
from shared.contracts.rejection import Reason
from shared.runtime.errors import FatalServiceError
from shared.runtime.http import oidc_keys as keys_module
from shared.runtime.http.access import Caller, token_hash
from shared.runtime.http.bearer_tokens import ALGORITHMS, Tokens, identities_of
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.certificates import Authority
from tests.support.https import https
from tests.support.json_text import with_members_twice
from tests.unit.runtime.web.token_provider import CLAIMS, EC, ISSUER, NOW, OKP, RSA, STRANGER, Provider, signed


@pytest.fixture
def provider() -> Provider:
    """A provider with keys of three kinds."""
    return Provider()


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets the seconds pass by which the keys grow old."""
    passed = [1000.0]
    monkeypatch.setattr(keys_module, "monotonic", lambda: passed[0])

    def wait(seconds: float) -> None:
        passed[0] += seconds

    return wait


@pytest.mark.parametrize(("key", "algorithm"), [(EC, "ES256"), (RSA, "RS256"), (RSA, "PS256"), (OKP, "Ed25519")])
def test_a_token_names_its_person_roles_and_properties(provider: Provider, key: Key, algorithm: str) -> None:
    """Signed by any kind of key pair that the provider publishes."""
    token = signed(key, algorithm)
    assert Caller(
        person="ann",
        token_sha256=token_hash(token),
        roles=frozenset({"days.audit", "reports.read"}),
        properties=frozenset({"riverside"}),
    ) == provider.caller(token)


def test_claims_have_the_names_that_the_provider_gives_them() -> None:
    """Names with dots, paths into objects, texts with spaces."""
    provider = Provider(
        oidc_person_claim="badge",
        oidc_roles_claim="realm_access.roles",
        oidc_properties_claim="https://x.example/houses",
    )
    claims: dict[str, Any] = {
        "badge": "B-7",
        "realm_access": {"roles": "days.audit  reports.read"},
        "https://x.example/houses": ["*"],
    }
    caller = provider.caller(signed(**claims))
    assert ("B-7", frozenset({"*"})) == (caller.person, caller.properties)
    assert frozenset({"days.audit", "reports.read"}) == caller.roles


def test_without_claims_a_person_may_do_nothing(provider: Provider) -> None:
    """A token without roles and properties, or with claims of another form, names somebody who may do nothing."""
    wrong: list[Any] = [None, {"a": 1}, 7, [1, None]]
    for claim in wrong:
        caller = provider.caller(signed(roles=claim, properties=claim))
        assert (frozenset(), frozenset()) == (caller.roles, caller.properties)


def _unsigned(header: Mapping[str, Any]) -> str:
    parts = [urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (header, dict(CLAIMS))]
    return ".".join([*parts, ""])


def _by_public_key() -> str:
    """The confusion of RFC 8725, 2.1: the public key as the secret of an HMAC."""
    said = _unsigned({"alg": "HS256", "kid": "rsa"})
    digest = hmac.digest(RSA.as_pem(private=False), said[:-1].encode(), "sha256")
    return said + urlsafe_b64encode(digest).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (_unsigned({"alg": "none", "kid": "ec"}), "algorithm"),
        (_unsigned({"alg": "ES256", "kid": "ec"}), "signature"),
        (signed(STRANGER), "signature"),
        (signed(ECKey.generate_key("P-256", {"kid": "another"})), "key"),
        (signed(EC, header={"typ": "logout+jwt"}), "type"),
        (_by_public_key(), "algorithm"),
        (signed(RSA, "RS256", header={"kid": "ec"}), "signature"),
        (signed(EC, header={"kid": None}), "key"),
        (signed()[:-8] + "AAAAAAAA", "signature"),
        ("not.a.token", "malformed"),
        ("token", "malformed"),
        ("ü.ü.ü", "malformed"),
        (urlsafe_b64encode(b'"alg"').decode() + ".e30.AA", "malformed"),
        ("a" * 10_000, "malformed"),
        (signed(iss="https://id.example/realms/other"), "issuer"),
        (signed(aud="other"), "audience"),
        (signed(aud=None), "claims"),
        (signed(exp=None), "claims"),
        (signed(iat=None), "claims"),
        (signed(exp="tomorrow"), "claims"),
        (signed(exp=True), "claims"),
        (signed(exp=10**30), "claims"),
        (signed(sub=None), "claims"),
        (signed(sub="a\nb"), "claims"),
        (signed(sub=7), "claims"),
        *((signed(sub=f"ann{unseen}roe"), "claims") for unseen in "\u200d\u00ad\u202e\u00a0\ufe0f\u3164"),
        (signed(exp=int((NOW + timedelta(days=365)).timestamp())), "lifetime"),
        (signed(iat=int((NOW + timedelta(minutes=2)).timestamp())), "early"),
        (signed(nbf=int((NOW + timedelta(minutes=2)).timestamp())), "early"),
        ("", "none"),
    ],
)
def test_what_the_provider_did_not_sign_for_us_lets_nobody_in(provider: Provider, token: str, why: str) -> None:
    """Forged, unsigned, signed with a public key as secret, for others, without an end: nobody known, and counted."""
    assert Reason.UNKNOWN_CALLER is provider.rejected(token).reason
    assert 1 == provider.refused(why)


@pytest.mark.parametrize("kid", ["ec", "rsa", "okp"])
def test_no_header_that_somebody_makes_up_fails_otherwise(provider: Provider, kid: str) -> None:
    """Every algorithm with every kind of key, parameters that must be understood, values of other types."""
    odd: list[dict[str, Any]] = [
        {"alg": "ES256", "crit": ["exp"]},
        {"alg": "ES256", "crit": "exp"},
        {"alg": "ES256", "b64": False, "crit": ["b64"]},
        {"alg": "ES256", "jwk": EC.as_dict(private=False), "jku": "https://evil.example", "x5c": 7},
        {"alg": ["ES256"]},
        {"alg": "ES256", "typ": 7},
        {"alg": "ES256", "kid": ["ec"]},
    ]
    for header in [*({"alg": algorithm} for algorithm in ALGORITHMS), *odd]:
        token = _unsigned({"kid": kid, **header}) + "AAAA"
        assert Reason.UNKNOWN_CALLER is provider.rejected(token).reason, header


def test_a_token_ends_though_it_was_accepted_before(provider: Provider) -> None:
    """With half a minute for clocks that differ."""
    token = signed()
    provider.now = NOW + timedelta(minutes=10, seconds=29)
    assert "ann" == provider.caller(token).person
    provider.now += timedelta(seconds=1)
    assert "the token expired at 2026-11-22T18:10:00+00:00: get another one" == provider.rejected(token).detail
    assert 1 == provider.refused("expired")


def test_a_person_or_a_token_is_locked_out_at_once(tmp_path: Path) -> None:
    """The file is read again when it changes; a token issued later is accepted, and so is everybody else."""
    path = tmp_path / "revoked.yaml"
    path.write_text("")
    provider = Provider(oidc_revoked_file=path)
    ann, bob, later = signed(), signed(sub="bob"), signed(iat=int((NOW + timedelta(seconds=20)).timestamp()))
    assert ["ann", "bob"] == [provider.caller(token).person for token in (ann, bob)]
    path.write_text(f"- {{person: ann, issued_before: {(NOW + timedelta(seconds=10)).isoformat()}}}\n")
    assert "the token of ann was revoked" == provider.rejected(ann).detail
    assert ["ann", "bob"] == [provider.caller(token).person for token in (later, bob)]
    path.write_text(f"- token_sha256: {token_hash(bob)}\n")
    assert "the token of bob was revoked" == provider.rejected(bob).detail
    assert "ann" == provider.caller(ann).person
    assert 2 == provider.refused("revoked")


@pytest.mark.parametrize("text", ["- {person: ann}", "{", "- ann", "[" * 3_000, "- 2026-02-30", None])
def test_where_nobody_can_say_who_is_locked_out_everybody_is(tmp_path: Path, text: str | None) -> None:
    """A file that is gone or malformed: not ready, and nobody is let in until it is mended."""
    path = tmp_path / "revoked.yaml"
    if text is not None:
        path.write_text(text)
    provider = Provider(oidc_revoked_file=path)
    assert Reason.TRY_AGAIN is provider.rejected(signed()).reason
    assert "does not say who is locked out" in str(asyncio.run(provider.tokens.check()))
    path.write_text("# nobody\n")
    assert "ann" == provider.caller(signed()).person
    assert asyncio.run(provider.tokens.check()) is None


def test_keys_are_read_once_for_many_tokens(provider: Provider) -> None:
    """Discovery and keys: two questions to the provider, however many ask."""

    async def many() -> None:
        await asyncio.gather(*[provider.tokens.caller_of(signed(sub=f"person {number}")) for number in range(20)])

    asyncio.run(many())
    assert [f"{ISSUER}/.well-known/openid-configuration", "https://id.example/keys"] == provider.asked


def test_a_new_key_is_found_and_a_withdrawn_one_lets_nobody_in(
    provider: Provider, ticking: Callable[[float], None]
) -> None:
    """A token of an unknown key has the keys read at once, though not for each such token; what is gone is gone."""
    old, new = signed(), ECKey.generate_key("P-256", {"kid": "new", "use": "sig"})
    provider.caller(old)
    provider.keys = [new]
    ticking(6)
    assert "ann" == provider.caller(signed(new)).person
    assert "the token is not known: the provider has no key 'ec'" == provider.rejected(old).detail
    assert 4 == len(provider.asked)


def test_made_up_keys_do_not_trouble_the_provider(provider: Provider, ticking: Callable[[float], None]) -> None:
    """Whoever sends tokens with made-up keys does not make the service ask for each."""
    provider.caller(signed())
    forged = [signed(ECKey.generate_key("P-256", {"kid": f"made up {number}"})) for number in range(20)]
    for token in forged:
        provider.rejected(token)
    assert 2 == len(provider.asked)


def test_while_the_provider_is_away_its_keys_hold_for_an_hour(
    provider: Provider, ticking: Callable[[float], None]
) -> None:
    """Then nobody is let in, and the service says why it is not ready; its age is a metric."""
    token = signed()
    assert "the OpenID provider" in str(asyncio.run(provider.tokens.check())) or provider.asked == []
    provider.caller(token)
    provider.away = True
    ticking(3600)
    assert "ann" == provider.caller(token).person
    assert asyncio.run(provider.tokens.check()) is None
    ticking(1)
    rejected = provider.rejected(token)
    assert (Reason.TRY_AGAIN, "the OpenID provider does not answer: OSError: nobody there") == (
        rejected.reason,
        rejected.detail,
    )
    assert f"the keys of {ISSUER} are not known: OSError: nobody there" == asyncio.run(provider.tokens.check())
    assert 3601 == provider.metrics.registry.get_sample_value("pitledger_identity_keys_age_seconds")


@pytest.mark.parametrize(
    "said",
    [
        {"issuer": "https://elsewhere.example", "jwks_uri": "https://id.example/keys"},
        {"issuer": ISSUER, "jwks_uri": "http://id.example/keys"},
        {"issuer": ISSUER, "jwks_uri": "http://127.0.0.1:1/keys"},
        {"issuer": ISSUER},
        [],
    ],
)
def test_a_provider_that_is_another_or_gives_its_keys_in_the_clear_is_not_believed(
    provider: Provider, said: Any
) -> None:
    """Whoever stands in between must not be able to put a key of its own there."""
    provider.said = said
    assert Reason.TRY_AGAIN is provider.rejected(signed()).reason


def test_short_and_shared_keys_prove_nothing(provider: Provider) -> None:
    """An RSA key below 2048 bits can be broken, a key to encrypt signs nothing; kinds of keys to come do no harm."""
    with pytest.warns(SecurityWarning):
        weak = RSAKey.generate_key(1024, {"kid": "weak"})
    encrypting = ECKey.generate_key("P-256", {"kid": "enc", "use": "enc"})
    provider.keys = [weak, encrypting, EC]
    provider.others = [{"kty": "AKP", "kid": "later"}, {"kty": "EC", "kid": "odd", "crv": "P-1", "x": "", "y": ""}]
    for token in (signed(weak, "RS256"), signed(ECKey.import_key(encrypting.as_dict(private=True) | {"use": "sig"}))):
        assert "has no key" in provider.rejected(token).detail
    assert "ann" == provider.caller(signed()).person


def test_an_issuer_without_tls_is_that_of_one_machine_alone() -> None:
    """The development issuer makes tokens for whoever asks: where anything is elsewhere, the service does not start."""
    here = {"oidc_issuer": "http://127.0.0.1:9400"}
    local = {"DATABASE_URL": "postgresql+psycopg://127.0.0.1/x", "KAFKA_BOOTSTRAP_SERVERS": "localhost:9092,[::1]:9093"}

    def made(**settings: Any) -> Tokens | None:
        return identities_of(Settings(**settings), clock=lambda: NOW, metrics=Metrics())

    assert made() is None
    assert made(**here, **local) is not None
    assert made(**here | local | {"DATABASE_URL": "postgresql+psycopg:///x?host=/run/postgres"}) is not None
    for named, settings in {
        "PITLEDGER_HTTP_HOST": {"http_host": "0.0.0.0"},
        "DATABASE_URL": {"DATABASE_URL": "postgresql+psycopg://db.example/x"},
        "KAFKA_BOOTSTRAP_SERVERS": {"KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9092,kafka.example:9092"},
    }.items():
        with pytest.raises(FatalServiceError, match=f"is for a stack on one machine alone, but {named} reach"):
            made(**here | local | settings)
    for issuer in ("http://id.example", "id.example", "ftp://id.example", "https://"):
        with pytest.raises(FatalServiceError, match="is no URL with https"):
            made(**local, oidc_issuer=issuer)


def test_a_provider_is_known_by_an_authority_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over TLS a document is read from whoever such an authority vouches for, and from nobody else."""
    authority, stranger = Authority(tmp_path), Authority(tmp_path, "stranger")
    with https(authority, lambda *_: b'{"keys": []}') as url:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert {"keys": []} == asyncio.run(keys_module.get_json(url))
        monkeypatch.setenv("SSL_CERT_FILE", str(stranger.file))
        with pytest.raises(httpx.ConnectError, match="certificate"):
            asyncio.run(keys_module.get_json(url))


def test_a_document_of_a_provider_with_a_member_twice_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where it says about itself, nor its keys: which of both counts is for nobody to choose."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    documents = [{"issuer": "https://id.example", "jwks_uri": "https://id.example/keys"}, {"keys": [{"kid": "a"}]}]
    for document in documents:
        for name, text in with_members_twice(document):
            with https(authority, lambda *_, text=text: text) as url, pytest.raises(MemberTwice, match=name):
                asyncio.run(keys_module.get_json(url))
