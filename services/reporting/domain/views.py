"""What reporting needs of settlements: round, figures and reasons, without cards and lines. Amounts are cents."""

from pydantic import ConfigDict

from shared.contracts.envelope import Correction
from shared.contracts.reading import view_of
from shared.contracts.settlements import (
    RevisionView,
    RoundNotice,
    RoundView,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
    SettlementVoided,
    SubmissionRef,
)
from shared.contracts.wager_totals import WagerTotals


class Totals(WagerTotals):
    """What a round did on a wager type; what a publisher adds to it is passed over."""

    model_config = ConfigDict(extra="ignore")


class Notice(RoundNotice):
    """Something that settling found; what a publisher adds to it is passed over."""

    model_config = ConfigDict(extra="ignore")


class NoticedRound(RoundView):
    """What was noticed of a round."""

    notices: tuple[Notice, ...] = ()


@view_of(SettlementPosted)
class PostedRound(NoticedRound, RevisionView):
    """A round whose money was posted."""

    submission: SubmissionRef
    correction: Correction | None = None
    totals: tuple[Totals, ...]


@view_of(SettlementReversed)
class ReversedRound(NoticedRound, RevisionView):
    """A round whose money was taken back."""

    submission: SubmissionRef
    correction: Correction
    totals: tuple[Totals, ...]


@view_of(SettlementSuperseded)
class SupersededRound(NoticedRound):
    """A record of a round that came after a later void or correction of it."""

    correction: Correction | None = None


@view_of(SettlementVoided)
class VoidedRound(NoticedRound):
    """A round that was voided before any record of it came."""

    correction: Correction
