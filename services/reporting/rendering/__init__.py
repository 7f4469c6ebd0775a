"""Render reports in all formats. Rendering the same document always gives the same bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Final, Literal

from services.reporting.framework.document import Document, Filled
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.cancellation import GoOn, always

FormatName = Literal["json", "csv", "xlsx", "pdf", "parquet"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of reports: its name (also the file extension), its media type, and its maximum number of rows.

    Without `rows_max`, rows are written as they are created, with constant memory.
    """

    name: FormatName
    media_type: str
    rows_max: int | None = None


FORMATS: Final[Mapping[FormatName, Format]] = {
    one.name: one
    for one in (
        Format("json", "application/json", 100_000),
        Format("csv", "text/csv; charset=utf-8; header=present"),
        Format("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 100_000),
        Format("pdf", "application/pdf", 5_000),
        Format("parquet", "application/vnd.apache.parquet"),
    )
}


def require_room(document: Document, name: FormatName) -> None:
    """Raise Rejected, before rendering, if a document has more rows than a format allows."""
    rows, most = sum(len(filled.given) for filled in document.sections), FORMATS[name].rows_max
    if most is not None and rows > most:
        free = " and ".join(one.name for one in FORMATS.values() if one.rows_max is None)
        raise Rejected(
            Reason.DOCUMENT_TOO_LARGE,
            f"{document.header.report} has {rows} rows; {name} takes {most}, {free} any number: ask for one of these, "
            "or for less, such as one table or a shorter period",
        )


def render(document: Document, name: FormatName, *, section: str | None = None, explain: str | None = None) -> bytes:
    """Return a document in a format, as the bytes that `write` writes."""
    file = BytesIO()
    write(document, name, file, section=section, explain=explain)
    return file.getvalue()


def write(
    document: Document,
    name: FormatName,
    file: BinaryIO,
    *,
    section: str | None = None,
    explain: str | None = None,
    go_on: GoOn = always,
) -> None:
    """Write a document in a format. While writing, `go_on` is called repeatedly; it may raise to stop the writing.

    `section` restricts CSV to one section, and selects the section for Parquet (default: the first); other formats
    always have all sections. `explain` is for JSON: see `as_json`. Raises: LookupError if there is no such section;
    Rejected if the document is too large for the format.
    """
    require_room(document, name)
    # A format's library is imported on first use, so that processes that render nothing start without it.
    match name:
        case "json":
            from services.reporting.rendering.json_text import as_json

            file.write(as_json(document, explain))
        case "csv":
            from services.reporting.rendering.csv_text import write_csv

            write_csv(document.sections if section is None else [_section(document, section)], file, go_on)
        case "xlsx":
            from services.reporting.rendering.workbook import write_xlsx

            write_xlsx(document, file, go_on)
        case "pdf":
            from services.reporting.rendering.pages import as_pdf

            file.write(as_pdf(document, go_on))
        case "parquet":
            from services.reporting.rendering.parquet import write_parquet

            found = document.sections[0] if section is None else _section(document, section)
            write_parquet(document, found, file, go_on)


def _section(document: Document, name: str) -> Filled:
    found = {filled.section.name: filled for filled in document.sections}
    if name not in found:
        raise LookupError(f"there is no section {name!r}; there are {', '.join(found)}")
    return found[name]
