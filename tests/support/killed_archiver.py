"""Runs of `pitledger archive run`, each killed at a durable step: `python -m ... PROPERTY STEP...`."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table.update import AssertCreate

from services.cli.archive.archiving import Archiver
from services.cli.archive.store import Store
from services.cli.main import main

DATA_WRITTEN: Final = "data files written"
DOCUMENT_WRITTEN: Final = "manifest without its note"
TABLE_CREATED: Final = "a table created"


def die() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(step: str) -> None:
    """Let the archiver be killed when it reaches a step."""
    opened: Callable[..., Archiver] = Archiver.opened
    commit: Callable[..., Any] = SqlCatalog.commit_table
    create: Callable[..., None] = Store.create

    def stepping(*arguments: Any) -> Archiver:
        found = opened(*arguments)
        found.step = lambda name: die() if name == step else None
        return found

    def committing(catalog: SqlCatalog, table: Any, requirements: Sequence[Any], updates: Any) -> Any:
        creates = any(isinstance(one, AssertCreate) for one in requirements)
        if step == DATA_WRITTEN and not creates:
            die()
        done = commit(catalog, table, requirements, updates)
        if step == TABLE_CREATED:
            die()
        return done

    def creating(store: Store, path: str, content: bytes) -> None:
        create(store, path, content)
        if step == DOCUMENT_WRITTEN:
            die()

    Archiver.opened = stepping  # type: ignore[method-assign, assignment]
    SqlCatalog.commit_table = committing  # type: ignore[method-assign, assignment]
    Store.create = creating  # type: ignore[method-assign, assignment]


def killed_run(step: str, property_name: str) -> int:
    """Let a child of this process archive until a step; return the signal that ended it, 0 if it ended by itself."""
    child = os.fork()
    if child == 0:
        kill_at(step)
        os._exit(main(["archive", "run", "--property", property_name]))
    return os.WTERMSIG(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for each in sys.argv[2:]:
        sys.stdout.write(f"{each}: {killed_run(each, sys.argv[1])}\n")
        sys.stdout.flush()
