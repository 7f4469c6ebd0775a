"""The files from which `pitledger sql` and `pitledger spark` answer: those of the latest manifest of each archived day.

Both read the same files with the same refusals, so that they cannot differ in what they leave out.
"""

from datetime import date
from typing import NamedTuple

from services.cli.archive.store import Store
from services.cli.archive.warehouse import plan, static_table
from services.cli.exits import CheckFailed
from shared.journal.archive.columns import TABLES
from shared.journal.archive.manifest import ArchivedFile, DayManifest, current


class LatestFile(NamedTuple):
    """A data file that the latest manifest of a property's gaming day lists."""

    property: str
    gaming_day: date
    file: ArchivedFile


def latest_files(store: Store) -> dict[str, list[LatestFile]]:
    """Return table name -> the files of the latest manifests, ordered by path, for all tables of the archive.

    Raises: CheckFailed if the files of a table's snapshot are not exactly those; ManifestError for a broken manifest.
    """
    manifests = [DayManifest.read(one.text) for one in store.manifests()]
    found: dict[str, list[LatestFile]] = {}
    for name in TABLES:
        listed = {
            file.path: LatestFile(one.property, one.gaming_day, file)
            for one in current(manifests).values()
            for file in one.files
            if file.table == name
        }
        latest = next((one for one in manifests[-1].tables if one.name == name), None) if manifests else None
        paths = [] if latest is None else plan(static_table(latest, store), store)
        if set(paths) != listed.keys():
            what = f"the files of {name} are not those of the manifests"
            raise CheckFailed(f"{store.url}: {what}; run: pitledger archive verify")
        found[name] = [listed[path] for path in sorted(listed)]
    return found
