"""A report as JSON: its header, its columns, and the hashed content."""

from dataclasses import fields
from typing import Any, Final

from pydantic_core import to_json

from services.reporting.framework.document import Column, Document


def as_json(document: Document, explain: str | None = None) -> bytes:
    """Return a document as JSON; its member `content` is exactly the hashed text (a cut document has no hash).

    `explain` is the URI template (RFC 6570) for the entries behind a cell, with the variables `section`, `row` (its
    `id`) and `column`. The template is not part of `content`, so the hash does not depend on the server.
    """
    columns = {filled.section.name: [_column(one) for one in filled.section.columns] for filled in document.sections}
    whole = document.header.model_dump(mode="json") | {"sha256": document.sha256 if document.whole else None}
    if explain is not None:
        whole["explain"] = explain
    whole |= {"columns": columns, "content": document.content}
    return to_json(whole)


_TOLD: Final = tuple(field.name for field in fields(Column) if field.name != "added")


def _column(column: Column) -> dict[str, Any]:
    return {name: getattr(column, name) for name in _TOLD}
