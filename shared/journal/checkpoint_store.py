"""Keep signed checkpoints as files, where whoever can alter the database cannot alter them."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from shared.journal.checkpoint import Checkpoint, read_unverified
from shared.journal.signed_note import CheckpointError

_FILE_NAME = re.compile(r"([0-9]{19})\.checkpoint")


class Overtaken(CheckpointError):
    """A larger checkpoint of the origin is kept, against which the log is to be verified first."""


@dataclass(frozen=True, slots=True)
class DirectoryStore:
    """Checkpoints as files in a directory, which stands on another machine's or at least another owner's disk.

    Each note is one file, `<origin, percent-encoded>/<size in 19 digits>.checkpoint`, exactly as it was signed. A file
    appears whole or not at all, survives a power failure after `save` returns, and is never written again. The file
    system must have hard links. What a witness says of it later is a file beside it, `<size>.<witness>.cosignature`:
    the lines that `load` adds to the note. The signatures are not verified here: `open_note` does that, with keys that
    its caller trusts.
    """

    path: Path

    def save(self, note: str) -> None:
        """Keep a signed checkpoint. One that says the same as the latest (size and root) changes nothing.

        Raises: CheckpointError where it is as large as the latest of its origin and has another root: somebody rewrote
        the log, or there are two of them. Overtaken where it is smaller: the same, or another process of the service
        has signed more meanwhile. OSError where the file cannot be written.
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

    def add_cosignatures(self, checkpoint: Checkpoint, witness: str, lines: str) -> None:
        """Keep the lines with which a witness cosigned a kept checkpoint; what is there stays. Raises: OSError."""
        file = self._file(checkpoint.origin, checkpoint.size)
        _write_once(file.with_suffix(f".{_file_name(witness)}.cosignature"), lines.encode())

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
        """Return a signed checkpoint. Raises: CheckpointError where there is none, or the file holds another one."""
        file = self._file(origin, size)
        try:
            note = file.read_bytes().decode()
            note += "".join(
                each.read_bytes().decode() for each in sorted(file.parent.glob(f"{file.stem}.*.cosignature"))
            )
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
        """Return the checkpoint with the greatest size, None without one. Raises: CheckpointError as `load`."""
        sizes = self.sizes(origin)
        return self.load(origin, sizes[-1]) if sizes else None

    def _directory(self, origin: str) -> Path:
        return self.path / _file_name(origin)

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
        if checkpoint.size < latest.size:
            raise Overtaken(
                f"checkpoint of {checkpoint.origin!r}: size {checkpoint.size} is less than that of the latest in "
                f"{self.path}, {latest.size}; verify the shard against it"
            )
        if checkpoint.size == latest.size:
            raise CheckpointError(
                f"checkpoint of {checkpoint.origin!r}: size {checkpoint.size} with root {checkpoint.root.hex()} "
                f"contradicts the latest in {self.path}, size {latest.size} with root {latest.root.hex()}; "
                "verify the shard against it"
            )
        return False


def _file_name(name: str) -> str:
    # A dot is left alone by quote(), and a name of dots would lead out of the store.
    return re.sub(r"^\.", "%2E", quote(name, safe=""))


def _make_directory(path: Path) -> None:
    """Make a directory and those above it, so that they survive a power failure."""
    if path.is_dir():
        return
    _make_directory(path.parent)
    path.mkdir(exist_ok=True)
    _sync_directory(path.parent)


def _write_once(target: Path, content: bytes) -> bool:
    """Write a file that appears whole or not at all. Returns False, and leaves it alone, if it is there."""
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
