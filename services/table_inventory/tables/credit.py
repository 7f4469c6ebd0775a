"""The database tables of credit: credit lines, counter checks, and the steps taken on them."""

from sqlalchemy import CheckConstraint, Index, Table, UniqueConstraint, column

from services.table_inventory.tables.base import JSON, metadata
from shared.journal.columns import columns, dates, moments, texts
from shared.journal.columns import counts as numbers
from shared.runtime.reference_search import reversed_reference

credit_lines = Table(
    "credit_lines",
    metadata,
    *texts("property", "patron", key=True),
    *numbers("limit_cents"),
    *numbers("temporary_cents", null=True),
    *dates("until", null=True),
    *texts("suspended_for", null=True),
    *moments("changed_at"),
)
"""The terms of each patron's credit line."""

credit_line_requests = Table(
    "credit_line_requests",
    metadata,
    *texts("property", key=True),
    *numbers("request", key=True),
    *texts("patron", "change", "reason", "requested_by"),
    *numbers("limit_cents"),
    *dates("until", null=True),
    *moments("requested_at"),
    *texts("verification", "verified_by", "decline_reason", "declined_by", null=True),
    *moments("verified_at", "approved_at", "granted_at", "declined_at", null=True),
    *numbers("approvals", null=True),
    *columns(JSON, "approved_by", null=True),
    CheckConstraint("granted_at IS NULL OR declined_at IS NULL", name="credit_line_decided_once"),
    Index("credit_line_requests_of_patron", "property", "patron"),
)
"""Requested changes to credit lines, with their verification, approvals and decision."""

counter_checks = Table(
    "counter_checks",
    metadata,
    *texts("property", "serial", "table", key=True),
    *numbers("number", key=True),
    *texts("drawer", null=True),
    *numbers("cents"),
    *moments("first_issued_at", null=True),
    # Deferred only in a rebuild, which may read a check before it reads the void of an earlier check with the number.
    UniqueConstraint("property", "serial", name="serial_used_once", deferrable=True),
    Index("counter_checks_by_end", reversed_reference(column("serial")), "property"),
    Index("counter_checks_of_drawer", "property", "drawer"),
)
"""The counter checks of each property. Each serial number is used only once.

`number` is the sequence of the issuance in the table's pit stream, and `cents` the issued amount. A check that replaced
others has no table; its `number` is that of the step that replaced them, its `first_issued_at` the earliest issuance of
the replaced checks, and its `cents` are 0: the amount owed on it is the sum of its steps.
"""

check_steps = Table(
    "check_steps",
    metadata,
    *texts("property", key=True),
    *numbers("step", key=True),
    *texts("serial", key=True),
    *texts("what", "shift", "by"),
    *dates("gaming_day"),
    *numbers("cents"),  # change of the amount owed on the check
    *moments("at"),
    *texts("table", "drawer", "paid_in", "late_reason", null=True),
    *columns(JSON, "on_behalf_of", null=True),
    *moments("entered_at", null=True),
    *numbers("undoes", null=True),  # the payment that was voided, returned unpaid or cleared
    *numbers("check_write_off", "recovery_cents", null=True),  # only for recoveries; negative if voided or returned
    CheckConstraint(
        "what IN ('redeemed', 'voided', 'returned', 'replaced', 'cleared', 'collection_begun', 'written_off', "
        "'recovered', 'recovery_voided', 'recovery_returned')",
        name="what_is_known",
    ),
    Index("redemption_undone_once", "property", "undoes", unique=True),
    Index("steps_of_check", "property", "serial"),
)
"""The cage's steps on counter checks."""

patron_checks = Table(
    "patron_checks",
    metadata,
    *texts("property", "serial", key=True),
    *texts("patron", "table", "shift", "prepared_by"),
    *dates("gaming_day"),
    *numbers("cents", "limit_cents", "outstanding_cents"),
    *moments("prepared_at"),
    *texts("voided_by", null=True),
    *moments("voided_at", null=True),
    Index("patron_checks_of_patron", "property", "patron"),
)
"""Counter checks as prepared against patrons' credit lines. Those that were issued are in `counter_checks`, too."""

check_write_offs = Table(
    "check_write_offs",
    metadata,
    *texts("property", key=True),
    *numbers("check_write_off", key=True),
    *texts("serial", "write_off_kind", "reason", "entered_by", "status"),
    *texts("table", "drawer", null=True),
    *numbers("cents", "recovered_cents"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="check_write_off_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="check_write_off_decided_once"),
    CheckConstraint("recovered_cents <= cents", name="recovered_at_most_once"),
    Index("check_write_offs_of_check", "property", "serial"),
)
"""Write-offs of counter checks with their status, and the amount recovered since."""
