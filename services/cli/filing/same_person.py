"""Detect patrons who have several references, before a filing names one of them."""

from collections.abc import Collection, Iterable
from typing import Annotated
from urllib.parse import quote

import typer

from services.cli.client import client_of
from services.cli.exits import InputRefused
from services.cli.filing.reading import ACCOUNTS

Apart = Annotated[
    list[str] | None,
    typer.Option(
        "--apart",
        metavar="PERSON",
        help="File this reference separately, although another reference is the same person; may be repeated.",
    ),
]


def require_one_reference_each(property_name: str, people: Collection[str], apart: Collection[str]) -> None:
    """Raise InputRefused if two of these people have the same taxpayer number or document, unless one is `apart`.

    The wagering-accounts service records the access to each person with such a match.
    """
    with client_of(ACCOUNTS) as accounts:
        found = accounts.read_list(f"/same-persons?property={quote(property_name, safe='')}")
    pairs = [(one["patron"], other) for one in found for other in one["same_person_as"] if one["patron"] < other]
    if wrong := [pair for pair in pairs if {*pair} <= {*people} and not {*pair} & {*apart}]:
        said = " ".join(f"--apart {person}" for person in sorted({*apart, *_one_of_each(wrong)}))
        error = InputRefused(
            "one person under two references, above: enter what was recorded under one reference of each pair, or say "
            f"{said}"
        )
        error.details = "\n".join(
            f"{one} and {other} are one person: the same taxpayer number or document" for one, other in wrong
        )
        raise error


def _one_of_each(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return sorted persons such that each pair contains at least one of them.

    >>> _one_of_each([("p-1", "p-2"), ("p-1", "p-3"), ("p-2", "p-3"), ("p-7", "p-8")])
    ['p-1', 'p-2', 'p-7']
    """
    chosen: set[str] = set()
    for pair in sorted(pairs):
        if not chosen & {*pair}:
            chosen.add(pair[0])
    return sorted(chosen)
