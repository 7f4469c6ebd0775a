"""What the accounts need of settlements; the rest of them, cards and lines above all, is passed over."""

from datetime import date
from typing import ClassVar

from shared.contracts.reading import View, view_of
from shared.contracts.settlements import AccountCredit, SettlementPosted, SettlementReversed, SettlementVoided


class Round(View):
    """Which round."""

    property: str
    table: str
    game: str
    gaming_day: date
    round_id: str


class RoundWithCredits(Round):
    """Which revision of a round, and what its wagers did on accounts."""

    revision: int
    account_credits: tuple[AccountCredit, ...] = ()


@view_of(SettlementPosted)
class PostedRound(RoundWithCredits):
    """A round whose money was posted."""


@view_of(SettlementReversed)
class ReversedRound(RoundWithCredits):
    """A round whose money was taken back: the same, negative."""


@view_of(SettlementVoided)
class VoidedRound(Round):
    """A round that was voided before it was posted."""

    account_credits: ClassVar[tuple[AccountCredit, ...]] = ()


RoundEvent = PostedRound | ReversedRound | VoidedRound
