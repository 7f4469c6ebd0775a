"""What commands of the archive answer."""

import os
import shutil
from pathlib import Path

from tests.support.archived import PROPERTY
from tests.unit.cli.calling import Called, Caller

RUN = ("archive", "run", "--property", PROPERTY)

HAS_JAVA = "JAVA_HOME" in os.environ or shutil.which("java") is not None
"""Whether this machine has what Spark runs on."""


def days(called: Called) -> list[tuple[str, int, int | None, int]]:
    """Gaming day, manifest, the manifest that it replaces, and entries of each document."""
    return [(one["gaming_day"], one["manifest"], one["replaces"], one["entries"]) for one in called.documents]


def answers(pitledger: Caller, question: str, store: Path | None = None) -> list[dict[str, object]]:
    """The rows that answer a question."""
    called = pitledger("sql", question, "--json", *(() if store is None else ("--store", str(store))))
    assert (0, "") == (called.code, called.stderr)
    return called.documents
