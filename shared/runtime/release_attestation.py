"""Compare an installation with a signed release: the release's files by hash, dependencies by version."""

import json
import marshal
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, Final, Self

from shared.journal.signed_note import CheckpointError, Signer, Verifier, open_signed_text, signed_note

KEY_NAME: Final = "pitledger/release"
"""The name of the key that signs releases."""

HOME: Final = Path(sys.prefix) / "share" / "pitledger"
"""The directory of an installation's release manifest and bill of materials."""

MANIFEST: Final = "release.manifest"
SBOM: Final = "sbom.json"

_FIRST_LINE: Final = "pitledger-release-v1\n"
_BY_INSTALLER: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
_INSTALLERS: Final = frozenset({"pip", "setuptools", "wheel"})
_BYTECODE_HEADER_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Release:
    """The manifest of a release. Hashes are SHA-256 in hexadecimal; `files` has the wheel's files by path.

    `python` is the version (major and minor) used for the build, and `built_with` the version of setuptools.
    """

    version: str
    commit: str
    committed_at: int
    python: str
    built_with: str
    compiled: bool
    artifacts: dict[str, str]
    constraints: str
    sbom: str
    files: dict[str, str]

    def signed(self, signer: Signer) -> str:
        """Return the release manifest as a signed note."""
        return signed_note(f"{_FIRST_LINE}{json.dumps(asdict(self), indent=0, sort_keys=True)}\n", signer)

    @classmethod
    def opened(cls, note: str, verifiers: Iterable[Verifier]) -> Self:
        """Verify a signed note and return its release.

        Raises: CheckpointError unless it is a release that a release key signed.
        """
        text, _ = open_signed_text(note, [each for each in verifiers if each.name == KEY_NAME])
        try:
            if not text.startswith(_FIRST_LINE):
                raise ValueError("it begins with another line")
            return cls(**json.loads(text.removeprefix(_FIRST_LINE)))
        except (ValueError, TypeError) as error:
            raise CheckpointError(f"the note is signed, and is no release: {error}") from error


def digest(content: bytes) -> str:
    """Return the SHA-256 of `content`, in hexadecimal."""
    return sha256(content).hexdigest()


@cache
def manifest_digest(home: Path = HOME) -> str:
    """Return the SHA-256 of the installed release manifest, in hexadecimal; empty if there is none.

    It identifies the release that an installation claims to be. `pitledger version --attest` verifies the claim.
    """
    path = home / MANIFEST
    return digest(path.read_bytes()) if path.is_file() else ""


@dataclass(frozen=True, slots=True)
class AttestationResult:
    """The number of matching files and dependencies of an installation, and a line per difference from the release."""

    files: int
    dependencies: int
    differences: list[str]


def find_distribution(site: Path | None) -> Distribution | None:
    """Return the pitledger distribution in a directory, or on this process's import path; None if there is none."""
    return next(iter(distributions(name="pitledger", path=_places(site))), None)


def is_checkout(found: Distribution) -> bool:
    """Return whether a distribution is no real installation, but an editable install or a leftover of a build."""
    said = json.loads(found.read_text("direct_url.json") or "{}")
    editable: bool = said.get("dir_info", {}).get("editable", False)
    return editable or found.read_text("RECORD") is None


def compare(release: Release, sbom: bytes, found: Distribution, site: Path | None = None) -> AttestationResult:
    """Compare an installation with a release, and with the release's bill of materials (`sbom`)."""
    differences: list[str] = []
    if found.version != release.version:
        differences.append(f"version {found.version} is installed, {release.version} was released")
    running = ".".join(platform.python_version_tuple()[:2])
    if running != release.python:
        differences.append(f"Python {running} runs it, Python {release.python} built and tested it")
    good, wrong = _files(release, Path(str(found.locate_file(""))))
    differences += wrong
    versions = 0
    if digest(sbom) == release.sbom:
        versions, wrong = _versions(json.loads(sbom), site)
        differences += wrong
    else:
        differences.append("the bill of materials is not the one that was released: no dependency was compared")
    return AttestationResult(good, versions, differences)


def _files(release: Release, root: Path) -> tuple[int, list[str]]:
    """Return the number of unaltered files, and one line for each altered, missing or unexpected file."""
    wrong: list[str] = []
    for name, expected in release.files.items():
        try:
            actual = digest((root / name).read_bytes())
        except OSError as error:
            wrong.append(f"{name}: {error.strerror or error}")
            continue
        if actual != expected:
            wrong.append(f"{name}: SHA-256 {actual[:16]}… is installed, {expected[:16]}… was released")
    good = len(release.files) - len(wrong)
    for top in sorted({name.partition("/")[0] for name in release.files}):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_dir() or name in release.files or (top.endswith(".dist-info") and path.name in _BY_INSTALLER):
                continue
            what = _bytecode_trouble(path) if path.parent.name == "__pycache__" else "is not of the release"
            if what:
                wrong.append(f"{name}: {what}")
    return good, wrong


def _bytecode_trouble(path: Path) -> str:
    """Return the problem of a bytecode file, which Python would run instead of the source; empty if there is none."""
    try:
        source = Path(source_from_cache(str(path)))
        level = re.search(r"\.opt-([12])$", path.stem)
        expected = compile(
            source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=int(level[1]) if level else 0
        )
        if marshal.loads(path.read_bytes()[_BYTECODE_HEADER_BYTES:]) == expected:  # noqa: S302 - compared, never run
            return ""
    except (OSError, ValueError, SyntaxError, EOFError, TypeError):
        return "cannot be compared with the source that it is said to be of"
    return "is not what its source compiles to"


def _versions(sbom: dict[str, Any], site: Path | None) -> tuple[int, list[str]]:
    """Return the number of dependencies that match the bill of materials, and one line for each that does not."""
    released = {_normalized(each["name"]): each["version"] for each in sbom.get("components", ())}
    good, wrong = 0, []
    for name, version in sorted(set(_installed(site))):
        if name in _INSTALLERS or name == "pitledger":
            continue
        if name not in released:
            wrong.append(f"{name} {version} is installed, and is not in the bill of materials")
        elif released[name] != version:
            wrong.append(f"{name} {version} is installed, {released[name]} was released")
        else:
            good += 1
    return good, wrong


def _installed(site: Path | None) -> Iterator[tuple[str, str]]:
    for found in distributions(path=_places(site)):
        yield _normalized(found.metadata["Name"]), found.version


def _places(site: Path | None) -> list[str]:
    return sys.path if site is None else [str(site)]


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
