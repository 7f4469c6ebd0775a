"""Read the archive's tables from a bucket: DuckDB's wheel lacks S3 access, so Arrow reads the files."""

from typing import TYPE_CHECKING, Any

from services.cli.archive.store import Store
from services.cli.archive.warehouse import io_properties
from shared.journal.archive.columns import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence


def dataset_of(store: Store, name: str, paths: "Sequence[str]") -> Any:
    """Return the files of a table in a bucket as one Arrow dataset, in the order of the paths."""
    from pyarrow import dataset
    from pyiceberg.io.pyarrow import PyArrowFileIO

    filesystem = PyArrowFileIO(io_properties()).fs_by_scheme("s3", None)
    bucket = store.url.removeprefix("s3://")
    return dataset.dataset(
        [f"{bucket}/{path}" for path in paths], schema=TABLES[name], filesystem=filesystem, format="parquet"
    )
