"""The read model of ratings: their steps, and the last statement about each rating."""

from typing import Any, Final

from services.table_inventory import tables as t
from services.table_inventory.projections.rows import Rows, insert, merge
from shared.contracts import ratings
from shared.contracts.facts import Fact
from shared.journal.entry import Entry

TABLES: Final = (t.rating_steps, t.ratings_stated)


def apply(rows: Rows, entry: Entry, fact: Fact) -> None:
    """Add a step of a rating, or a statement about it, to the rows."""
    match fact:
        case ratings.RatingRecorded():
            rows.keep(insert, t.rating_steps, fact, **_step(entry, fact))
        case ratings.RatingStated():
            document = fact.model_dump(mode="json", exclude_none=True)
            moments = {"opened_at": fact.opened_at, "closed_at": fact.closed_at, "stated_at": entry.recorded_at}
            rows.keep(merge, t.ratings_stated, fact, **moments, said=document)


def _step(entry: Entry, fact: ratings.RatingRecorded) -> dict[str, Any]:
    is_number = fact.event == "rating.opened" and fact.step.startswith("desk/")
    return {
        "shard": entry.shard,
        "seq": entry.seq,
        "recorded_at": entry.recorded_at,
        "opening": int(fact.rating.rpartition("-")[2]) if is_number else None,
        "said": fact.model_dump(mode="json", exclude_none=True),
    }
