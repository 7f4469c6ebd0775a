"""Documents as lines of CSV (RFC 4180): each amount in cents, and in dollars with two decimals."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

_CENTS = "_cents"


def as_text(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return lines as text, the header first."""
    text = io.StringIO()
    csv.writer(text).writerows([head, *lines])
    return text.getvalue()


def headers(names: Iterable[str], prefix: str = "") -> list[str]:
    """Return the headers of fields: of `win_cents` also `win_dollars`.

    >>> headers(["wager", "win_cents"], "day_")
    ['day_wager', 'day_win_cents', 'day_win_dollars']
    """
    return [prefix + header for name in names for header in _headers(name)]


def cells(document: BaseModel, names: Iterable[str]) -> Iterator[Any]:
    """Give the cells below these headers; empty where there is no value."""
    for name in names:
        value = getattr(document, name)
        yield value
        if name.endswith(_CENTS):
            yield None if value is None else dollars(value)


def _headers(name: str) -> tuple[str, ...]:
    return (name, f"{name.removesuffix(_CENTS)}_dollars") if name.endswith(_CENTS) else (name,)


def dollars(cents: int) -> str:
    """Return an amount in dollars, with two decimals.

    >>> dollars(-5), dollars(123456)
    ('-0.05', '1234.56')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02}"
