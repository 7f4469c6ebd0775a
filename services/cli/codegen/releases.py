"""The archive of releases: `releases/<version>/` holds data that each release wrote and later ones must still read.

A release is a candidate, which is rewritten whenever a change requires it, until it is marked as released. From then on
neither the release nor its database revisions change.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from shared.contracts.compatibility import breaking_changes
from shared.contracts.facts import KINDS
from shared.contracts.upcasting import without_upcaster

FOLDER: Final = "releases"
MANIFEST: Final = "release.json"
SCHEMAS: Final = "schemas"
CANDIDATE: Final = "candidate"
RELEASED: Final = "released"
_REVISIONS: Final = ("services/*/migrations/*", "shared/journal/migrations/*/*")


@dataclass(frozen=True, slots=True)
class Release:
    """A release in the archive. `manifest` has its status, and the SHA-256 of each of its files."""

    name: str
    folder: Path
    manifest: Mapping[str, Any]

    @property
    def is_released(self) -> bool:
        """Return whether the release is frozen."""
        return bool(self.manifest["status"] == RELEASED)

    @property
    def way_out(self) -> str:
        """Return the remedy for an incompatible change, worded for an error message."""
        if self.is_released:
            return "it is released: give the kind another version, with an upcaster (docs/extend.md)"
        return "it is a candidate: give the kind another version, or write the candidate again with: make archive"

    def schemas(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each type whose JSON Schema the release added or changed, with the schema."""
        for path in sorted((self.folder / SCHEMAS).glob("*.json")):
            yield path.name.removesuffix(".json"), json.loads(path.read_text())


def releases(root: Path) -> list[Release]:
    """Return all releases, oldest first."""
    found = [
        Release(path.parent.name, path.parent, json.loads(path.read_text()))
        for path in (root / FOLDER).glob(f"*/{MANIFEST}")
    ]
    return sorted(found, key=lambda release: [int(part) for part in release.name.split(".")])


def broken(wanted: Mapping[str, str], known: Sequence[Release]) -> list[str]:
    """Return the incompatible changes to messages since any of the releases, not only the last one.

    `wanted` are the generated texts by path. An older version of a type may be missing from `wanted` if its data is
    upcast.
    """
    unread = set(without_upcaster())
    found = []
    for release in known:
        for type_, old in release.schemas():
            new, kind = wanted.get(f"schemas/json/{type_}.json"), KINDS.of_type(type_)
            if new is not None:
                changes = breaking_changes(old, json.loads(new))
            elif kind is None:
                changes = ["removed"]
            else:
                changes = ["another version took its place, and nothing upcasts it"] if type_ in unread else []
            found += [
                f"{type_}: {change}; release {release.name} has it otherwise, and {release.way_out}"
                for change in changes
            ]
    return found


def altered(root: Path, known: Sequence[Release]) -> list[str]:
    """Return how the releases' files, and released database revisions, differ from the releases' manifests."""
    found = []
    for release, before in zip(known, (None, *known), strict=False):
        again = f"put back what release {release.name} had" if release.is_released else "run: make archive"
        files, said = digests(release.folder, ["**/*"]), release.manifest["files"]
        files.pop(MANIFEST)
        differ = [f"{FOLDER}/{release.name}/{path}" for path in _different(said, files)]
        if release.is_released:
            then, now = release.manifest["revisions"], revisions_of(root)
            differ += _different(then, {path: now.get(path) for path in then})
        found += [f"{path}: not as it was released; {again}" for path in differ]
        if release.manifest["after"] != (None if before is None else fingerprint(before)):
            found.append(f"{FOLDER}/{release.name}/{MANIFEST}: what came before it is another; {again}")
    return found


def _different(said: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    return sorted(path for path in said.keys() | found.keys() if said.get(path) != found.get(path))


def fingerprint(release: Release) -> str:
    """Return the SHA-256, in hexadecimal, that identifies a release; the next release refers to it."""
    return sha256((release.folder / MANIFEST).read_bytes()).hexdigest()


def revisions_of(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every database revision file, by path."""
    return digests(root, _REVISIONS)


def digests(root: Path, patterns: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256, in hexadecimal, of the files that match patterns, by path within a folder."""
    files = sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files
        if "__pycache__" not in path.parts
    }
