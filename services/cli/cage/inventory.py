"""Table inventory as the commands of cage and credit call it, and what they print of its answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from services.cli.client import Client, client_of
from services.cli.output import Column, message, print_json, show, table

Document = Mapping[str, Any]

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason; it is recorded.")]
Amount = Annotated[str, typer.Option(metavar="DOLLARS", help="The amount.")]

_SERVICE: Final = "table-inventory"


def _inventory() -> Client:
    """Return a client for table inventory. Raises: UsageWrong without a token."""
    return client_of(_SERVICE)


def path(*parts: object) -> str:
    """Return a path of these parts, each of them quoted.

    >>> path("cage", "riverside", "counts", 3)
    '/cage/riverside/counts/3'
    """
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


Parts = tuple[object, ...]
"""The parts of a path."""

Says = Callable[[Document], str]
"""Return what the answer to a command says, in a line."""


def send_step(parts: Parts, said: Document, says: Says, as_json: bool) -> None:
    """Send a command, and print its answer: as JSON, or what it says."""
    with _inventory() as client:
        answer = client.do(path(*parts), said)
    print_json(answer) if as_json else message(says(answer))


def approve_step(parts: Parts, said: Document, says: Says, shown: str | None, as_json: bool) -> None:
    """Send a command that approves what has the hash `shown`, or is read first, and print its answer."""
    with _inventory() as client:
        answer = client.approve(path(*parts), said, sha256=shown)
    print_json(answer) if as_json else message(says(answer))


def read(*parts: object) -> Document:
    """Return a document."""
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
    """Print a list, of what is `asked` for: as JSON, or as a table; `nothing` if there is none."""
    with _inventory() as client:
        found = list(client.pages(path(*parts), **{name: value for name, value in asked.items() if value is not None}))
    if as_json:
        for one in found:
            print_json(one)
    elif found:
        show(table(columns, map(row, found)))
    else:
        message(nothing)
