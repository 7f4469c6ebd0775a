"""Checkpoints: what a shard's Merkle tree was at a moment, signed, and kept outside the database.

A checkpoint is a C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint) in a C2SP signed note
(https://c2sp.org/signed-note) with Ed25519 signatures:

    pitledger/round-settlement/table.events-3
    1000
    OoY6SBC276wLU0SkyXZ5lUEQnvGkZ+hjFAdwNDuqzKs=

    — pitledger/round-settlement 60VzCtl1ldeSGkzzi9gXOIV3rg43ojQVzfNe7mWiiCOpdqqf…

Every shard is a log of its own, with the origin `pitledger/<service>/<shard name>`. A moment of a whole service is
therefore several notes, one per shard, and they are kept as one file each: a file that held all of them would be no
signed note, and no other tool could read it. One key serves a whole service: a key named `pitledger/<service>` speaks
for that origin and for those below it, and for no other.
"""

import base64
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol, Self
from urllib.parse import quote, unquote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.journal.merkle import EMPTY_ROOT, HASH_BYTES, EvidenceError

_ED25519 = b"\x01"
_KEY_ID_BYTES = 4
_SIGNATURE_PREFIX = "— "
_SIGNATURES_MAX = 100
_NOTE_CHARACTERS_MAX = 1_000_000
_SIZE_LIMIT = 2**63
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_FORBIDDEN = re.compile(r"[\x00-\x1f\ud800-\udfff]")
_FILE_NAME = re.compile(r"([0-9]{19})\.checkpoint")


class CheckpointError(EvidenceError):
    """A checkpoint, its signature or its key is malformed, does not hold, or contradicts an earlier checkpoint."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The root of the tree over the first `size` entries of the log `origin`.

    `extensions` are further lines that are signed along; the standard advises against them.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for line in (self.origin, *self.extensions):
            _check_characters(line)
            if not line:
                raise CheckpointError(f"checkpoint of {self.origin!r}: the origin or an extension is an empty line")
        if not 0 <= self.size < _SIZE_LIMIT:
            raise CheckpointError(f"checkpoint of {self.origin!r}: size {self.size} is not from 0 to {_SIZE_LIMIT - 1}")
        if len(self.root) != HASH_BYTES:
            raise CheckpointError(f"checkpoint of {self.origin!r}: root has {len(self.root)} bytes, not {HASH_BYTES}")
        if self.size == 0 and self.root != EMPTY_ROOT:
            raise CheckpointError(f"checkpoint of {self.origin!r}: root {self.root.hex()} is not that of an empty tree")

    def body(self) -> str:
        """Return the text that is signed: origin, size, root in base64 and the extensions, each on a line."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def from_body(cls, text: str) -> Self:
        """Return the checkpoint in the text of a note.

        Raises:
            CheckpointError: the text is not that of a checkpoint.
        """
        lines = text.split("\n")
        if len(lines) < 4 or lines.pop() != "":
            raise CheckpointError("checkpoint: needs the lines origin, size and root, each ended by a newline")
        origin, size, root, *extensions = lines
        if not _SIZE.fullmatch(size):
            raise CheckpointError(f"checkpoint of {origin!r}: size {size!r} is not a decimal without leading zeroes")
        return cls(origin, int(size), decode_base64(root, f"root of checkpoint {origin!r}"), tuple(extensions))


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key with its name: what an outsider needs to verify checkpoints."""

    name: str
    key: Ed25519PublicKey

    def __post_init__(self) -> None:
        _check_name(self.name)

    @property
    def key_id(self) -> bytes:
        """Return the first four bytes of SHA-256 over name, newline, algorithm and public key."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.key.public_bytes_raw()).digest()[:_KEY_ID_BYTES]

    def __str__(self) -> str:
        """Return the verifier key as handed out: `<name>+<key id in hex>+<base64 of algorithm and public key>`."""
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(_ED25519 + self.key.public_bytes_raw()).decode()}"

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Return the verifier that `str()` wrote, or another tool that follows the standard.

        Raises:
            CheckpointError: malformed, another algorithm than Ed25519, or a key id that is not that of the key.
        """
        parts = text.strip().split("+", 2)  # base64 may hold a plus too
        if len(parts) != 3:
            raise CheckpointError(f"verifier key {text!r}: expected <name>+<key id>+<key>")
        name, key_id, encoded = parts
        key = decode_base64(encoded, f"verifier key {name!r}")
        if key[:1] != _ED25519 or len(key) != 33:
            raise CheckpointError(f"verifier key {name!r}: not an Ed25519 key (algorithm 1 and 32 bytes)")
        verifier = cls(name, Ed25519PublicKey.from_public_bytes(key[1:]))
        if verifier.key_id.hex() != key_id:
            raise CheckpointError(f"verifier key {name!r}: key id {key_id!r} is not that of the key; ask for it again")
        return verifier


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key with its name. It signs checkpoints of the origin of that name and of those below it."""

    name: str
    key: Ed25519PrivateKey = field(repr=False)

    def __post_init__(self) -> None:
        _check_name(self.name)

    @property
    def verifier(self) -> Verifier:
        """Return the public half."""
        return Verifier(self.name, self.key.public_key())

    @classmethod
    def generate(cls, name: str) -> Self:
        """Return a new key."""
        return cls(name, Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, path: Path, name: str) -> Self:
        """Return the key in an unencrypted PKCS #8 PEM file. The file does not hold the name.

        Raises:
            CheckpointError: the file does not hold an Ed25519 private key.
            OSError: the file cannot be read.
        """
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError) as error:
            raise CheckpointError(f"signing key {path}: not an unencrypted private key in PEM ({error})") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise CheckpointError(f"signing key {path}: {type(key).__name__} is not an Ed25519 key")
        return cls(name, key)

    def to_pem(self, path: Path) -> None:
        """Write the key as unencrypted PKCS #8 PEM that only its owner may read, and never over another file.

        Raises:
            FileExistsError: there is a file already.
        """
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)


def checkpoint_origin(service: str, shard_name: str) -> str:
    """Return the name of a shard's log in its checkpoints."""
    return f"pitledger/{service}/{shard_name}"


def sign(checkpoint: Checkpoint, *signers: Signer) -> str:
    """Return the signed note of a checkpoint, with one signature per signer (two while a key is being replaced).

    Raises:
        CheckpointError: no signer, or one whose name does not cover the origin.
    """
    if not signers:
        raise CheckpointError(f"checkpoint of {checkpoint.origin!r}: nobody to sign it")
    body = checkpoint.body()
    lines: list[str] = []
    for signer in signers:
        _check_covers([signer.name], checkpoint.origin)
        signature = signer.verifier.key_id + signer.key.sign(body.encode())
        lines.append(f"{_SIGNATURE_PREFIX}{signer.name} {base64.b64encode(signature).decode()}\n")
    return f"{body}\n{''.join(lines)}"


def open_note(note: str, verifiers: Iterable[Verifier]) -> Checkpoint:
    """Return the checkpoint in a signed note, after its signatures are verified.

    Signatures by unknown keys are ignored, as the standard says; those by known keys must all hold.

    Raises:
        CheckpointError: malformed, signed by no known key whose name covers the origin, or with a signature of a
            known key that does not hold.
    """
    text, names = open_signed_text(note, verifiers)
    checkpoint = Checkpoint.from_body(text)
    _check_covers(names, checkpoint.origin)
    return checkpoint


def read_unverified(note: str) -> Checkpoint:
    """Return the checkpoint in a signed note whose signatures are not looked at: to find a note, never to trust it."""
    return Checkpoint.from_body(_split(note)[0])


def open_signed_text(note: str, verifiers: Iterable[Verifier]) -> tuple[str, list[str]]:
    """Return the text of any signed note and the names of the known keys that signed it, at least one.

    Raises:
        CheckpointError: as `open_note`.
    """
    text, signatures = _split(note)
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    names: list[str] = []
    for name, signature in signatures:
        verifier = known.get((name, signature[:_KEY_ID_BYTES]))
        if verifier is None:
            continue
        try:
            verifier.key.verify(signature[_KEY_ID_BYTES:], text.encode())
        except InvalidSignature as error:
            raise CheckpointError(f"note: the signature of {name!r} does not match; the note was altered") from error
        names.append(name)
    if not names:
        raise CheckpointError(
            f"note: signed by {[name for name, _ in signatures]}, by none of the known keys "
            f"{[str(verifier) for verifier in known.values()]}; give the key of its signer"
        )
    return text, names


class CheckpointStore(Protocol):
    """Keeps signed checkpoints where whoever can alter the database cannot alter them."""

    def save(self, note: str) -> None:
        """Keep a signed checkpoint for good; refuses one that contradicts the latest of its origin."""

    def origins(self) -> list[str]:
        """Return the origins that have checkpoints, sorted."""

    def sizes(self, origin: str) -> list[int]:
        """Return the sizes of the checkpoints of an origin, ascending."""

    def load(self, origin: str, size: int) -> str:
        """Return the signed checkpoint of this origin and size."""

    def latest(self, origin: str) -> str | None:
        """Return the signed checkpoint with the greatest size, or None if there is none."""


@dataclass(frozen=True, slots=True)
class DirectoryStore:
    """Checkpoints as files in a directory, which stands on another machine's or at least another owner's disk.

    Each note is one file, `<origin, percent-encoded>/<size in 19 digits>.checkpoint`, exactly as it was signed. A file
    appears whole or not at all, survives a power failure once `save` returns, and is never written again. The file
    system must have hard links. The signatures are not verified here: `open_note` does that, with keys that its caller
    trusts.
    """

    path: Path

    def save(self, note: str) -> None:
        """Keep a signed checkpoint. One that says the same as the latest (size and root) changes nothing.

        Raises:
            CheckpointError: it is smaller than the latest of its origin, or as large with another root: somebody
                rewrote the log, or there are two of them.
            OSError: the file cannot be written.
        """
        checkpoint = read_unverified(note)
        if self._keeps(checkpoint):
            return
        target = self._file(checkpoint.origin, checkpoint.size)
        _make_directory(target.parent)
        written = _write_once(target, note.encode())
        _sync_directory(self.path)
        if not written:  # another process saved this size since we looked
            self._keeps(checkpoint)

    def origins(self) -> list[str]:
        """Return the origins that have checkpoints, sorted."""
        if not self.path.exists():
            return []
        names = (unquote(directory.name) for directory in self.path.iterdir() if directory.is_dir())
        return sorted(name for name in names if self.sizes(name))

    def sizes(self, origin: str) -> list[int]:
        """Return the sizes of the checkpoints of an origin, ascending."""
        directory = self._directory(origin)
        if not directory.exists():
            return []
        return sorted(int(match[1]) for file in directory.iterdir() if (match := _FILE_NAME.fullmatch(file.name)))

    def load(self, origin: str, size: int) -> str:
        """Return the signed checkpoint of this origin and size.

        Raises:
            CheckpointError: there is none, or the file holds another one.
        """
        file = self._file(origin, size)
        try:
            note = file.read_bytes().decode()
        except FileNotFoundError as error:
            raise CheckpointError(
                f"no checkpoint of {origin!r} at size {size}; there are {self.sizes(origin)}"
            ) from error
        except UnicodeDecodeError as error:
            raise CheckpointError(f"{file}: not a checkpoint; restore it from a copy") from error
        checkpoint = read_unverified(note)
        if (checkpoint.origin, checkpoint.size) != (origin, size):
            raise CheckpointError(
                f"{file}: holds the checkpoint of {checkpoint.origin!r} at size {checkpoint.size}; "
                "restore it from a copy"
            )
        return note

    def latest(self, origin: str) -> str | None:
        """Return the signed checkpoint with the greatest size, or None if there is none.

        Raises:
            CheckpointError: the file holds another one.
        """
        sizes = self.sizes(origin)
        return self.load(origin, sizes[-1]) if sizes else None

    def _directory(self, origin: str) -> Path:
        # A dot is left alone by quote(), and a name of dots would lead out of the store.
        return self.path / re.sub(r"^\.", "%2E", quote(origin, safe=""))

    def _file(self, origin: str, size: int) -> Path:
        return self._directory(origin) / f"{size:019d}.checkpoint"

    def _keeps(self, checkpoint: Checkpoint) -> bool:
        """Return whether the latest checkpoint says the same. Refuses one that contradicts the latest."""
        latest_note = self.latest(checkpoint.origin)
        if latest_note is None:
            return False
        latest = read_unverified(latest_note)
        if (checkpoint.size, checkpoint.root) == (latest.size, latest.root):
            return True
        if checkpoint.size <= latest.size:
            raise CheckpointError(
                f"checkpoint of {checkpoint.origin!r}: size {checkpoint.size} with root {checkpoint.root.hex()} "
                f"contradicts the latest in {self.path}, size {latest.size} with root {latest.root.hex()}; "
                "verify the shard against it"
            )
        return False


def decode_base64(text: str, what: str) -> bytes:
    """Return the bytes of standard base64, in its one canonical spelling.

    Raises:
        CheckpointError: the text is not that.
    """
    try:
        value = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise CheckpointError(f"{what}: {text!r} is not base64") from error
    if base64.b64encode(value).decode() != text:
        raise CheckpointError(f"{what}: {text!r} is not base64 in its canonical form")
    return value


def _split(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the text of a signed note, and the name and the bytes (key id and signature) of each signature."""
    if len(note) > _NOTE_CHARACTERS_MAX:
        raise CheckpointError(f"note: {len(note)} characters are more than {_NOTE_CHARACTERS_MAX}")
    for line in note.split("\n"):
        _check_characters(line)
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise CheckpointError("note: needs a text, an empty line, and signature lines that end with a newline")
    lines = signatures[:-1].split("\n")
    if len(lines) > _SIGNATURES_MAX:
        raise CheckpointError(f"note: {len(lines)} signatures are more than {_SIGNATURES_MAX}")
    return text + "\n", list(_read_signatures(lines))


def _read_signatures(lines: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for line in lines:
        name, _, encoded = line.removeprefix(_SIGNATURE_PREFIX).partition(" ")
        if not line.startswith(_SIGNATURE_PREFIX) or not encoded:
            raise CheckpointError(f"note: {line!r} is not a signature line (— <name> <base64>)")
        _check_name(name)
        signature = decode_base64(encoded, f"signature of {name!r}")
        if len(signature) <= _KEY_ID_BYTES:
            raise CheckpointError(f"note: the signature of {name!r} has only {len(signature)} bytes")
        yield name, signature


def _check_covers(names: list[str], origin: str) -> None:
    if not any(origin == name or origin.startswith(f"{name}/") for name in names):
        raise CheckpointError(f"checkpoint of {origin!r}: signed by {names}, which speaks for other origins")


def _check_name(name: str) -> None:
    _check_characters(name)
    if not name or "+" in name or any(character.isspace() for character in name):
        raise CheckpointError(f"key name {name!r}: must not be empty nor hold a space or a plus")


def _check_characters(line: str) -> None:
    if _FORBIDDEN.search(line):
        raise CheckpointError(f"{line!r} holds a control character or half a surrogate pair")


def _make_directory(path: Path) -> None:
    """Make a directory and those above it, so that they survive a power failure."""
    if path.is_dir():
        return
    _make_directory(path.parent)
    path.mkdir(exist_ok=True)
    _sync_directory(path.parent)


def _write_once(target: Path, content: bytes) -> bool:
    """Write a file that appears whole or not at all. Returns False, and leaves it alone, if it is there already."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".unfinished-")
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), 0o444)
            os.fsync(file.fileno())
        target.hardlink_to(unfinished)  # as a rename, which would write over a file that is there
    except FileExistsError:
        return False
    finally:
        unfinished.unlink()
        _sync_directory(target.parent)
    return True


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
