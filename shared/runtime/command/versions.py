"""Documents in versions in a database (shared.contracts.versions): their columns, and how facts write their rows."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, Integer, Row, Table
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.schema import SchemaItem

from shared.contracts.versions import Approved, Standing, TurnedDown, standing
from shared.journal.bulk import Statement, insert, primary_key, update
from shared.journal.columns import columns, moments, texts
from shared.journal.pipeline import Pipeline
from shared.journal.recording import Recorded

_STANDING: Final = tuple(Standing.model_fields)


def version_columns() -> tuple[SchemaItem, ...]:
    """Declare the columns of a table of versions, behind those that name the document."""
    return (
        *columns(Integer, "version", key=True),
        *texts("status", "filed_by"),
        Column("document", JSON(none_as_null=True), nullable=False),  # the data of the fact that filed it
        *texts("approved_by", null=True),
        *moments("approved_at", null=True),
        *texts("rejected_by", null=True),
        *moments("rejected_at", null=True),
        *texts("rejection_reason", null=True),
        CheckConstraint(
            """CASE status
            WHEN 'filed' THEN num_nonnulls(approved_by, approved_at, rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'approved' THEN num_nulls(approved_by, approved_at) = 0
                AND num_nonnulls(rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'rejected' THEN num_nulls(rejected_by, rejected_at, rejection_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END""",
            name="status_and_decision_agree",
        ),
        CheckConstraint("approved_by <> filed_by", name="approved_by_somebody_else"),
    )


class VersionRows:
    """Write the rows of a table of versions from facts."""

    def __init__(self, table: Table) -> None:
        self._key = primary_key(table)
        # What is not a column of every table of versions stands in the fact too.
        self._columns = tuple(column.name for column in table.columns if column.name not in _STANDING[1:])
        self._file: Statement = insert(table, self._columns)
        self._decide: Statement = update(table, _STANDING)

    async def write(self, sent: Pipeline, recorded: list[Recorded]) -> None:
        """Add the versions that were filed, then decide those that were approved or rejected."""
        filed, decided = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
        for entry, fact in recorded:
            if isinstance(fact, Approved | TurnedDown):
                decided.append({name: getattr(fact, name) for name in self._key} | standing(fact))
            else:
                values = {"status": "filed", "document": entry.draft.data.decode()}
                filed.append({name: values.get(name) or getattr(fact, name) for name in self._columns})
        await sent.write(self._file, filed)
        await sent.write(self._decide, decided, otherwise=AssertionError(f"not every one was filed: {decided}"))


def document_of(row: Row[Any]) -> dict[str, Any]:
    """Return a version as it stands, from its row."""
    return {**row.document, **{name: row._mapping[name] for name in _STANDING}}
