"""`pitledger archive list` and `verify`: list the archived days, and verify their files."""

from typing import Annotated, Any

import typer

from services.cli.archive.options import Day, Property, StorePlace, day_of, place_of, public_keys
from services.cli.environment import settings
from services.cli.exits import ExitCode
from services.cli.operations.keys import Keys
from services.cli.output import AsJson, message, names, numbers, print_json, print_line, show, table
from shared.journal.archive.manifest import ARCHIVE, DayManifest, current
from shared.runtime.extras import require_extra


def list_days(
    store: StorePlace = None,
    property_name: Property = None,
    every: Annotated[bool, typer.Option("--all", help="Also list manifests replaced by a later one.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the archived days: snapshots, entries, bytes, and when they were proven and last verified.

    Reads the manifests in the store and does not verify them: see `pitledger archive verify`.

    Example: pitledger archive list --property bedrock
    """
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.verified import verified_at

    where = place_of(settings(), store)
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
            print_json(document(one, verified.get(one.number), current_number=latest[one.day()].number))
        return
    columns = (
        names("Property", "Day") + numbers("Manifest", "Entries", "Bytes") + names("Snapshot", "Proven", "Verified")
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


def verify(
    store: StorePlace = None,
    keys: Keys = None,
    property_name: Property = None,
    gaming_day: Day = None,
    as_json: AsJson = False,
) -> int:
    """Verify an archive with only public keys: manifests, files, hashes, links, sums, signed checkpoints.

    Reads the store and no database. The whole chain of manifests is verified; the options may limit the verification of
    files to some days. The keys are those of the services and of the archive, by default those in
    PITLEDGER_CHECKPOINT_VERIFIERS_FILE. Exit code 1 if something differs from what was archived.

    Example: pitledger archive verify --store /mnt/archive --key verifiers.txt
    """
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store
    from services.cli.archive.verified import note_verified
    from shared.journal.archive.files import ArchiveProblem
    from shared.journal.archive.verification import read_chain, uncovered, verify_day

    found = settings()
    where = place_of(found, store)
    verifiers = public_keys(found, keys or ())
    day = day_of(gaming_day)
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
                print_json({**document(manifest, None, current_number=manifest.number), "problems": said})
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


def document(manifest: DayManifest, verified: str | None, *, current_number: int) -> dict[str, Any]:
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
