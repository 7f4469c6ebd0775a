"""Set pages in a process of its own: JSON on stdin, the PDF on stdout.

The typesetter remembers all that it ever set, and never forgets: a month of tables is a gigabyte. A process that ends
gives it back. It is started as a file, in isolated mode, and imports nothing of ours: its start takes a twentieth of a
second.
"""

import sys
from datetime import datetime
from pathlib import Path

import typst


def main(template: str, made_at: str, *, tagged: bool) -> None:
    """Write the document on stdin as pages of a template; they say that they were made at `made_at`."""
    pages = typst.compile(
        Path(template).read_bytes(),
        format="pdf",
        sys_inputs={"document": sys.stdin.buffer.read().decode()},
        ignore_system_fonts=True,  # the same document has the same bytes on every machine
        timestamp=datetime.fromisoformat(made_at).replace(microsecond=0),  # it takes whole seconds
        pdf_tags=tagged,
    )
    assert isinstance(pages, bytes)
    sys.stdout.buffer.write(pages)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], tagged=sys.argv[3] == "tagged")
