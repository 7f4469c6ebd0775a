"""What is asked of a report: of which property, of which gaming days, as known at which moment. Pure."""

from dataclasses import dataclass
from datetime import date, datetime

from services.reporting.kit.document import Period


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question that a report answers: about the gaming days from `first` to `last`, both included.

    `known_at` is the moment as of which it is answered; `by` is who asks.
    """

    property: str
    period: Period
    first: date
    last: date
    known_at: datetime
    by: str
    table: str | None = None
    game: str | None = None
