"""The store of the archive: a folder, or a bucket of an S3-compatible store, with the files and their manifests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from services.cli.exits import CheckFailed, NotFound, UsageWrong
from shared.journal.archive.manifest import ManifestError, Signed

if TYPE_CHECKING:
    from obstore.store import ObjectStore

MANIFESTS: Final = "manifests"
TABLES: Final = "tables"
_BUCKET: Final = "s3://"
_NOTE: Final = re.compile(rf"{MANIFESTS}/([0-9]{{10}})\.note")


@dataclass(frozen=True, slots=True)
class Store:
    """A store of files by path, at `url`: `file:///folder` or `s3://bucket/prefix`."""

    url: str
    objects: ObjectStore

    @classmethod
    def opened(cls, where: str, *, create: bool = False) -> Store:
        """Return the store at a folder, `file:///folder` or `s3://bucket/prefix`.

        A bucket is accessed with the AWS_* environment variables or the machine's role. Raises: UsageWrong for another
        URL, or a path with other signs than a URL has unescaped; NotFound for a missing folder, unless `create` is set.
        """
        from obstore.store import LocalStore, S3Store

        if where.startswith(_BUCKET):
            bucket, _, prefix = where.removeprefix(_BUCKET).strip("/").partition("/")
            endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
            options: Any = {"allow_http": True} if endpoint.startswith("http://") else {}
            return cls(
                f"{_BUCKET}{bucket}/{prefix}".rstrip("/"), S3Store(bucket, prefix=prefix, client_options=options)
            )
        if "://" in where and not where.startswith("file://"):
            raise UsageWrong(f"{where}: no archive is there; name a folder, file:///folder or s3://bucket/prefix")
        folder = Path(where.removeprefix("file://")).absolute()
        if folder.as_uri() != f"file://{folder}":  # Iceberg would write to another folder than the one it names
            raise UsageWrong(f"{folder}: an archive's path has letters, digits, and / . _ - ~ alone; rename the folder")
        if not create and not folder.is_dir():
            raise NotFound(f"{folder}: there is no such archive")
        return cls(folder.as_uri(), LocalStore(folder, mkdir=create))

    def folder(self) -> Path | None:
        """Return the folder of a store on this machine; None for a bucket."""
        return None if self.url.startswith(_BUCKET) else Path(unquote(urlsplit(self.url).path))

    def path(self, location: str) -> str:
        """Return a file's path in the store from its location in a table. Raises: ManifestError if it is outside."""
        within = location.removeprefix(f"{self.url}/")
        if within == location:
            raise ManifestError(f"{location} is not in the archive {self.url}")
        return within

    def location(self, path: str) -> str:
        """Return a file's location in the form that Iceberg tables use."""
        return f"{self.url}/{path}"

    def read(self, path: str) -> bytes:
        """Return the content of a file. Raises: FileNotFoundError."""
        from obstore.exceptions import NotFoundError

        try:
            return bytes(self.objects.get(path).bytes())
        except (NotFoundError, FileNotFoundError) as error:
            raise FileNotFoundError(path) from error

    def create(self, path: str, content: bytes) -> None:
        """Write a new file. Raises: ManifestError if it exists."""
        from obstore.exceptions import AlreadyExistsError

        try:
            self.objects.put(path, content, mode="create", use_multipart=False)
        except AlreadyExistsError as error:
            raise ManifestError(
                f"{self.location(path)} is there already; another archiver writes to the same store"
            ) from error

    def remove(self, paths: list[str]) -> None:
        """Remove files."""
        for path in paths:
            self.objects.delete(path)

    def paths(self, prefix: str) -> Iterator[str]:
        """Yield the paths of the files below a folder of the store."""
        for batch in self.objects.list(prefix):
            for one in batch:
                yield one["path"]

    def manifests(self) -> list[Signed]:
        """Return the manifests ordered by number, without verifying them.

        Raises: ManifestError if a number or a manifest's document is missing.
        """
        notes = {int(found[1]): path for path in self.paths(MANIFESTS) if (found := _NOTE.fullmatch(path))}
        if sorted(notes) != list(range(1, len(notes) + 1)):
            missing = min(set(range(1, max(notes) + 1)) - notes.keys())
            raise ManifestError(f"manifest {missing} is missing, though there is a later one")
        return [self._signed(number, notes[number]) for number in sorted(notes)]

    def _signed(self, number: int, path: str) -> Signed:
        try:
            return Signed(self.read(document_path(number)), self.read(path).decode())
        except FileNotFoundError as error:
            raise ManifestError(f"manifest {number}: {error} is missing") from error
        except UnicodeDecodeError as error:
            raise ManifestError(f"manifest {number}: its note is no text") from error

    def leave(self, number: int, signed: Signed) -> None:
        """Write a manifest: it is valid once its note exists. A killed process may leave a document without note."""
        self.remove([path for path in self.paths(MANIFESTS) if path == document_path(number)])
        self.create(document_path(number), signed.text)
        self.create(note_path(number), signed.note.encode())


@contextmanager
def explained_store(where: str) -> Iterator[None]:
    """Convert errors of a store to command errors; other exceptions propagate unchanged."""
    from obstore.exceptions import BaseError

    try:
        yield
    except ManifestError as error:
        raise CheckFailed(f"{where}: {error}; run: pitledger archive verify") from error
    except BaseError as error:
        said = str(error).partition("\n")[0]
        raise NotFound(f"the archive {where} does not answer: {said}") from error


def document_path(number: int) -> str:
    """Return the path of a manifest's document.

    >>> document_path(12)
    'manifests/0000000012.json'
    """
    return f"{MANIFESTS}/{number:010d}.json"


def note_path(number: int) -> str:
    """Return the path of the signed note beside a manifest.

    >>> note_path(12)
    'manifests/0000000012.note'
    """
    return f"{MANIFESTS}/{number:010d}.note"
