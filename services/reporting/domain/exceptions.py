"""The exceptions as a document: what must be followed up, and what a person should know of."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel

from shared.contracts.reports import Reached


class EntryPlace(BaseModel):
    """An entry of a service's journal, by which a figure can be followed to its source."""

    service: str
    shard: int
    seq: int
    hash: str


class MissingRange(BaseModel):
    """Sequences of a stream, first to last, that have not come."""

    first: int
    last: int


class InputPlace(BaseModel):
    """Where a refused record stands in its topic."""

    topic: str
    partition: int
    offset: int


ExceptionKind = Literal["gap", "quarantined", "reversed", "superseded", "voided", "notice"]
ExceptionStatus = Literal["open", "filled", "mended", "dismissed", "noted", "reversed"]


class ExceptionDetails(BaseModel):
    """What an entry says of an exception, as `ExceptionItem` describes it: `first` to `last` of the `stream`."""

    kind: ExceptionKind
    status: ExceptionStatus
    since: datetime
    number: int = 0
    stream: str | None = None
    first: int | None = None
    last: int | None = None
    property: str | None = None
    game: str | None = None
    gaming_day: date | None = None
    round_id: str | None = None
    revision: int | None = None
    code: str | None = None
    seat: int | None = None
    paragraph: str | None = None
    detail: str | None = None
    reason: str | None = None
    entered_by: str | None = None
    approved_by: str | None = None


class ExceptionItem(ExceptionDetails):
    """One exception. Gaps are open until filled, refused records until mended or dismissed; the others are noted.

    A notice is what settling found about a round: `code` names it, `paragraph` is the rule, `detail` says it in words,
    `seat` where it happened (0: the dealer). That of a posting is reversed with it; a correction brings its own.
    `number` is its place among the notices of its entry, from 1, and 0 for any other exception.

    `missing` is what of a gap has still not come. `settled_by`, `settled_approved_by`, `settled_reason` and
    `settled_entry` say who closed a refused record or took back the settlement of a notice, why, and where that is
    recorded. `entered_by` and `approved_by` stand for a change of a round.
    """

    entry: EntryPlace
    missing: list[MissingRange] | None = None
    table: str | None = None
    record: InputPlace | None = None
    settled_at: datetime | None = None
    settled_by: str | None = None
    settled_approved_by: str | None = None
    settled_reason: str | None = None
    settled_entry: EntryPlace | None = None


class Exceptions(BaseModel):
    """Gaps, refused records, changed rounds and notices, oldest first; `next` is the cursor of those that follow."""

    title: str = "Exceptions"
    system_version: str
    generated_at: datetime
    generated_by: str
    through: list[Reached]
    items: list[ExceptionItem]
    next: str | None = None
