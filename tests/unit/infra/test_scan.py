"""The scan for secrets, registry host names and machine paths finds them, and lets examples pass.

Every sample is put together from parts: a whole one in this file would be a finding.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from infra import scan

SAMPLES = {
    "private key": "-----" + "BEGIN PRIVATE" + " KEY-----",
    "private key of a kind": "-----" + "BEGIN OPENSSH" + " PRIVATE KEY-----",
    "AWS access key id": "id = AKIA" + "ABCDEFGHIJKLMNOP",
    "AWS secret access key": "aws_secret_access_key = " + "a1B2" * 10,
    "GitHub token": "ghp" + "_" + "a1B2" * 9,
    "GitLab token": "glpat" + "-" + "a1B2" * 5,
    "Slack token": "xoxb" + "-1234567890-abc",
    "Google API key": "AIza" + "Sy" + "a1B" * 11,
    "npm token": "npm" + "_" + "a1B2" * 9,
    "package upload token": "pypi" + "-AgE" + "a1B2" * 5,
    "password in a URL": "postgresql+psycopg://pitledger:" + "tr0ub4dor" + "@db:5432/pitledger",
    "password before a reference": "https://user:" + "tr0ub4dor" + "@${HOST}/",
    "registry host of Python packages": "https://" + "pypi" + ".org/simple",
    "registry file host": "files." + "pythonhosted" + ".org",
    "registry of npm packages": "https://registry." + "npmjs" + ".org/",
    "registry of Maven artifacts": "https://repo1." + "maven" + ".org/maven2",
    "registry of Debian packages": "http://deb." + "debian" + ".org/debian",
    "proxy of Go modules": "https://proxy." + "golang" + ".org",
    "index of crates": "https://index." + "crates" + ".io",
    "home directory": "see /" + "home/jane/pitledger",
    "home directory on macOS": "'/" + "Users/jane/pitledger'",
    "root's directory": "/" + "root/.pyenv",
    "build directory": "cd /" + "builds/pitledger",
    "home directory on Windows": "C:" + r"\Users\jane",
}

HARMLESS = [
    "DATABASE_URL=postgresql+psycopg://pitledger:${POSTGRES_PASSWORD:?set it in .env}@postgres:5432/pitledger",
    "postgresql+psycopg://user:password@host:5432/pitledger",
    "postgresql+psycopg://pitledger:***@127.0.0.1/pitledger",
    'f"postgresql+psycopg://{user}:{password}@{host}/pitledger"',
    "postgresql+psycopg://127.0.0.1:5432/pitledger",
    "INTERNAL://kafka:9092,HOST://127.0.0.1:9094",
    "http://www.apache.org/licenses/LICENSE-2.0",
    "the public key: -----BEGIN PUBLIC KEY-----",
    "sources = /properties/bayside/tables/bj-01",
    "the framework/ and the homework/ and ./work/and/more",
    "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
]


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())
def test_each_kind_is_found_at_its_line(sample: str) -> None:
    """A finding names file and line, once, and never repeats the secret."""
    (finding,) = scan.scan_text("deploy/values.yaml", f"# first\n{sample}\n# last\n")

    assert finding.path == "deploy/values.yaml"
    assert finding.line == 2
    assert str(finding).startswith("deploy/values.yaml:2: ")
    assert sample not in str(finding)


@pytest.mark.parametrize("line", HARMLESS)
def test_references_and_examples_pass(line: str) -> None:
    """A reference to a secret, an example and a path of the domain are no findings."""
    assert not list(scan.scan_text("docs/page.md", line))


def test_a_line_may_say_that_it_is_an_example() -> None:
    """The words of the pragma let that line pass, and only that line."""
    sample = SAMPLES["password in a URL"]

    (finding,) = scan.scan_text("docs/page.md", f"{sample}  # {scan.PRAGMA}\n{sample}\n")

    assert finding.line == 2


@pytest.mark.parametrize("name", [".env", "deploy/.env", "id_ed25519", "keys/checkpoint-key.pem", "store.p12"])
def test_files_that_hold_secrets_are_found_by_name(tmp_path: Path, name: str) -> None:
    """A key file is a finding whatever it holds, binary too."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"\0\1")

    (finding,) = scan.scan_files(tmp_path, [name])

    assert finding.line == 0


def test_example_environment_is_no_secret(tmp_path: Path) -> None:
    """.env.example belongs into the repository."""
    (tmp_path / ".env.example").write_text("POSTGRES_PASSWORD=\n")

    assert not list(scan.scan_files(tmp_path, [".env.example"]))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Callable[[str, str], str]) -> Path:
    """A git repository with a clean tracked file and a secret that git does not track; it is the working directory."""
    (tmp_path / "tracked.txt").write_text("all is well\n")
    (tmp_path / "untracked.txt").write_text(SAMPLES["private key"])
    git = tool("git", "git")
    subprocess.run([git, "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run([git, "add", "tracked.txt"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_only_tracked_files_are_scanned(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What git does not track is the owner's own business; a clean repository exits with 0."""
    assert scan.main() == 0
    assert capsys.readouterr().out == ""


def test_a_finding_fails_the_scan(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One finding is enough for exit code 1, and it stands on stdout."""
    (checkout / "tracked.txt").write_text(SAMPLES["private key"])

    assert scan.main() == 1
    assert capsys.readouterr().out.startswith("tracked.txt:1: private key")


def test_without_a_repository_every_source_file_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unpacked archive is scanned too, but not its virtual environment."""
    (tmp_path / "source.py").write_text(SAMPLES["root's directory"])
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "other.py").write_text(SAMPLES["root's directory"])
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)

    assert scan.main() == 1
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["source.py"]


def test_an_empty_list_of_files_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scan that looked at nothing must not pass."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)

    assert scan.main() == 1
    assert "no tracked files" in capsys.readouterr().err
