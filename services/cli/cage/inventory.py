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


def inventory() -> Client:
    """Return a client for table inventory. Raises: UsageWrong without a token."""
    return client_of(_SERVICE)


def path(*parts: object) -> str:
    """Return a path of these parts, each of them quoted.

    >>> path("cage", "riverside", "counts", 3)
    '/cage/riverside/counts/3'
    """
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def print_step(answer: Document, says: Callable[[Document], str], *, as_json: bool) -> None:
    """Print the answer to a command: as JSON, or what it says in a line."""
    if as_json:
        print_json(answer)
    else:
        message(says(answer))


def print_list(
    found: Sequence[Document],
    columns: Sequence[Column],
    row: Callable[[Document], Sequence[str]],
    *,
    nothing: str,
    as_json: bool,
) -> None:
    """Print the items of a list: as JSON, or as a table; `nothing` if there are none."""
    if as_json:
        for one in found:
            print_json(one)
    elif found:
        show(table(columns, map(row, found)))
    else:
        message(nothing)
