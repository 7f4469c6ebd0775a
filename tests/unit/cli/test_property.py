"""`pitledger property` before anybody is asked, and how it shows what the registry answers."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from services.cli.documents import read_document
from services.cli.exits import InputRefused
from services.cli.registry.property import app
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.properties import PropertyDocument
from tests.unit.cli.calling import Caller

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "property.yaml"


class Registry:
    """Something that answers requests as it was told, and remembers them."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, str, Any]] = []


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry that answers as told, at the address that the environment names."""
    told = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", 0)))
            told.asked.append((self.command, self.path, json.loads(sent) if sent else None))
            status, answer = told.answers.pop(0)
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the name that the server looks for

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("PITLEDGER_PAYTABLE_REGISTRY_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("PITLEDGER_TOKEN", "t")
        yield told
        server.shutdown()


def test_the_example_of_the_documentation_is_a_property() -> None:
    """The registry has nothing against it."""
    assert [] == problems(PropertyDocument.model_validate(read_document(str(EXAMPLE))))


def test_times_and_days_are_filed_as_they_are_written(pitledger: Caller, registry: Registry) -> None:
    """YAML of old takes 14:00 for 840, and a day for more than its text; the registry gets both as JSON has them."""
    registry.answers = [(500, {"detail": "enough"})]
    text = (
        "{begins: 14:00, later: 04:00, seconds: 22:00:30, opened_on: 2026-01-01, from: 2026-01-01T06:00:00-05:00, n: 7}"
    )
    assert 4 == pitledger("property", "file", "-", stdin=text).code
    sent = {"begins": "14:00", "later": "04:00", "seconds": "22:00:30", "opened_on": "2026-01-01", "n": 7}
    assert [("POST", "/properties", sent | {"from": "2026-01-01T06:00:00-05:00"})] == registry.asked


@pytest.mark.parametrize(
    ("words", "stdin", "code", "said"),
    [
        (["file", "-"], "- {property: a}\n- {property: b}", 3, "-: 2 documents; give one"),
        (["file", "-"], "", 3, "-: 0 documents; give one"),
        (["file", "-"], "riverside", 3, "-: a document of a property is a mapping, not str"),
        (["file", "-"], "property: !!binary aGk=", 3, "-: JSON cannot say it: "),
        (["file", "-"], "property: .nan", 3, "-: line 1, column 11: .nan is no decimal number"),
        (["file", "no-such-file"], "", 2, "no-such-file: No such file or directory"),
        (["show", "a", "--at", "2026-11-20T12:00:00"], "", 2, "--at '2026-11-20T12:00:00' has no zone"),
        (["show", "a", "--at", "2026-11-20T12:00:00Z", "--version", "1"], "", 2, "--at and --version: give one of"),
        (["tables", "a", "--day", "2026-11-20", "--month", "2026-11"], "", 2, "--day and --month: give one of them"),
        (["tables", "a", "--day", "tomorrow"], "", 2, "--day 'tomorrow': give it as 2026-11-20"),
        (["approve", "a", "0"], "", 2, "Invalid value for 'VERSION'"),
    ],
)
def test_what_is_wrong_by_itself_asks_nobody(
    pitledger: Caller, registry: Registry, words: list[str], stdin: str, code: int, said: str
) -> None:
    """One line says what to give."""
    called = pitledger("property", *words, stdin=stdin)
    assert (code, "", 1) == (called.code, called.stdout, len(called.stderr.splitlines())), called.stderr
    assert called.stderr.startswith(f"pitledger: {said}")
    assert [] == registry.asked


def test_without_a_token_nobody_is_asked(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable."""
    monkeypatch.delenv("PITLEDGER_TOKEN", raising=False)
    called = pitledger("property", "list")
    assert (2, "pitledger: PITLEDGER_TOKEN is not set: give your token for paytable-registry\n") == (
        called.code,
        called.stderr,
    )


@pytest.mark.parametrize(
    ("problem", "stderr"),
    [
        ({"detail": "one; thing"}, "pitledger: POST /properties of paytable-registry: 422: one; thing\n"),
        (
            {"detail": "one; thing\nand another"},
            "one; thing\nand another\npitledger: POST /properties of paytable-registry: 422: 2 problems, above\n",
        ),
        (
            {"detail": "a: b; c: d", "errors": [{"at": "a", "what": "b"}, {"at": "c", "what": "d"}]},
            "a: b\nc: d\npitledger: POST /properties of paytable-registry: 422: 2 problems, above\n",
        ),
    ],
    ids=["one", "several", "malformed"],
)
def test_what_is_wrong_stands_one_problem_a_line(
    pitledger: Caller, registry: Registry, problem: dict[str, Any], stderr: str
) -> None:
    """With exit code 3."""
    registry.answers = [(422, problem)]
    called = pitledger("property", "file", str(EXAMPLE))
    assert (3, "", stderr) == (called.code, called.stdout, called.stderr)


def test_names_cannot_leave_their_place_in_the_path(pitledger: Caller, registry: Registry) -> None:
    """A name with a slash is one name."""
    registry.answers = [(404, {"detail": "there is none"})]
    assert 4 == pitledger("property", "show", "a/../b", "--version", "2").code
    assert [("GET", "/properties/a%2F..%2Fb/2", None)] == registry.asked


def test_a_version_that_changes_nothing_says_so(pitledger: Caller, registry: Registry) -> None:
    """On stderr: there is nothing on stdout, as there are no changes."""
    registry.answers = [(200, {"property": "a", "from_version": 1, "to_version": 2, "changes": []})]
    called = pitledger("property", "diff", "a", "2", "--since", "1")
    assert (0, "", "nothing but its beginning differs from version 1\n") == (called.code, called.stdout, called.stderr)
    assert "/properties/a/2/changes?since=1" == registry.asked[0][1]


def test_a_file_of_one_document_is_that_document(tmp_path: Path) -> None:
    """Anything else is refused."""
    (tmp_path / "a.json").write_text('{"property": "a"}')
    assert {"property": "a"} == read_document(str(tmp_path / "a.json"))
    (tmp_path / "b.yaml").write_text("a: 1\n---\nb: 2\n")
    with pytest.raises(InputRefused, match="2 documents; give one"):
        read_document(str(tmp_path / "b.yaml"))


def test_the_page_about_properties_calls_commands_that_there_are() -> None:
    """Each command of docs/properties.md is one of the command line."""
    page = (EXAMPLE.parents[1] / "properties.md").read_text()
    called = set(re.findall(r"^pitledger property (\w+)", page, re.MULTILINE))
    named = {command.name or getattr(command.callback, "__name__", None) for command in app.registered_commands}
    assert named == called
