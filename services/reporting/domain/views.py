"""What reporting needs of settlements: round, figures and reasons, without cards and lines. Amounts are cents."""

from datetime import date

from pydantic import ConfigDict

from shared.contracts.envelope import Correction
from shared.contracts.reading import View, view_of
from shared.contracts.settlements import (
    RoundNotice,
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


class Round(View):
    """Which round."""

    property: str
    table: str
    game: str
    gaming_day: date
    round_id: str


@view_of(SettlementPosted)
class PostedRound(Round):
    """A round whose money was posted."""

    submission: SubmissionRef
    revision: int
    correction: Correction | None = None
    totals: tuple[Totals, ...]
    notices: tuple[Notice, ...] = ()


@view_of(SettlementReversed)
class ReversedRound(Round):
    """A round whose money was taken back."""

    submission: SubmissionRef
    revision: int
    correction: Correction
    totals: tuple[Totals, ...]


@view_of(SettlementSuperseded)
class SupersededRound(Round):
    """A record of a round that came after a later void or correction of it."""

    correction: Correction | None = None


@view_of(SettlementVoided)
class VoidedRound(Round):
    """A round that was voided before any record of it came."""

    correction: Correction
