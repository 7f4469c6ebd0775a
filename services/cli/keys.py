"""The public keys with which commands verify checkpoints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from services.cli.exits import UsageWrong
from shared.journal.signed_note import CheckpointError, Verifier

Keys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="KEY|FILE", help="A verifier key, or a file with one a line; may be repeated."),
]


def read_verifiers(keys: Sequence[str]) -> list[Verifier]:
    """Return the verifiers of the keys and key files. Raises: UsageWrong, naming the one that is no key."""
    lines: list[str] = []
    for key in keys:
        try:
            lines.extend(line for line in Path(key).read_text().splitlines() if line.strip())
        except (OSError, UnicodeDecodeError):
            lines.append(key)  # no file of that name: the key itself
    try:
        return [Verifier.from_string(line) for line in lines]
    except CheckpointError as error:
        raise UsageWrong(f"--key: {error}") from error
