"""Text for a cell of a file that people open in a spreadsheet."""

import re
from typing import Final

_COMPUTED: Final = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""The beginning of a text that a spreadsheet would evaluate, or that looks as if it were escaped."""


def guarded(text: str) -> str:
    """Return the text, with an apostrophe in front if a spreadsheet would interpret it as a formula.

    >>> guarded("=1+1"), guarded("BJ-01"), guarded("'=1+1")
    ("'=1+1", 'BJ-01', "''=1+1")
    """
    return f"'{text}" if _COMPUTED.match(text) else text
