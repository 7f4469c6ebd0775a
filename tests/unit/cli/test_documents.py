"""Documents of an operator: what a few lines of YAML may say, and what they may not."""

import json
import re

import pytest

from services.cli.documents import document_in, documents_in
from services.cli.exits import InputRefused


def test_aliases_say_the_same_again() -> None:
    """A value that is named once may stand in several places."""
    assert {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}]} == document_in("a.yaml", b"a: &a {x: 1}\nb: [*a, *a]\n")


def test_a_few_lines_do_not_say_millions_of_values() -> None:
    """Ten aliases of ten aliases, seven times over, are refused before anything spells them out."""
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [b"a%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 8)]
    with pytest.raises(InputRefused, match=r"a\.yaml: .*more than 1,000,000 values"):
        document_in("a.yaml", b"\n".join(lines))


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_json_has_no_such_number(constant: str) -> None:
    """Python's reader takes them, alone and in a line of several."""
    for text in (f'{{"cents": {constant}}}', f'{{"cents": 1}}\n{{"cents": {constant}}}'):
        with pytest.raises(InputRefused, match=f"{constant} is no number of JSON"):
            documents_in("a.json", text.encode())


def test_nothing_stands_within_itself() -> None:
    """An alias in what it names is refused: JSON could not say it."""
    with pytest.raises(InputRefused, match="an alias stands within what it names"):
        document_in("a.yaml", b"a: &a [*a]\n")


def test_a_line_ends_where_a_file_says_so() -> None:
    """A line separator of Unicode in a text of JSON Lines is part of the text."""
    lines = [json.dumps({"a": f"x\u2028{n}"}, ensure_ascii=False) for n in range(2)]
    found = [one for _, one in documents_in("a.jsonl", "\n".join(lines).encode())]
    assert [{"a": "x\u20280"}, {"a": "x\u20281"}] == found


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ("010000", "begins with a zero"),
        ("-007", "begins with a zero"),
        ("08", "begins with a zero"),
        ("00.50", "begins with a zero"),
        ("1_000", "is written with underscores"),
        ("1_000.5", "is written with underscores"),
        ("0x1F", "is no decimal number"),
        ("0b11", "is no decimal number"),
        (".inf", "is no decimal number"),
        (".NaN", "is no decimal number"),
    ],
)
def test_a_number_that_yaml_reads_as_another_one_is_refused(number: str, why: str) -> None:
    """The message names line and value; quoted, it is text, as account numbers with leading zeros are."""
    for text in (f"table: BJ-01\ncents: {number}\n", f"{{table: BJ-01,\n cents: {number}}}", f"- 1\n- [{number}]"):
        with pytest.raises(InputRefused, match=rf"a\.yaml: .*line 2, column \d+: {re.escape(number)} {why}"):
            documents_in("a.yaml", text.encode())
    with pytest.raises(InputRefused, match=re.escape(number)):
        documents_in("a.yaml", f"cents: !!{'float' if '.' in number else 'int'} {number}".encode())
    assert {"account": number} == document_in("a.yaml", f'account: "{number}"'.encode())


def test_a_key_is_no_other_number_than_it_is_written() -> None:
    """Keys are read as values are."""
    with pytest.raises(InputRefused, match="line 1, column 1: 010 begins with a zero"):
        documents_in("a.yaml", b"010: 5")


def test_decimal_numbers_dates_and_times_stay_what_they_are() -> None:
    """Zero, signs and fractions are numbers; dates and times are text as in JSON; so is a number with a colon."""
    text = b"[0, -0, 7, -12, +3, 0.5, -0.25, 10.50, .5, 1.5e+3, 2026-02-03, 06:00, 1:30, 2026-02-03T04:05:06Z, 05-01]"
    numbers = [0, 0, 7, -12, 3, 0.5, -0.25, 10.5, 0.5, 1500.0]
    words = ["2026-02-03", "06:00", "1:30", "2026-02-03T04:05:06Z", "05-01"]
    assert [*numbers, *words] == [one for _, one in documents_in("a.yaml", text)]
