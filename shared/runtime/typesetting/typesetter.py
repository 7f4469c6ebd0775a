"""Set pages in a process of its own: JSON on stdin, the PDF on stdout.

The typesetter remembers all that it ever set, and never forgets: a month of tables is a gigabyte. A process that ends
gives it back. It is started as a file, in isolated mode, and imports nothing of ours: its start takes a twentieth of a
second. Where it would take more memory than it is told, it is aborted: that is how typst ends without memory.
"""

import os
import resource
import sys
from datetime import datetime
from pathlib import Path

import typst

_NICENESS = 10
"""It gives way to whoever moves money."""


def restrain(bytes_max: int) -> None:
    """Take no more memory than this, and the processor only where nobody else wants it."""
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICENESS)


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
    restrain(int(sys.argv[4]))
    try:
        main(sys.argv[1], sys.argv[2], tagged=sys.argv[3] == "tagged")
    except MemoryError:
        os.abort()
