"""The tables of reporting: its journal, the sums behind the reports, the exceptions, and data kept from topics.

Everything but the journal follows from the topics; the exceptions also from the journal. Amounts are cents.
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
"""What persons move is in indexes of its own, whole: it is little of all, and lies far apart."""


def _table(name: str, *items: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *items, schema=SCHEMA, **options)


def _entry_place() -> tuple[Column[Any], ...]:
    """Return the columns that name an entry of any service."""
    return (*texts("service", key=True), *columns(Integer, "shard", key=True), *counts("seq", key=True))


def _entry_columns() -> tuple[Column[Any], ...]:
    """Return the columns that identify the entry behind a row."""
    return (*_entry_place(), *texts("hash"), *moments("recorded_at"))


def _fact_columns() -> tuple[Column[Any], ...]:
    """Return the columns of a fact that is stored as a whole."""
    return (
        *_entry_columns(),
        *texts("kind"),
        *texts("event", null=True),  # of what the pit reported: its type
        *texts("property", "table_name", null=True),
        *dates("gaming_day", null=True),
        *moments("occurred_at"),
        *columns(Parsed, "data"),
    )


def _game_columns() -> tuple[Column[Any], ...]:
    """Return the columns of a game at a table on a gaming day."""
    return (*dates("gaming_day", key=True), *texts("property", "table_name", "game", key=True))


house_edges = _table(
    "house_edges",
    *texts("submission", "wager", key=True),  # the submission's hash
    *moments("recorded_at"),  # when the registry recorded its approval
    *texts("offered"),  # required, always or optional
    *texts("paytable", null=True),  # its name, where the regulation names paytables
    *columns(JSON, "returns", null=True),  # the exact distribution of what comes back of a cent
    *texts("reason", null=True),  # why there is none
    *columns(ARRAY(Text), "bonus_lines"),  # lines without a stake of their own that the wager earns
    CheckConstraint("num_nonnulls(returns, reason) = 1", name="returns_or_reason"),
)
"""What each wager that a rules submission offers brings back, and with it the house edge."""

exceptions = _table(
    "exceptions",
    *_entry_columns(),
    *columns(Integer, "number", key=True),  # among the notices of the entry; 0 for others
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
    *columns(Integer, "revision", null=True),  # of the round, where it was reversed or noticed
    *texts("code", "paragraph", "detail", null=True),
    *columns(Integer, "seat", null=True),
    Index("exceptions_of_day", "property", "gaming_day"),
    Index("exceptions_of_input", "property", postgresql_where="gaming_day IS NULL"),
    Index("exceptions_of_rounds", "property", "table_name", "round_id", postgresql_where="kind = 'reversed'"),
)
"""What services miss or refuse of their input, and rounds that were changed or noticed; never changed.

What became of an exception follows from the filled gaps, the closings and the reversals that are known at a moment.
"""

filled_gaps = _table(
    "filled_gaps",
    *_entry_columns(),
    *moments("at"),
    *texts("stream"),
    *counts("sequence"),
    Index("filled_gaps_in_stream", "stream", "sequence"),
)
"""Missing events that came; kept because it may be known before that they were missing."""

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
"""What closed refused records; kept because it may be known before that they were refused."""

OF_JOURNALS = (exceptions, filled_gaps, closings)
"""What journals say of their input: the one that is counted, and reporting's own."""

documents = _table(
    "documents",
    *_fact_columns(),
    Index("documents_of_property", "property", "kind"),
)
"""Entries of the topic of properties, whole: every version that was filed, what was decided, what was refused.

It is read whole by every process, and so these are kept apart from what a rebuild reads again.
"""

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their law, clock, pits, tables, shifts."""

facts = _table(
    "facts",
    *_fact_columns(),
    *counts("contents_cents", null=True),  # what the contents come to that it names
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
"""Entries that reports list, whole: everything but what a round or a wager leads to, which is added up alone."""

amounts = _table(
    "amounts",
    *_entry_place(),
    *moments("recorded_at"),
    *columns(Integer, "number", key=True),  # among the amounts of the entry
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "shift", "item"),  # empty where an amount is of none
    *texts("measure"),
    *columns(Numeric, "value"),  # nanocents of a great meter need more than 64 bits
    *moments("closed_at", null=True),  # of a result of a counted table, also where a void takes it back
    Index("amounts_of_day", "property", "gaming_day", "measure", "recorded_at"),  # the last for what came after a seal
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
"""What entries add to the measures that reports show; rounds aside."""

amount_days = _table(
    "amount_days",
    *dates("gaming_day", key=True),
    *texts("property", "measure", "table_name", "shift", "item", key=True),
    *columns(Numeric, "value"),
    # What comes to nothing, such as a round's money on hold once it was settled, is in the way of no reader. No index
    # has the value itself: an entry that adds to it changes the row alone.
    Column("nothing", Boolean, Computed("value = 0", persisted=True)),
    Index("amount_days_of_measure", "property", "measure", "gaming_day", postgresql_where="NOT nothing"),
    Index("amount_days_of_persons", "property", "measure", "gaming_day", "item", postgresql_where=_OF_PERSONS),
    postgresql_with={"fillfactor": 70},
)
"""The amounts of a gaming day, added up as they are known now."""

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
    *moments("opened_at", null=True),  # of a posted one
    *moments("closed_at"),
    *counts("chips_cents"),  # what it brought into the table inventory
    *columns(Integer, "seats"),  # that wagered against the house; negative where it is taken back
    *columns(ARRAY(Text), "wagers"),
    *columns(ARRAY(BigInteger), "figures"),  # FIGURES of each wager, one after the other
    *columns(ARRAY(Text), "line_wagers", "line_categories"),  # no category: empty
    *columns(ARRAY(BigInteger), "line_figures"),  # LINE_FIGURES of each of these
    *columns(ARRAY(BigInteger), "stake_figures"),  # STAKE_FIGURES of each stake, one after the other
    # What windows between counts add up is in the index: their rounds lie far apart in the table.
    Index(
        "rounds_of_table",
        *("property", "gaming_day", "table_name", "closed_at"),
        postgresql_include=["recorded_at", "chips_cents", "sign", "opened_at"],
        info=COPIED,
    ),
    Index("rounds_recorded", "property", "gaming_day", "recorded_at"),
)
"""Rounds whose money was posted (`sign` 1) or taken back (-1): who dealt, in which shift, and what it came to."""

won_lines = _table(
    "won_lines",
    *columns(Integer, "shard", key=True),
    *counts("seq", key=True),
    *columns(Integer, "number", key=True),  # among the lines of the settlement
    *moments("recorded_at"),
    *texts("property"),
    *dates("gaming_day"),
    *texts("table_name", "game", "regulation", "round_id"),
    *columns(Integer, "revision", "seat"),
    *texts("wager"),
    *columns(Integer, "hand", null=True),
    *counts("stake_cents", "winnings_cents", "stake_returned_cents"),
    *moments("moment"),
    *dates("paid_on"),  # on the clock of the property
    *texts("account", null=True),  # of an electronic wager
    *columns(Boolean, "small"),  # reported of nonresident aliens alone
    Index("won_lines_of_day", "property", "gaming_day", postgresql_where="NOT small"),
    Index("small_lines_of_account", "property", "account", "gaming_day", postgresql_where="small"),
    Index("small_lines_of_round", "property", "round_id", postgresql_where="small"),
)
"""Lines of posted rounds whose winnings may have to be reported; those of a round taken back stay, and do not count."""

seat_wagers = _table(
    "seat_wagers",
    *columns(Integer, "shard", key=True),
    *counts("seq", key=True),
    *columns(Integer, "seat", key=True),
    *texts("wager", key=True),
    *texts("account", null=True),  # of a wager in chips
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
"""Wagers of a round that are an account's, or at a table where a device ties seats; negative where it is taken back."""

wager_days = _table(
    "wager_days",
    *_game_columns(),
    *texts("shift", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", key=True),
    *counts(*FIGURES, "stakes"),
    *columns(Numeric, "squared"),
)
"""The figures of a gaming day's rounds by table and shift, added up as they are known now."""

dealer_days = _table(
    "dealer_days",
    *dates("gaming_day", key=True),
    *texts("property", "dealer", "game", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", key=True),
    *(Column(name, Numeric if name == "squared" else BigInteger, nullable=False) for name in DEALT),
)
"""Some figures of a gaming day's rounds by who dealt, wherever that was, added up as they are known now."""

play_days = _table(
    "play_days",
    *_game_columns(),
    *texts("shift", key=True),
    *columns(Integer, "version", key=True),
    *texts("submission", key=True),
    *counts(*PLAYED),
)
"""How many rounds of a gaming day were posted and taken back, added up as they are known now."""

chip_hours = _table(
    "chip_hours",
    *texts("property", "table_name", key=True),
    Column("hour", MOMENT, primary_key=True),
    *dates("gaming_day", key=True),
    *counts("chips_cents"),
    *moments("first_closed", "last_closed"),
)
"""What the rounds that were closed in an hour brought into a table inventory, added up as they are known now.

The time between two counts of a table is hours, and the rounds of the hours in which they were. Whoever counts when
play begins or ends has all rounds of an hour on one side: when the first and the last one were closed, says so.
"""

pace_hours = _table(
    "pace_hours",
    *_game_columns(),
    *texts("dealer", key=True),
    Column("hour", MOMENT, primary_key=True),
    *counts(*PACE),
    *moments("first_opened", null=True),  # none: all that is known of the hour was taken back
    *moments("last_closed"),
)
"""How many rounds a dealer closed at a table in an hour, how many seats wagered in them and how much, in cents."""

line_days = _table(
    "line_days",
    *_game_columns(),
    *columns(Integer, "version", key=True),
    *texts("submission", "wager", "category", key=True),
    *columns(Numeric, *LINE_FIGURES),
)
"""The settlement lines of a gaming day by what they won, added up as they are known now."""

day_moments = _table(
    "day_moments",
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *moments("first_recorded", "last_recorded"),
)
"""When the first and the last entry of a gaming day were recorded: what was added up is right from the last one on."""

positions = _table(
    "positions",
    *texts("service", key=True),
    *columns(Integer, "shard", key=True),
    Column("recorded_at", MOMENT, primary_key=True),
    *counts("seq"),
)
"""How far the journals have been read: the last entry of each moment of recording."""

read_until = _table(
    "read_until",
    *texts("topic", key=True),
    *columns(Integer, "partition", key=True),
    *moments("until", null=True),
    signature_column(),
)
"""Up to when each partition of each topic has been read, signed; none: no process has said so yet."""

deliveries = _table(
    "deliveries",
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *columns(Integer, "version"),
    *texts("manifest"),
    *moments("as_of"),
    signature_column(),
)
"""Which version of a sealed gaming day was delivered last, the manifest of its files, and up to when its entries were
looked at: a day is looked at again when something was recorded later. Signed."""

evidence_days = _table(
    "evidence_days",
    *texts("property", key=True),
    Column("as_of", MOMENT, primary_key=True),
    *dates("gaming_day", key=True),
    *columns(JSON, "added"),  # the evidence of the day by itself
    *columns(JSON, "carried"),  # and of all days that were tested up to this row, in the order of these rows
    *columns(JSON, "alarms"),  # that it raised
    *columns(JSON, "counts"),  # what counts of tables came to, by who had dealt and in which shift
    Column("number", BigInteger, nullable=False, server_default=text("0")),  # 1, 2, 3 … of a property
    signature_column(),
)
"""The evidence of sealed gaming days as of the seal, and again as of each restatement: rows are only added.

It follows from the books alone, and from the rows before it; all of that is not made again to compare it, but signed.
"""
