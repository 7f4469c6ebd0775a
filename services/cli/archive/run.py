"""`pitledger archive run`: write the files of sealed gaming days, prove them, and sign a manifest per day."""

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.archive.days import document
from services.cli.archive.options import StorePlace, day_of, place_of, public_keys
from services.cli.database import explained
from services.cli.environment import settings
from services.cli.exits import CommandError, ExitCode, InputRefused, NotFound, UsageWrong
from services.cli.output import AsJson, message, print_json, print_line
from shared.journal.archive.manifest import ARCHIVE, DayManifest
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer
from shared.runtime.extras import require_extra
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection


def run(
    property_name: Annotated[
        str, typer.Option("--property", help="The property's name, or - for entries without a property.")
    ],
    gaming_day: Annotated[
        str | None, typer.Option(help="Only this gaming day, YYYY-MM-DD (default: all that are due).")
    ] = None,
    store: StorePlace = None,
    as_json: AsJson = False,
) -> int:
    """Archive sealed gaming days of a property: write their files, prove them, and sign a manifest per day.

    Days are due if they are over, sealed, and not archived yet or have entries added since. Needs the key of
    PITLEDGER_ARCHIVE_KEY_FILE, and the public keys of the services. Only one process can archive at a time; a second
    one ends with exit code 2. The next run finishes a killed one. Nothing is removed from the database.

    Example: pitledger archive run --property bedrock
    Example: pitledger archive run --property bedrock --gaming-day 2026-11-20
    """
    require_extra(ARCHIVE)
    from services.cli.archive.archiving import Archiver
    from services.cli.archive.database import archiver
    from services.cli.archive.day_index import scan
    from services.cli.archive.journal_reader import journal_reader
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.warehouse import Warehouse

    found = settings()
    wanted = day_of(gaming_day)
    where = place_of(found, store)
    signer, verifiers = _signer(found), public_keys(found, ())
    url = found.database_url.get_secret_value()
    waiting: list[CommandError] = []
    with explained_store(where), explained(url), archiver(url) as connection:
        warehouse = Warehouse.opened(url, Store.opened(where, create=True))
        try:
            archive = Archiver.opened(connection, warehouse, signer, verifiers)
            begun = archive.begun()
            if begun and (left := archive.remove_leftovers()):
                message(f"removed {left} file{'s' if left > 1 else ''} that a run which was killed had left")
            scan(connection)
            days = _days(connection, property_name, wanted)
            listed = [*begun, *(each for day in days if (each := (property_name, day)) not in begun)]
            for name, day in listed:
                try:
                    with journal_reader(url) as reader:  # one snapshot a day: a long one would hold up vacuuming
                        done = archive.archive(reader, name, day)
                except NotFound as error:  # a checkpoint is still to come: other days need not wait for it
                    waiting.append(error)
                    message(f"{name} {day}: {error}")
                    continue
                _report(done, name, day, as_json=as_json)
        finally:
            warehouse.close()
    if not listed:
        is_any = any(one.property == property_name for one in archive.chain.manifests)
        message(f"{property_name}: {'every sealed day is archived' if is_any else 'no day is over and sealed yet'}")
    return ExitCode.NOT_THERE if waiting else ExitCode.FINE


def _days(connection: "Connection[Any]", property_name: str, wanted: date | None) -> list[date]:
    """Return the requested day, or all days that are due. Raises: NotFound, InputRefused."""
    from services.cli.archive.day_index import due_days, is_known, is_sealed, places_of

    if not is_known(connection, property_name):
        raise NotFound(f"there is no property {property_name}: no journal has an entry of it")
    if wanted is None:
        return due_days(connection, property_name, datetime.now(UTC).date())
    if not places_of(connection, property_name, wanted):
        raise NotFound(f"there are no entries of {property_name} on {wanted}")
    if not is_sealed(connection, property_name, wanted):
        raise InputRefused(f"{wanted} is not sealed at {property_name}: archive it once the day is final")
    return [wanted]


def _report(manifest: DayManifest | None, property_name: str, day: date, *, as_json: bool) -> None:
    if manifest is None:
        message(f"{property_name} {day}: archived already, as the journals have it")
    elif as_json:
        print_json(document(manifest, None, current_number=manifest.number))
    else:
        again = f", in place of manifest {manifest.replaces}" if manifest.replaces else ""
        print_line(
            f"{property_name} {day}: {manifest.rows():,} entries, {manifest.size():,} bytes, "
            f"proven; manifest {manifest.number}{again}"
        )


def _signer(found: Settings) -> Signer:
    if found.archive_key_file is None:
        raise UsageWrong("with which key are manifests signed? give PITLEDGER_ARCHIVE_KEY_FILE (`pitledger keys`)")
    try:
        return Signer.from_pem(found.archive_key_file, signer_name(ARCHIVE))
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"PITLEDGER_ARCHIVE_KEY_FILE: {error}") from error
