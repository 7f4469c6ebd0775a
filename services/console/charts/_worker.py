"""The process that draws charts: reads documents from standard input and writes pictures to standard output."""

import json
import os
import signal
import sys
from typing import BinaryIO

from services.console.charts.render import draw

_NICENESS = 10
"""The niceness of drawing, so that pages take precedence over pictures."""


def main() -> None:
    """Draw the documents on standard input, one after the other, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent process ends it
    os.nice(_NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of the engine must not mix with pictures
    serve(sys.stdin.buffer, answers)


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Respond to each document with a picture or an error message, preceded by its length."""
    while length := asked.read(4):
        document = json.loads(asked.read(int.from_bytes(length)))
        try:
            drawn, content = b"\x01", draw(document)
        except ValueError as error:
            drawn, content = b"\x00", str(error).encode()
        answers.write(drawn + len(content).to_bytes(4) + content)
        answers.flush()


if __name__ == "__main__":
    main()
