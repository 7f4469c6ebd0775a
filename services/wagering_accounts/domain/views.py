"""What the accounts need of settlements; the rest of them, cards and lines above all, is passed over."""

from typing import ClassVar

from shared.contracts.settlements import (
    AccountCredit,
    RevisionView,
    RoundView,
    SettlementPosted,
    SettlementReversed,
    SettlementVoided,
)
from shared.contracts.topic_reader import view_of


class RoundWithCredits(RevisionView):
    """Which revision of a round, and what its wagers did on accounts."""

    account_credits: tuple[AccountCredit, ...] = ()


@view_of(SettlementPosted)
class PostedRound(RoundWithCredits):
    """A round whose money was posted."""


@view_of(SettlementReversed)
class ReversedRound(RoundWithCredits):
    """A round whose money was taken back: the same, negative."""


@view_of(SettlementVoided)
class VoidedRound(RoundView):
    """A round that was voided before it was posted."""

    account_credits: ClassVar[tuple[AccountCredit, ...]] = ()


RoundEvent = PostedRound | ReversedRound | VoidedRound
