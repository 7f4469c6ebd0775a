"""What the documentation tells people to type exists: targets, commands, options, files; and each block is run."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from services.cli.main import _build
from tests.support.documented import PAGES, blocks, listed, mentions
from tests.support.services import ROOT

_WAYS = ("test", "alone", "stack", "not")
_OF_A_SHELL = {"|", "||", "&&", ";", ">", "<", "&"}


@pytest.fixture(scope="module")
def command_line() -> TyperGroup:
    """The whole command line, with every option of every command."""
    os.environ["_PITLEDGER_COMPLETE"] = "all"
    try:
        found = typer.main.get_command(_build(()))
    finally:
        del os.environ["_PITLEDGER_COMPLETE"]
    assert isinstance(found, TyperGroup)
    return found


@pytest.fixture(scope="module")
def targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def _words(command: str) -> Iterator[list[str]]:
    """The words of each simple command of a line, without the variables that are set for it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set("|&;<>()"):
                yield words
                words = []
            elif words or not re.match(r"[A-Z_]+=", word):
                words.append(word)
    except ValueError:
        pass  # a sentence's code that ends within a quotation: what came before it was whole
    yield words


def _unknown(words: Sequence[str], command_line: TyperGroup) -> list[str]:
    """Name what of a call of `pitledger` does not exist; PLACEHOLDERS and arguments may be anything."""
    group: Any = command_line
    path = ["pitledger"]
    rest = list(words)
    while isinstance(group, TyperGroup) and rest and not rest[0].startswith("-"):
        if not re.fullmatch(r"[a-z][a-z-]*", rest[0]):
            return []  # `pitledger COMMAND`
        path.append(rest.pop(0))
        if path[-1] not in group.commands:
            return [" ".join(path)]
        group = group.commands[path[-1]]
    known = {option for one in group.params for option in (*one.opts, *one.secondary_opts)} | {
        "--help",
        "-h",
        "--debug",
    }
    options = [word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    return [f"{' '.join(path)} {option}" for option in options if option not in known]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_exists(page: str, command_line: TyperGroup, targets: set[str]) -> None:
    """Targets of make, commands of `pitledger` with their options, modules and scripts that are run."""
    wrong: list[str] = []
    for mentioned in mentions(page):
        for words in _words(mentioned):
            match words:
                case ["make", *wanted]:
                    asked = [word for word in wanted if re.fullmatch(r"[a-z][a-z-]*", word)]
                    wrong += [f"make {word}" for word in asked if word not in targets]
                case [("pitledger" | ".venv/bin/pitledger"), *rest]:
                    wrong += _unknown(rest, command_line)
                case [("python" | ".venv/bin/python"), "-m", module, *_] if module.split(".")[0] in (
                    "tests",
                    "infra",
                    "shared",
                    "loadtest",
                    "services",
                ):
                    there = ROOT / module.replace(".", "/")
                    wrong += [] if there.with_suffix(".py").exists() or (there / "__main__.py").exists() else [module]
                case [("sh" | ".venv/bin/python"), path, *_] if path.startswith(("docs/", "infra/")):
                    wrong += [] if (ROOT / path).exists() else [path]
    assert [] == wrong


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_or_says_why_not(page: str) -> None:
    """In its order: a test, or a reason; and a shell can read it."""
    found, said = blocks(page), listed().get(page, [])
    assert [block.commands[0] for block in found if not block.commands] == []
    assert len(found) == len(said), f"list the blocks of {page} in tests/documented.yaml"
    for block, one in zip(found, said, strict=True):
        assert block.commands[0].startswith(one["begins"]), f"{page}:{block.line}"
        [way] = [name for name in _WAYS if name in one]
        assert {"begins", way} == set(one)
        done = subprocess.run(["bash", "-n"], input="\n".join(block.commands), capture_output=True, text=True)
        assert done.returncode == 0, f"{page}:{block.line}: {done.stderr}"
        named = re.findall(r"\b(tests/[\w/]+(?:\.py)?)", str(one.get("test", one.get("not"))))
        assert (way == "not") or named or one[way] is True
        assert [] == [path for path in named if not Path(ROOT, path).exists()]


def test_the_list_has_no_page_that_is_not_there() -> None:
    """Whoever removes a page removes its lines."""
    assert set(listed()) <= set(PAGES)


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("pitledger verify --rederive", []),
        ("pitledger verify --rederives", ["pitledger verify --rederives"]),
        ("pitledger quarantine mend 17", ["pitledger quarantine mend"]),
        ("DATABASE_URL=x pitledger veryfy | tee -a out", ["pitledger veryfy"]),
        ("pitledger rebuild SERVICE --check", []),
    ],
)
def test_what_does_not_exist_is_noticed(command: str, wrong: list[str], command_line: TyperGroup) -> None:
    """A misspelled command, a misspelled option; not a placeholder."""
    [[_, *rest], *_] = [words for words in _words(command) if words]
    assert wrong == _unknown(rest, command_line)
