"""`pitledger patron-keys`: rotate the keys that wrap patrons' keys and files' keys."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.database import explained
from services.cli.environment import settings
from services.cli.exits import UsageWrong
from services.cli.operations.keys import write_wrapping_keys
from services.cli.output import AsJson, message, print_json
from services.cli.services import service_option
from services.suspicious_activity.queries import rewrap as rewrap_reports
from services.wagering_accounts.queries.patron_keys import rewrap as rewrap_patrons
from shared.runtime.database import create_engine
from shared.runtime.database_names import role_of
from shared.runtime.sealing import SealError, WrappingKeys, new_wrapping_key

app = typer.Typer()

_REWRAP: Final[Mapping[str, Callable[[AsyncConnection, WrappingKeys], Awaitable[int]]]] = {
    "wagering-accounts": rewrap_patrons,
    "suspicious-activity": rewrap_reports,
}


@app.command()
def rotate(
    file: Annotated[Path, typer.Argument(help="File of wrapping keys, as named by PITLEDGER_PATRON_KEYS_FILE.")],
) -> None:
    """Add a new wrapping key at the top of a key file; the other keys in the file will only unwrap.

    Then run `pitledger patron-keys rewrap`. After that, remove the lines of the old keys, here and in every backup.

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
def rewrap(
    service: Annotated[
        str,
        service_option("Service whose keys are rewrapped: patrons' keys, or those of suspicious activity reports."),
    ] = ("wagering-accounts"),
    as_json: AsJson = False,
) -> None:
    """Rewrap every key of a service with the current wrapping key, in one transaction; data is not re-encrypted.

    Example: pitledger patron-keys rewrap
    """
    if service not in _REWRAP:
        raise UsageWrong(f"--service {service}: it keeps no personal data; choose among {', '.join(_REWRAP)}")
    known, url = settings(), settings().database_url.get_secret_value()
    if known.patron_keys_file is None:
        raise UsageWrong("set PITLEDGER_PATRON_KEYS_FILE to the file of the keys that wrap")
    try:
        keys = WrappingKeys.read(known.patron_keys_file)
        with explained(url):
            count = asyncio.run(_rewrap(service, url, keys))
    except (OSError, SealError) as error:
        raise UsageWrong(str(error)) from error
    if as_json:
        print_json({"wrapped_by": keys.current, "rewrapped": count})
    else:
        message(f"{count} keys wrapped anew; {keys.current} wraps all of them")


async def _rewrap(service: str, url: str, keys: WrappingKeys) -> int:
    engine = create_engine(url, role=role_of(service))
    try:
        async with engine.begin() as connection:
            return await _REWRAP[service](connection, keys)
    finally:
        await engine.dispose()
