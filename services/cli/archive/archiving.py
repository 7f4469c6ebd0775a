"""Archive gaming days from PostgreSQL to files, which are read back and verified, with a signed manifest per day.

If a process is killed, the next run recovers: it finishes the interrupted day, keeps committed files that match the
journals, and removes files that belong to no snapshot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any, Final

import pyarrow as pa
from psycopg import Connection
from pyarrow import parquet

from services.cli.archive.day_index import Place, places_of
from services.cli.archive.journal_reader import DayOfService, JournalReader
from services.cli.archive.store import Store
from services.cli.archive.warehouse import Warehouse, data_files
from services.cli.exits import CheckFailed
from shared.journal.archive.columns import SORTED_BY, TABLES
from shared.journal.archive.files import as_declared
from shared.journal.archive.manifest import ArchivedFile, ArchivedService, DayManifest, Signed, sign_manifest
from shared.journal.archive.verification import Chain, read_chain, verify_day
from shared.journal.signed_note import Signer, Verifier

Step = Callable[[str], None]
"""Called after each durable step, with its name: tests end the process there."""


def _go_on(name: str) -> None:
    """Do nothing after a step: the default callback."""
    del name


_NAMED_WRONG_MAX: Final = 3


@dataclass(slots=True)
class Archiver:
    """Writes days to an archive, one after the other; `chain` holds the existing manifests."""

    connection: Connection[Any]
    warehouse: Warehouse
    signer: Signer
    verifiers: Sequence[Verifier]
    chain: Chain
    step: Step

    @classmethod
    def opened(
        cls,
        connection: Connection[Any],
        warehouse: Warehouse,
        signer: Signer,
        verifiers: Sequence[Verifier],
        step: Step = _go_on,
    ) -> "Archiver":
        """Return the archiver of a store, after comparing the store's manifests with those in the database.

        Raises: CheckFailed if the manifests are not a valid chain, or differ from those in the database.
        """
        keys = [*verifiers, signer.verifier]
        signed = warehouse.store.manifests()
        chain = read_chain(signed, keys)
        if chain.problems:
            raise CheckFailed(f"{chain.problems[0].what}; keep the archive as it is, and run: pitledger archive verify")
        _require_known(connection, chain.manifests, signed, warehouse.store)
        return cls(connection, warehouse, signer, keys, chain, step)

    @property
    def store(self) -> Store:
        """Return the store of the archive."""
        return self.warehouse.store

    def begun(self) -> list[tuple[str, date]]:
        """Return property and gaming day of each day that an earlier run began and did not finish."""
        rows = self.connection.execute("SELECT property, gaming_day FROM unfinished ORDER BY started_at")
        return [(name, day) for name, day in rows]

    def remove_leftovers(self) -> int:
        """Remove files that belong to no snapshot; return their number."""
        found = self.warehouse.leftovers()
        self.store.remove(found)
        return len(found)

    def archive(self, reader: JournalReader, property_name: str, day: date) -> DayManifest | None:
        """Archive a day and return its new manifest; None if the archive already matches the journals.

        Raises: CheckFailed if the journal or the files differ from what was recorded and signed; NotFound if a
        checkpoint is not signed yet.
        """
        places = places_of(self.connection, property_name, day)
        services: dict[str, list[Place]] = {}
        for place in places:
            services.setdefault(place.service, []).append(place)
        started = "INSERT INTO unfinished VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        found: list[DayOfService] = []
        files: list[ArchivedFile] = []
        for service, its_places in services.items():
            one = reader.read(service, property_name, day, its_places)
            if not found:
                self.connection.execute(started, [property_name, day, datetime.now(UTC)])
            for name, rows in one.tables.items():
                if name != "checkpoints" or not self._covered(one.service, property_name, day):
                    self._write(name, rows, service, property_name, day)
            found.append(DayOfService(one.service, {}))  # its rows are read back from the files
            files += self._files(service, property_name, day)
        manifest = None if not found else self._manifest(property_name, day, found, files)
        if manifest is not None:
            self._leave(manifest)
        self._finish(property_name, day, manifest)
        return manifest

    def _there(self, name: str, service: str, property_name: str, day: date) -> pa.Table:
        """Return the archived rows of a table for a service and day, sorted by the table's sort key."""
        table = self.warehouse.table(name)
        if table.current_snapshot() is None:
            return TABLES[name].empty_table()
        paths = data_files(table, self.store, service, property_name, day)
        parts = [as_declared(parquet.read_table(pa.BufferReader(self.store.read(path))), name) for path in paths]
        keys = [(key, "ascending") for key in SORTED_BY[name]]
        return pa.concat_tables([TABLES[name].empty_table(), *parts]).sort_by(keys)

    def _covered(self, service: ArchivedService, property_name: str, day: date) -> bool:
        """Return whether the archived checkpoints of a service and day cover all of its entries."""
        there = self._there("checkpoints", service.service, property_name, day)
        sizes = dict(zip(there.column("shard").to_pylist(), there.column("size").to_pylist(), strict=True))
        lasts = {shard.shard: shard.ranges[-1][1] for shard in service.shards}
        return sizes.keys() == lasts.keys() and all(sizes[shard] >= last for shard, last in lasts.items())

    def _write(self, name: str, rows: pa.Table, service: str, property_name: str, day: date) -> None:
        """Write a day's rows of a service to a table, unless the archive already has the same rows."""
        if not self._there(name, service, property_name, day).equals(rows):
            self.warehouse.overwrite(name, rows, service, property_name, day)
            self.step(f"{name} of {service} committed")

    def _files(self, service: str, property_name: str, day: date) -> list[ArchivedFile]:
        """Return the data files of a service and day, for each table sorted by first row."""
        found: list[ArchivedFile] = []
        for name in TABLES:
            described = []
            table = self.warehouse.table(name)
            for path in data_files(table, self.store, service, property_name, day):
                content = self.store.read(path)
                rows = parquet.read_table(pa.BufferReader(content), columns=list(SORTED_BY[name]))
                first = tuple(rows.column(key)[0].as_py() for key in SORTED_BY[name])
                digest = sha256(content).hexdigest()
                described.append(
                    (
                        first,
                        ArchivedFile(
                            table=name, service=service, path=path, size=len(content), sha256=digest, rows=rows.num_rows
                        ),
                    )
                )
            found += [file for _, file in sorted(described, key=lambda one: one[0])]
        return found

    def _manifest(
        self, property_name: str, day: date, found: Sequence[DayOfService], files: Sequence[ArchivedFile]
    ) -> DayManifest | None:
        """Return a new manifest of the day, verified against its files; None if the latest has the same content."""
        before = next((one for one in reversed(self.chain.manifests) if one.day() == (property_name, day)), None)
        services, listed = tuple(one.service for one in found), tuple(files)
        if before is not None and before.files == listed and _same_entries(before, services):
            return None
        manifest = DayManifest(
            format="pitledger-archive-manifest-v1",
            number=self.chain.log.size + 1,
            previous=self.chain.last,
            property=property_name,
            gaming_day=day,
            archived_at=datetime.now(UTC),
            replaces=None if before is None else before.number,
            tables=tuple(one for name in TABLES if (one := self.warehouse.current(name)) is not None),
            services=services,
            files=listed,
        )
        problems = verify_day(manifest, self.store.read, self.verifiers)
        if problems:
            named = "; ".join(problem.what for problem in problems[:_NAMED_WRONG_MAX])
            raise CheckFailed(f"{property_name} {day}: the files do not prove the journal: {named}")
        self.step("files proven")
        return manifest

    def _leave(self, manifest: DayManifest) -> None:
        """Sign a manifest and write it."""
        signed = sign_manifest(manifest, self.chain.log, self.signer)
        self.store.leave(manifest.number, signed)
        self.step("manifest written")
        log = self.chain.log.append(signed.digest)
        self.chain = Chain([*self.chain.manifests, manifest], log, signed.digest.hex())

    def _finish(self, property_name: str, day: date, manifest: DayManifest | None) -> None:
        with self.connection.transaction():
            if manifest is not None:
                _note(self.connection, manifest, bytes.fromhex(self.chain.last))
            self.connection.execute(
                "DELETE FROM unfinished WHERE property = %s AND gaming_day = %s", [property_name, day]
            )


def _same_entries(before: DayManifest, services: Sequence[Any]) -> bool:
    """Return whether a manifest lists the same entries as `services`, ignoring shard states and checkpoints."""

    def said(found: Sequence[Any]) -> list[Any]:
        return [(one.service, [(shard.name, shard.ranges, shard.last_hash) for shard in one.shards]) for one in found]

    return said(before.services) == said(services)


def _note(connection: Connection[Any], manifest: DayManifest, digest: bytes) -> None:
    """Record a manifest in the database."""
    values = [manifest.number, digest, manifest.property, manifest.gaming_day, manifest.rows(), manifest.archived_at]
    connection.execute("INSERT INTO manifests VALUES (%s, %s, %s, %s, %s, %s)", values)


def _require_known(
    connection: Connection[Any], manifests: Sequence[DayManifest], signed: Sequence[Signed], store: Store
) -> None:
    """Compare the store's manifests with those in the database.

    If only the store's last manifest is missing from the database, because a process was killed, record it. Raises:
    CheckFailed for any other difference.
    """
    known = [bytes(row[0]) for row in connection.execute("SELECT digest FROM manifests ORDER BY number")]
    there = [one.digest for one in signed]
    if there[: len(known)] != known or len(there) > len(known) + 1:
        raise CheckFailed(
            f"{store.url} has {len(there)} manifests that are not the {len(known)} that this database knows; "
            "is it the archive of another database?"
        )
    for manifest, digest in zip(manifests[len(known) :], there[len(known) :], strict=True):
        _note(connection, manifest, digest)
