"""Typeset documents as PDF. Texts are passed to the typesetter as data, never as markup."""

import json
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from signal import SIGABRT, SIGKILL
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import Any, Final

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.cancellation import GoOn, always
from shared.runtime.extras import require_package

_TYPESETTER: Final = Path(__file__).with_name("typesetter.py")
_SECONDS_MAX: Final = 60
_BYTES_MAX: Final = 1 << 30
"""Memory limit of the typesetter in bytes; a table of 5,000 rows and eight columns takes 413 MB."""
_LOOK_SECONDS: Final = 0.2
"""Interval of checking whether the document is still wanted."""


class PagesError(Exception):
    """The typesetter's process failed."""


def typeset(
    template: Path, document: Mapping[str, Any], *, name: str, made_at: datetime, tagged: bool, go_on: GoOn = always
) -> bytes:
    """Return a document as the PDF of a template, which reads it as JSON from `sys.inputs.document`.

    The result depends on document, template and `made_at` alone. `name` is for error messages. `tagged` PDFs are
    accessible, but for long tables fifteen times as large. The typesetter runs in a process of low priority, which is
    stopped if `go_on` raises.

    Raises: Rejected if typesetting exceeds the limits on memory or time; PagesError if the typesetter fails;
    ExtraMissing if it is not installed.
    """
    require_package("typst")
    how = "tagged" if tagged else "plain"
    command = [sys.executable, "-I", str(_TYPESETTER), str(template), made_at.isoformat(), how, str(_BYTES_MAX)]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:  # noqa: S603
        try:
            made, said = _communicate(process, json.dumps(document).encode(), name, go_on)
        finally:
            process.kill()
    if process.returncode in (-SIGABRT, -SIGKILL):  # out of memory, by the process's limit or the machine's
        raise _too_large(name, f"more than {_BYTES_MAX >> 20} MB of memory")
    if process.returncode != 0:
        raise PagesError(f"{name}: {said.decode(errors='replace').strip()}")
    return made


def _communicate(process: "Popen[bytes]", document: bytes, name: str, go_on: GoOn) -> tuple[bytes, bytes]:
    deadline, left = monotonic() + _SECONDS_MAX, document or None
    while True:
        try:
            return process.communicate(left, timeout=_LOOK_SECONDS)
        except TimeoutExpired:
            left = None  # communicate continues sending
            go_on()
            if monotonic() > deadline:
                raise _too_large(name, f"more than {_SECONDS_MAX} seconds") from None


def _too_large(name: str, what: str) -> Rejected:
    way_out = "ask for less, such as one table or a shorter period, or for another format"
    return Rejected(Reason.DOCUMENT_TOO_LARGE, f"{name}: its pages take {what}; {way_out}")
