"""`pitledger patron-keys`: rotate the keys that wrap patrons' keys."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from services.cli.database import explained
from services.cli.environment import settings
from services.cli.exits import UsageWrong
from services.cli.operations.keys import write_wrapping_keys
from services.cli.output import AsJson, message, print_json
from services.wagering_accounts.domain.sealing import SealError, WrappingKeys, new_wrapping_key
from services.wagering_accounts.queries.patron_keys import rewrap as rewrap_all
from services.wagering_accounts.tables import SCHEMA
from shared.runtime.database import create_engine

app = typer.Typer()


@app.command()
def rotate(file: Annotated[Path, typer.Argument(help="The file named by PITLEDGER_PATRON_KEYS_FILE.")]) -> None:
    """Put a new wrapping key first in a key file: it wraps from now on, while the others only unwrap.

    Then run `pitledger patron-keys rewrap`; after that remove the former lines, here and in every backup.

    Example: pitledger patron-keys rotate /etc/pitledger/keys/patron-keys.txt
    """
    try:
        known = WrappingKeys.read(file)
        name = f"k{len(known.by_name) + 1}-{datetime.now(UTC):%Y%m%d%H%M%S}"
        write_wrapping_keys(file, new_wrapping_key(name) + file.read_text(encoding="ascii"))
    except (OSError, SealError) as error:
        raise UsageWrong(str(error)) from error
    message(f"{name} wraps from now on; now: pitledger patron-keys rewrap")


@app.command()
def rewrap(as_json: AsJson = False) -> None:
    """Rewrap every patron's key with the current wrapping key, in one transaction; data is not re-encrypted.

    Example: pitledger patron-keys rewrap
    """
    known, url = settings(), settings().database_url.get_secret_value()
    if known.patron_keys_file is None:
        raise UsageWrong("set PITLEDGER_PATRON_KEYS_FILE to the file of the keys that wrap")
    try:
        keys = WrappingKeys.read(known.patron_keys_file)
        with explained(url):
            count = asyncio.run(_rewrap(url, keys))
    except (OSError, SealError) as error:
        raise UsageWrong(str(error)) from error
    if as_json:
        print_json({"wrapped_by": keys.current, "rewrapped": count})
    else:
        message(f"{count} keys of patrons wrapped anew; {keys.current} wraps all of them")


async def _rewrap(url: str, keys: WrappingKeys) -> int:
    engine = create_engine(url, role=SCHEMA)
    try:
        async with engine.begin() as connection:
            return await rewrap_all(connection, keys)
    finally:
        await engine.dispose()
