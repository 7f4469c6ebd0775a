"""What entries of journals say of exceptions: what is missing or refused, and what a person should know of."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel

ExceptionKind = Literal["gap", "quarantined", "reversed", "superseded", "voided", "notice", "late"]
Closed = Literal["mended", "dismissed"]
"""What becomes of a refused record: another one replaced it, or two people said that none ever will."""


class ExceptionDetails(BaseModel):
    """What an entry says of an exception: `first` to `last` of a `stream` are missing or refused.

    A notice is what settling found about a round: `code` names it, `paragraph` is the rule, `detail` says it in words,
    `seat` where it happened (0: the dealer). `number` is its place among the notices of its entry, from 1, and 0 for
    any other exception. `entered_by` and `approved_by` stand for a change of a round.
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
