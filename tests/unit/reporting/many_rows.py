"""Write a report of many rows, and print by how many bytes the memory of the process has grown meanwhile at most."""

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import cast

from services.reporting.framework.document import Column, Document, Made, Section, fill
from services.reporting.rendering import FormatName, write
from tests.unit.reporting.rendering_documents import header

_AMOUNTS = 8
_SECTION = Section(
    name="rounds",
    title="Rounds",
    key=("round",),
    columns=(
        Column(name="round", title="Round"),
        *(Column(name=f"amount_{at}_cents", title=f"Amount {at}", unit="cents") for at in range(_AMOUNTS)),
    ),
)


def _document(rows: int) -> Document:
    def made(number: int) -> dict[str, str | int]:
        amounts = {f"amount_{at}_cents": number * 100 + at for at in range(_AMOUNTS)}
        return {"round": f"BJ-01-{number:07}", **amounts}

    return Document(header(), (fill(_SECTION, Made(range(rows), made)),))


def _write(rows: int, name: FormatName, path: Path) -> int:
    """Return the most memory that the process has had by then, bytes."""
    document = _document(rows)
    with path.open("w+b") as file:
        assert document.digest
        write(document, name, file)
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    form, number, target = cast("FormatName", sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    few = _write(100, form, target)  # with the libraries
    sys.stdout.write(str(_write(number, form, target) - few))
