"""A witness of logs: it cosigns a checkpoint once a proof shows that the log only grew since the previous one.

It follows https://c2sp.org/tlog-witness. For each log it stores the latest checkpoint that it cosigned, durably and
before it returns the cosignature, so that it never signs two histories, even after a crash in between.
"""

import base64
import fcntl
import os
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Final

from shared.journal.checkpoint import Checkpoint, check_covers, open_note, read_unverified
from shared.journal.cosignature import cosignature
from shared.journal.merkle import HASH_BYTES, ProofError, verify_consistency
from shared.journal.signed_note import (
    CheckpointError,
    Signer,
    Verifier,
    decode_base64,
    signature_line,
    split_note,
)

PROOF_MAX: Final = 63
REQUEST_BYTES_MAX: Final = 64 * 1024
_HASH = re.compile(r"[0-9a-f]{64}")
_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class WitnessRequest:
    """A request to cosign a checkpoint, with the consistency proof from `old_size`."""

    old_size: int
    proof: Sequence[bytes]
    note: str

    def __str__(self) -> str:
        """Return the body of the request."""
        proof = "".join(f"{base64.b64encode(node).decode()}\n" for node in self.proof)
        return f"old {self.old_size}\n{proof}\n{self.note}"

    @classmethod
    def from_body(cls, body: str) -> "WitnessRequest":
        """Parse a request from an HTTP body. Raises: CheckpointError if it is malformed."""
        head, separator, note = body.partition("\n\n")
        first, *lines = head.split("\n")
        old = _OLD.fullmatch(first)
        if not separator or old is None:
            raise CheckpointError("request: needs the line `old <size>`, proof lines, an empty line and a checkpoint")
        if len(lines) > PROOF_MAX:
            raise CheckpointError(f"request: {len(lines)} lines of proof are more than {PROOF_MAX}")
        proof = [decode_base64(line, "request: proof") for line in lines]
        if any(len(node) != HASH_BYTES for node in proof):
            raise CheckpointError(f"request: each line of the proof is a hash of {HASH_BYTES} bytes")
        return cls(int(old[1]), proof, note)


class WitnessRefusal(Exception):
    """The witness refuses to cosign; `status` is the HTTP status of its response."""

    status = 400


class UnknownLog(WitnessRefusal):
    """The witness has no key for a log of this origin."""

    status = 404


class NotSigned(WitnessRefusal):
    """No trusted key of the log signed the checkpoint, or one of its signatures is invalid."""

    status = 403


class Inconsistent(WitnessRefusal):
    """The checkpoint does not extend the checkpoint that was cosigned last."""

    status = 422


class OtherSize(WitnessRefusal):
    """The request's old size is not the size of the checkpoint that was cosigned last."""

    status = 409

    def __init__(self, size: int) -> None:
        super().__init__(str(size))
        self.size = size


@dataclass(slots=True)
class State(AbstractContextManager["State"]):
    """The latest cosigned checkpoint of each log: one file per log, in a directory that one process locks.

    Entering raises CheckpointError if the directory does not exist, or if another process has locked it.
    """

    path: Path
    _lock: int = -1

    def __enter__(self) -> "State":
        """Lock the directory."""
        try:
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise CheckpointError(
                f"state {self.path}: {error.strerror}; a witness without what it knew begins with a new key"
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise CheckpointError(f"state {self.path}: another witness works with it") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Release the lock of the directory."""
        os.close(self._lock)

    def latest(self, origin: str) -> str | None:
        """Return the cosigned note of a log, or None."""
        return self.by_hash(sha256(origin.encode()).hexdigest())

    def by_hash(self, origin_hash: str) -> str | None:
        """Return the cosigned note of the log whose origin has this SHA-256 (in hex), or None if there is none."""
        if not _HASH.fullmatch(origin_hash):
            return None
        try:
            return (self.path / f"{origin_hash}.checkpoint").read_bytes().decode()
        except FileNotFoundError:
            return None

    def replace(self, origin: str, note: str) -> None:
        """Replace the cosigned note of a log durably, so that it survives a power failure."""
        target = self.path / f"{sha256(origin.encode()).hexdigest()}.checkpoint"
        descriptor, name = tempfile.mkstemp(dir=self.path, prefix=".unfinished-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(note.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
        os.fsync(self._lock)


@dataclass(slots=True)
class Witness:
    """A witness: its signing key, the trusted keys of logs, and its state."""

    signer: Signer
    logs: Sequence[Verifier]
    state: State
    clock: Callable[[], int]
    """Returns the current time in seconds since 1970."""
    _turn: threading.Lock = field(default_factory=threading.Lock)
    """Serializes reading and replacing the state."""

    def add(self, request: WitnessRequest) -> str:
        """Update the state and return the cosignature line of a checkpoint. Raises: WitnessRefusal."""
        checkpoint = self._opened(request.note)
        if request.old_size > checkpoint.size:
            raise WitnessRefusal(
                f"old size {request.old_size} is greater than that of the checkpoint, {checkpoint.size}"
            )
        with self._turn:
            note = self.state.latest(checkpoint.origin)
            known = None if note is None else read_unverified(note)
            self._require_growth(request, checkpoint, known)
            line = cosignature(checkpoint.body(), self.signer, self.clock())
            self.state.replace(checkpoint.origin, self._kept(request.note, checkpoint) + line)
            return line

    def _opened(self, note: str) -> Checkpoint:
        try:
            claimed = read_unverified(note)
        except CheckpointError as error:
            raise WitnessRefusal(str(error)) from error
        trusted = [log for log in self.logs if _covers(log, claimed.origin)]
        if not trusted:
            raise UnknownLog(f"no log {claimed.origin!r} is known here")
        try:
            return open_note(note, trusted)
        except CheckpointError as error:
            raise NotSigned(str(error)) from error

    def _require_growth(self, request: WitnessRequest, checkpoint: Checkpoint, known: Checkpoint | None) -> None:
        size = 0 if known is None else known.size
        if request.old_size != size:
            raise OtherSize(size)
        root = checkpoint.root if known is None else known.root
        try:
            if size:
                verify_consistency(size, root, checkpoint.size, checkpoint.root, request.proof)
            elif request.proof:
                raise ProofError("from size 0 there is nothing to prove")
        except ProofError as error:
            raise Inconsistent(str(error)) from error

    def _kept(self, note: str, checkpoint: Checkpoint) -> str:
        """Return the note with only the signatures by the log's trusted keys, because no others were verified."""
        names = {(log.name, log.key_id) for log in self.logs if _covers(log, checkpoint.origin)}
        body, signatures = split_note(note)
        lines = [signature_line(name, each) for name, each in signatures if (name, each[:4]) in names]
        return f"{body}\n{''.join(lines)}"


def _covers(log: Verifier, origin: str) -> bool:
    try:
        check_covers([log.name], origin)
    except CheckpointError:
        return False
    return True
