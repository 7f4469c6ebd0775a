"""The table columns for a filed document's steps, and the table of encrypted files."""

from typing import Any

from sqlalchemy import CheckConstraint, Column, LargeBinary, MetaData, Table
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.columns import columns, counts, moments, texts


def step_columns() -> tuple[Column[Any], ...]:
    """Return the columns for the fields of `FiledDocument`, except `property`."""
    return (
        *texts("status", "content_sha256"),
        *counts("content_bytes"),
        *texts("prepared_by"),
        *moments("prepared_at"),
        *texts("released_by", null=True),
        *moments("released_at", null=True),
        *texts("filed_by", null=True),
        *moments("filed_at", null=True),
        *texts("tracking_id", "acknowledged_by", null=True),
        *moments("acknowledged_at", null=True),
        *texts("withdrawn_by", null=True),
        *moments("withdrawn_at", null=True),
        *texts("withdraw_reason", null=True),
        Column("errors", JSONB, nullable=False),
    )


def step_checks() -> tuple[CheckConstraint, ...]:
    """Return the check constraints of these columns."""
    rules = {
        "status": "status IN ('prepared', 'released', 'filed', 'accepted', 'rejected', 'withdrawn')",
        "released_by_somebody_else": "released_by <> prepared_by",
        "released_first": "status = 'withdrawn' OR (status = 'prepared') = (released_by IS NULL)",
        "filed_after": "status = 'withdrawn' OR (filed_by IS NULL) = (status IN ('prepared', 'released'))",
        "status_and_withdrawal_agree": "(withdrawn_by IS NULL) = (status <> 'withdrawn')",
    }
    return tuple(CheckConstraint(rule, name=name) for name, rule in rules.items())


def file_table(name: str, number: str, metadata: MetaData, schema: str) -> Table:
    """Declare a table of encrypted files with their wrapped keys; `wrapped_by` is the name of the wrapping key."""
    return Table(
        name,
        metadata,
        *texts("property", key=True),
        *counts(number, key=True),
        *texts("wrapped_by"),
        *columns(LargeBinary, "wrapped"),
        *texts("sealed"),
        schema=schema,
    )
