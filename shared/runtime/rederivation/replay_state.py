"""The state of a re-derivation, stored outside the database whose journal it checks."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

from pydantic_core import from_json, to_json

_TABLE = "CREATE TABLE IF NOT EXISTS known (space TEXT, key TEXT, value BLOB, PRIMARY KEY (space, key)) WITHOUT ROWID"


class Busy(Exception):
    """Another process is re-deriving with the same file."""


class ReplayState(AbstractContextManager["ReplayState"]):
    """Stores JSON values by namespace (`space`) and key, in a SQLite file; without a path, in a temporary file.

    Changes become durable at `commit`, all or none, and a re-derivation that was killed resumes from there.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file exclusively. Raises: Busy if another process has it open."""
        self._file = sqlite3.connect("" if path is None else path, check_same_thread=False, timeout=0)
        try:
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._file.execute(_TABLE)
            self._file.execute("BEGIN EXCLUSIVE")
            self._file.commit()
        except sqlite3.OperationalError as error:
            self._file.close()
            raise Busy(f"{path}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self._file.close()

    def get(self, space: str, key: str) -> Any:
        """Return the value of a key, or None."""
        row = self._file.execute("SELECT value FROM known WHERE space = ? AND key = ?", (space, key)).fetchone()
        return None if row is None else from_json(row[0])

    def get_all(self, space: str, keys: Iterable[str]) -> dict[str, Any]:
        """Return the stored values of these keys, by key; keys without a value are left out."""
        return {key: value for key in keys if (value := self.get(space, key)) is not None}

    def put(self, space: str, values: Mapping[str, Any]) -> None:
        """Store values by key; existing ones are replaced."""
        rows = [(space, key, to_json(value)) for key, value in values.items()]
        self._file.executemany("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)

    def commit(self) -> None:
        """Make all changes since the last commit durable."""
        self._file.commit()

    def forget(self) -> None:
        """Drop the changes since the last commit."""
        self._file.rollback()
