"""The commands of README.md and docs/: the blocks of each page in their order, and what runs each of them."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from services.cli.services import load_all, url_variable
from tests.support.services import ROOT

PAGES: Final = tuple(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
)
_BLOCK: Final = re.compile(r"^(?P<indent> *)```(?:sh|console)\n(?P<text>.*?)^ *```$", re.DOTALL | re.MULTILINE)
_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


@dataclass(frozen=True)
class Block:
    """A block of commands as it stands on a page."""

    page: str
    line: int
    text: str

    @property
    def commands(self) -> list[str]:
        """Its commands, each on one line, without prompts, comments and empty lines."""
        joined = self.text.replace("\\\n", " ")
        bare = (re.sub(r"(^|\s+)#( .*)?$", "", line).removeprefix("$ ").strip() for line in joined.splitlines())
        return [line for line in bare if line]


def text_of(page: str) -> str:
    """A page as it is written."""
    return Path(ROOT, page).read_text(encoding="utf-8")


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The blocks of a page."""
    text, found = text_of(page), []
    for match in _BLOCK.finditer(text):
        lines = (line.removeprefix(match["indent"]) for line in match["text"].splitlines())
        found.append(Block(page, text[: match.start()].count("\n") + 1, "\n".join(lines)))
    return tuple(found)


def mentions(page: str) -> Iterator[str]:
    """Every command that a page names, in its blocks and in its sentences."""
    for block in blocks(page):
        yield from block.commands
    yield from _CODE.findall(re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL))


def listed() -> Mapping[str, list[dict[str, Any]]]:
    """What tests/documented.yaml says of the blocks of each page."""
    said: dict[str, list[dict[str, Any]]] = yaml.safe_load((ROOT / "tests" / "documented.yaml").read_text())
    return said


@contextmanager
def clone() -> Iterator[Path]:
    """A directory that looks like a clone with its environment made, in which nothing has run yet."""
    home = Path(tempfile.mkdtemp(prefix="pitledger-clone-"))
    home.chmod(0o755)  # PostgreSQL runs under another account when the tests run as root
    for name in ("docs", "tests", "Makefile", ".venv", "infra", "pyproject.toml", "constraints.txt"):
        (home / name).symlink_to(ROOT / name)
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run(block: Block, home: Path, environment: Mapping[str, str], prelude: str = "") -> str:
    """Run a block as it stands there, as one script that ends with the first command that fails; return what it says.

    A request that a service refuses fails, too, and services listen where the environment says.
    """
    script = "\n".join(
        ["set -eo pipefail", 'curl() { command curl --fail-with-body --silent "$@"; }', prelude, block.text]
    )
    for manifest in load_all():
        script = script.replace(
            f"http://127.0.0.1:{manifest.port}", f"${{{url_variable(manifest.name)}:-http://127.0.0.1:{manifest.port}}}"
        )
    path = os.pathsep.join([str(ROOT / ".venv" / "bin"), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script.replace("/var/lib/pitledger", str(home / "var"))],
        cwd=home,
        env={**environment, "PATH": path},
        capture_output=True,
        timeout=300,
        check=False,
    )
    said, wrong = (each.decode(errors="replace") for each in (done.stdout, done.stderr))
    assert done.returncode == 0, f"{block.page}:{block.line}\n{said}\n{wrong}"
    return said


def blocks_that_run(how: str) -> list[Block]:
    """The blocks that run alone, or on a stack, in the order of their pages."""
    found = []
    for page, said in listed().items():
        found += [block for block, one in zip(blocks(page), said, strict=True) if how in one]
    return found
