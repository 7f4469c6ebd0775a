"""The limits of docs/integrate.md: what is at one is taken, what is beyond it is refused; the page has the figure."""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from infra.wanted_topics import wanted
from services.cli.operations import intake_folder
from services.cli.operations.intake_folder import Arrived, Folder
from services.cli.operations.intake_lines import LINES_MAX, read_lines
from shared.contracts.tables import READER
from shared.rules.errors import Refused
from tests.support.rounds import completed, encoded, record
from tests.support.services import ROOT

PAGE = re.sub("<!-- .*? -->", "", (ROOT / "docs" / "integrate.md").read_text())
DIGEST = "0" * 64


def of(**attributes: Any) -> bytes:
    """The first round of a table, with other attributes."""
    return encoded(completed("BJ-01", 1) | attributes)


def at_table(name: str) -> bytes:
    """The first round of a table of another name."""
    return encoded(completed(name, 1))


def wagered(cents: int) -> bytes:
    """A round with a wager of so many cents."""
    return encoded(completed("BJ-01", 1, "r", record(cents=cents)))


@pytest.mark.parametrize(
    ("make", "most", "beyond", "written"),
    [
        (at_table, "T" * 64, "T" * 65, "| 64; 128 printable ASCII characters |"),
        (lambda text: of(id=text), "~" * 128, "~" * 129, "| 64; 128 printable ASCII characters |"),
        (lambda text: of(id=text), "!", "é", "| 64; 128 printable ASCII characters |"),
        (lambda number: of(sequence=number), 2**31 - 1, 2**31, f"| {2**31 - 1:,}; 10,000 ahead of the last one"),
        (wagered, 10**12, 10**12 + 1, "| 10,000,000,000.00 dollars |"),
    ],
)
def test_what_is_at_a_limit_is_taken(make: Callable[[Any], bytes], most: Any, beyond: Any, written: str) -> None:
    """As it is read, before anything else is asked."""
    assert written in PAGE
    READER.decode(make(most))
    with pytest.raises(Refused):
        READER.decode(make(beyond))


def test_the_topics_take_records_of_the_size_that_the_page_says() -> None:
    """Both that are written from outside."""
    assert "| 16 MiB, the broker's `max.message.bytes`" in PAGE
    sizes = {topic.name: int(topic.config["max.message.bytes"]) for topic in wanted()}
    assert {16 << 20} == {sizes["table.events"], sizes["pit.events"]}


def test_other_attributes_are_passed_over_and_other_members_are_not() -> None:
    """What traces and routes an event may stand beside it; a member of `data` may be a misspelled wager."""
    assert READER.decode(of()) == READER.decode(of(traceparent="00-1", anything={"goes": [1]}))
    with pytest.raises(Refused, match="unknown field"):
        READER.decode(encoded(completed("BJ-01", 1, wager_cents=1)))


def test_a_file_has_at_most_the_lines_that_the_page_says() -> None:
    """One more, and nothing of it is taken."""
    assert f"64 MiB and {LINES_MAX:,} lines a file at most" in PAGE
    line = json.dumps({name: completed("BJ-01", 1)[name] for name in ("type", "time", "data")}).encode() + b"\n"
    lines, problems = read_lines("a.jsonl", b"{}\n" * LINES_MAX + line, DIGEST)
    assert ([], [f"the file has more than {LINES_MAX} lines; divide it"]) == (lines, [one.reason for one in problems])
    assert ([1], []) == ([one.number for one in read_lines("a.jsonl", line, DIGEST)[0]], problems[1:])


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_has_at_most_the_bytes_that_the_page_says(
    more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A larger one waits, and says so; here with a smaller limit."""
    assert intake_folder._BYTES_MAX == 64 << 20
    monkeypatch.setattr(intake_folder, "_BYTES_MAX", 100)
    folder, content = Folder(tmp_path), b"x" * (100 + more)
    (folder.incoming / "a.csv").write_bytes(content)
    (folder.incoming / "a.csv.sha256").write_text(sha256(content).hexdigest())
    [found] = folder.arrived()
    assert (more == 1) == (not isinstance(found, Arrived))
    assert not more or "divide it" in str(found)
