"""Documents as pages (PDF). Texts go to the typesetter as data, never as markup."""

import json
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from subprocess import TimeoutExpired, run
from typing import Any, Final

_TYPESETTER: Final = Path(__file__).with_name("typesetter.py")
_SECONDS_MAX: Final = 120


class PagesError(Exception):
    """The typesetter could not make pages of a document."""


def typeset(template: Path, document: Mapping[str, Any], *, name: str, made_at: datetime, tagged: bool) -> bytes:
    """Return a document as the pages of a template, which reads it as JSON from `sys.inputs.document`.

    The same document, template and moment have the same bytes. `name` is for errors; `tagged` pages
    can be read aloud, and those of long tables are fifteen times as large.

    Raises: PagesError where the typesetter fails, or takes longer than any document does.
    """
    how = "tagged" if tagged else "plain"
    command = [sys.executable, "-I", str(_TYPESETTER), str(template), made_at.isoformat(), how]
    said = json.dumps(document).encode()
    try:
        done = run(command, input=said, capture_output=True, timeout=_SECONDS_MAX, check=False)  # noqa: S603
    except TimeoutExpired as error:
        raise PagesError(f"{name}: no pages after {_SECONDS_MAX} seconds") from error
    if done.returncode != 0:
        raise PagesError(f"{name}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
