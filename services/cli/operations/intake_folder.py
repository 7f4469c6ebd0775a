"""The intake folder: complete files, the plan for the current file, receipts, and rejection reasons."""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from services.cli.exits import NotFound, UsageWrong
from services.cli.operations.intake_lines import SUFFIXES

_MARKER: Final = ".sha256"
_BYTES_MAX: Final = 64 * 1024 * 1024
_NAME_MAX: Final = 150
_DIGEST: Final = re.compile(r"^([0-9a-fA-F]{64})(?:\s|$)")


class Arrived:
    """A complete file: its name, content, and SHA-256, which equals the hash in the marker file."""

    def __init__(self, path: Path, content: bytes, digest: str) -> None:
        self.name = path.name
        self.content = content
        self.digest = digest

    @property
    def kept_as(self) -> str:
        """Return the file's name in done/ and rejected/, which starts with 12 digits of the content's SHA-256."""
        return f"{self.digest[:12]}-{self.name}"


class Folder:
    """The intake folder, with the directories `in`, `done`, `rejected` and `state`, created if missing."""

    def __init__(self, directory: Path) -> None:
        self.incoming, self.done, self.rejected, self._state = (
            directory / name for name in ("in", "done", "rejected", "state")
        )
        try:
            for each in (self.incoming, self.done, self.rejected, self._state):
                each.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageWrong(f"{directory}: {error.strerror}; name a directory that may be written") from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder. Raises: UsageWrong if another process is using it."""
        with (self._state / "lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageWrong(f"{self._state.parent}: another intake works there") from None
            yield

    def arrived(self) -> Iterator[Arrived | str]:
        """Yield the complete files in order of name, and for each skipped file a message with the reason.

        A file is complete when its marker, `NAME.sha256` as written by sha256sum, exists and matches its bytes.
        Extensions may be in capitals. A file without a marker is still being written.
        """
        for path in sorted(self.incoming.iterdir()):
            marker = _marker_of(path)
            if path.suffix.lower() == _MARKER:
                if path.exists() and not path.with_suffix("").exists():
                    yield f"{path.name}: is left, for {path.stem} is not there; put that there first"
                continue
            if path.is_symlink() or not path.is_file():
                yield f"{path.name}: is left, for it is no file of its own; put the file itself there"
                continue
            if path.suffix.lower() not in SUFFIXES:
                if marker is not None or not path.name.startswith("."):
                    yield f"{path.name}: is left, for its name does not end in {' or '.join(SUFFIXES)}; rename it"
                continue
            if marker is None:
                continue
            said = _digest_in(marker)
            if len(path.name) > _NAME_MAX:
                yield f"{path.name[:60]}…: waits, its name has more than {_NAME_MAX} characters"
            elif path.stat().st_size > _BYTES_MAX:
                yield f"{path.name}: waits, it has more than {_BYTES_MAX} bytes; divide it"
            elif said is None:
                yield f"{path.name}: waits, {marker.name} does not begin with a SHA-256 in hexadecimal"
            else:
                content = path.read_bytes()
                if (digest := sha256(content).hexdigest()) == said:
                    yield Arrived(path, content, digest)
                else:
                    yield f"{path.name}: waits, its SHA-256 is {digest}, not that of {marker.name}: send it again"

    def conclude(self, name: str, digest: str, into: Path, kept_as: str, suffix: str, said: Mapping[str, Any]) -> None:
        """Write a file's receipt or reasons, then move the file; after a crash, repeat only the missing steps."""
        write(into / f"{kept_as}{suffix}", said)
        path = self.incoming / name
        if path.is_file() and sha256(path.read_bytes()).hexdigest() == digest:
            path.rename(into / kept_as)
            _sync(into)
        marker = _marker_of(path)
        if marker is not None and not path.exists() and _digest_in(marker) == digest:
            marker.unlink()
        _sync(self.incoming)

    def read(self, name: str) -> dict[str, Any] | None:
        """Return a state document; None if it does not exist. Raises: NotFound if it is not JSON."""
        path = self._state / f"{name}.json"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise NotFound(f"{path}: {error}; restore it from a copy of the directory") from error
        return found

    def keep(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a state document atomically."""
        write(self._state / f"{name}.json", document)

    def forget(self, name: str) -> None:
        """Remove a state document."""
        (self._state / f"{name}.json").unlink(missing_ok=True)
        _sync(self._state)


def _marker_of(path: Path) -> Path | None:
    """Return the path of a file's marker, `NAME.sha256`; None if there is none."""
    named = (path.with_name(path.name + marker) for marker in (_MARKER, _MARKER.upper()))
    return next((marker for marker in named if marker.exists()), None)


def _digest_in(marker: Path) -> str | None:
    """Return the SHA-256 in a marker, or None if the marker is malformed or missing."""
    try:
        found = _DIGEST.match(marker.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return None
    return None if found is None else found[1].lower()


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Write JSON atomically: a crash leaves either the old or the new content."""
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _sync(path.parent)


def _sync(directory: Path) -> None:
    """Flush a directory's entries to disk."""
    number = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
