"""Apache Kafka's jars, fetched by their Maven coordinates with the wheel `jgo`, which only this module uses.

`kafka_jars.yaml` names every jar with its SHA-256. They are cached for the user, and their hashes are checked each
time, so that an altered jar never runs. `python -m shared.local._jars` prints the file.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.local.errors import EmbeddedPackageMissingError, LocalStackError
from shared.local.wheels import package_directory
from shared.rules.packaged import packaged

WANTED: Final = ("org.apache.kafka:kafka_2.13:4.1.0", "org.slf4j:slf4j-simple:1.7.36")
"""The coordinates of the broker, and of the logger with which it explains on standard error why it does not start."""

_LIST: Final = "kafka_jars.yaml"
_FETCHES_AT_ONCE: Final = 8
_ANSWER_SECONDS_MAX: Final = 30


def jars() -> list[Path]:
    """Return the jars, in the order of their list; missing jars are fetched.

    Raises: EmbeddedPackageMissingError if they cannot be fetched; LocalStackError if the hash of a fetched jar differs
    from the listed one.
    """
    wanted = _pinned()
    kept = _cache()
    with _alone(kept):
        found = {coordinates: kept / _file_name(coordinates) for coordinates in wanted}
        missing = {
            coordinates: digest for coordinates, digest in wanted.items() if _sha256(found[coordinates]) != digest
        }
        if missing:
            _fetch(missing, kept)
    return list(found.values())


def _pinned() -> Mapping[str, str]:
    """Return coordinates of a jar -> its listed SHA-256."""
    pinned: Mapping[str, str] = packaged("shared.local", _LIST)["sha256"]
    return pinned


def _cache() -> Path:
    """Return the directory in which the jars are cached for all stacks of a user."""
    home = os.environ.get("XDG_CACHE_HOME")
    directory = (Path(home) if home else Path.home() / ".cache") / "pitledger" / "kafka"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LocalStackError(
            f"Apache Kafka: its jars are kept in {directory}, and {error}: set XDG_CACHE_HOME to a directory that may "
            "be written"
        ) from error
    return directory


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Hold a lock, so that one process at a time fetches jars and the others then find them."""
    with (directory / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _file_name(coordinates: str) -> str:
    _, artifact, version = coordinates.split(":")
    return f"{artifact}-{version}.jar"


def _sha256(jar: Path) -> str | None:
    """Return the hash of a jar, or None if it does not exist."""
    try:
        with jar.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _fetch(missing: Mapping[str, str], kept: Path) -> None:
    """Fetch jars, and move those with the listed hash into place. Raises: LocalStackError."""
    package_directory("jgo", server="Apache Kafka", variable="KAFKA_BOOTSTRAP_SERVERS")
    from jgo.maven import MavenContext

    scratch = Path(tempfile.mkdtemp(prefix="fetching-", dir=kept))  # an interrupted fetch leaves an incomplete file
    try:
        repository = MavenContext(repo_cache=scratch, timeout=_ANSWER_SECONDS_MAX)

        def fetch(coordinates: str) -> None:
            jar = repository.create_dependency(coordinates).artifact.resolve()
            if (came := _sha256(jar)) != missing[coordinates]:
                raise LocalStackError(
                    f"Apache Kafka: {coordinates} came with SHA-256 {came}, {missing[coordinates]} is listed: it was "
                    "altered on its way; nothing of it was kept"
                )
            jar.replace(kept / _file_name(coordinates))

        with ThreadPoolExecutor(_FETCHES_AT_ONCE) as pool:
            list(pool.map(fetch, missing))
    except (OSError, RuntimeError) as error:  # no network, or a jar that does not exist
        raise EmbeddedPackageMissingError(
            f"Apache Kafka: {len(missing)} jars could not be fetched ({error}): connect to the network once, or set "
            "KAFKA_BOOTSTRAP_SERVERS to a running Kafka"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _listed() -> str:
    """Return the content of `kafka_jars.yaml` for the current run-time dependencies of `WANTED` in Maven."""
    from jgo.maven import MavenContext

    with tempfile.TemporaryDirectory() as scratch:
        repository = MavenContext(repo_cache=Path(scratch), timeout=_ANSWER_SECONDS_MAX)
        wanted = [repository.create_dependency(coordinates) for coordinates in WANTED]
        for one in wanted:
            one.scope = "compile"
        own, needed = repository.resolver.resolve(wanted)
        artifacts = [one.artifact for one in (*own, *(one for one in needed if one.scope in ("compile", "runtime")))]
        lines = [
            f"  {one.groupId}:{one.artifactId}:{one.version}: {_sha256(one.resolve())}"
            for one in sorted(artifacts, key=str)
        ]
    head = "# Apache Kafka as jars, each with its hash. Written by: make constraints"
    return "\n".join([head, "sha256:", *lines, ""])


if __name__ == "__main__":
    print(_listed(), end="")  # noqa: T201 - what `make constraints` writes into the file
