"""`pitledger archive`: closed gaming days as files that prove themselves, without the database that they come from."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.database import explained
from services.cli.environment import settings
from services.cli.exits import CheckFailed, CommandError, ExitCode, InputRefused, NotFound, UsageWrong
from services.cli.operations.keys import Keys, read_verifiers
from services.cli.output import AsJson, message, names, numbers, print_json, print_line, show, table
from services.cli.services import SETTLEMENT, service_option
from shared.journal.archive.manifest import ARCHIVE, DayManifest, current
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.runtime.extras import require_extra
from shared.runtime.settings import Settings

app = typer.Typer()

StorePlace = Annotated[
    str | None,
    typer.Option("--store", metavar="STORE", help="A folder or s3://bucket/prefix (default: PITLEDGER_ARCHIVE_STORE)."),
]
Property = Annotated[
    str | None, typer.Option("--property", help="Only this property; - for what belongs to no property.")
]
Day = Annotated[str | None, typer.Option("--gaming-day", help="Only this gaming day, YYYY-MM-DD.")]


@app.command()
def run(
    property_name: Annotated[
        str, typer.Option("--property", help="The property whose days are archived; - for what belongs to none.")
    ],
    gaming_day: Annotated[
        str | None, typer.Option(help="Archive this gaming day, YYYY-MM-DD (default: all that are due).")
    ] = None,
    store: StorePlace = None,
    as_json: AsJson = False,
) -> int:
    """Archive sealed gaming days of a property: write their files, prove them, and sign a manifest of each.

    Due are the days that are over, sealed, and not archived yet or have further entries since. Needs the key of
    PITLEDGER_ARCHIVE_KEY_FILE, and the public keys of the services. One process archives at a time; another one ends
    with exit code 2. A run that was killed is finished by the next. Nothing is removed from the database.

    Example: pitledger archive run --property bedrock
    Example: pitledger archive run --property bedrock --gaming-day 2026-11-20
    """
    require_extra(ARCHIVE)
    from services.cli.archive.archiving import Archiver
    from services.cli.archive.database import archiver
    from services.cli.archive.day_index import due_days, is_sealed, places_of, scan
    from services.cli.archive.journal_reader import journal_reader
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.warehouse import Warehouse

    found = settings()
    wanted = None if gaming_day is None else _date(gaming_day)
    where = _where(found, store)
    signer, verifiers = _signer(found), _verifiers(found, ())
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
            if wanted is None:
                days = due_days(connection, property_name, datetime.now(UTC).date())
            elif not places_of(connection, property_name, wanted):
                raise NotFound(f"there are no entries of {property_name} on {wanted}")
            elif not is_sealed(connection, property_name, wanted):
                raise InputRefused(f"{wanted} is not sealed at {property_name}: archive it once the day is final")
            else:
                days = [wanted]
            listed = [*begun, *(each for day in days if (each := (property_name, day)) not in begun)]
            for name, day in listed:
                try:
                    with journal_reader(url) as reader:  # one snapshot a day: a long one would hold up vacuuming
                        done = archive.archive(reader, name, day)
                except NotFound as error:  # a checkpoint is still to come: other days need not wait for it
                    waiting.append(error)
                    message(f"{name} {day}: {error}")
                    continue
                _report(None if done is None else done.manifest, name, day, as_json=as_json)
        finally:
            warehouse.close()
    if not listed:
        message(f"{property_name}: every sealed day is archived")
    return ExitCode.NOT_THERE if waiting else ExitCode.FINE


def _report(manifest: DayManifest | None, property_name: str, day: date, *, as_json: bool) -> None:
    if manifest is None:
        message(f"{property_name} {day}: archived already, as the journals have it")
    elif as_json:
        print_json(_document(manifest, None, current_number=manifest.number))
    else:
        again = f", in place of manifest {manifest.replaces}" if manifest.replaces else ""
        print_line(
            f"{property_name} {day}: {manifest.rows():,} entries, {manifest.size():,} bytes, "
            f"proven; manifest {manifest.number}{again}"
        )


@app.command(name="list")
def list_days(
    store: StorePlace = None,
    property_name: Property = None,
    every: Annotated[bool, typer.Option("--all", help="Also list manifests that a later one replaces.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the archived days: snapshots, entries, bytes, and when they were proven and last verified.

    Reads the manifests in the store and does not verify them: see `pitledger archive verify`.

    Example: pitledger archive list --property bedrock
    """
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.verified import verified_at

    where = _where(settings(), store)
    with explained_store(where):
        place = Store.opened(where)
        manifests = [DayManifest.read(one.text) for one in place.manifests()]
        verified = verified_at(place)
    latest = current(manifests)
    listed = [
        one
        for one in manifests
        if (every or latest[one.day()].number == one.number) and property_name in (None, one.property)
    ]
    listed.sort(key=lambda one: (one.property, one.gaming_day, one.number))
    if as_json:
        for one in listed:
            print_json(_document(one, verified.get(one.number), current_number=latest[one.day()].number))
        return
    columns = (
        names("Property", "Day") + numbers("DayManifest", "Entries", "Bytes") + names("Snapshot", "Proven", "Verified")
    )
    rows = [
        [
            one.property,
            str(one.gaming_day),
            str(one.number),
            f"{one.rows():,}",
            f"{one.size():,}",
            next((str(each.snapshot) for each in one.tables if each.name == "entries"), ""),
            f"{one.archived_at:%Y-%m-%d %H:%M}Z",
            verified.get(one.number, ""),
        ]
        for one in listed
    ]
    show(table(columns, rows))


def _document(manifest: DayManifest, verified: str | None, *, current_number: int) -> dict[str, Any]:
    return {
        "property": manifest.property,
        "gaming_day": manifest.gaming_day.isoformat(),
        "manifest": manifest.number,
        "replaces": manifest.replaces,
        "current": manifest.number == current_number,
        "entries": manifest.rows(),
        "bytes": manifest.size(),
        "files": len(manifest.files),
        "snapshots": {one.name: one.snapshot for one in manifest.tables},
        "archived_at": manifest.archived_at.isoformat(),
        "verified_at": verified,
    }


@app.command()
def verify(
    store: StorePlace = None,
    keys: Keys = None,
    property_name: Property = None,
    gaming_day: Day = None,
    as_json: AsJson = False,
) -> int:
    """Verify an archive with only public keys: manifests, files, hashes, links, sums, signed checkpoints.

    Reads the store and no database. The chain of manifests is verified whole, the files of all days or of those that
    the options name. The keys are those of the services and of the archive, by default those in
    PITLEDGER_CHECKPOINT_VERIFIERS_FILE. Exit code 1 if something is not as it was archived.

    Example: pitledger archive verify --store /mnt/archive --key verifiers.txt
    """
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.verified import note_verified
    from shared.journal.archive.verification import ArchiveProblem, read_chain, uncovered, verify_day

    found = settings()
    where = _where(found, store)
    verifiers = _verifiers(found, keys or ())
    day = None if gaming_day is None else _date(gaming_day)
    with explained_store(where):
        place = Store.opened(where)
        signed = place.manifests()
        chain = read_chain(signed, verifiers)
        problems = list(chain.problems) or ([] if signed else [ArchiveProblem(0, "there is no manifest")])
        good: list[int] = []
        for manifest in chain.manifests:
            if property_name not in (None, manifest.property) or day not in (None, manifest.gaming_day):
                continue
            wrong = verify_day(manifest, place.read, verifiers)
            problems += wrong
            if not wrong:
                good.append(manifest.number)
            if as_json:
                said = [problem.what for problem in wrong]
                print_json({**_document(manifest, None, current_number=manifest.number), "problems": said})
        noted = not good or note_verified(place, good)
    for number, what in problems:
        if not as_json or number > len(chain.manifests):
            print_line(f"manifest {number}: {what}" if number else what)
    for gap in uncovered(chain.manifests):
        shown = ", ".join(f"{first}-{last}" for first, last in gap.ranges[:_GAPS_SHOWN])
        more = f", and {len(gap.ranges) - _GAPS_SHOWN} more" if len(gap.ranges) > _GAPS_SHOWN else ""
        message(f"{gap.service} {gap.shard}: in no archived day: entries {shown}{more}")
    if not noted:
        message(f"{where}: cannot be written to, so that `archive list` does not show this verification")
    message(f"{len(good)} of {len(signed)} manifests verified, the last of the chain is {chain.log.size}: {chain.last}")
    return ExitCode.NOT_AS_IT_SHOULD_BE if problems else ExitCode.FINE


_GAPS_SHOWN = 3


@app.command()
def prove(
    shard: Annotated[str, typer.Argument(help="The shard, by name or number.")],
    seq: Annotated[int, typer.Argument(min=1, help="The entry's number in its shard.")],
    store: StorePlace = None,
    service: Annotated[str, service_option("The service whose journal has the entry.")] = SETTLEMENT,
    output: Annotated[Path | None, typer.Option(help="Write the proof to this file instead of stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Accepted for consistency: a proof is always JSON.")] = True,
) -> None:
    """Export the inclusion proof of an archived entry, from the files alone.

    The document is that of `pitledger prove`, and is verified by `pitledger verify-proof`.

    Example: pitledger archive prove 3 41 --store /mnt/archive > entry-41.json
    """
    del as_json
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from shared.journal.archive.proving import prove_archived
    from shared.journal.merkle import EvidenceError

    where = _where(settings(), store)
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


@app.command()
def restore(
    store: StorePlace = None,
    keys: Keys = None,
    property_name: Property = None,
    gaming_day: Day = None,
    seal_with: Annotated[
        Path | None,
        typer.Option(help="Directory of the services' keys (`pitledger keys`), to seal shards that go on elsewhere."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write archived entries back into empty journals, after verifying them.

    Needs the login of the database's owner, and schemas from `pitledger db upgrade`. Restores the days that the options
    name, by default all: the entries of each shard must then begin where the journal ends, and leave none out. A shard
    gets back the seal that its service gave it there; if the archive has none for its last entry, --seal-with signs it.

    Example: pitledger archive restore --store /mnt/archive --key verifiers.txt --seal-with /etc/pitledger/keys
    """
    require_extra(ARCHIVE)
    from services.cli.archive.restoring import restore_days
    from services.cli.archive.store import Store, explained_store
    from shared.journal.archive.verification import read_chain

    found = settings()
    where = _where(found, store)
    verifiers = _verifiers(found, keys or ())
    day = None if gaming_day is None else _date(gaming_day)
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


def _where(found: Settings, store: str | None) -> str:
    where = store or found.archive_store
    if where is None:
        raise UsageWrong("where is the archive? give --store, or PITLEDGER_ARCHIVE_STORE")
    return where


def _verifiers(found: Settings, keys: Sequence[str]) -> list[Verifier]:
    """Return the public keys of the services and of the archive. Raises: UsageWrong if none are configured."""
    if not keys and found.checkpoint_verifiers_file is not None:
        keys = [str(found.checkpoint_verifiers_file)]
    if not keys:
        raise UsageWrong("with which public keys? give --key, or PITLEDGER_CHECKPOINT_VERIFIERS_FILE")
    return read_verifiers(keys)


def _signer(found: Settings) -> Signer:
    if found.archive_key_file is None:
        raise UsageWrong("with which key are manifests signed? give PITLEDGER_ARCHIVE_KEY_FILE (`pitledger keys`)")
    try:
        return Signer.from_pem(found.archive_key_file, signer_name(ARCHIVE))
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"PITLEDGER_ARCHIVE_KEY_FILE: {error}") from error


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageWrong(f"--gaming-day {text!r}: write YYYY-MM-DD") from error
