"""The tables of the wagering accounts: the journal, and its read model: patrons, accounts, rounds, holds, statements.

The journal holds the money on control accounts; the lines are the subledger. Hashes of access codes and patrons' keys
are in neither: they are stored separately.
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    column,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from shared.journal.columns import COPIED, columns, counts, dates, entry_place, moments, texts
from shared.journal.signed_rows import signature_column
from shared.journal.tables import journal_tables
from shared.runtime.filing.tables import file_table, step_checks, step_columns
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.reference_search import reversed_reference

SCHEMA = "wagering_accounts"

_KINDS = ("available", "held", "staked", "promotional", "promotional_held", "promotional_staked")
AMOUNTS = tuple(f"{name}_cents" for name in _KINDS)
CHANGES = tuple(f"{name}_change_cents" for name in _KINDS)
"""The amounts of an account, and an entry's changes to them."""

_HAS_PROMOTIONAL = "promotional_cents + promotional_held_cents + promotional_staked_cents > 0"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


patrons = Table(
    "patrons",
    metadata,
    *texts("property", "patron", key=True),
    *texts("wallet"),
    *texts("tax_residence", null=True),
    *counts("failed_codes"),
    *moments("locked_until", "excluded_at", null=True),
    Column("limits", JSONB, nullable=False),
    *dates("bought_in_on", null=True),
    *counts("bought_in_cents"),
    *moments("erased_at", null=True),
    Index("patrons_by_end", reversed_reference(column("patron")), "property"),
    CheckConstraint("failed_codes >= 0 AND bought_in_cents >= 0", name="not_negative"),
    schema=SCHEMA,
)

patron_codes = Table(
    "patron_codes",
    metadata,
    *texts("property", "patron", key=True),
    *counts("number"),  # the first, second ... code of the patron: as many as the journal says were given
    *columns(LargeBinary, "salt", "hash"),
    signature_column(),
    schema=SCHEMA,
)
"""Access codes, signed: a patron whose row is lost or not authentic needs a new code."""

OF_CODES = "kind IN ('patron.registered', 'patron.code_changed')"
"""SQL condition: an entry issues an access code; the same as in the index of these entries."""

Index(
    "entries_of_codes",
    text("(data ->> 'property')"),
    text("(data ->> 'patron')"),
    postgresql_where=text(OF_CODES),
    _table=journal.entries,
)

DIGESTS = ("taxpayer_number_digest", "document_digest")
"""The columns with keyed digests of unique identifiers of a person."""

patron_keys = Table(
    "patron_keys",
    metadata,
    *texts("property", "patron", key=True),
    *texts("wrapped_by"),
    *columns(LargeBinary, "wrapped"),
    *columns(LargeBinary, *DIGESTS, null=True),
    Index("patron_keys_by_taxpayer_number", "property", "taxpayer_number_digest"),
    Index("patron_keys_by_document", "property", "document_digest"),
    schema=SCHEMA,
)
"""The key of each patron, wrapped by the key `wrapped_by`. Without the row its data cannot be decrypted.

References with an equal digest of the identity belong to the same person. The digests are keyed by the property's own
key, whose row has an empty text as `patron`.
"""

patron_identities = Table(
    "patron_identities",
    metadata,
    *texts("property", "patron", key=True),
    *texts("identity", null=True),  # sealed, as the entry has it; none once it was erased
    *texts("identified_by"),
    *moments("identified_at"),
    schema=SCHEMA,
)
"""Patrons' identities as recorded in the journal, encrypted with the patrons' keys."""

patron_erasures = Table(
    "patron_erasures",
    metadata,
    *texts("property", "patron", key=True),
    *texts("ground"),
    *dates("last_form_on", null=True),
    *texts("entered_by"),
    *moments("entered_at"),
    *texts("status"),
    *texts("decided_by", null=True),
    *moments("decided_at", null=True),
    CheckConstraint("status IN ('entered', 'approved', 'rejected')", name="status"),
    CheckConstraint("status <> 'approved' OR decided_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("(status = 'entered') = (decided_by IS NULL)", name="status_and_decision_agree"),
    schema=SCHEMA,
)
"""The last erasure entered for each patron."""

balances = Table(
    "balances",
    metadata,
    *texts("property", "account", key=True),
    *texts("kind", "table"),  # the table is empty for a wallet
    *texts("patron", null=True),
    *texts("status"),
    *counts("version", *AMOUNTS),
    *moments("opened_at"),
    CheckConstraint(" AND ".join(f"{name} >= 0" for name in AMOUNTS), name="never_negative"),
    CheckConstraint("(kind = 'wallet') = (\"table\" = '') AND kind IN ('wallet', 'game')", name="kind"),
    CheckConstraint("status IN ('open', 'closed')", name="status"),
    Index("balances_one_wallet", "property", "patron", unique=True, postgresql_where="kind = 'wallet'"),
    Index("balances_of_patron", "property", "patron", postgresql_where="patron IS NOT NULL"),
    Index("balances_by_end", reversed_reference(column("account")), "property"),
    Index("balances_with_promotional_money", "property", "account", postgresql_where=_HAS_PROMOTIONAL),
    schema=SCHEMA,
)
"""Wallets and game accounts. (The journal's `accounts` are its control accounts.)"""

rounds = Table(
    "rounds",
    metadata,
    *texts("property", "table", "round_id", key=True),
    *texts("status"),
    *counts("version"),
    *moments("opened_at"),
    # The revisions of the settlement that were posted, and those reversed; a revision in `posted` alone is in effect.
    Column("posted", ARRAY(Integer), nullable=False),
    Column("reversed", ARRAY(Integer), nullable=False),
    *columns(Boolean, "voided"),
    CheckConstraint("status IN ('open', 'captured', 'settled', 'void')", name="status"),
    Index(
        "rounds_open", "property", "opened_at", "table", "round_id", postgresql_where="status IN ('open', 'captured')"
    ),
    schema=SCHEMA,
)

holds = Table(
    "holds",
    metadata,
    *texts("property", "account", key=True),
    *counts("hold", key=True),
    *texts("table", "round_id"),
    *counts("seat"),
    *texts("wager"),
    *counts("cents", "promotional_cents"),
    *texts("status"),
    CheckConstraint("cents > 0 AND promotional_cents BETWEEN 0 AND cents", name="something_is_held"),
    CheckConstraint("status IN ('held', 'captured', 'settled', 'returned', 'released')", name="status"),
    Index("holds_of_round", "property", "table", "round_id"),
    schema=SCHEMA,
)

round_accounts = Table(
    "round_accounts",
    metadata,
    *texts("property", "table", "round_id", "account", key=True),
    *counts("staked_cents", "credited_cents"),
    *counts("covered_cents"),  # what was on hold when the round was settled
    *counts("shortage_cents"),  # what could not be taken back, because it was gone
    *counts("promotional_shortage_cents"),  # of this, what had been promotional money
    CheckConstraint(
        "covered_cents >= 0 AND promotional_shortage_cents BETWEEN 0 AND shortage_cents", name="not_negative"
    ),
    schema=SCHEMA,
)

adjustments = Table(
    "adjustments",
    metadata,
    *texts("property", "account", key=True),
    *counts("adjustment", key=True),
    *counts("cents"),
    *texts("reason", "status", "entered_by"),
    *moments("entered_at"),
    *texts("decided_by", null=True),
    *moments("decided_at", null=True),
    *counts("before_cents", "after_cents", null=True),
    CheckConstraint("cents <> 0", name="something_changes"),
    CheckConstraint("status IN ('entered', 'approved', 'rejected')", name="status"),
    CheckConstraint("status <> 'approved' OR decided_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("(status = 'entered') = (decided_by IS NULL)", name="status_and_decision_agree"),
    CheckConstraint("status <> 'approved' OR after_cents = before_cents + cents", name="before_and_after_agree"),
    schema=SCHEMA,
)

promotions = Table(
    "promotions",
    metadata,
    *texts("property", "account", key=True),
    *counts("promotion", key=True),
    *counts("cents"),
    *texts("reason"),
    *dates("expires_on", null=True),
    *texts("entered_by"),
    *moments("entered_at"),
    *texts("status"),
    *texts("decided_by", null=True),
    *moments("decided_at", null=True),
    *counts("version", null=True),
    CheckConstraint("cents > 0", name="something_is_granted"),
    CheckConstraint("status IN ('entered', 'granted', 'rejected')", name="status"),
    CheckConstraint("(status = 'entered') = (decided_by IS NULL)", name="status_and_decision_agree"),
    Index("promotions_that_expire", "expires_on", postgresql_where="status = 'granted' AND expires_on IS NOT NULL"),
    schema=SCHEMA,
)
"""Promotional grants, including those awaiting approval."""

lines = Table(
    "lines",
    metadata,
    *texts("property", "account", key=True),
    *counts("version", key=True),
    *entry_place(),
    *texts("kind"),
    *dates("gaming_day"),
    *moments("recorded_at"),
    *counts(*CHANGES, *AMOUNTS),
    *texts("table", "round_id", null=True),
    CheckConstraint(" AND ".join(f"{name} >= 0" for name in AMOUNTS), name="never_negative"),
    schema=SCHEMA,
)

filings = Table(
    "filings",
    metadata,
    *texts("property", key=True),
    *counts("filing", key=True),
    *texts("form", "period"),
    *dates("period_ends", "file_by"),
    *dates("copy_by", null=True),
    Column("unconfirmed", JSONB, nullable=False),
    *counts("report_count"),
    *step_columns(),
    *step_checks(),
    Index("filings_of_period", "property", "form", "period"),
    Index("filings_by_end", reversed_reference(column("tracking_id")), "property"),
    schema=SCHEMA,
)

filing_reports = Table(
    "filing_reports",
    metadata,
    *texts("property", key=True),
    *counts("filing", "report", key=True),
    *texts("kind", "reference"),
    *counts("in_dollars", "out_dollars", "winnings_cents", "withheld_cents", "corrects", null=True),
    *counts("state_withheld_cents", "local_withheld_cents", null=True),
    *texts("account_number", "amends", "bsa_id", "lines_sha256", "basis", null=True),
    Column("with_others", JSONB(none_as_null=True)),
    Column("accepted", Boolean),
    Column("errors", JSONB, nullable=False),
    CheckConstraint("kind IN ('patron', 'account', 'entry')", name="kind"),
    Index("filing_reports_about", "property", "reference", info=COPIED),
    Index("filing_reports_by_identifier", "property", "bsa_id", postgresql_where="bsa_id IS NOT NULL"),
    Index(
        "filing_reports_by_end",
        reversed_reference(func.coalesce(column("bsa_id"), column("account_number"))),
        "property",
    ),
    schema=SCHEMA,
)
"""The reports of each filing, in the order of its file."""

filing_files = file_table("filing_files", "filing", metadata, SCHEMA)
"""The file of each filing."""

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their gaming days and their law."""

PROJECTIONS = (
    patrons,
    patron_identities,
    patron_erasures,
    balances,
    rounds,
    holds,
    round_accounts,
    adjustments,
    promotions,
    lines,
)
"""Tables projected from the journal."""
