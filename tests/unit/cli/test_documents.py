"""Documents of an operator: what a few lines of YAML may say, and what they may not."""

import json

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


def test_nothing_stands_within_itself() -> None:
    """An alias in what it names is refused: JSON could not say it."""
    with pytest.raises(InputRefused, match="an alias stands within what it names"):
        document_in("a.yaml", b"a: &a [*a]\n")


def test_a_line_ends_where_a_file_says_so() -> None:
    """A line separator of Unicode in a text of JSON Lines is part of the text."""
    lines = [json.dumps({"a": f"x\u2028{n}"}, ensure_ascii=False) for n in range(2)]
    found = [one for _, one in documents_in("a.jsonl", "\n".join(lines).encode())]
    assert [{"a": "x\u20280"}, {"a": "x\u20281"}] == found
