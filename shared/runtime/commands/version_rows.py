"""Versioned documents (shared.contracts.versions) in a database: table columns, and rows written from facts."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, Integer, Row, Table
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.schema import SchemaItem

from shared.contracts.versions import Standing, standing
from shared.journal.bulk import Statement, insert, primary_key, replaced, update
from shared.journal.columns import columns, moments, texts
from shared.journal.fact_replay import as_of_today
from shared.journal.pipeline import Pipeline
from shared.journal.recording import Recorded

_DECISION: Final = "approved_by, approved_at, returned_by, returned_at, return_reason"
_AGREE: Final = f"""CASE status{{drafts}}
            WHEN 'filed' THEN filed_by IS NOT NULL AND num_nonnulls({_DECISION}) = 0
            WHEN 'approved' THEN num_nulls(filed_by, approved_by, approved_at) = 0
                AND num_nonnulls(returned_by, returned_at, return_reason) = 0
            WHEN 'returned' THEN num_nulls(filed_by, returned_by, returned_at, return_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END"""
_DRAFTS: Final = f"""
            WHEN 'draft' THEN num_nonnulls(filed_by, {_DECISION}) = 0
            WHEN 'withdrawn' THEN num_nonnulls(returned_by, returned_at, return_reason) = 0"""


def version_columns(*, drafts: bool = False) -> tuple[SchemaItem, ...]:
    """Return the columns that every version table has after its key columns.

    With `drafts`, a version may start as a draft before it is filed, and may be withdrawn.
    """
    return (
        *columns(Integer, "version", key=True),
        *texts("status"),
        *texts("filed_by", null=drafts),
        Column("document", JSON(none_as_null=True), nullable=False),  # data of the drafting or filing fact
        *texts("approved_by", null=True),
        *moments("approved_at", null=True),
        *texts("returned_by", null=True),
        *moments("returned_at", null=True),
        *texts("return_reason", null=True),
        CheckConstraint(_AGREE.format(drafts=_DRAFTS if drafts else ""), name="status_and_decision_agree"),
        CheckConstraint("approved_by <> filed_by", name="approved_by_somebody_else"),
    )


class VersionRows:
    """Writes the rows of a version table from facts.

    `content` lists the types of the facts that contain a whole version. The first such fact of a version adds its row.
    With `drafts`, each later such fact replaces the content. `changes` returns the columns changed by a fact.
    """

    def __init__(
        self,
        table: Table,
        content: tuple[type[Any], ...],
        changes: Callable[[Any], Mapping[str, Any]] = standing,
        *,
        drafts: bool = False,
    ) -> None:
        self._table = table
        self._key = primary_key(table)
        self._content = content
        self._changes = changes
        self._columns = tuple(name for name in table.c.keys() if name in _OF_CONTENT or name in self._key)  # noqa: SIM118
        again = replaced(table, *(name for name in self._columns if name not in self._key)) if drafts else "fail"
        self._add: Statement = insert(table, self._columns, on_conflict=again)  # type: ignore[arg-type]
        self._change: dict[tuple[str, ...], Statement] = {}

    async def write(self, sent: Pipeline, recorded: Iterable[Recorded]) -> None:
        """Write the rows of these facts, in order."""
        for entry, fact in recorded:
            changed = dict(self._changes(fact))
            key = {name: getattr(fact, name) for name in self._key}
            if type(fact) in self._content:
                values = {"status": changed["status"], "document": as_of_today(entry.draft).data.decode()}
                said = {name: getattr(fact, name, None) for name in self._columns if name not in values}
                await sent.write(self._add, [said | values])
            else:
                names = tuple(changed)
                if names not in self._change:
                    self._change[names] = update(self._table, names)
                unknown = AssertionError(f"there is no version of {key}")
                await sent.write(self._change[names], [key | changed], otherwise=unknown)


_OF_CONTENT: Final = frozenset({"status", "document", "filed_by", "effective_from"})
"""The columns of a version that its first fact fills, in addition to the key."""


def document_of(row: Row[Any], model: type[Standing] = Standing) -> dict[str, Any]:
    """Return a version's document with its current status and decision, from its row."""
    return {**row.document, **{name: row._mapping[name] for name in model.model_fields}}
