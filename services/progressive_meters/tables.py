"""The tables of the progressive meters: the journal, and its projections.

Everything but the journal, the properties, the submissions and the comparison results is a projection of the journal.
Exact amounts are nanocents.
"""

from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Index, MetaData, Numeric, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSON

from shared.journal.columns import COPIED, MOMENT, columns, counts, dates, entry_place, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.commands.version_rows import version_columns
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.ingest.submission_copies import submissions_table

SCHEMA = "progressive_meters"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _exact(*names: str) -> tuple[Column[Any], ...]:
    return columns(Numeric(38, 0), *names)


def _pool() -> tuple[Column[Any], ...]:
    return texts("property", "pool", key=True)


def _json(*names: str, null: bool = False) -> tuple[Column[Any], ...]:
    return columns(JSON(none_as_null=True), *names, null=null)


submissions = submissions_table(metadata, SCHEMA)
"""The approved rules submissions, which have the rates of the meters."""

properties = properties_table(metadata, SCHEMA)
"""The approved properties, which have the gaming days and the tables of pools."""

pool_versions = Table("pool_versions", metadata, *_pool(), *version_columns(), schema=SCHEMA)
"""The versions of pools' terms: filed, then approved or returned."""

pools = Table(
    "pools",
    metadata,
    *_pool(),
    *counts("number"),  # that of the last movement
    *_exact("display", "reserve", "overflow"),
    *counts("in_count", "in_cents", "hits", "wins_cents"),
    *moments("at"),  # when the last movement happened
    schema=SCHEMA,
)
"""The current meters and counters of each pool."""

movements = Table(
    "movements",
    metadata,
    *_pool(),
    *counts("number", key=True),
    *texts("kind"),
    *dates("gaming_day"),
    *moments("at"),
    *texts("table", "game", "round_id", null=True),
    *counts("revision", null=True),
    *texts("meter", null=True),
    *counts("in_count", "in_cents", "award_cents", "hits"),
    *_exact("contribution", "reserved", "overflow", "reset", "reserve_used", "seed", "transfer", "released"),
    *_exact("display"),  # after the movement
    *_json("movement"),  # as published
    *entry_place(),
    CheckConstraint("kind IN ('seed', 'round', 'taken_back', 'change')", name="known_kind"),
    CheckConstraint(
        "kind IN ('taken_back', 'change') OR award_cents > 0 OR contribution + reset + seed + transfer + released >= 0",
        name="no_meter_falls_by_itself",
    ),
    Index("movements_of_day", "property", "gaming_day", "pool"),
    Index("movements_in_time", "property", "pool", "at", info=COPIED),
    Index("movements_of_round", "property", "table", "round_id", "revision", postgresql_where="kind = 'round'"),
    schema=SCHEMA,
)
"""All movements of pools, numbered within each pool."""

pool_days = Table(
    "pool_days",
    metadata,
    *_pool(),
    *dates("gaming_day", key=True),
    *counts("movements", "in_count", "in_cents", "award_cents", "hits"),
    *_exact("contribution", "reserved", "overflow", "reset", "reserve_used", "seed", "transfer", "released"),
    *counts("display_account", "reserve_account", "overflow_account"),  # the increase of their credit balances, cents
    schema=SCHEMA,
)
"""The sums of a pool's movements on a gaming day, and of the journal's postings to its accounts for that day."""

readings = Table(
    "readings",
    metadata,
    *texts("property", "table", "round_id", "meter", key=True),
    *texts("pool"),
    *counts("number"),  # that of the movement
    *columns(Boolean, "standing"),  # false once the round is reversed
    *texts("game"),
    *dates("gaming_day"),
    *counts("revision"),
    *moments("opened_at", "closed_at"),
    *texts("rate"),
    *counts("in_cents", "settled_cents", "award_cents", "reset_cents"),
    *counts("before_cents", "after_cents", null=True),
    *columns(ARRAY(Text), "findings"),
    *entry_place(),
    Index("readings_of_day", "property", "gaming_day", "pool", "number"),
    Index("readings_in_time", "property", "pool", "closed_at", info=COPIED),
    Index("readings_with_findings", "property", "gaming_day", postgresql_where="cardinality(findings) > 0"),
    schema=SCHEMA,
)
"""Tables' meter readings in settled rounds, with the effects of the settlements on the meters."""

hits = Table(
    "hits",
    metadata,
    *_pool(),
    *counts("number", "line", key=True),  # that of the movement, and the award's within it
    *columns(Boolean, "standing"),
    *texts("table", "round_id"),
    *counts("revision", "cents"),
    Index("hits_of_round", "property", "table", "round_id", "revision", info=COPIED),
    schema=SCHEMA,
)
"""The awards of rounds; their sum is compared with the wins meters."""

changes = Table(
    "changes",
    metadata,
    *texts("property", key=True),
    *counts("change", key=True),
    *texts("pool", "status", "requested_by"),
    *_json("document"),  # the data of the fact that requested it, or that approved it
    *texts("approved_by", null=True),
    *_json("rejection", null=True),  # the data of the fact that rejected it
    CheckConstraint("status IN ('requested', 'approved', 'rejected')", name="known_status"),
    CheckConstraint("(status = 'approved') = (approved_by IS NOT NULL)", name="status_and_approval_agree"),
    CheckConstraint("(status = 'rejected') = (rejection IS NOT NULL)", name="status_and_rejection_agree"),
    CheckConstraint("approved_by <> requested_by", name="approved_by_somebody_else"),
    schema=SCHEMA,
)
"""Changes to meters: requested, approved or rejected."""

reconciliations = Table(
    "reconciliations",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *counts("seq", key=True),
    *texts("rows_sha256"),
    *_json("document"),
    schema=SCHEMA,
)
"""The recorded reconciliations of gaming days."""

compared_pools = Table(
    "compared_pools",
    metadata,
    *_pool(),
    *counts("number"),  # that of the pool's last movement at the comparison
    *texts("mark"),  # the transaction that wrote the first movement; a rebuild changes it
    schema=SCHEMA,
)
"""The movement up to which the readings of a pool were compared with the ledger."""

compared_hours = Table(
    "compared_hours",
    metadata,
    *_pool(),
    *dates("gaming_day", key=True),
    Column("hour", MOMENT, primary_key=True),
    *counts("readings", "movements"),
    *_exact("display", "reserve", "overflow"),  # the sums of the movements on each meter
    *_json("different", null=True),  # an exception for each reading that differs
    Index("compared_hours_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Results of comparisons by hour and gaming day: the readings of rounds that closed then, and the movements."""
