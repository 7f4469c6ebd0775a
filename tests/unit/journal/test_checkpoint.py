"""Signed checkpoints and their keys, against published bytes and against tampering."""

from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.journal.checkpoint import Checkpoint, open_note, sign
from shared.journal.merkle import EMPTY_ROOT
from shared.journal.signed_note import CheckpointError, Signer, Verifier, open_signed_text
from tests.support.checkpoints import NAME, ORIGIN, SIGNER, SUMDB, checkpoint_of, note_of

NEUMANN_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NEUMANN_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
NEUMANN_NOTE = NEUMANN_TEXT + (
    "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


class TestNotes:
    """The signed note: what it is byte by byte, and that no altered one is believed."""

    def test_published_note_is_verified(self) -> None:
        """The example note of Go's sumdb/note package opens with its published key."""
        text, names = open_signed_text(NEUMANN_NOTE, [Verifier.from_string(NEUMANN_KEY)])
        assert text == NEUMANN_TEXT
        assert names == ["PeterNeumann"]

    @pytest.mark.parametrize("at", range(len(NEUMANN_TEXT) - 1))
    def test_published_note_with_any_character_altered_is_refused(self, at: int) -> None:
        """No character of the text can be changed without the signature showing it."""
        altered = NEUMANN_NOTE[:at] + "#" + NEUMANN_NOTE[at + 1 :]
        with pytest.raises(CheckpointError, match="signature of 'PeterNeumann' does not match; the note was altered"):
            open_signed_text(altered, [Verifier.from_string(NEUMANN_KEY)])

    def test_checkpoint_has_the_bytes_of_the_go_implementation(self) -> None:
        """A note that we sign is byte for byte the one that golang.org/x/mod/sumdb/note signs with the same key."""
        assert SUMDB["verifier"] == str(SIGNER.verifier)
        assert SUMDB["checkpoint"] == note_of(1000)

    def test_checkpoint_with_an_extension_has_the_bytes_of_the_go_implementation(self) -> None:
        """Extension lines stand after the root and are signed along."""
        extended = Checkpoint(ORIGIN, 1000, checkpoint_of(1000).root, ("gaming-day 2026-11-20",))
        assert SUMDB["checkpoint_with_extension"] == sign(extended, SIGNER)
        assert extended == open_note(SUMDB["checkpoint_with_extension"], [SIGNER.verifier])

    @pytest.mark.parametrize("size", [0, 1, 7, 1000])
    def test_signed_checkpoint_opens_to_the_same_checkpoint(self, size: int) -> None:
        """What was signed is what is read, from an empty shard on, with the key as it was handed out."""
        verifier = Verifier.from_string(str(SIGNER.verifier))
        assert checkpoint_of(size) == open_note(note_of(size), [verifier])

    def test_unknown_signatures_are_ignored_beside_a_known_one(self) -> None:
        """While a key is replaced, a checkpoint has both signatures and either key opens it."""
        successor = Signer.generate(NAME)
        note = sign(checkpoint_of(7), SIGNER, successor)
        assert checkpoint_of(7) == open_note(note, [SIGNER.verifier])
        assert checkpoint_of(7) == open_note(note, [successor.verifier])
        assert checkpoint_of(7) == open_note(note, [SIGNER.verifier, successor.verifier])

    def test_one_broken_signature_of_a_known_key_refuses_the_note(self) -> None:
        """A good signature does not cover for a bad one."""
        successor = Signer.generate(NAME)
        good, other = sign(checkpoint_of(7), SIGNER), sign(checkpoint_of(8), successor)
        note = good + other.rpartition("\n\n")[2]
        assert checkpoint_of(7) == open_note(note, [SIGNER.verifier])
        with pytest.raises(CheckpointError, match="does not match; the note was altered"):
            open_note(note, [SIGNER.verifier, successor.verifier])

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("table.events-3\n", "table.events-4\n"),
            ("\n1000\n", "\n1001\n"),
            ("\nOoY6", "\nPoY6"),
            ("\n\n—", "\nadded\n\n—"),
        ],
        ids=["origin", "size", "root", "extension"],
    )
    def test_altered_checkpoint_is_refused(self, old: str, new: str) -> None:
        """Origin, size, root and extensions are all under the signature."""
        note = note_of(1000)
        assert note.count(old) == 1
        with pytest.raises(CheckpointError, match="does not match; the note was altered"):
            open_note(note.replace(old, new), [SIGNER.verifier])

    def test_unknown_key_is_refused(self) -> None:
        """A note signed by somebody else says nothing, also if the key has the same name."""
        with pytest.raises(CheckpointError, match="by none of the known keys"):
            open_note(note_of(7), [Signer.generate(NAME).verifier])
        with pytest.raises(CheckpointError, match="by none of the known keys"):
            open_note(note_of(7), [])

    def test_a_key_speaks_for_the_origins_below_its_name_only(self) -> None:
        """The key of one service cannot vouch for the shards of another, not even where the names begin alike."""
        house = Signer("pitledger", SIGNER.key)
        assert checkpoint_of(7) == open_note(sign(checkpoint_of(7), house), [house.verifier])
        for name in ("pitledger/reporting", "pitledger/round-settle", f"{ORIGIN}/deeper"):
            stranger = Signer(name, SIGNER.key)
            with pytest.raises(CheckpointError, match="which speaks for other origins"):
                sign(checkpoint_of(7), stranger)
            signature = stranger.key.sign(checkpoint_of(7).body().encode())
            note = note_of(7).rpartition("\n\n")[0] + "\n\n" + _signature_line(stranger, signature)
            with pytest.raises(CheckpointError, match="which speaks for other origins"):
                open_note(note, [stranger.verifier])

    def test_nobody_to_sign_is_refused(self) -> None:
        """A note without a signature would be no note."""
        with pytest.raises(CheckpointError, match="nobody to sign it"):
            sign(checkpoint_of(7))

    @pytest.mark.parametrize(
        ("note", "message"),
        [
            ("", "needs a text, an empty line, and signature lines"),
            (NEUMANN_TEXT, "needs a text, an empty line, and signature lines"),
            (NEUMANN_NOTE[:-1], "signature lines that end with a newline"),
            (NEUMANN_TEXT + "\n", "signature lines that end with a newline"),
            (NEUMANN_NOTE.replace("— ", "- "), "is not a signature line"),
            (NEUMANN_NOTE.replace("PeterNeumann ", ""), "is not a signature line"),
            (NEUMANN_NOTE.replace("PeterNeumann", "Peter+Neumann"), "must not be empty nor hold a space or a plus"),
            (NEUMANN_NOTE.replace("PeterNeumann", ""), "must not be empty nor hold a space or a plus"),
            (NEUMANN_NOTE.replace("AM=\n", "AN=\n"), "is not base64 in its canonical form"),
            (NEUMANN_NOTE.replace("AM=\n", "AM\n"), "is not base64"),
            (NEUMANN_TEXT + "\n— PeterNeumann x08gow==\n", "has only 4 bytes"),
            (NEUMANN_NOTE.replace("think", "th\tnk"), "holds a control character"),
            (NEUMANN_NOTE.replace("think", "th\rnk"), "holds a control character"),
            (NEUMANN_NOTE.replace("think", "th\ud800nk"), "half a surrogate pair"),
            (NEUMANN_NOTE + NEUMANN_NOTE.rpartition("\n\n")[2] * 100, "101 signatures are more than 100"),
            ("x" * 1_000_001, "1000001 characters are more than 1000000"),
        ],
    )
    def test_malformed_note_is_refused(self, note: str, message: str) -> None:
        """Whatever is not a signed note is refused with what is wrong with it."""
        with pytest.raises(CheckpointError, match=message):
            open_signed_text(note, [Verifier.from_string(NEUMANN_KEY)])

    def test_signed_text_that_is_no_checkpoint_is_refused(self) -> None:
        """A signature makes a note, not a checkpoint."""
        with pytest.raises(CheckpointError, match="needs the lines origin, size and root"):
            open_note(NEUMANN_NOTE, [Verifier.from_string(NEUMANN_KEY)])


class TestCheckpoints:
    """The text of a checkpoint."""

    def test_body_has_golden_bytes(self) -> None:
        """Origin, size and root, each on a line."""
        expected = "pitledger/round-settlement/table.events-3\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
        assert expected == Checkpoint(ORIGIN, 0, EMPTY_ROOT).body()

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("origin\n1\n", "needs the lines origin, size and root"),
            ("origin\n1\n" + "A" * 43 + "=", "needs the lines origin, size and root"),
            ("\n1\n" + "A" * 43 + "=\n", "an empty line"),
            ("origin\n01\n" + "A" * 43 + "=\n", "size '01' is not a decimal without leading zeroes"),
            ("origin\n-1\n" + "A" * 43 + "=\n", "size '-1' is not a decimal"),
            ("origin\n١\n" + "A" * 43 + "=\n", "is not a decimal"),
            ("origin\n9223372036854775808\n" + "A" * 43 + "=\n", "is not from 0 to 9223372036854775807"),
            ("origin\n1\nAAAA\n", "root has 3 bytes, not 32"),
            ("origin\n1\n" + "A" * 42 + "B=\n", "is not base64 in its canonical form"),
            ("origin\n1\n!\n", "is not base64"),
            ("origin\n0\n" + "A" * 43 + "=\n", "is not that of an empty tree"),
            ("origin\n1\n" + "A" * 43 + "=\n\n", "an empty line"),
        ],
    )
    def test_malformed_text_is_refused(self, body: str, message: str) -> None:
        """A text with one thing wrong is refused with that thing."""
        with pytest.raises(CheckpointError, match=message):
            Checkpoint.from_body(body)

    def test_line_breaks_cannot_be_smuggled_into_a_line(self) -> None:
        """An origin or an extension stays one line."""
        with pytest.raises(CheckpointError, match="holds a control character"):
            Checkpoint("origin\n5", 0, EMPTY_ROOT)
        with pytest.raises(CheckpointError, match="holds a control character"):
            Checkpoint("origin", 0, EMPTY_ROOT, ("one\ntwo",))


class TestKeys:
    """Keys as strings and files."""

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("PeterNeumann", "expected <name>[+]<key id>[+]<key>"),
            (NEUMANN_KEY.replace("c74f20a3", "c74f20a4"), "key id 'c74f20a4' is not that of the key"),
            (NEUMANN_KEY.replace("PeterN", "PaterN"), "key id 'c74f20a3' is not that of the key"),
            (NEUMANN_KEY.replace("+ARpc", "+BRpc"), "not an Ed25519 key"),
            (NEUMANN_KEY[:-4], "not an Ed25519 key"),
            (NEUMANN_KEY[:-1], "is not base64"),
            (NEUMANN_KEY.replace("Peter", "Peter "), "must not be empty nor hold a space or a plus"),
            (NEUMANN_KEY.replace("PeterNeumann", ""), "must not be empty nor hold a space or a plus"),
        ],
    )
    def test_malformed_verifier_key_is_refused(self, text: str, message: str) -> None:
        """A key with a slip of the pen is refused before anything is verified with it."""
        with pytest.raises(CheckpointError, match=message):
            Verifier.from_string(text)

    def test_key_with_a_plus_in_its_base64_is_read(self) -> None:
        """The plus separates the parts and is a digit of base64 as well."""
        keys = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in range(256))
        verifier = next(each for key in keys if (each := Signer(NAME, key).verifier) and str(each).count("+") > 2)
        assert verifier == Verifier.from_string(str(verifier))

    def test_signing_key_survives_its_file_and_only_its_owner_may_read_it(self, tmp_path: Path) -> None:
        """A key that was written signs the same notes after it is read, and its file is private."""
        path = tmp_path / "signing-key.pem"
        SIGNER.to_pem(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert note_of(7) == sign(checkpoint_of(7), Signer.from_pem(path, NAME))

    def test_signing_key_is_never_written_over_another(self, tmp_path: Path) -> None:
        """A key that has signed checkpoints cannot be lost by a second `to_pem`."""
        path = tmp_path / "signing-key.pem"
        SIGNER.to_pem(path)
        with pytest.raises(FileExistsError):
            Signer.generate(NAME).to_pem(path)
        assert SIGNER.verifier == Signer.from_pem(path, NAME).verifier

    def test_file_without_an_ed25519_key_is_refused(self, tmp_path: Path) -> None:
        """A file that holds something else is named, with what it holds."""
        path = tmp_path / "signing-key.pem"
        path.write_text("no key\n")
        with pytest.raises(CheckpointError, match=r"signing-key\.pem: not an unencrypted private key in PEM"):
            Signer.from_pem(path, NAME)
        path.write_bytes(
            generate_private_key(SECP256R1()).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        with pytest.raises(CheckpointError, match="is not an Ed25519 key"):
            Signer.from_pem(path, NAME)

    def test_signing_key_with_a_passphrase_is_refused(self, tmp_path: Path) -> None:
        """An encrypted key is refused with a reason instead of a traceback of another library."""
        path = tmp_path / "signing-key.pem"
        path.write_bytes(
            SIGNER.key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.BestAvailableEncryption(b"passphrase"),
            )
        )
        with pytest.raises(CheckpointError, match="not an unencrypted private key"):
            Signer.from_pem(path, NAME)

    def test_signer_does_not_show_its_key(self) -> None:
        """A signer that ends up in a log does not take its key there."""
        assert f"Signer(name='{NAME}')" == repr(SIGNER)


def _signature_line(signer: Signer, signature: bytes) -> str:
    """A signature line as an attacker would write it, without the checks of `sign`."""
    return f"— {signer.name} {b64encode(signer.verifier.key_id + signature).decode()}\n"
