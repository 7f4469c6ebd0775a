"""The database tables of ratings: their steps, and the last statement about each rating."""

from sqlalchemy import Index, Table, column

from services.table_inventory.tables.base import JSON, metadata
from shared.journal.columns import columns, dates, moments, texts
from shared.journal.columns import counts as numbers
from shared.runtime.reference_search import reversed_reference

rating_steps = Table(
    "rating_steps",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "rating", "step"),
    *dates("gaming_day"),
    *moments("recorded_at"),
    *numbers("opening", null=True),  # the number that the desk gave the rating when it was opened
    *columns(JSON, "said"),
    Index("rating_steps_of_rating", "property", "rating"),
    Index("rating_steps_of_day", "property", "gaming_day", "rating"),
    Index("rating_steps_by_end", reversed_reference(column("rating")), "property"),
    Index("rating_openings", "property", "opening", postgresql_where="opening IS NOT NULL"),
)
"""The recorded steps of ratings; a rating is derived from all of its steps."""

ratings_stated = Table(
    "ratings_stated",
    metadata,
    *texts("property", "rating", key=True),
    *moments("opened_at", "closed_at", null=True),
    *moments("stated_at"),
    *columns(JSON, "said"),
    Index("ratings_stated_in_order", "property", "closed_at"),
)
"""The last statement about each rating that was ever closed."""
