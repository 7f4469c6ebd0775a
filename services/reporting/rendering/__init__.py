"""Reports in the formats that people and systems read. The same document has the same bytes in each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from services.reporting.kit.document import Document, Filled

FormatName = Literal["json", "csv", "xlsx", "pdf", "parquet"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, which is how the names of its files end, and its media type."""

    name: FormatName
    media_type: str


FORMATS: Final[Mapping[FormatName, Format]] = {
    one.name: one
    for one in (
        Format("json", "application/json"),
        Format("csv", "text/csv; charset=utf-8; header=present"),
        Format("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        Format("pdf", "application/pdf"),
        Format("parquet", "application/vnd.apache.parquet"),
    )
}


def render(document: Document, name: FormatName, *, section: str | None = None, explain: str | None = None) -> bytes:
    """Return a document in a format.

    `section` narrows CSV to one section, and says which one Parquet has (else the first); the other formats always
    have all. `explain` is for JSON: see `as_json`. Raises: LookupError where there is no such section.
    """
    # A library is imported once its format is asked for: who asks for none starts without them.
    match name:
        case "json":
            from services.reporting.rendering.json_text import as_json

            return as_json(document, explain)
        case "csv":
            from services.reporting.rendering.csv_text import as_csv

            return as_csv(document.sections if section is None else [_section(document, section)])
        case "xlsx":
            from services.reporting.rendering.workbook import as_xlsx

            return as_xlsx(document)
        case "pdf":
            from services.reporting.rendering.pages import as_pdf

            return as_pdf(document)
        case "parquet":
            from services.reporting.rendering.parquet import as_parquet

            return as_parquet(document, document.sections[0] if section is None else _section(document, section))


def _section(document: Document, name: str) -> Filled:
    found = {filled.section.name: filled for filled in document.sections}
    if name not in found:
        raise LookupError(f"there is no section {name!r}; there are {', '.join(found)}")
    return found[name]
