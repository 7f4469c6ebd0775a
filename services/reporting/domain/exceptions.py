"""Exceptions that journal entries report: missing or refused input, changed rounds, and settlement notices."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel

ExceptionKind = Literal["gap", "quarantined", "reversed", "superseded", "voided", "notice", "late"]
Closed = Literal["mended", "dismissed"]
"""The resolution of a refused record: replaced, or dismissed by two people."""


class ExceptionDetails(BaseModel):
    """An exception reported by an entry, such as the missing or refused events `first` to `last` of a `stream`.

    A notice is a finding of settlement about a round: `code` names the finding, `paragraph` is the rule, `detail`
    explains it, `seat` is the seat (0: the dealer). `number` counts the notices of an entry from 1; other exceptions
    have 0. `entered_by` and `approved_by` are the people responsible for a change of a round.
    """

    kind: ExceptionKind
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
