"""Deliver reports as files to a folder or an S3-compatible store, with a signed manifest.

The files of a report are named `<property>/<first day>[_<last day>]/<report>-v<version>-<known at>.<format>`, and the
manifest `manifests/<known at>-<start of its SHA-256>.note`. Like a checkpoint (shared.journal), the manifest is a
signed note; its text is JSON, and it is signed with the key of the service. The manifest is written after the files;
existing files are never overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pydantic import AwareDatetime, Field, SecretStr, ValidationError

from services.reporting.framework.document import Document, Header
from services.reporting.rendering import FORMATS, FormatName, render
from services.reporting.rendering.wording import in_utc
from shared.contracts.envelope import Contract, Digest
from shared.journal.signed_note import CheckpointError, Signer, Verifier, open_signed_text, signed_note

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_MANIFESTS: Final = "manifests/"
_BUCKET: Final = "s3://"


class DeliveryError(Exception):
    """A failed delivery: the store has a different file of the same name, or the store's URL is invalid."""


class DeliveredFile(Contract):
    """A delivered file: its name in the store, its size and its hash."""

    name: str
    media_type: str
    size: int = Field(ge=0)
    sha256: Digest


class DeliveredReport(Contract):
    """A delivered report: its header, the hash of its content, and its files."""

    header: Header
    sha256: Digest
    files: list[DeliveredFile]


class Manifest(Contract):
    """The manifest of a delivery; `known_at` is the latest `known_at` of its reports."""

    known_at: AwareDatetime
    reports: list[DeliveredReport]


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """Access to an S3-compatible store: its URL and region, and the access key."""

    endpoint: str
    region: str
    access_key_id: str
    secret_access_key: SecretStr


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of verifying a store: number of manifests, number of files, and differences."""

    manifests: int
    files: int
    problems: tuple[str, ...]


def open_store(url: str, access: StoreAccess | None = None) -> ObjectStore:
    """Return the store of a URL: `file:///folder`, a path, or `s3://bucket/prefix`.

    Without `access`, a bucket is accessed with the AWS_* environment variables or the machine's role. Raises:
    DeliveryError for another URL.
    """
    from obstore.store import LocalStore, S3Store

    if url.startswith(_BUCKET):
        bucket, _, prefix = url.removeprefix(_BUCKET).partition("/")
        if access is None:
            return S3Store(bucket, prefix=prefix or None)
        return S3Store(
            bucket,
            prefix=prefix or None,
            endpoint=access.endpoint,
            region=access.region,
            access_key_id=access.access_key_id,
            secret_access_key=access.secret_access_key.get_secret_value(),
            client_options={"allow_http": access.endpoint.startswith("http://")},
        )
    if url.startswith("file://"):
        return LocalStore.from_url(url, mkdir=True)
    if "://" in url:
        raise DeliveryError(f"{url}: not a store; name a folder, file:///folder or s3://bucket/prefix")
    return LocalStore(url, mkdir=True)


def deliver(store: ObjectStore, documents: Sequence[tuple[Document, Sequence[FormatName]]], signer: Signer) -> str:
    """Deliver documents, each in its formats, and return the name of the manifest. Idempotent.

    Raises: DeliveryError if the store already has a different file of the same name; ValueError if there are no
    documents or no formats; CheckpointError if the manifest is too long to be signed, in which case fewer documents
    must be delivered together. Errors of the store are obstore.exceptions.BaseError; a partial delivery can be repeated
    without harm.
    """
    if not any(formats for _, formats in documents):
        raise ValueError("a delivery needs a document and a format")
    reports = []
    for document, formats in documents:
        delivered = []
        for name, media_type, content in _files(document, formats):
            _put(store, name, content, media_type)
            delivered.append(
                DeliveredFile(name=name, media_type=media_type, size=len(content), sha256=sha256(content).hexdigest())
            )
        reports.append(DeliveredReport(header=document.header, sha256=document.sha256, files=delivered))
    manifest = Manifest(known_at=max(one.header.known_at for one, _ in documents), reports=reports)
    note = signed_note(json.dumps(manifest.model_dump(mode="json"), indent=1) + "\n", signer)
    open_signed_text(note, [signer.verifier])  # fail here rather than deliver a manifest that cannot be opened
    name = _manifest_name(manifest, note)
    _put(store, name, note.encode(), "text/plain; charset=utf-8")
    return name


def verify_delivery(store: ObjectStore, verifiers: Iterable[Verifier]) -> Checked:
    """Verify a store: signatures of manifests, size and hash of their files, and that no file is missing or unlisted.

    The check cannot detect that a manifest was removed together with its files, so also keep the names of manifests
    elsewhere. Errors of the store are obstore.exceptions.BaseError.
    """
    keys = list(verifiers)
    found = {one["path"] for batch in store.list() for one in batch}
    manifests = sorted(name for name in found if name.startswith(_MANIFESTS))
    expected: dict[str, DeliveredFile] = {}
    problems = [] if manifests else ["there is no manifest"]
    for name in manifests:
        try:
            manifest = open_manifest(name, _get(store, name), keys)
        except (CheckpointError, ValidationError, UnicodeDecodeError) as error:
            problems.append(f"{name}: {error}")
            continue
        for file in (file for report in manifest.reports for file in report.files):
            if expected.setdefault(file.name, file) != file:
                problems.append(f"{file.name}: manifests say different things of it")
    for name, file in sorted(expected.items()):
        if name not in found:
            problems.append(f"{name}: missing")
            continue
        content = _get(store, name)
        if (len(content), sha256(content).hexdigest()) != (file.size, file.sha256):
            problems.append(f"{name}: not what was delivered")
    problems += [f"{name}: in no manifest" for name in sorted(found - expected.keys() - set(manifests))]
    return Checked(len(manifests), len(expected), tuple(problems))


def _files(document: Document, formats: Iterable[FormatName]) -> Iterator[tuple[str, str, bytes]]:
    """Yield (name, media type, content) for each file of a document; Parquet has one file per section."""
    header = document.header
    days = f"{header.first_day}" + (f"_{header.last_day}" if header.last_day != header.first_day else "")
    of = "".join(f"-{kind}-{name}" for kind, name in (("table", header.table), ("game", header.game)) if name)
    stem = f"{header.property}/{days}/{header.report}{of}-v{header.version}-{_compact(header.known_at)}"
    for name in formats:
        media_type = FORMATS[name].media_type
        if name == "parquet" and len(document.sections) > 1:
            for filled in document.sections:
                section = filled.section.name
                yield f"{stem}-{section}.{name}", media_type, render(document, name, section=section)
        else:
            yield f"{stem}.{name}", media_type, render(document, name)


def _compact(moment: datetime) -> str:
    """Return a moment as written in file names, such as `20261121T060000.000000Z`."""
    return f"{in_utc(moment):%Y%m%dT%H%M%S.%fZ}"


def _manifest_name(manifest: Manifest, note: str) -> str:
    return f"{_MANIFESTS}{_compact(manifest.known_at)}-{sha256(note.encode()).hexdigest()[:16]}.note"


def _put(store: ObjectStore, name: str, content: bytes, media_type: str) -> None:
    from obstore.exceptions import AlreadyExistsError
    from obstore.store import LocalStore

    # A local folder cannot store media types.
    attributes = None if isinstance(store, LocalStore) else {"Content-Type": media_type}
    try:
        store.put(name, content, mode="create", attributes=attributes, use_multipart=False)
    except AlreadyExistsError as error:
        if _get(store, name) != content:
            raise DeliveryError(
                f"{name}: the store has another file of this name, which stays; look into it"
            ) from error


def _get(store: ObjectStore, name: str) -> bytes:
    return bytes(store.get(name).bytes())


def open_manifest(name: str, note: bytes, verifiers: Iterable[Verifier]) -> Manifest:
    """Return the manifest contained in a signed note. Raises: CheckpointError, ValidationError, UnicodeDecodeError."""
    text, _ = open_signed_text(note.decode(), verifiers)
    manifest = Manifest.model_validate_json(text)
    if name != _manifest_name(manifest, note.decode()):
        raise CheckpointError("the note of a manifest of another name")
    return manifest
