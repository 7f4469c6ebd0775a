"""The database tables of gaming days: stated wins, open items, and the steps that close a day."""

from sqlalchemy import Boolean, CheckConstraint, Index, Integer, Table, column

from services.table_inventory.tables.base import JSON, metadata
from shared.journal.columns import columns, dates, moments, texts
from shared.journal.columns import counts as numbers
from shared.runtime.reference_search import reversed_reference

days = Table(
    "days",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *texts("status", "preliminary_by"),
    *moments("preliminary_at"),
    *columns(JSON, "excused"),
    *texts("audited_by", "final_by", "hash", null=True),
    *moments("audited_at", "final_at", null=True),
    *columns(JSON, "report", null=True),
    CheckConstraint("audited_by <> preliminary_by", name="audited_by_somebody_else"),
)
"""Gaming days with at least one closing step, and the last step taken."""

touched = Table(
    "touched",
    metadata,
    *texts("property", "table", key=True),
    *dates("gaming_day", key=True),
    *columns(Integer, "shard", key=True),
    *numbers("seq"),
    *moments("recorded_at"),
    Index("touched_in_order", "shard", "seq"),
)
"""The last entry that may have changed the win, by table, gaming day and shard."""

wins_stated = Table(
    "wins_stated",
    metadata,
    *texts("property", "table", key=True),
    *dates("gaming_day", key=True),
    *texts("shift", key=True),
    *numbers("revision"),
    *columns(JSON, "figures", "missing", "counts", "boxes", "times"),
    *moments("stated_at"),
    Index("wins_stated_of_day", "property", "gaming_day"),
)
"""The last statement about the win of a table in a shift."""

adjustments = Table(
    "adjustments",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *numbers("adjustment", key=True),
    *texts("table", "shift", "figure", "reason", "day_status", "entered_by", "status"),
    *numbers("cents"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="decided_once"),
)
"""Adjustments of gaming days with their status."""

variance_cases = Table(
    "variance_cases",
    metadata,
    *texts("property", "table", "variance", key=True),
    *numbers("number", key=True),
    *dates("gaming_day"),
    *texts("owner"),
    *moments("owned_at"),
    *numbers("resolved_cents", null=True),
    *columns(JSON, "resolved_by_instrument", null=True),
    *moments("resolved_at", null=True),
    *texts("conclusion", null=True),
)
"""Owners and conclusions of variances."""

alarm_cases = Table(
    "alarm_cases",
    metadata,
    *texts("property", "alarm", key=True),
    *texts("owner", "named_by"),
    *moments("owned_at"),
    *texts("conclusion", null=True),
    *moments("resolved_at", null=True),
)
"""Owners and conclusions of statistical alarms."""

investigations = Table(
    "investigations",
    metadata,
    *texts("property", key=True),
    *numbers("investigation", key=True),
    *texts("what", "subject", "month", "found", "owner", "opened_by"),
    *moments("opened_at"),
    *texts("conclusion", null=True),
    *moments("concluded_at", null=True),
    Index("investigations_of_month", "property", "month"),
)
"""Investigations of a hold that deviates from its base of comparison."""

contests = Table(
    "contests",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *texts("contest", key=True),
    *numbers("revision", key=True),
    *numbers("fees_cents", "prizes_cents"),
    *columns(JSON, "before", null=True),
    *texts("reason", "entered_by", "status"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="contest_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="contest_decided_once"),
)
"""Results of contests by the gaming day on which they ended, with their status."""

tax_invoices = Table(
    "tax_invoices",
    metadata,
    *texts("property", "invoice", key=True),
    *numbers("revision", key=True),
    *dates("first_day", "last_day", "received_on"),
    *texts("payee", "reason", "entered_by", "status"),
    *numbers("cents"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="tax_invoice_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="tax_invoice_decided_once"),
    Index("tax_invoices_of_return", "property", "last_day"),
    Index("tax_invoices_by_end", reversed_reference(column("invoice")), "property"),
)
"""The invoices of tax payees, with their status."""

upstream_gaps = Table(
    "upstream_gaps",
    metadata,
    *texts("source", key=True),
    *numbers("first", key=True),
    *columns(Boolean, "is_open", key=True),
    *numbers("last"),
    *texts("property", null=True),
)
"""Events missing at round settlement: ranges reported missing (`is_open`), and single events that arrived later."""

upstream_quarantine = Table(
    "upstream_quarantine",
    metadata,
    *columns(Integer, "shard", key=True),
    *numbers("seq", key=True),
    *texts("property", "source", "reason", null=True),
    *numbers("sequence", null=True),
    *columns(Boolean, "is_closed", "is_mended"),
    Index("upstream_quarantine_open", "property", postgresql_where="NOT is_closed"),
)
"""Records quarantined by round settlement, by the position of the quarantine entry, and whether they are closed."""
