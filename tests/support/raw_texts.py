"""Texts on a page that are for programs: Python values, instants of ISO 8601, identifiers, a library's messages."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

_RAW: Final = (
    re.compile(r"\b(True|False)\b(?! [a-z])|: None\b|^None$"),
    re.compile(r"\[['\"]|\{['\"]|['\"]\]|\[\]|\{\}|datetime\.|Decimal\("),
    re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+|[+-]\d\d:\d\d|Z)|\d{4}-\d\d-\d\dT\d\d"),
    re.compile(r"(?<![\w/.@'-])[a-z][a-z0-9]*(_[a-z0-9]+)+(?![\w/@])"),
    re.compile(
        r"[Ii]nput should be|[Ff]ield required|(String|Value|List|Tuple) should|Value error|should have at (least|most)"
        r"|\b(body|query|path)\.[a-z]"
    ),
)
_MACHINES: Final = frozenset({"code", "pre", "textarea", "script", "style", "svg", "option"})
"""Elements whose text is meant to be copied: documents as JSON, hashes; and choices, of which one may be `None`."""


class _Texts(HTMLParser):
    """The texts of a page that people read, each of one element."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _MACHINES:
            self._within.append(tag)
        self.found += [value for name, value in attrs if name in ("title", "aria-label") and value]

    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within and data.strip():
            self.found.append(" ".join(data.split()))


def raw_texts(html: str) -> Iterator[str]:
    """Yield the texts of a page that nobody wrote for people."""
    texts = _Texts()
    texts.feed(html)
    for text in texts.found:
        if any(pattern.search(text) for pattern in _RAW):
            yield text
