"""Lines of files as events: what CSV cells become, and what is said of lines that are no events."""

import json
import re
from pathlib import Path

import pytest

from services.cli.operations.intake_lines import Problem, read_lines

PAGE = (Path(__file__).parents[3] / "docs" / "integrate.md").read_text()
DIGEST = "0123456789abcdef" * 4
HEAD = "type,time,property,table,gaming_day,shift,dealer,cents,instrument\n"
SOLD = "chips.sold,2026-11-20T10:04:00-05:00,riverside,BJ-01,2026-11-20,day,dealer.ana,30000,currency\n"


def problems(name: str, text: str) -> list[Problem]:
    """What is wrong with a file."""
    lines, found = read_lines(name, text.encode(), DIGEST)
    assert not found or not [line for line in lines if line.number in {each.line for each in found}]
    return found


def test_the_csv_of_the_page_is_two_events() -> None:
    """Numbers and lists are read as such, empty cells are left out, and streams and ids follow by themselves."""
    [text] = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    lines, found = read_lines("pit.csv", text.encode(), DIGEST)
    assert [] == found
    opened, sold = lines
    assert ("pit.events", "/properties/riverside/tables/BJ-01/pit", None) == (sold.topic, sold.source, sold.sequence)
    assert "0123456789abcdef-3" == sold.event["id"]
    assert [{"cents": 2500, "count": 200}] == opened.event["data"]["contents"]
    expected = {
        "property": "riverside",
        "table": "BJ-01",
        "gaming_day": "2026-11-20",
        "shift": "day",
        "dealer": "dealer.ana",
        "cents": 30000,
        "instrument": "currency",
    }
    assert expected == sold.event["data"]


def test_a_text_of_digits_stays_a_text() -> None:
    """What the schema says is a text is one, also where it looks like a number; a byte order mark is passed over."""
    lines, found = read_lines("a.csv", b"\xef\xbb\xbf" + (HEAD + SOLD.replace("BJ-01", "17")).encode(), DIGEST)
    assert [] == found
    assert "17" == lines[0].event["data"]["table"]


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("a.csv", "type,time,table\n", 1, "no column property"),
        ("a.csv", "type,time,property,table,table\n", 1, "a column is there twice"),
        ("a.csv", HEAD, 0, "the file has no event"),
        ("a.csv", HEAD + SOLD + SOLD.replace(",currency", ""), 3, "8 cells under 9 columns"),
        ("a.csv", HEAD + SOLD.replace("30000", "three"), 2, "'cents' 'three': a number"),
        ("a.csv", HEAD + SOLD.replace("30000", "[" * 3_000), 2, "'cents' '[[["),
        ("a.csv", f"sequence,{HEAD}seven,{SOLD}", 2, "'sequence' 'seven': a number"),
        ("a.csv", HEAD + SOLD.replace("30000", "-1"), 2, "cents"),
        ("a.csv", HEAD + SOLD.replace("chips.sold", "settlement.posted"), 2, "no kind of table.events or pit.events"),
        ("a.csv", HEAD + 'chips.sold,"2026', 2, "no CSV"),
        ("a.jsonl", "\n{", 2, "no JSON"),
        ("a.jsonl", '{"type": "chips.sold", "data": {"cents": 1, "cents": 2}}', 1, "member 'cents' is there twice"),
        ("a.csv", HEAD + SOLD.replace("30000", '"{""a"": 1, ""a"": 2}"'), 2, "'cents': member 'a' is there twice"),
        ("a.jsonl", "[]", 1, "no JSON object"),
        ("a.jsonl", '{"type": "chips.sold"}', 1, "'data': an object is wanted"),
        ("a.jsonl", '{"type": ["chips.sold"], "data": {}}', 1, "no kind"),
        ("a.jsonl", '{"type": "chips.sold", "source": "/x", "data": {"property": "p", "table": "t"}}', 1, "'source'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(name: str, text: str, line: int, said: str) -> None:
    """Each problem names its line, the value and what is wanted."""
    [found] = problems(name, text)
    assert line == found.line
    assert said in found.reason


def test_bytes_that_are_no_text_are_named() -> None:
    """A file in another encoding is refused as a whole."""
    assert "byte 1 is not UTF-8" in read_lines("a.csv", b"a\xff", DIGEST)[1][0].reason


def test_a_misspelled_member_is_a_problem() -> None:
    """A column that the kind does not have is an error, because it may be a misspelled wager."""
    row = dict(zip(HEAD.strip().split(","), SOLD.strip().split(","), strict=True))
    data = {name: row[name] for name in ("property", "table", "gaming_day", "shift", "dealer", "instrument")}
    event = {"type": row["type"], "time": row["time"], "data": data | {"cents": 30000}}
    assert [] == problems("a.jsonl", json.dumps(event))
    assert "cent_s" in problems("a.jsonl", json.dumps(event | {"data": data | {"cents": 1, "cent_s": 1}}))[0].reason


def test_a_line_of_json_ends_where_the_file_says_so() -> None:
    """A line separator of Unicode in a text is part of the text, as JSON Lines has it."""
    text = '{"type": "x\u2028y", "data": {}}\r\n{"type": "z", "data": {}}\r\n'
    assert [(1, "'type' 'x\\u2028y'"), (2, "'type' 'z'")] == [
        (one.line, one.reason.partition(":")[0]) for one in problems("a.jsonl", text)
    ]
