"""The database tables of reporting: journal, sums behind the reports, exceptions, and data copied from topics.

Everything but the journal is derived from the topics; some of the exceptions are derived from the journal. Amounts are
cents.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Index,
    Integer,
    MetaData,
    Numeric,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON
from sqlalchemy.schema import SchemaItem

from services.reporting.read_model import derived
from services.reporting.read_model.currency import OF_PERSONS
from services.reporting.read_model.rounds import DEALT, LINE_FIGURES, PACE, PLAYED
from services.reporting.read_model.seat_wagers import MONEY
from shared.contracts.wager_totals import FIGURES
from shared.journal.columns import COPIED, MOMENT, Parsed, columns, counts, dates, moments, texts
from shared.journal.signed_rows import signature_column
from shared.journal.tables import journal_tables
from shared.runtime.ingest.property_copies import properties_table

SCHEMA = "reporting"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


_OF_PERSONS = f"measure IN ({', '.join(f'{name!r}' for name in OF_PERSONS)})"
"""The condition of the indexes on persons' transactions, which are few rows scattered over the tables."""


def _table(name: str, *items: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *items, schema=SCHEMA, **options)


def _entry_place() -> tuple[Column[Any], ...]:
    """Return the key columns for an entry of any service: service, shard and sequence."""
    return (*texts("service", key=True), *columns(Integer, "shard", key=True), *counts("seq", key=True))


def _entry_columns() -> tuple[Column[Any], ...]:
    """Return the columns for the entry behind a row: key, hash and time of recording."""
    return (*_entry_place(), *texts("hash"), *moments("recorded_at"))


def _fact_columns() -> tuple[Column[Any], ...]:
    """Return the columns that store a whole fact."""
    return (
        *_entry_columns(),
        *texts("kind"),
        *texts("event", null=True),  # the type of an event that the pit reported
        *texts("property", "table_name", null=True),
        *dates("gaming_day", null=True),
        *moments("occurred_at"),
        *columns(Parsed, "data"),
    )


def _game_columns() -> tuple[Column[Any], ...]:
    """Return the key columns of a row about a game at a table on a gaming day."""
    return (*dates("gaming_day", key=True), *texts("property", "table_name", "game", key=True))


house_edges = _table(
    "house_edges",
    *texts("submission", "wager", key=True),  # the submission's hash
    *moments("recorded_at"),  # when the registry recorded its approval
    *texts("offered"),  # required, always or optional
    *texts("paytable", null=True),  # its name, where the regulation names paytables
    *columns(JSON, "returns", null=True),  # the exact distribution of the return per cent staked
    *texts("reason", null=True),  # why there is no distribution
    *texts("house_edge", "standard_error", null=True),  # exact fractions of all that is staked; of wagers without one
    *texts("counted", null=True),  # how: exactly, sampled or by_model
    *texts("counted_with", null=True),  # the first of the wagers that share the house edge
    *texts("lacks", null=True),  # why the registry has no house edge either
    *texts("stated_percent", "stated_source", null=True),  # the licensee's own house edge, and its source
    *columns(ARRAY(Text), "bonus_lines"),  # settlement lines without a stake of their own that the wager earns
    CheckConstraint("num_nonnulls(returns, reason) = 1", name="returns_or_reason"),
    CheckConstraint("num_nonnulls(returns, house_edge, lacks) = 1", name="known_or_lacking"),
    CheckConstraint(
        "num_nonnulls(house_edge, standard_error, counted, counted_with) IN (0, 4)", name="counted_as_played"
    ),
    CheckConstraint("num_nonnulls(stated_percent, stated_source) IN (0, 2)", name="stated_with_source"),
)
"""Every wager that a rules submission offers: the distribution of its return, else its best known house edge.

The licensee's own value is stored with it.
"""

exceptions = _table(
    "exceptions",
    *_entry_columns(),
    *columns(Integer, "number", key=True),  # numbers the notices of an entry; 0 for other exceptions
    *texts("kind"),
    *moments("since"),
    *texts("stream", null=True),
    *counts("first", "last", null=True),
    *texts("property", "table_name", "game", "round_id", null=True),
    *dates("gaming_day", null=True),
    *texts("topic", null=True),
    *columns(Integer, "partition", null=True),
    *counts("offset", null=True),
    *texts("reason", "entered_by", "approved_by", null=True),
    *columns(Integer, "revision", null=True),  # the revision of the round, if it was reversed or noticed
    *texts("code", "paragraph", "detail", null=True),
    *columns(Integer, "seat", null=True),
    Index("exceptions_of_day", "property", "gaming_day"),
    Index("exceptions_of_input", "property", postgresql_where="gaming_day IS NULL"),
    Index("exceptions_of_rounds", "property", "table_name", "round_id", postgresql_where="kind = 'reversed'"),
)
"""Exceptions: missing or refused input of services, and rounds that were changed or have notices. Rows never change.

The status of an exception as of a time follows from the filled gaps, the closings and the reversals recorded by then.
"""

filled_gaps = _table(
    "filled_gaps",
    *_entry_columns(),
    *moments("at"),
    *texts("stream"),
    *counts("sequence"),
    Index("filled_gaps_in_stream", "stream", "sequence"),
)
"""Missing events that arrived late, in a separate table because they may be read before the gap is."""

closings = _table(
    "closings",
    *_entry_columns(),
    *columns(Integer, "closed_shard", key=True),
    *counts("closed_seq", key=True),
    *texts("status"),
    *moments("at"),
    *texts("by", "approved_by", "reason", null=True),
    Index("closings_of", "service", "closed_shard", "closed_seq"),
)
"""Resolutions of refused records, in a separate table because they may be read before the refusal is."""

OF_JOURNALS = (exceptions, filled_gaps, closings)
"""The tables of exceptions: filled from the journals that are read, and from reporting's own journal."""

documents = _table(
    "documents",
    *_fact_columns(),
    Index("documents_of_property", "property", "kind"),
)
"""Whole entries of the topic of properties: every filed version, and all decisions and refusals.

Every process reads this topic from the beginning. Its entries are not in `facts`, because a rebuild reads the topics of
`facts` again.
"""

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their law, clock, pits, tables, shifts."""

facts = _table(
    "facts",
    *_fact_columns(),
    *counts("contents_cents", null=True),  # the value of the contents that the fact names
    *derived.columns(),
    Index("facts_of_property", "property", "kind", "gaming_day", info=COPIED),
    Index("facts_of_pit", "property", "event", "gaming_day", postgresql_where="event IS NOT NULL"),
    Index("facts_of_table", "property", "table_name", "event", "occurred_at", postgresql_where="event IS NOT NULL"),
    Index(
        "facts_of_other_days",
        *("property", "gaming_day"),
        postgresql_where="kind = 'pit.recorded' AND (data ->> 'claimed_day') IS NOT NULL",
    ),
    *derived.indexes(),
)
"""Whole entries that reports list: all facts except those of single rounds and wagers, which are only summed."""

amounts = _table(
    "amounts",
    *_entry_place(),
    *moments("recorded_at"),
    *columns(Integer, "number", key=True),  # numbers the amounts of an entry
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "shift", "item"),  # each is empty if the amount has none
    *texts("measure"),
    *columns(Numeric, "value"),  # nanocents of a large meter need more than 64 bits
    *moments("closed_at", null=True),  # of a result of a counted table, and of its reversal
    Index("amounts_of_day", "property", "gaming_day", "measure", "recorded_at"),  # last: changes after a seal
    Index(
        "large_sales",
        *("property", "gaming_day", "value"),
        postgresql_include=["recorded_at", "service", "shard", "seq"],
        postgresql_where="measure = 'sold_for_currency_cents'",
    ),
    Index(
        "amounts_of_persons",
        *("property", "gaming_day", "measure", "item"),
        postgresql_include=["value", "recorded_at", "table_name", "service", "shard", "seq"],
        postgresql_where=_OF_PERSONS,
    ),
)
"""The contribution of each entry to the measures that reports show, except for settled rounds."""

amount_days = _table(
    "amount_days",
    *dates("gaming_day", key=True),
    *texts("property", "measure", "table_name", "shift", "item", key=True),
    *columns(Numeric, "value"),
    # Readers skip measures whose sum is zero, such as the money on hold for a round that was settled. No index contains
    # the value, so that an entry that adds to it updates only the row.
    Column("nothing", Boolean, Computed("value = 0", persisted=True)),
    Index("amount_days_of_measure", "property", "measure", "gaming_day", postgresql_where="NOT nothing"),
    Index("amount_days_of_persons", "property", "measure", "gaming_day", "item", postgresql_where=_OF_PERSONS),
    postgresql_with={"fillfactor": 70},
)
"""Sums of `amounts` by gaming day, over all entries recorded so far."""

rounds = _table(
    "rounds",
    *columns(Integer, "shard", key=True),
    *counts("seq", key=True),
    *moments("recorded_at"),
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "game", "shift", "dealer", "round_id"),
    *columns(Integer, "revision", "sign"),
    *columns(Boolean, "corrected"),  # whether it was posted as a correction
    *columns(Integer, "version"),
    *texts("submission"),  # its hash
    *moments("opened_at", null=True),  # null for a reversal
    *moments("closed_at"),
    *counts("chips_cents"),  # added to the table inventory
    *columns(Integer, "seats"),  # seats that wagered against the house; negative if the round is taken back
    *columns(ARRAY(Text), "wagers"),
    *columns(ARRAY(BigInteger), "figures"),  # FIGURES of each wager, concatenated
    *columns(ARRAY(Text), "line_wagers", "line_categories"),  # empty for a line without a category
    *columns(ARRAY(BigInteger), "line_figures"),  # LINE_FIGURES of each line, concatenated
    *columns(ARRAY(BigInteger), "stake_figures"),  # STAKE_FIGURES of each stake, concatenated
    # The index includes the columns that windows between counts sum, because rounds of one table lie far apart.
    Index(
        "rounds_of_table",
        *("property", "gaming_day", "table_name", "closed_at"),
        postgresql_include=["recorded_at", "chips_cents", "sign", "opened_at"],
        info=COPIED,
    ),
    Index("rounds_recorded", "property", "gaming_day", "recorded_at"),
)
"""Rounds whose money was posted (`sign` 1) or reversed (-1), with their dealer, shift and figures."""

won_lines = _table(
    "won_lines",
    *columns(Integer, "shard", key=True),
    *counts("seq", key=True),
    *columns(Integer, "number", key=True),  # numbers the lines of the settlement
    *moments("recorded_at"),
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "game", "regulation", "round_id"),
    *columns(Integer, "revision", "seat"),
    *texts("wager"),
    *columns(Integer, "hand", null=True),
    *counts("stake_cents", "winnings_cents", "stake_returned_cents"),
    *moments("moment"),
    *dates("paid_on"),  # the date by the property's clock
    *texts("account", null=True),  # the account of an electronic wager
    *columns(Boolean, "small"),  # reportable only for nonresident aliens
    Index("won_lines_of_day", "property", "gaming_day", postgresql_where="NOT small"),
    Index("small_lines_of_account", "property", "account", "gaming_day", postgresql_where="small"),
    Index("small_lines_of_round", "property", "round_id", postgresql_where="small"),
)
"""Lines of posted rounds with possibly reportable winnings; lines of reversed rounds remain, but do not count."""

seat_wagers = _table(
    "seat_wagers",
    *columns(Integer, "shard", key=True),
    *counts("seq", key=True),
    *columns(Integer, "seat", key=True),
    *texts("wager", key=True),
    *texts("account", null=True),  # null for a wager in chips
    *moments("recorded_at"),
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "game"),
    *columns(Integer, "version"),
    *texts("submission"),
    *columns(Integer, "stakes"),
    *counts(*MONEY),
    Index("seat_wagers_of_day", "property", "gaming_day"),
)
"""Wagers from accounts, and wagers at tables whose devices tie seats to patrons; negative in a round's reversal."""

wager_days = _table(
    "wager_days",
    *_game_columns(),
    *texts("shift", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", key=True),
    *counts(*FIGURES, "stakes"),
    *columns(Numeric, "squared"),
)
"""Figures of rounds by gaming day, table, shift, submission and wager, over all entries recorded so far."""

dealer_days = _table(
    "dealer_days",
    *dates("gaming_day", key=True),
    *texts("property", "dealer", "game", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", key=True),
    *(Column(name, Numeric if name == "squared" else BigInteger, nullable=False) for name in DEALT),
)
"""Figures of rounds at all tables by day, dealer, game, submission and wager, over all entries recorded so far."""

play_days = _table(
    "play_days",
    *_game_columns(),
    *texts("shift", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", key=True),
    *counts(*PLAYED),
)
"""Numbers of settlements posted, corrected and reversed, by day, table and shift, over all entries recorded so far."""

chip_hours = _table(
    "chip_hours",
    *texts("property", "table_name", key=True),
    Column("hour", MOMENT, primary_key=True),
    *dates("gaming_day", key=True),
    *counts("chips_cents"),
    *moments("first_closed", "last_closed"),
)
"""Chips added to a table inventory by the rounds closed in an hour, in cents, over all entries recorded so far.

The time between two counts of a table consists of whole hours and of parts of the hours in which the counts were made.
If play began or ended with a count, all rounds of that hour are on the same side of the count; `first_closed` and
`last_closed` show whether this is so.
"""

pace_hours = _table(
    "pace_hours",
    *_game_columns(),
    *texts("dealer", key=True),
    Column("hour", MOMENT, primary_key=True),
    *counts(*PACE),
    *moments("first_opened", null=True),  # null if every round known of the hour was taken back
    *moments("last_closed"),
)
"""Play of a dealer at a table in an hour: rounds closed, seats that wagered in them, and their wagers in cents."""

line_days = _table(
    "line_days",
    *_game_columns(),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", "category", key=True),
    *columns(Numeric, *LINE_FIGURES),
)
"""Settlement lines by gaming day, game, submission, wager and category, over all entries recorded so far."""

day_moments = _table(
    "day_moments",
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *moments("first_recorded", "last_recorded"),
)
"""The times of the first and the last recording for a gaming day. The stored sums are valid from the last one on."""

positions = _table(
    "positions",
    *texts("service", key=True),
    *columns(Integer, "shard", key=True),
    Column("recorded_at", MOMENT, primary_key=True),
    *counts("seq"),
)
"""The read positions of the journals: for each time of recording, the sequence of the last entry recorded then."""

read_until = _table(
    "read_until",
    *texts("topic", key=True),
    *columns(Integer, "partition", key=True),
    *moments("until", null=True),
    signature_column(),
)
"""The moment up to which each partition of a topic has been read, signed; null if no process has reported it yet."""

deliveries = _table(
    "deliveries",
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *columns(Integer, "version"),
    *texts("manifest"),
    *moments("as_of"),
    signature_column(),
)
"""The last delivered version of each sealed gaming day, and the manifest of its files. Signed.

`as_of` is the time up to which the day's entries had been examined. The day is examined again when an entry about it is
recorded later.
"""

evidence_days = _table(
    "evidence_days",
    *texts("property", key=True),
    Column("as_of", MOMENT, primary_key=True),
    *dates("gaming_day", key=True),
    *columns(JSON, "added"),  # the evidence of the day by itself
    *columns(JSON, "carried"),  # the evidence of all days tested up to this row, in the order of the rows
    *columns(JSON, "alarms"),  # the alarms raised up to this row
    *columns(JSON, "counts"),  # the table counts, by dealer and shift
    Column("number", BigInteger, nullable=False, server_default=text("0")),  # numbers the rows of a property from 1
    signature_column(),
)
"""The evidence of sealed gaming days as of the seal, and again as of each restatement; rows are only added.

A row is derived from the read model and from the previous rows. The rows are signed; a comparison of the tables checks
the signatures, and does not compute the rows again.
"""
