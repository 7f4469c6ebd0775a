"""The archive's Iceberg tables: the catalog in PostgreSQL, the overwriting of one day, and leftover files."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NamespaceAlreadyExistsError, NoSuchTableError
from pyiceberg.expressions import And, BooleanExpression, EqualTo
from pyiceberg.io.pyarrow import bin_pack_arrow_table, write_file
from pyiceberg.manifest import DataFile
from pyiceberg.partitioning import PartitionFieldValue, PartitionKey
from pyiceberg.table import FileScanTask, StaticTable, Table, TableProperties, WriteTask

from services.cli.archive.database import url_of_archiver
from services.cli.archive.store import TABLES as FOLDER
from services.cli.archive.store import Store
from shared.journal.archive.columns import PARTITION, TABLES
from shared.journal.archive.manifest import ArchivedTable, ManifestError

NAMESPACE: Final = "pitledger"
_PROPERTIES: Final[Mapping[str, str]] = {
    "format-version": "2",
    "write.parquet.compression-codec": "zstd",
    "write.parquet.compression-level": "3",
    "write.parquet.row-group-limit": "65536",
    # Names of partitions are in no path: readers that take columns from folders would read 007 as the number 7.
    "write.object-storage.enabled": "true",
    "write.object-storage.partitioned-paths": "false",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
}
_NOTHING_THERE: Final = "Delete operation did not match any records"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The Iceberg tables of the archive, in a catalog and a store."""

    catalog: SqlCatalog
    store: Store

    @classmethod
    def opened(cls, database_url: str, store: Store) -> "Warehouse":
        """Return the warehouse in a store, with its catalog in the database."""
        uri = url_of_archiver(database_url, "postgresql+psycopg")
        properties = {"uri": uri, "warehouse": store.url, "init_catalog_tables": "false", **io_properties()}
        return cls(SqlCatalog(NAMESPACE, **properties), store)

    def close(self) -> None:
        """Close the connections to the catalog."""
        self.catalog.engine.dispose()

    def table(self, name: str) -> Table:
        """Return a table of the archive, created if it is missing."""
        identifier = (NAMESPACE, name)
        try:
            return self.catalog.load_table(identifier)
        except NoSuchTableError:
            pass
        with suppress(NamespaceAlreadyExistsError):
            self.catalog.create_namespace(NAMESPACE)
        location = self.store.location(f"{FOLDER}/{name}")
        with (
            self.catalog.create_table_transaction(
                identifier, TABLES[name], location=location, properties=dict(_PROPERTIES)
            ) as creation,
            creation.update_spec() as spec,
        ):
            for column in PARTITION:
                spec.add_identity(column.name)
        return self.catalog.load_table(identifier)

    def overwrite(self, name: str, rows: pa.Table, service: str, property_name: str, day: date) -> Table:
        """Replace the archived rows of one service and day; return the table's new state."""
        table = self.table(name)
        filed = {"service": service, "property": property_name, "gaming_day": day}
        with warnings.catch_warnings(), table.transaction() as transaction:
            warnings.filterwarnings("ignore", _NOTHING_THERE)  # the first time there is nothing to overwrite
            transaction.delete(of_day(service, property_name, day))
            with transaction.update_snapshot().fast_append() as snapshot:
                for file in _written(table, rows, filed):
                    snapshot.append_data_file(file)
        return table

    def current(self, name: str) -> ArchivedTable | None:
        """Return the current state of a table; None if nothing was ever written to it."""
        table = self.table(name)
        snapshot = table.current_snapshot()
        if snapshot is None:
            return None
        return ArchivedTable(
            name=name, snapshot=snapshot.snapshot_id, metadata=self.store.path(table.metadata_location)
        )

    def leftovers(self) -> list[str]:
        """Return the files in the tables' folders that belong to no snapshot, left by killed processes."""
        known: set[str] = set()
        for name in TABLES:
            known.update(map(self.store.path, _files_of(self.table(name))))
        return sorted(set(self.store.paths(FOLDER)) - known)


def _written(table: Table, rows: pa.Table, filed: Mapping[str, Any]) -> Iterator[DataFile]:
    """Write the rows of one partition and yield their files.

    Unlike `Table.overwrite`, does not search all rows for their partitions or copy the rows.
    """
    spec, schema = table.spec(), table.schema()
    values = [PartitionFieldValue(field, filed[field.name]) for field in spec.fields]
    partition, write = PartitionKey(values, spec, schema), uuid4()
    parts = enumerate(bin_pack_arrow_table(rows, TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT))
    tasks = (WriteTask(write, number, schema, batches, partition_key=partition) for number, batches in parts)
    return write_file(table.io, table.metadata, tasks)


def io_properties() -> dict[str, str]:
    """Return PyIceberg's `s3.endpoint` from AWS_ENDPOINT_URL, which Arrow ignores; empty if it is unset."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    return {} if endpoint is None else {"s3.endpoint": endpoint}


def of_day(service: str, property_name: str, day: date) -> BooleanExpression:
    """Return the filter that selects the rows of one service and day."""
    values = {"service": service, "property": property_name, "gaming_day": day.isoformat()}
    found: BooleanExpression = And(*(_equal(name, value) for name, value in values.items()))
    return found


def _equal(name: str, value: str) -> BooleanExpression:
    made: Any = EqualTo  # its type names arguments that it does not take
    equal: BooleanExpression = made(name, value)
    return equal


def plan(table: Table | StaticTable, store: Store, row_filter: BooleanExpression | None = None) -> list[str]:
    """Return the paths of the data files of a table's snapshot. Raises: ManifestError if a file has deleted rows."""
    scan = table.scan() if row_filter is None else table.scan(row_filter=row_filter)
    return [store.path(_whole(task)) for task in scan.plan_files()]


def _whole(task: FileScanTask) -> str:
    if task.delete_files:
        raise ManifestError(f"{task.file.file_path} has deleted rows, which the archive never writes; who wrote there?")
    return task.file.file_path


def _files_of(table: Table) -> Iterator[str]:
    """Yield the locations of all files of a table: metadata, lists, and the data of every snapshot."""
    metadata = table.metadata
    yield table.metadata_location
    yield from (one.metadata_file for one in metadata.metadata_log)
    seen: set[str] = set()
    for snapshot in metadata.snapshots:
        yield snapshot.manifest_list
        for manifest in snapshot.manifests(table.io):
            if manifest.manifest_path not in seen:
                seen.add(manifest.manifest_path)
                yield manifest.manifest_path
                entries = manifest.fetch_manifest_entry(table.io, discard_deleted=False)
                yield from (entry.data_file.file_path for entry in entries)


def static_table(table: ArchivedTable, store: Store) -> StaticTable:
    """Return a table, read from the metadata file that a manifest names instead of the catalog."""
    return StaticTable.from_metadata(store.location(table.metadata), properties=io_properties())


def data_files(table: Table, store: Store, service: str, property_name: str, day: date) -> Sequence[str]:
    """Return the paths of the data files of one service and day."""
    return plan(table, store, of_day(service, property_name, day))
