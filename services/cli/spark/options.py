"""Options that the commands of `pitledger spark` share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from services.cli.archive.options import place_of
from services.cli.environment import settings
from services.cli.exits import UsageWrong
from shared.runtime.extras import require_extra

if TYPE_CHECKING:
    from services.cli.archive.latest_files import LatestFile

SPARK: Final = "spark"
"""The name of the extra."""

FormName = Literal["table", "csv", "json"]

First = Annotated[
    str | None,
    typer.Option("--first", metavar="DATE", help="First gaming day, YYYY-MM-DD (default: all that precede)."),
]
Last = Annotated[
    str | None, typer.Option("--last", metavar="DATE", help="Last gaming day, YYYY-MM-DD (default: all that follow).")
]
Properties = Annotated[
    list[str] | None, typer.Option("--property", help="Only this property; may be repeated (default: all).")
]
Master = Annotated[
    str, typer.Option("--master", help="Spark's master: local[*] for this machine, or the URL of a cluster.")
]
Conf = Annotated[
    list[str] | None,
    typer.Option(
        "--conf", metavar="NAME=VALUE", help="Setting of Spark, such as spark.executor.memory=4g; repeatable."
    ),
]
Alone = Annotated[
    bool, typer.Option("--single-process", help="Read with this process alone, without Spark and Java; same output.")
]
Form = Annotated[FormName, typer.Option("--as", help="Output format.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write CSV to this file instead of stdout.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command reads and how: the store, the span, and Spark's master with settings.

    `first` and `last` are None where the span is open; `master` is None if this process reads alone.
    """

    where: str
    first: date | None
    last: date | None
    properties: Sequence[str]
    master: str | None
    conf: Sequence[tuple[str, str]]

    def holds(self, file: "LatestFile") -> bool:
        """Return whether a file is of the span and of a wanted property."""
        after = self.first is None or self.first <= file.gaming_day
        before = self.last is None or file.gaming_day <= self.last
        return after and before and (not self.properties or file.property in self.properties)

    def span(self) -> str:
        """Return the span for messages, such as 'from 2026-11-01 to 2026-11-30'."""
        parts = (("of", "/".join(self.properties)), ("from", self.first), ("to", self.last))
        return " ".join(f"{word} {value}" for word, value in parts if value) or "of any day"


def reading_of(
    store: str | None,
    first: str | None,
    last: str | None,
    properties: list[str] | None,
    master: str,
    conf: list[str] | None,
    alone: bool,
) -> Reading:
    """Return what the options say. Raises: UsageWrong; ExtraMissing if a package of the extra is not installed."""
    require_extra(SPARK)
    since, until = _day("--first", first), _day("--last", last)
    if since and until and until < since:
        raise UsageWrong(f"the last gaming day, {until}, is before the first, {since}")
    named = [part.partition("=") for part in conf or ()]
    for name, sign, _ in named:
        if not sign:
            raise UsageWrong(f"--conf {name!r}: write NAME=VALUE")
    where = place_of(settings(), store)
    if "://" in where and not where.startswith("file://") and not alone:
        raise UsageWrong(
            f"{where}: Spark as PyPI has it reads no bucket; mount or copy the archive under one path on every "
            "machine, or give --single-process"
        )
    given = tuple((name, value) for name, _, value in named)
    return Reading(where, since, until, tuple(properties or ()), None if alone else master, given)


def _day(option: str, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise UsageWrong(f"{option} {text!r}: write YYYY-MM-DD") from error
