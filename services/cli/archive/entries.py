"""`pitledger archive prove` and `restore`: prove an archived entry, and restore entries into a journal."""

from pathlib import Path
from typing import Annotated

import typer

from services.cli.archive.options import Day, Property, StorePlace, day_of, place_of, public_keys
from services.cli.database import explained
from services.cli.environment import settings
from services.cli.exits import CheckFailed, NotFound
from services.cli.operations.keys import Keys
from services.cli.output import AsJson, message, print_json, print_line
from services.cli.services import SETTLEMENT, service_option
from shared.journal.archive.manifest import ARCHIVE, DayManifest, current
from shared.journal.merkle import EvidenceError
from shared.runtime.extras import require_extra


def prove(
    shard: Annotated[
        str, typer.Argument(help="Name or number of the journal's shard, as `pitledger verify` lists it.")
    ],
    seq: Annotated[int, typer.Argument(min=1, help="Sequence number of the entry in its shard.")],
    store: StorePlace = None,
    service: Annotated[str, service_option("Service whose journal has the entry.")] = SETTLEMENT,
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="No effect: the output is always JSON.")] = True,
) -> None:
    """Export the inclusion proof of an archived entry, from the files alone.

    The document has the format of `pitledger prove`; verify it with `pitledger verify-proof`.

    Example: pitledger archive prove 3 41 --store /mnt/archive > entry-41.json
    """
    del as_json
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from shared.journal.archive.proving import prove_archived

    where = place_of(settings(), store)
    with explained_store(where):
        place = Store.opened(where)
        manifests = current(DayManifest.read(one.text) for one in place.manifests())
        try:
            document = prove_archived(list(manifests.values()), place.read, service, shard, seq)
        except LookupError as error:
            raise NotFound(f"{where}: {error.args[0]}") from error
        except EvidenceError as error:
            what = f"entry {seq} of {shard} cannot be proven: {error}"
            raise CheckFailed(f"{what}; run: pitledger archive verify") from error
    if output is None:
        typer.echo(document)
    else:
        output.write_text(document + "\n")
        message(f"wrote {output}")


def restore(
    store: StorePlace = None,
    keys: Keys = None,
    property_name: Property = None,
    gaming_day: Day = None,
    seal_with: Annotated[
        Path | None,
        typer.Option(
            help="Directory of the services' signing keys, to sign the seal of a shard that has none in the archive."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write archived entries back into empty journals, after verifying them.

    Needs the login of the database's owner, and schemas from `pitledger db upgrade`. Restores the days that the options
    name, by default all. The restored entries of each shard must continue its journal without a gap. Each shard gets
    its service's seal from the archive; if the archive has none at the shard's last entry, --seal-with signs one.

    Example: pitledger archive restore --store /mnt/archive --key verifiers.txt --seal-with /etc/pitledger/keys
    """
    require_extra(ARCHIVE)
    from services.cli.archive.restoring import restore_days
    from services.cli.archive.store import Store, explained_store
    from shared.journal.archive.verification import read_chain

    found = settings()
    where = place_of(found, store)
    verifiers = public_keys(found, keys or ())
    day = day_of(gaming_day)
    url = found.database_url.get_secret_value()
    with explained_store(where), explained(url):
        place = Store.opened(where)
        chain = read_chain(place.manifests(), verifiers)
        if chain.problems:
            raise CheckFailed(f"{chain.problems[0].what}; run: pitledger archive verify")
        wanted = [
            one
            for one in current(chain.manifests).values()
            if property_name in (None, one.property) and day in (None, one.gaming_day)
        ]
        if not wanted:
            raise NotFound(f"{where}: there is no such archived day")
        for service, shard, entries in restore_days(url, place, wanted, verifiers, seal_with):
            if as_json:
                print_json({"service": service, "shard": shard, "entries": entries})
            else:
                print_line(f"{service} {shard}: {entries:,} entries")
