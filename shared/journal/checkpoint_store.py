"""Store signed checkpoints as files, out of reach of people who can alter the database.

For each log the store keeps the latest checkpoint, in a file that each save replaces, and the first checkpoint of every
tile of `TILE_ENTRIES` entries. Other checkpoints are not kept, because a later tree commits to all earlier entries.
"""

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from shared.journal.checkpoint import Checkpoint, read_unverified
from shared.journal.signed_note import CheckpointError, split_note

TILE_ENTRIES: Final = 65_536
"""The first checkpoint of every tile of this many entries is kept: 256 tiles of 256 leaves in C2SP tlog-tiles."""

_LATEST: Final = "checkpoint"
_COSIGNED: Final = "cosigned"
_FIRST: Final = re.compile(r"([0-9]{19})\.checkpoint")
_LOCK: Final = ".lock"
_UNFINISHED: Final = ".unfinished"


class StaleCheckpoint(CheckpointError):
    """A larger checkpoint of the origin is stored; the log must first be verified against the larger checkpoint."""


def tile_of(size: int) -> int:
    """Return the number, from 0, of the tile that a checkpoint of `size` entries belongs to.

    >>> tile_of(65_535), tile_of(65_536)
    (0, 1)
    """
    return size // TILE_ENTRIES


@dataclass(frozen=True, slots=True)
class DirectoryStore:
    """Checkpoints as files in a directory, on a disk of another machine or at least of another owner.

    Each origin has a directory with its percent-encoded name. In it `checkpoint` is the latest note, `cosigned/<name>`
    the latest note that a witness cosigned, and `<size in 19 digits>.checkpoint` the first of a tile. Files are written
    atomically, and survive a power failure once `save` has returned. Concurrent processes are serialized by a file lock
    (flock). Signatures are not verified here: `open_note` does that, with keys that its caller trusts.
    """

    path: Path

    def save(self, note: str) -> None:
        """Store a signed checkpoint as the latest. If it equals the latest, nothing changes.

        The first checkpoint of a tile is written before it becomes the latest, so a process killed in between leaves
        one extra file.

        Raises: CheckpointError if a stored checkpoint of the same size has another root, which means that the log was
        rewritten or that there are two logs, or if a stored file is malformed. StaleCheckpoint if the checkpoint is
        smaller than the latest: the log was rewritten, or another process of the service has signed a larger one in the
        meantime. OSError if the file cannot be written.
        """
        checkpoint = read_unverified(note)
        directory = self._directory(checkpoint.origin)
        _make_directory(directory)
        with _turn(directory):
            kept = self.latest(checkpoint.origin)
            latest = None if kept is None else read_unverified(kept)
            if latest is not None and self._says_the_same(checkpoint, latest):
                return
            if latest is None or tile_of(latest.size) != tile_of(checkpoint.size):
                self._keep_first(checkpoint, note)
            _replace(directory, directory / _LATEST, note)
            if latest is None:
                _sync_directory(self.path)

    def add_cosignatures(self, note: str, witness: str, lines: str) -> None:
        """Add a witness's cosignature lines to a checkpoint in all files that hold it. Raises: OSError.

        `note` is the checkpoint as submitted to the witness, including any other signature lines.
        """
        checkpoint = read_unverified(note)
        directory = self._directory(checkpoint.origin)
        of_witness = directory / _COSIGNED / _file_name(witness)
        _make_directory(of_witness.parent)
        note = _merged(note, f"{split_note(note)[0]}\n{lines}") if lines else note
        with _turn(directory):
            before = _read_if_there(of_witness, checkpoint.origin)
            there = [directory / _LATEST, self._file(checkpoint), *of_witness.parent.iterdir()]
            if before is None or read_unverified(before).size < checkpoint.size:
                _replace(directory, of_witness, note)
            for file in there:
                kept = _read_if_there(file, checkpoint.origin)
                if kept is not None and split_note(kept)[0] == split_note(note)[0]:
                    _replace(directory, file, _merged(kept, note))

    def copy(self, origin: str, other: "DirectoryStore", more: Sequence[str], *, up_to: int) -> None:
        """Copy an origin's checkpoints of at most `up_to` entries, and the notes in `more`, to another store.

        Raises: CheckpointError if a stored checkpoint is damaged, or if checkpoints contradict each other; OSError.
        """
        notes: dict[str, str] = {}
        for note in (*self._whole(origin), *more):
            if read_unverified(note).size <= up_to:
                text = split_note(note)[0]
                notes[text] = _merged(notes.get(text, note), note)
        for note in sorted(notes.values(), key=lambda note: read_unverified(note).size):
            other.save(note)
        cosigned = self._directory(origin) / _COSIGNED
        for file in cosigned.glob("*"):
            if read_unverified(note := _read(file, origin)).size <= up_to:
                other.add_cosignatures(note, unquote(file.name), "")

    def origins(self) -> list[str]:
        """Return the origins that have checkpoints, sorted."""
        if not self.path.exists():
            return []
        names = (unquote(directory.name) for directory in self.path.iterdir() if directory.is_dir())
        return sorted(name for name in names if self._has_any(name))

    def latest(self, origin: str) -> str | None:
        """Return the note of the latest checkpoint, or None, in constant time, however large the directory is.

        Raises: CheckpointError if the file holds a checkpoint of another origin, or no checkpoint.
        """
        note = _read_if_there(self._directory(origin) / _LATEST, origin)
        if note is not None:
            return note
        files = self._firsts(origin)  # the log is new, or its file `checkpoint` is gone
        return _read(files[-1], origin) if files else None

    def notes(self, origin: str) -> tuple[list[str], list[CheckpointError]]:
        """Return the notes of all stored checkpoints, smallest first, and an error for each damaged file."""
        found: dict[str, str] = {}
        wrong: list[CheckpointError] = []
        directory = self._directory(origin)
        for file in (*self._firsts(origin), *sorted((directory / _COSIGNED).glob("*")), directory / _LATEST):
            try:
                note = _read_if_there(file, origin)
            except CheckpointError as error:
                wrong.append(error)
            else:
                if note is not None:
                    text = split_note(note)[0]
                    found[text] = _merged(found.get(text, note), note)
        return sorted(found.values(), key=lambda note: read_unverified(note).size), wrong

    def sizes(self, origin: str) -> list[int]:
        """Return the sizes of an origin's checkpoints, ascending. Raises: CheckpointError if one is damaged."""
        return [read_unverified(note).size for note in self._whole(origin)]

    def load(self, origin: str, size: int) -> str:
        """Return the note of a checkpoint by size. Raises: CheckpointError if none is stored, or a file is damaged."""
        notes = {read_unverified(note).size: note for note in self._whole(origin)}
        if size not in notes:
            raise CheckpointError(f"no checkpoint of {origin!r} at size {size}; there are {sorted(notes)}")
        return notes[size]

    def _whole(self, origin: str) -> list[str]:
        notes, wrong = self.notes(origin)
        if wrong:
            raise wrong[0]
        return notes

    def _directory(self, origin: str) -> Path:
        return self.path / _file_name(origin)

    def _firsts(self, origin: str) -> list[Path]:
        """Return the files of the first checkpoint of each tile, by size."""
        directory = self._directory(origin)
        if not directory.exists():
            return []
        return sorted(file for file in directory.iterdir() if _FIRST.fullmatch(file.name))

    def _has_any(self, origin: str) -> bool:
        return (self._directory(origin) / _LATEST).exists() or bool(self._firsts(origin))

    def _file(self, checkpoint: Checkpoint) -> Path:
        return self._directory(checkpoint.origin) / f"{checkpoint.size:019d}.checkpoint"

    def _keep_first(self, checkpoint: Checkpoint, note: str) -> None:
        """Store the first checkpoint of a tile. Raises: CheckpointError if a different one of this size is stored."""
        file = self._file(checkpoint)
        there = _read_if_there(file, checkpoint.origin)
        if there is None:
            _replace(file.parent, file, note)
        elif (kept := read_unverified(there)).root != checkpoint.root:
            raise self._contradicts(checkpoint, kept)

    def _says_the_same(self, checkpoint: Checkpoint, latest: Checkpoint) -> bool:
        """Return whether a checkpoint equals the latest one; False if it is larger.

        Raises: StaleCheckpoint if it is smaller; CheckpointError if it has the same size and another root.
        """
        if (checkpoint.size, checkpoint.root) == (latest.size, latest.root):
            return True
        if checkpoint.size < latest.size:
            raise StaleCheckpoint(
                f"checkpoint of {checkpoint.origin!r}: size {checkpoint.size} is less than that of the latest in "
                f"{self.path}, {latest.size}; verify the shard against it"
            )
        if checkpoint.size == latest.size:
            raise self._contradicts(checkpoint, latest)
        return False

    def _contradicts(self, checkpoint: Checkpoint, kept: Checkpoint) -> CheckpointError:
        return CheckpointError(
            f"checkpoint of {checkpoint.origin!r}: size {checkpoint.size} with root {checkpoint.root.hex()} "
            f"contradicts the latest in {self.path}, size {kept.size} with root {kept.root.hex()}; "
            "verify the shard against it"
        )


def _read_if_there(file: Path, origin: str) -> str | None:
    try:
        return _read(file, origin)
    except FileNotFoundError:
        return None


def _read(file: Path, origin: str) -> str:
    """Return the note in a file. Raises: CheckpointError if its origin or size does not match the file's name."""
    try:
        note = file.read_bytes().decode()
        checkpoint = read_unverified(note)
    except (UnicodeDecodeError, CheckpointError) as error:
        raise CheckpointError(f"{file}: not a checkpoint ({error}); restore it from a copy") from error
    named = _FIRST.fullmatch(file.name)
    if checkpoint.origin != origin or (named and int(named[1]) != checkpoint.size):
        raise CheckpointError(
            f"{file}: holds the checkpoint of {checkpoint.origin!r} at size {checkpoint.size}; restore it from a copy"
        )
    return note


def _merged(note: str, other: str) -> str:
    """Return a note with the signature lines of another note of the same text added, without duplicates."""
    text, _, lines = note.rpartition("\n\n")
    more = other.rpartition("\n\n")[2]
    both = dict.fromkeys([*lines.splitlines(keepends=True), *more.splitlines(keepends=True)])
    return f"{text}\n\n{''.join(both)}"


def _file_name(name: str) -> str:
    # quote() does not encode dots, and a name such as `..` would lead out of the store.
    return re.sub(r"^\.", "%2E", quote(name, safe=""))


def _make_directory(path: Path) -> None:
    """Create a directory and its parents durably, so that they survive a power failure."""
    if path.is_dir():
        return
    _make_directory(path.parent)
    path.mkdir(exist_ok=True)
    _sync_directory(path.parent)


@contextmanager
def _turn(directory: Path) -> Iterator[None]:
    """Hold the exclusive lock for writing a log's checkpoints; the lock is also released when the process ends."""
    descriptor = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(directory: Path, target: Path, note: str) -> None:
    """Write a file atomically and durably.

    The caller holds the lock of the directory; a leftover of a killed process is removed.
    """
    unfinished = directory / _UNFINISHED
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(note.encode())
        file.flush()
        os.fchmod(file.fileno(), 0o444)
        os.fsync(file.fileno())
    unfinished.replace(target)
    _sync_directory(target.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
