"""What a re-derivation remembers of what it has derived: outside the database whose journal it doubts."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

from pydantic_core import from_json, to_json

_TABLE = "CREATE TABLE IF NOT EXISTS known (space TEXT, key TEXT, value BLOB, PRIMARY KEY (space, key)) WITHOUT ROWID"


class Busy(Exception):
    """Another process derives again with this file."""


class ReplayState(AbstractContextManager["ReplayState"]):
    """Values by space and key, each whatever JSON can express, in a file of SQLite; without a path, in a temporary one.

    What was put is kept at `commit`, all of it or nothing: so a re-derivation that was killed goes on where it was.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, which nobody else may have open. Raises: Busy."""
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
        """Return a value; None where there is none."""
        row = self._file.execute("SELECT value FROM known WHERE space = ? AND key = ?", (space, key)).fetchone()
        return None if row is None else from_json(row[0])

    def get_all(self, space: str, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values of those of the keys that have one."""
        return {key: value for key in keys if (value := self.get(space, key)) is not None}

    def put(self, space: str, values: Mapping[str, Any]) -> None:
        """Put values, in place of those that are there."""
        rows = [(space, key, to_json(value)) for key, value in values.items()]
        self._file.executemany("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)

    def commit(self) -> None:
        """Keep what was put."""
        self._file.commit()

    def forget(self) -> None:
        """Drop what was put since the last commit."""
        self._file.rollback()
