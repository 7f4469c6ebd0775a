"""Set pages in a process of its own: JSON on stdin, the PDF on stdout.

The typesetter remembers all that it ever set, and never forgets: a month of tables is a gigabyte. A process that ends
gives it back. It is started as a file, in isolated mode, and imports nothing of ours: its start takes a twentieth of a
second.
"""

import sys
from datetime import datetime
from pathlib import Path

import typst


def main(known_at: str) -> None:
    """Write the report on stdin as pages; they say that they were made at `known_at`."""
    pages = typst.compile(
        Path(__file__).with_name("report.typ").read_bytes(),
        format="pdf",
        sys_inputs={"report": sys.stdin.buffer.read().decode()},
        ignore_system_fonts=True,  # the same report has the same bytes on every machine
        timestamp=datetime.fromisoformat(known_at).replace(microsecond=0),  # it takes whole seconds
        pdf_tags=False,  # with them, a month of tables is fifteen times as large
    )
    assert isinstance(pages, bytes)
    sys.stdout.buffer.write(pages)


if __name__ == "__main__":
    main(sys.argv[1])
