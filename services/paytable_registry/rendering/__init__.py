"""Render sheets for patrons as HTML and as PDF. The output is deterministic."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from services.paytable_registry.rendering.html_page import as_html
from shared.rules.signs import Sheet
from shared.runtime.cancellation import GoOn, always
from shared.runtime.typesetting import typeset

FormName = Literal["html", "pdf"]

MEDIA_TYPES: Final[Mapping[FormName, str]] = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}

_TEMPLATE: Final = Path(__file__).with_name("sheet.typ")
_MADE_AT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The creation date in the PDF, constant so that a sheet depends only on its version."""


def render(sheet: Sheet, form: FormName, go_on: GoOn = always) -> bytes:
    """Return a sheet as HTML or PDF. Raises the same errors as `typeset`."""
    if form == "html":
        return as_html(sheet).encode()
    name = f"{sheet.game}: {sheet.title}"
    return typeset(_TEMPLATE, sheet.as_document(), name=name, made_at=_MADE_AT, tagged=True, go_on=go_on)
