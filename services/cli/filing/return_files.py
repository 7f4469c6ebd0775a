"""Write files of information returns for the portal of the IRS, by a layout or the portal's template. No I/O."""

import csv
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from typing import TypeVar

from services.cli.filing.return_rows import Row
from shared.jurisdictions.returns import ReturnLayout

T = TypeVar("T")


class TemplateWrong(Exception):
    """A template cannot be read, or does not match the layout; the message names every wrong column."""


def header_of(template: bytes) -> list[str]:
    """Return the column names of a template. Raises: TemplateWrong."""
    try:
        header = next(csv.reader(StringIO(template.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error, StopIteration):
        raise TemplateWrong("it is no CSV with a header") from None
    return [one.strip() for one in header]


def require_columns(layout: ReturnLayout, header: Sequence[str], rows: Sequence[Row], empty: Collection[str]) -> None:
    """Raise TemplateWrong if a template has a column that is not in the layout, or lacks a column that a row fills.

    `empty` names columns that the template must have, and that may be missing from the layout because they stay empty
    in all rows. A repeated column is also an error.
    """
    places = layout.places(header)
    known = set(places.values())
    unknown = [name for place, name in enumerate(header) if place not in known and name not in empty]
    missing = [one.name for one in layout.columns if one.name not in places and any(row[one.name] for row in rows)]
    wrong = [f"{name}: the layout does not know it" for name in unknown]
    wrong += [f"{name}: the template does not have it" for name in missing]
    wrong += [f"{name}: the template does not have it, so it cannot stay empty" for name in empty if name not in header]
    if len(set(header)) < len(header):
        wrong.append("a column is in the template twice")
    if wrong:
        raise TemplateWrong("\n".join(wrong))


def file_of(layout: ReturnLayout, rows: Sequence[Row], header: Sequence[str] | None = None) -> str:
    """Return the rows as CSV text with the template's header, or the layout's; the same rows give the same text."""
    header = header or [one.name for one in layout.columns]
    names = {place: name for name, place in layout.places(header).items()}
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([row[names[place]] if place in names else "" for place in range(len(header))])
    return text.getvalue()


def in_files(groups: Sequence[Sequence[T]], most: int) -> Iterator[list[T]]:
    """Yield the groups' members in order, in lists of at most `most`, without splitting a group.

    >>> list(in_files(["a", "bc", "d"], 2))
    [['a'], ['b', 'c'], ['d']]
    """
    file: list[T] = []
    for group in groups:
        if len(file) + len(group) > most:
            yield file
            file = []
        file += group
    if file:
        yield file
