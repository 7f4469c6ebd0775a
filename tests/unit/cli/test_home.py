"""The directory of a stack on one machine: whose keys are in it."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from services.cli.operations.keys import keys
from services.cli.services import NAMES
from services.cli.stack.demo_users import WATCHER
from services.cli.stack.run_directory import Home
from shared.journal.signed_batch import BatchVerifier, Unsigned, sign_batch, signer_name
from shared.journal.signed_note import Signer, Verifier
from shared.local.issuer import DevelopmentIssuer

MESSAGE = b"what a service publishes"


def home(directory: Path) -> Home:
    """The directory as a start of the stack leaves it."""
    found = Home(directory, ExitStack())
    found.write_keys(NAMES)
    return found


def known(found: Home) -> BatchVerifier:
    """What every service of the stack verifies by."""
    return BatchVerifier([Verifier.from_string(line) for line in found.verifiers_file.read_text().splitlines()])


def signed(found: Home, service: str, as_service: str | None = None) -> bytes:
    """A message that a service signed with the key that its environment names; perhaps in the name of another."""
    key = Path(found.environment_of(service)["PITLEDGER_CHECKPOINT_KEY_FILE"])
    [proof] = sign_batch(Signer.from_pem(key, signer_name(as_service or service)), [MESSAGE])
    return proof


def test_no_service_signs_as_another(tmp_path: Path) -> None:
    """Each has a key of its own, which only the owner of the directory may read, and no other key is named to it."""
    found = home(tmp_path)
    assert "PITLEDGER_CHECKPOINT_KEY_FILE" not in found.environment
    assert {0o600} == {found.key_file(service).stat().st_mode & 0o777 for service in NAMES}
    for publisher in NAMES:
        known(found).require(signer_name(publisher), MESSAGE, signed(found, publisher))
        for other in set(NAMES) - {publisher}:
            with pytest.raises(Unsigned):
                known(found).require(signer_name(publisher), MESSAGE, signed(found, other, as_service=publisher))


def test_keys_are_made_for_a_deployment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first time for every service, then for those that have none; nobody else may read them."""
    keys(tmp_path / "keys")
    assert f"new keys: {', '.join(NAMES)}" in capsys.readouterr().err
    (tmp_path / "keys" / "vigorish.pem").unlink()
    keys(tmp_path / "keys")
    assert "new keys: vigorish;" in capsys.readouterr().err
    assert 0o700 == (tmp_path / "keys").stat().st_mode & 0o777


def test_a_key_is_replaced_and_what_it_signed_is_still_read(tmp_path: Path) -> None:
    """Take the file away: the next start makes another one. The keys of the others stay as they are."""
    found = home(tmp_path)
    before = {service: signed(found, service) for service in ("vigorish", "reporting")}
    found.key_file("vigorish").unlink()
    again = home(tmp_path)
    assert before["vigorish"] != signed(again, "vigorish")
    assert before["reporting"] == signed(again, "reporting")
    for proof in (before["vigorish"], signed(again, "vigorish")):
        known(again).require(signer_name("vigorish"), MESSAGE, proof)
    assert len(NAMES) + 1 == len(again.verifiers_file.read_text().splitlines())


def test_tokens_are_replaced_whole(tmp_path: Path) -> None:
    """That of Prometheus is alone in its file, which a reader finds whole, and another one after each renewal."""
    found = Home(tmp_path, ExitStack())
    with DevelopmentIssuer() as issuer:
        found.write_tokens(issuer, ["metrics.read", "reports.read"])
        with found.metrics_token_file.open() as opened:
            first = found.tokens[WATCHER]
            found.write_tokens(issuer, ["metrics.read", "reports.read"])
            assert first == opened.read(), "who began to read it reads it to its end"
    assert first != found.tokens[WATCHER] == found.metrics_token_file.read_text()
    assert 0o600 == found.metrics_token_file.stat().st_mode & 0o777
    assert [] == list(found.path.glob("*.new"))
