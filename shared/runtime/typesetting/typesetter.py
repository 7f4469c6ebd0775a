"""Typeset a document in a separate process: JSON on stdin, the PDF on stdout.

The typesetter caches everything it has set: for a month of tables a gigabyte, which only the end of the process frees.
It is started as a file, in isolated mode, and imports nothing of this project, so that it starts in 50 ms. If typst
exceeds its memory limit, it aborts.
"""

import os
import resource
import sys
from datetime import datetime
from pathlib import Path

import typst

_NICENESS = 10
"""Increment of the process's nice value, so that processes that move money take precedence."""


def restrain(bytes_max: int) -> None:
    """Limit the process's memory, and lower its CPU priority."""
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICENESS)


def main(template: str, made_at: str, *, tagged: bool) -> None:
    """Write the document on stdin to stdout as a PDF dated `made_at`."""
    pages = typst.compile(
        Path(template).read_bytes(),
        format="pdf",
        sys_inputs={"document": sys.stdin.buffer.read().decode()},
        ignore_system_fonts=True,  # so that the bytes of a PDF depend on no machine
        timestamp=datetime.fromisoformat(made_at).replace(microsecond=0),  # typst takes whole seconds
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
