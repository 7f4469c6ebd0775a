"""The line of a settlement as messages have it: with compiled rules, too, it is read as it was written."""

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.rules.line import Line

LINES = TypeAdapter(tuple[Line, ...])
WHOLE = Line(2, "bank", "win", 500, 450, 500, "§ 645a.11(h)", 1, "bonus", 25, 100, "bank", 0)
PLAIN = Line(1, "ante", "lose", 500, 0, 0, "§ 643a.10")


def test_lines_are_read_as_they_were_written() -> None:
    """What is as by default is left out of what is written, as in the document of a line."""
    raw = LINES.dump_json((WHOLE, PLAIN), exclude_defaults=True)
    assert (WHOLE, PLAIN) == LINES.validate_json(raw)
    assert (PLAIN.as_document(), WHOLE.as_document()) == LINES.dump_python((PLAIN, WHOLE), exclude_defaults=True)


@pytest.mark.parametrize("change", [{"outcome": "won"}, {"stake": "much"}, {"hand": "first"}, {"paid_by": "nobody"}])
def test_a_line_that_says_something_else_is_refused(change: dict[str, str]) -> None:
    """Each field has its type."""
    with pytest.raises(ValidationError):
        LINES.validate_python([PLAIN.as_document() | change])
