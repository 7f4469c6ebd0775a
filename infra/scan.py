"""Scan the repository for secrets, registry host names and paths of build machines, none of which may be committed.

`python -m infra.scan` reads every file that git tracks and prints `file:line: finding: remedy`, one finding per line.
It exits with 1 if there are findings. The value of a secret is never printed.

A line that intentionally shows an example contains the text of `PRAGMA` and is skipped. The patterns below are
concatenated from parts, so that this file does not match them itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PRAGMA = "scan: example"

# Directories without source files, skipped when git cannot list the tracked files.
_UNTRACKED_DIRECTORIES = frozenset({".git", ".venv", ".cache", "build", "dist", "var", "__pycache__", "node_modules"})
_SECRET_FILE_NAME = re.compile(r"(^|/)(\.env|id_(rsa|dsa|ecdsa|ed25519)|[^/]+\.(pem|p12|pfx|jks|key))$")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern to search for: its expression, the name of the finding, and the remedy."""

    expression: re.Pattern[str]
    finding: str
    way_out: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: a path in the repository, a line number from 1 (0: the whole file), and `finding: remedy`."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def _pattern(expression: str, finding: str, way_out: str) -> Pattern:
    return Pattern(re.compile(expression), finding, way_out)


def _hosts(*names: tuple[str, ...]) -> str:
    return "(?i)(?<![a-z0-9-])(" + "|".join(r"\.".join(parts) for parts in names) + ")(?![a-z0-9-])"


_ROTATE = "remove it and replace it where it is in use"

# Accepted in place of a password in a URL: a reference ($NAME, ${NAME}, {name}, <name>, %s), asterisks, dots, or one of
# these words.
_EXAMPLE_PASSWORD = r"(?:\$|\{|<|%|\*+@|\.+@|…@|(?:password|passwd|pass|secret|hidden|redacted|xxx+)@)"  # noqa: S105

PATTERNS: tuple[Pattern, ...] = (
    _pattern("-----" + "BEGIN (?:[A-Z0-9]+ )*" + "PRIVATE KEY", "private key", _ROTATE),
    _pattern(r"\b(?:AKIA|ASIA)" + r"[0-9A-Z]{16}\b", "AWS access key id", _ROTATE),
    _pattern(r"(?i)aws_?secret_?access_?key\W{1,4}" + r"[0-9a-z/+]{40}\b", "AWS secret access key", _ROTATE),
    _pattern(r"\bgh[pousr]_" + r"[0-9A-Za-z]{36}", "GitHub token", _ROTATE),
    _pattern(r"\bglpat-" + r"[0-9A-Za-z_-]{20}", "GitLab token", _ROTATE),
    _pattern(r"\bxox[abprs]-" + r"[0-9A-Za-z-]{10}", "Slack token", _ROTATE),
    _pattern(r"\bAIza" + r"[0-9A-Za-z_-]{35}", "Google API key", _ROTATE),
    _pattern(r"\bnpm_" + r"[0-9A-Za-z]{36}\b", "npm token", _ROTATE),
    _pattern(r"\bpypi-" + r"AgE[0-9A-Za-z_-]{20}", "package upload token", _ROTATE),
    _pattern(
        r"(?i)\b[a-z][a-z0-9+.-]*:" + r"//[^\s/:@'\"`<>]+:" + rf"(?!{_EXAMPLE_PASSWORD})" + r"[^\s/@'\"`]+@[\w$\[{<]",
        "password in a URL",
        "take it from the environment, as in ${DATABASE_PASSWORD}",
    ),
    _pattern(
        _hosts(
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("registry", "npmjs", "(?:org|com)"),
            ("registry", "yarnpkg", "com"),
            ("(?:repo1?|central|search)", "maven", "(?:apache.)?org"),
            ("repo", "maven", "apache", "org"),
            ("(?:deb|security|snapshot)", "debian", "org"),
            ("(?:archive|security|ports)", "ubuntu", "com"),
            ("dl-cdn", "alpinelinux", "org"),
            ("proxy", "golang", "org"),
            ("sum", "golang", "org"),
            ("(?:index|static)", "crates", "io"),
            ("crates", "io-index"),
            ("rubygems", "org"),
        ),
        "registry host name",
        "leave the choice of registry to the machine's own configuration",
    ),
    _pattern(
        r"(?<![\w.$}~/-])/(?:(?:home|Users)/[a-z_][\w.-]*|root|work|workspace|builds|github/workspace)/[\w.]",
        "absolute path of one machine",
        "write it relative to the repository",
    ),
    _pattern(r"(?i)\b[a-z]:\\Users" + r"\\\w", "absolute path of one machine", "write it relative to the repository"),
)


def scan_text(path: str, text: str) -> Iterator[Finding]:
    """Yield the findings of one file's text, in the order of its lines. `path` only labels the findings."""
    for number, line in enumerate(text.splitlines(), start=1):
        if PRAGMA in line:
            continue
        for pattern in PATTERNS:
            if pattern.expression.search(line):
                yield Finding(path, number, f"{pattern.finding}: {pattern.way_out}")


def scan_files(root: Path, paths: Iterable[str]) -> Iterator[Finding]:
    """Yield the findings of files named relative to `root`; of a binary file only the name is checked."""
    for path in paths:
        if _SECRET_FILE_NAME.search(path):
            yield Finding(path, 0, "a file of this name holds a secret: keep it out of the repository")
        content = (root / path).read_bytes()
        if b"\0" not in content:
            yield from scan_text(path, content.decode("utf-8", errors="replace"))


def tracked_files(root: Path) -> list[str]:
    """Return the files that git tracks under `root`, sorted; without git or a repository, all source files.

    Tracked files that are deleted in the working tree are left out, and so are symbolic links.
    """
    # git refuses a repository that belongs to another user, unless the directory is declared safe.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout  # noqa: S603
        names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"no list of tracked files ({error}): scanning every file under {root}", file=sys.stderr)  # noqa: T201
        names = []
        for directory, subdirectories, files in os.walk(root):
            subdirectories[:] = [name for name in subdirectories if name not in _UNTRACKED_DIRECTORIES]
            names += [str(Path(directory, name).relative_to(root)) for name in files]
    return sorted(name for name in names if (root / name).is_file() and not (root / name).is_symlink())


def main() -> int:
    """Scan the repository at the working directory; print the findings to stdout and return the exit code."""
    root = Path.cwd()
    paths = tracked_files(root)
    if not paths:
        print(f"scan: no tracked files under {root}: run it at the root of the repository", file=sys.stderr)  # noqa: T201
        return 1
    findings = list(scan_files(root, paths))
    for finding in findings:
        print(finding)  # noqa: T201
    print(f"scan: {len(paths)} files, {len(findings)} findings", file=sys.stderr)  # noqa: T201
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
