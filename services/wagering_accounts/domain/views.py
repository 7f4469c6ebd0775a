"""Views of settlements with the fields that accounts need, without cards and lines."""

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
    """A revision of a round, and the effects of its wagers on accounts."""

    account_credits: tuple[AccountCredit, ...] = ()


@view_of(SettlementPosted)
class PostedRound(RoundWithCredits):
    """A round whose money was posted."""


@view_of(SettlementReversed)
class ReversedRound(RoundWithCredits):
    """A round whose postings were reversed: the same, negative."""


@view_of(SettlementVoided)
class VoidedRound(RoundView):
    """A round that was voided before it was posted."""

    account_credits: ClassVar[tuple[AccountCredit, ...]] = ()


RoundEvent = PostedRound | ReversedRound | VoidedRound
