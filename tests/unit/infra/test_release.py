"""A release: the same bytes whoever builds it, and an installation that is held against it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from infra.release import SUMS, build, write
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.runtime.release_attestation import KEY_NAME, MANIFEST, SBOM, Release, digest, find_distribution, is_checkout
from tests.support.nightly import AT_NIGHT
from tests.unit.cli.calling import Caller

pytestmark = AT_NIGHT

PACKAGES = ("infra", "loadtest", "pitledger", "schemas", "services", "shared")
SINGLE = ("pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE")
ALTERED = "shared/rules/blackjack/insurance.py"


class Released(NamedTuple):
    """A release that was built twice: where the two are, and the verifier key."""

    first: Path
    second: Path
    key: str


class Installed(NamedTuple):
    """Where a release is installed: the interpreter, and its site-packages."""

    python: Path
    site: Path


def git(folder: Path, *words: str) -> None:
    moment = {"GIT_AUTHOR_DATE": "2026-11-20T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-20T12:00:00Z"}
    who = {f"GIT_{role}_{what}": "test@localhost" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **moment, **who})


@pytest.fixture(scope="module")
def released(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Released:
    """The source as it is here, committed and built twice: from two clones, under two masks, into two directories."""
    folder = tmp_path_factory.mktemp("release")
    for name in PACKAGES:
        shutil.copytree(repository / name, folder / "a" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SINGLE:
        shutil.copy(repository / name, folder / "a")
    git(folder / "a", "init", "--quiet")
    git(folder / "a", "add", "--all")
    git(folder / "a", "commit", "--quiet", "--message", "As it is")
    signer = Signer.generate(KEY_NAME)
    former = os.umask(0o077)
    try:
        git(folder, "clone", "--quiet", "a", "somewhere-else")
        second = build(folder / "somewhere-else", "HEAD", folder / "second")
    finally:
        os.umask(former)
    write(second, folder / "second", signer)
    write(build(folder / "a", "HEAD", folder / "first"), folder / "first", signer)
    return Released(folder / "first", folder / "second", str(signer.verifier))


@pytest.fixture(scope="module")
def installed(released: Released, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own, and the manifest in its place."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = home / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    [wheel] = released.first.glob("*.whl")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    (home / "share" / "pitledger").mkdir(parents=True)
    for name in (MANIFEST, SBOM):
        shutil.copy(released.first / name, home / "share" / "pitledger")
    return Installed(python, site)


def attest(installed: Installed, released: Released, *words: str) -> subprocess.CompletedProcess[str]:
    """Attest with the command that is installed, its dependencies added behind what it looks at."""
    script = (
        "import sys; sys.path.append(sys.argv.pop(1)); from services.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [str(installed.python), "-P", "-c", script, sysconfig.get_paths()["purelib"], "version", "--attest"]
    words = ("--key", released.key, "--site", str(installed.site), *words)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([*command, *words], capture_output=True, text=True, env=environment, cwd=installed.site)


def differences(done: subprocess.CompletedProcess[str]) -> Sequence[str]:
    found: list[str] = json.loads(done.stdout)["differences"]
    return found


def test_two_builds_are_the_same_bytes(released: Released) -> None:
    """Another directory and another umask change no byte of wheel, sdist, bill of materials, manifest and sums."""
    names = sorted(path.name for path in released.first.iterdir())
    assert 5 == len(names)
    for name in names:
        assert digest((released.first / name).read_bytes()) == digest((released.second / name).read_bytes()), name


def test_the_sums_are_those_of_what_is_handed_out(released: Released) -> None:
    """SHA256SUMS names wheel, sdist, bill of materials and manifest, as `sha256sum --check` reads it."""
    lines = (released.first / SUMS).read_text().splitlines()
    assert 4 == len(lines)
    for line in lines:
        expected, name = line.split("  ")
        assert expected == sha256((released.first / name).read_bytes()).hexdigest()


def test_the_bill_of_materials_has_every_pinned_version(released: Released, repository: Path) -> None:
    """Each line of constraints.txt is a component with its version."""
    sbom = json.loads((released.first / SBOM).read_text())
    pinned = {line for line in (repository / "constraints.txt").read_text().splitlines() if "==" in line}
    assert "CycloneDX" == sbom["bomFormat"]
    assert pinned == {f"{each['name']}=={each['version']}" for each in sbom["components"]}


def test_a_manifest_that_was_altered_is_no_release(released: Released) -> None:
    """One hash that is exchanged in the manifest: its signature does not hold."""
    note = (released.first / MANIFEST).read_text()
    release = Release.opened(note, [Verifier.from_string(released.key)])
    altered = note.replace(release.files[ALTERED], "0" * 64)
    with pytest.raises(CheckpointError, match="does not match"):
        Release.opened(altered, [Verifier.from_string(released.key)])


def test_what_is_installed_is_what_was_released(installed: Installed, released: Released) -> None:
    """Every file of the wheel, and the compiled code beside it, is as released: exit code 0."""
    done = attest(installed, released, "--json")
    said = json.loads(done.stdout)
    assert (0, []) == (done.returncode, said["differences"]), done.stderr
    assert said["files"] > 500


def test_a_file_that_was_altered_is_named(installed: Installed, released: Released) -> None:
    """One line added to a rule, and what Python compiled of it: exit code 1, and both files are named."""
    file = installed.site / ALTERED
    kept = file.read_bytes()
    try:
        file.write_bytes(kept + b"\nDEALER_WINS = True\n")
        done = attest(installed, released, "--json")
    finally:
        file.write_bytes(kept)
    found = differences(done)
    assert 1 == done.returncode
    assert any(line.startswith(f"{ALTERED}: SHA-256") for line in found), found


def test_compiled_code_that_was_exchanged_is_named(installed: Installed, released: Released) -> None:
    """Python runs compiled code in place of a source that is as released: it is compared, too."""
    [bytecode] = (installed.site / ALTERED).parent.glob("__pycache__/insurance.*.pyc")
    other = next((installed.site / "shared" / "rules").glob("__pycache__/errors.*.pyc"))
    kept = bytecode.read_bytes()
    try:
        bytecode.write_bytes(kept[:16] + other.read_bytes()[16:])
        (installed.site / "services" / "added.py").write_text("")
        done = attest(installed, released, "--json")
    finally:
        bytecode.write_bytes(kept)
        (installed.site / "services" / "added.py").unlink()
    names = {line.partition(": ")[2] for line in differences(done)}
    assert 1 == done.returncode
    assert {"is not what its source compiles to", "is not of the release"} == names


def test_a_dependency_of_another_version_is_named(installed: Installed, released: Released) -> None:
    """A package of another version, and one that the release does not know."""
    for name, version in (("jinja2", "0.1"), ("helper", "1.0")):
        metadata = installed.site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    try:
        done = attest(installed, released)
    finally:
        for folder in (*installed.site.glob("jinja2-*"), *installed.site.glob("helper-*")):
            shutil.rmtree(folder)
    assert 1 == done.returncode
    assert "jinja2 0.1 is installed, " in done.stdout
    assert "helper 1.0 is installed, and is not in the bill of materials" in done.stdout


def test_the_metrics_name_the_installed_manifest(installed: Installed, released: Released) -> None:
    """What a running service shows as its release is the hash of the manifest that was handed out."""
    script = (
        "import sys; sys.path.append(sys.argv[1]);"
        "from shared.runtime.release_attestation import manifest_digest; print(manifest_digest())"
    )
    command = [str(installed.python), "-P", "-c", script, sysconfig.get_paths()["purelib"]]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    shown = subprocess.check_output(command, text=True, env=environment, cwd=installed.site).strip()
    assert digest((released.first / MANIFEST).read_bytes()) == shown


def test_what_a_build_leaves_in_a_source_tree_is_no_release(tmp_path: Path) -> None:
    """Setuptools writes there what it has found, and it comes first on the path of what is run in place."""
    left = tmp_path / "pitledger.egg-info"
    left.mkdir()
    (left / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: pitledger\nVersion: 0.1.0\n")
    (left / "SOURCES.txt").write_text("README.md\n")
    found = find_distribution(tmp_path)
    assert found is not None
    assert is_checkout(found)


def test_a_checkout_is_no_release(
    released: Released, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source tree that is run in place says so, in words, and exits with 1."""
    called = Caller(capsys, monkeypatch)("version", "--attest", "--key", released.key)
    assert (1, "") == (called.code, called.stdout)
    assert "no release" in called.stderr
