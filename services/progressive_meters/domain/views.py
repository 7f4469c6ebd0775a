"""What the meters need of settlements; the rest of them is passed over. Amounts are cents."""

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Correction
from shared.contracts.settlements import RevisionView, SettlementPosted, SettlementReversed, SubmissionRef
from shared.contracts.topic_reader import View, view_of


class WagerFigures(View):
    """What a round did on one wager type."""

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
    """As much of a settlement line as meters need."""

    seat: int
    wager: str
    outcome: str
    stake: int = 0
    category: str | None = None
    from_meter: int = 0


class RecordedMeters(View):
    """What the record of the round says that the meters showed before it."""

    meters: dict[str, int] = Field(default_factory=dict)


class Round(RevisionView):
    """Which revision of a round, and what it did by wager type."""

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
    """A round whose money was taken back."""

    correction: Correction
