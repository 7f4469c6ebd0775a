"""Views of settlements with the fields that meters need. Amounts are cents."""

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Correction
from shared.contracts.settlements import RevisionView, SettlementPosted, SettlementReversed, SubmissionRef
from shared.contracts.topic_reader import View, view_of


class WagerFigures(View):
    """A round's totals for one wager type."""

    wager: str
    handle_cents: int = 0
    meter_contribution_cents: int = 0
    meter_payout_cents: int = 0
    meter_reset_cents: int = 0

    @property
    def moves_meters(self) -> bool:
        """Return whether a meter moved."""
        return bool(self.meter_contribution_cents or self.meter_payout_cents or self.meter_reset_cents)


class SettledLine(View):
    """The fields of a settlement line that meters need."""

    seat: int
    wager: str
    outcome: str
    stake: int = 0
    category: str | None = None
    from_meter: int = 0


class RecordedMeters(View):
    """The meter readings before the round, in the round record."""

    meters: dict[str, int] = Field(default_factory=dict)


class Round(RevisionView):
    """A revision of a round, and its totals by wager type."""

    submission: SubmissionRef
    totals: tuple[WagerFigures, ...]


@view_of(SettlementPosted)
class PostedRound(Round):
    """A round whose money was posted."""

    opened_at: AwareDatetime
    closed_at: AwareDatetime
    lines: tuple[SettledLine, ...]
    meters: dict[str, int]
    record: RecordedMeters


@view_of(SettlementReversed)
class ReversedRound(Round):
    """A round whose postings were reversed."""

    correction: Correction
