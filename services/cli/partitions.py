"""The option `--partitions` of commands that create topics."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from services.cli.exits import UsageWrong

PartitionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--partitions",
        metavar="TOPIC=NUMBER",
        help="Number of partitions of a topic, instead of the default; may be repeated.",
    ),
]


def numbers_of_partitions(given: Sequence[str]) -> Mapping[str, int]:
    """Return the partition counts from the options, by topic. Raises: UsageWrong."""
    found: dict[str, int] = {}
    for each in given:
        name, _, number = each.partition("=")
        if not number.isdecimal():
            raise UsageWrong(f"--partitions {each!r}: give it as table.events=24")
        found[name] = int(number)
    return found
