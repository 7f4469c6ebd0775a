"""Views of settlements with the fields that the vigorish ledger needs. Amounts are cents."""

from pydantic import AwareDatetime

from shared.contracts.envelope import Correction
from shared.contracts.settlements import RevisionView, SettlementPosted, SettlementReversed, SubmissionRef
from shared.contracts.topic_reader import View, view_of


class SettledLine(View):
    """The fields of a settlement line that vigorish needs."""

    seat: int
    wager: str
    hand: int | None = None
    stake: int = 0
    payout: int = 0
    vigorish: int = 0
    paid_by: str = "house"
    house_share: int | None = None
    paragraph: str = ""


@view_of(SettlementPosted)
class PostedRound(RevisionView):
    """A round whose money was posted."""

    regulation: str
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    lines: tuple[SettledLine, ...]


class TakenTotal(View):
    """The vigorish of a wager type in a reversed round, negative."""

    vigorish_cents: int = 0


@view_of(SettlementReversed)
class ReversedRound(RevisionView):
    """A round whose postings were reversed."""

    correction: Correction
    totals: tuple[TakenTotal, ...]
