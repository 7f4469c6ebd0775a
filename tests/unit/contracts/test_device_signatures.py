"""Detached signatures of devices: by the RFCs' own figures, by signers that are not ours, and against every forgery."""

import hmac
import json
from base64 import urlsafe_b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import OctKey, OKPKey
from joserfc.registry import HeaderParameter

from shared.contracts.device_signatures import (
    BadSignature,
    DeviceSignature,
    encoded_key,
    sign,
    signing_input,
    thumbprint,
)
from shared.contracts.devices import DeviceKey
from tests.support.devices import TERMINAL, base64url, key_of, registered, signed

VALUE = b'{"source": "/properties/riverside/tables/BJ-01", "sequence": 1}'
PUBLIC = registered()["public_key"]
TOPIC = "table.events"
REGISTRY = jws.JWSRegistry(
    header_registry={"topic": HeaderParameter("the Kafka topic", "str")}, algorithms=["Ed25519", "EdDSA", "HS256"]
)


def read(header: bytes, value: bytes = VALUE, public: str = PUBLIC) -> DeviceSignature:
    """A signature that was verified."""
    found = DeviceSignature.read(header)
    found.require(public, value)
    return found


def bytes_of(text: str) -> bytes:
    """Bytes that an RFC shows in base64url."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_key_and_its_signature_are_those_of_rfc_8037() -> None:
    """Appendix A.2 and A.4: what is registered is the `x` of the JWK, and Ed25519 gives the same bytes each time."""
    key = Ed25519PrivateKey.from_private_bytes(bytes_of("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
    assert "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" == encoded_key(key.public_key())
    message = signing_input(b"eyJhbGciOiJFZERTQSJ9", b"RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc")
    expected = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    assert expected == base64url(key.sign(message))


def test_what_is_signed_is_what_rfc_7797_says() -> None:
    """Section 4.2: the payload goes in as it is, dots and dollars included."""
    key = bytes_of("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
    protected = b"eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19"
    made = hmac.digest(key, signing_input(protected, b"$.02"), "sha256")
    assert "A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY" == base64url(made)


@pytest.mark.parametrize("name", ["Ed25519", "EdDSA"])
@pytest.mark.filterwarnings("ignore:EdDSA is deprecated via RFC 9864")
def test_another_library_signs_for_us_and_verifies_what_we_sign(name: str) -> None:
    """`joserfc` knows nothing of us."""
    key = OKPKey.import_key(
        {"kty": "OKP", "crv": "Ed25519", "x": PUBLIC, "d": base64url(key_of(TERMINAL).private_bytes_raw())}
    )
    header = {"alg": name, "b64": False, "crit": ["b64"], "kid": TERMINAL, "topic": TOPIC}
    theirs = jws.detach_content(jws.serialize_compact(header, "ascii", key, registry=REGISTRY))
    assert (TERMINAL, TOPIC) == ((found := read(theirs.encode(), b"ascii")).kid, found.topic)
    ours = sign(key_of(TERMINAL), TERMINAL, TOPIC, VALUE)
    assert VALUE == jws.deserialize_compact(ours, key, payload=VALUE, registry=REGISTRY).payload
    assert read(ours).kid == TERMINAL


@pytest.mark.parametrize("name", ["EdDSA", "Ed25519"])
@pytest.mark.parametrize("critical", [["b64"], ["b64", "topic"], ["topic", "b64"]])
def test_what_is_right_is_read(name: str, critical: list[str]) -> None:
    """Under both names of the algorithm, and with `topic` said to be critical or not."""
    assert TOPIC == read(signed(VALUE, alg=name, crit=critical)).topic


def test_no_byte_of_it_may_be_another() -> None:
    """Each bit of header, signature and value, one at a time."""
    header = signed(VALUE)
    for place in range(len(header)):
        for bit in range(8):
            changed = bytearray(header)
            changed[place] ^= 1 << bit
            with pytest.raises(BadSignature):
                assert (TERMINAL, TOPIC) != (read(bytes(changed)).kid, TOPIC)
    for place in range(len(VALUE)):
        changed = bytearray(VALUE)
        changed[place] ^= 1
        with pytest.raises(BadSignature, match="is of something else"):
            read(header, bytes(changed))


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"alg": "none"}, "'alg' is 'none'"),
        ({"alg": "HS256"}, "'alg' is 'HS256'"),
        ({"alg": "ES256"}, "'alg' is 'ES256'"),
        ({"alg": "eddsa"}, "'alg' is 'eddsa'"),
        ({"alg": ["EdDSA"]}, "'alg' is"),
        ({"alg": None}, "must have"),
        ({"b64": None}, "must have"),
        ({"b64": True}, "'b64' must be false"),
        ({"b64": 0}, "'b64' must be false"),
        ({"crit": None}, "must have"),
        ({"crit": []}, "'crit' must list it"),
        ({"crit": ["topic"]}, "'crit' must list it"),
        ({"crit": ["b64", "exp"]}, "'crit' must list it"),
        ({"crit": ["b64", "b64"]}, "'crit' must list it"),
        ({"crit": "b64"}, "'crit' must list it"),
        ({"kid": None}, "must have"),
        ({"kid": 7}, "must be texts"),
        ({"topic": None}, "must have"),
        ({"topic": ["table.events"]}, "must be texts"),
        ({"jwk": {"kty": "OKP", "crv": "Ed25519", "x": PUBLIC}}, "and nothing else"),
        ({"exp": 1}, "and nothing else"),
    ],
)
def test_a_header_is_as_it_must_be(members: dict[str, Any], said: str) -> None:
    """Though the signature is good: no other algorithm, no key that it brings along, nothing critical unknown."""
    with pytest.raises(BadSignature, match=said.replace("[", r"\[")):
        read(signed(VALUE, **{"kid": TERMINAL, "key": TERMINAL} | members))


def test_a_public_key_is_no_secret_to_sign_with() -> None:
    """HS256 with the public key, as if that were a shared secret (RFC 8725, section 2.1)."""
    header = {"alg": "HS256", "b64": False, "crit": ["b64"], "kid": TERMINAL, "topic": TOPIC}
    forged = jws.serialize_compact(header, "ascii", OctKey.import_key(bytes_of(PUBLIC)), registry=REGISTRY)
    with pytest.raises(BadSignature, match="'alg' is 'HS256'"):
        read(jws.detach_content(forged).encode(), b"ascii")


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"..",
        b"a.b",
        signed(VALUE).replace(b"..", b"."),
        signed(VALUE).replace(b"..", b".e30."),
        signed(VALUE) + b".",
        signed(VALUE) + b"=",
        signed(VALUE)[:-1],
        signed(VALUE).rpartition(b".")[0] + b".",
        base64url(b'{"alg": "EdDSA", "alg": "none"}').encode() + b"..AA",
        base64url(b"[" * 1000).encode() + b"..AA",
        base64url(b"7").encode() + b"..AA",
        b"\xff" * 40 + b".." + b"\xff" * 86,
        b"A" * 3000 + b"..AA",
    ],
    ids=range(14),
)
def test_what_is_no_detached_signature_is_none(forged: bytes) -> None:
    """Whatever its form is."""
    with pytest.raises(BadSignature):
        read(forged)


@given(st.binary(max_size=300), st.binary(max_size=100))
def test_nothing_else_is_ever_raised(header: bytes, value: bytes) -> None:
    """What anybody may send, anybody may send."""
    with pytest.raises(BadSignature):
        read(header, value)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_signature_is_of_one_value(value: bytes, other: bytes) -> None:
    """Of the same bytes only."""
    header = sign(key_of(TERMINAL), TERMINAL, TOPIC, value)
    read(header, value)
    if value != other:
        with pytest.raises(BadSignature):
            read(header, other)


def test_a_member_that_is_there_twice_is_refused() -> None:
    """Readers take one or the other, so it says nothing."""
    members = '{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"other","topic":"table.events","kid":"BJ-01-terminal"}'
    protected = base64url(members.encode())
    header = f"{protected}..{base64url(key_of(TERMINAL).sign(f'{protected}.'.encode() + VALUE))}"
    assert json.loads(members)["kid"] == TERMINAL
    with pytest.raises(BadSignature, match="no JSON object"):
        read(header.encode())


@pytest.mark.parametrize("key", ["", "A" * 42, PUBLIC + "=", PUBLIC[:-1] + "B", PUBLIC + "A", "+" + PUBLIC[1:]])
def test_a_public_key_is_written_in_one_way(key: str) -> None:
    """Thirty-two bytes in base64url."""
    with pytest.raises(ValueError, match="public_key"):
        DeviceKey.model_validate(registered() | {"public_key": key})


FEW_POINTS = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)
"""Keys whose signatures say nothing, in every way of writing them (libsodium refuses the same)."""


@pytest.mark.parametrize("key", FEW_POINTS)
def test_a_key_that_proves_nothing_is_not_registered(key: str) -> None:
    """Of the first, anybody's zeros are a good signature of whatever there is."""
    first = bytes.fromhex(FEW_POINTS[0])
    Ed25519PublicKey.from_public_bytes(first).verify(first + bytes(32), VALUE)
    with pytest.raises(ValueError, match="no device has this key"):
        DeviceKey.model_validate(registered() | {"public_key": base64url(bytes.fromhex(key))})


def test_a_thumbprint_is_that_of_rfc_8037() -> None:
    """Appendix A.3."""
    key = Ed25519PrivateKey.from_private_bytes(bytes_of("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
    assert "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" == thumbprint(key.public_key())
