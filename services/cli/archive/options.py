"""Options and settings that several commands of the archive share."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

import typer

from services.cli.exits import UsageWrong
from services.cli.operations.keys import read_verifiers
from shared.journal.signed_note import Verifier
from shared.runtime.settings import Settings

StorePlace = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="STORE",
        help="Archive store: a folder or s3://bucket/prefix (default: PITLEDGER_ARCHIVE_STORE).",
    ),
]
Property = Annotated[
    str | None, typer.Option("--property", help="Only this property, or - for entries without a property.")
]
Day = Annotated[str | None, typer.Option("--gaming-day", help="Only this gaming day, YYYY-MM-DD.")]


def place_of(found: Settings, store: str | None) -> str:
    """Return the store of the archive. Raises: UsageWrong if neither the option nor the setting names it."""
    where = store or found.archive_store
    if where is None:
        raise UsageWrong("where is the archive? give --store, or PITLEDGER_ARCHIVE_STORE")
    return where


def public_keys(found: Settings, keys: Sequence[str]) -> list[Verifier]:
    """Return the public keys of the services and of the archive. Raises: UsageWrong if none are configured."""
    if not keys and found.checkpoint_verifiers_file is not None:
        keys = [str(found.checkpoint_verifiers_file)]
    if not keys:
        raise UsageWrong("with which public keys? give --key, or PITLEDGER_CHECKPOINT_VERIFIERS_FILE")
    return read_verifiers(keys)


def day_of(text: str | None) -> date | None:
    """Return the gaming day that an option names. Raises: UsageWrong if the value is not a date."""
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise UsageWrong(f"--gaming-day {text!r}: write YYYY-MM-DD") from error
