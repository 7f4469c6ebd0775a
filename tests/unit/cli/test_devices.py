"""`pitledger devices key`: a key pair, and what is registered of it."""

import stat
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from shared.contracts.devices import DeviceKey
from shared.journal.signed_note import Signer
from tests.support.devices import TERMINAL, key_of, registered
from tests.unit.cli.calling import Caller


def pem(path: Path, public: serialization.PublicFormat = serialization.PublicFormat.SubjectPublicKeyInfo) -> Path:
    """The public key of the terminal, as it was brought here."""
    path.write_bytes(key_of(TERMINAL).public_key().public_bytes(serialization.Encoding.PEM, public))
    return path


def test_a_key_is_made_once_and_registered(pitledger: Caller, tmp_path: Path) -> None:
    """Its file is its owner's; the second time it is the same key."""
    file = tmp_path / "gateway.pem"
    words = ("devices", "key", "--private-key", str(file), "--kid", "gateway", "--valid-from", "2026-11-22T00:00:00Z")
    first = pitledger(*words, "--json")
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert "whoever has it speaks for the tables" in first.stderr
    [document] = first.documents
    assert document == DeviceKey.model_validate(document).model_dump(mode="json", exclude_none=True)
    again = pitledger(*words, "--valid-until", "2027-11-22T00:00:00Z")
    [listed] = yaml.safe_load(again.stdout)
    assert document | {"valid_until": "2027-11-22T00:00:00Z"} == listed
    assert "made" not in again.stderr
    assert Signer.from_pem(file, "gateway").key.public_key().public_bytes_raw()


def test_a_device_keeps_its_own_key(pitledger: Caller, tmp_path: Path) -> None:
    """Only the public half comes here; without a name it has its thumbprint, which RFC 8037 says for one."""
    [document] = pitledger("devices", "key", "--public-key", str(pem(tmp_path / "k")), "--json").documents
    assert registered()["public_key"] == document["public_key"]
    assert 43 == len(document["kid"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--private-key or --public-key: give one of them"),
        (("--private-key", "a", "--public-key", "b"), "give one of them"),
        (("--public-key", "{}/none"), "No such file"),
        (("--public-key", "{}/ec"), "is not an Ed25519 key"),
        (("--private-key", "{}/device"), "--private-key"),
        (("--public-key", "{}/device", "--kid", "two words"), "kid: String should match"),
        (("--public-key", "{}/device", "--valid-from", "yesterday"), "--valid-from 'yesterday'"),
        (("--public-key", "{}/device", "--valid-until", "2020-01-01T00:00:00Z"), "not after it begins"),
    ],
)
def test_what_is_wrong_is_named(pitledger: Caller, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """With exit code 2, in one line."""
    pem(tmp_path / "device")
    (tmp_path / "ec").write_bytes(
        generate_private_key(SECP256R1())
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    called = pitledger("devices", "key", *(word.format(tmp_path) for word in words))
    assert 2 == called.code
    assert said in called.stderr
