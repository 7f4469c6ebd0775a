"""Call the table-inventory service for the cage and credit commands, and print the responses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from services.cli.client import Client, client_of
from services.cli.output import Column, message, print_json, show, table

Document = Mapping[str, Any]

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")]
Amount = Annotated[str, typer.Option(metavar="DOLLARS", help="Amount in dollars, such as 200 or 12.50.")]

_SERVICE: Final = "table-inventory"


def _inventory() -> Client:
    """Return a client for table inventory. Raises: UsageWrong without a token."""
    return client_of(_SERVICE)


def path(*parts: object) -> str:
    """Return a URL path made of these segments, each percent-encoded.

    >>> path("cage", "riverside", "counts", 3)
    '/cage/riverside/counts/3'
    """
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


Parts = tuple[object, ...]
"""The segments of a URL path."""

Says = Callable[[Document], str]
"""A function that formats the response to a command as one line of text."""


def send_step(parts: Parts, said: Document, says: Says, as_json: bool) -> None:
    """POST the body `said` to a path, and print the response as JSON or as the line that `says` returns."""
    with _inventory() as client:
        answer = client.do(path(*parts), said)
    print_json(answer) if as_json else message(says(answer))


def approve_step(parts: Parts, said: Document, says: Says, shown: str | None, as_json: bool) -> None:
    """Approve the subject with hash `shown` (None: its current content), and print the response like `send_step`."""
    with _inventory() as client:
        answer = client.approve(path(*parts), said, sha256=shown)
    print_json(answer) if as_json else message(says(answer))


def read(*parts: object) -> Document:
    """Return table inventory's JSON document at a path, given the path's segments."""
    with _inventory() as client:
        return client.read(path(*parts))


def print_list(
    parts: Parts,
    columns: Sequence[Column],
    row: Callable[[Document], Sequence[str]],
    nothing: str,
    as_json: bool,
    **asked: str | None,
) -> None:
    """Print a list, filtered by the query parameters `asked`, as JSON or as a table; print `nothing` if it is empty."""
    with _inventory() as client:
        found = list(client.pages(path(*parts), **{name: value for name, value in asked.items() if value is not None}))
    if as_json:
        for one in found:
            print_json(one)
    elif found:
        show(table(columns, map(row, found)))
    else:
        message(nothing)
