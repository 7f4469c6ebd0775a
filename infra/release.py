"""Build a release of a commit: sdist, wheel, bill of materials and signed manifest, the same bytes on every machine.

`python -m infra.release --key release.pem` exports the commit into a directory of its own and builds there. Every file
gets the time of the commit, so that the result depends on no working tree, umask or clock.
"""

import argparse
import gzip
import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from shared.journal.signed_note import CheckpointError, Signer
from shared.runtime.release_attestation import KEY_NAME, MANIFEST, SBOM, Release, digest

SUMS: Final = "SHA256SUMS"
_FILE_MODE: Final = 0o644
_FOLDER_MODE: Final = 0o755


def build(repository: Path, commit: str, target: Path, *, compiled: bool = False) -> Release:
    """Build a commit into a directory, and return the release manifest. Raises: CalledProcessError."""
    target.mkdir(parents=True, exist_ok=True)
    named = _git(repository, "rev-parse", f"{commit}^{{commit}}")
    committed_at = int(_git(repository, "show", "--no-patch", "--format=%ct", named))
    with tempfile.TemporaryDirectory(prefix="pitledger-release-") as folder:
        source = Path(folder) / "source"
        _export(repository, named, source)
        names = _build(source, target, committed_at, compiled=compiled)
        _bill_of_materials(source, target / SBOM)
        constraints = digest((source / "constraints.txt").read_bytes())
    sdist, wheel = (target / name for name in names)
    _normalize(sdist, committed_at)
    with ZipFile(wheel) as archive:
        files = {name: digest(archive.read(name)) for name in archive.namelist() if not name.endswith("/RECORD")}
    return Release(
        version=wheel.name.split("-")[1],
        commit=named,
        committed_at=committed_at,
        python=".".join(platform.python_version_tuple()[:2]),
        built_with=f"setuptools {version('setuptools')}",
        compiled=compiled,
        artifacts={path.name: digest(path.read_bytes()) for path in (sdist, wheel)},
        constraints=constraints,
        sbom=digest((target / SBOM).read_bytes()),
        files=files,
    )


def write(release: Release, target: Path, signer: Signer) -> None:
    """Write the signed manifest of a release, and the checksums of all its files."""
    (target / MANIFEST).write_text(release.signed(signer))
    named = sorted([*release.artifacts, SBOM, MANIFEST])
    (target / SUMS).write_text("".join(f"{digest((target / name).read_bytes())}  {name}\n" for name in named))


def _git(repository: Path, *words: str) -> str:
    command = ["git", "-C", str(repository), *words]
    return subprocess.check_output(command, text=True).strip()  # noqa: S603 - constant words and a commit


def _export(repository: Path, commit: str, source: Path) -> None:
    """Export the files of a commit with fixed modes, because git archive applies the machine's umask."""
    command = ["git", "-C", str(repository), "archive", "--format=zip", commit]
    archive = subprocess.check_output(command)  # noqa: S603 - the commit id comes from git
    with ZipFile(io.BytesIO(archive)) as files:
        files.extractall(source)  # noqa: S202 - written by git; extractall stays below the folder
    for path in (source, *source.rglob("*")):
        path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)


def _build(source: Path, target: Path, committed_at: int, *, compiled: bool) -> tuple[str, str]:
    """Build sdist and wheel with the setuptools of this environment (pinned in constraints.txt); return their names."""
    script = "import sys; from setuptools import build_meta as b; t = sys.argv[1]; print(b.{}(t))"
    environment = os.environ | {
        "SOURCE_DATE_EPOCH": str(committed_at),
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
        "COMPILED_RULES": "1" if compiled else "0",
    }
    environment.pop("PYTHONPATH", None)
    sdist = _run(script.format("build_sdist"), source, target, environment | {"COMPILED_RULES": "0"})
    return sdist, _run(script.format("build_wheel"), source, target, environment)


def _run(script: str, source: Path, target: Path, environment: Mapping[str, str]) -> str:
    command = ["sh", "-c", 'umask 022; exec "$@"', "sh", sys.executable, "-c", script, str(target.resolve())]
    done = subprocess.check_output(command, cwd=source, env=environment, text=True)  # noqa: S603 - our own script
    return done.splitlines()[-1]


def _bill_of_materials(source: Path, path: Path) -> None:
    """Write the pins in constraints.txt as a CycloneDX document, which the tool validates against its schema."""
    tool = Path(sys.executable).parent / "cyclonedx-py"
    words = ["requirements", "constraints.txt", "--pyproject", "pyproject.toml", "--output-reproducible", "--validate"]
    command = [str(tool), *words, "--of", "JSON", "-o", str(path.resolve())]
    subprocess.run(command, cwd=source, check=True, capture_output=True)  # noqa: S603 - a tool installed here


def _normalize(sdist: Path, moment: int) -> None:
    """Rewrite an sdist with its members sorted, and with the same owner, modes and time for all of them."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as found, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as again:
        for member in sorted(found.getmembers(), key=lambda each: each.name):
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime = member.type, member.size, moment
            plain.mode = _FOLDER_MODE if member.isdir() else _FILE_MODE
            again.addfile(plain, found.extractfile(member) if member.isfile() else None)
    with sdist.open("wb") as file, gzip.GzipFile("", "wb", mtime=moment, fileobj=file) as zipped:
        zipped.write(packed.getvalue())


def main(words: Sequence[str] | None = None) -> int:
    """Build a release; print its checksums and the verifier key. Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m infra.release", description=__doc__)
    parser.add_argument("--key", type=Path, required=True, help="file of the Ed25519 signing key, PKCS #8 PEM")
    parser.add_argument("--new-key", action="store_true", help="create the signing key if it is missing")
    parser.add_argument("--commit", default="HEAD", help="commit to release (default: %(default)s)")
    parser.add_argument(
        "--target", type=Path, default=Path("dist/release"), help="output directory (default: %(default)s)"
    )
    parser.add_argument("--compiled", action="store_true", help="build the wheel with natively compiled game rules")
    given = parser.parse_args(words)
    repository = Path(__file__).parents[1]
    try:
        if given.new_key and not given.key.exists():
            Signer.generate(KEY_NAME).to_pem(given.key)
        signer = Signer.from_pem(given.key, KEY_NAME)
    except (CheckpointError, OSError) as error:
        parser.error(f"--key: {error}")
    release = build(repository, given.commit, given.target, compiled=given.compiled)
    write(release, given.target, signer)
    print((given.target / SUMS).read_text(), end="")  # noqa: T201 - this command's output
    print(f"verifier key: {signer.verifier}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
