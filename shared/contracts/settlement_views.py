"""Settlements as other services read them: everything but the cards. Fields of later releases are ignored.

All consumers share these views, so that each field is named once. Amounts are cents.
"""

from datetime import date
from typing import ClassVar

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Correction
from shared.contracts.settlements import (
    AccountCredit,
    ResultCounted,
    ResultUncounted,
    RoundNotice,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
    SettlementVoided,
    SubmissionRef,
)
from shared.contracts.topic_reader import View, view_of
from shared.contracts.wager_totals import WagerTotals
from shared.rules import Line


class RoundView(View):
    """The round that a settlement is about, and the findings about it."""

    property: str
    table: str
    game: str
    gaming_day: date
    round_id: str
    notices: tuple[RoundNotice, ...] = ()


class RevisionView(RoundView):
    """A revision of a round: its end, its dealer, the submission under which it was settled, and its totals."""

    revision: int
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    totals: tuple[WagerTotals, ...]
    lines: tuple[Line, ...]
    account_credits: tuple[AccountCredit, ...] = ()


class SeatWagers(View):
    """The wagers of a seat: cents by wager type."""

    seat: int
    wagers: dict[str, int]


class RecordView(View):
    """The record of a round without its cards: the wagers, and the meter readings before it, in cents."""

    seats: tuple[SeatWagers, ...] = ()
    meters: dict[str, int] = Field(default_factory=dict)


@view_of(SettlementPosted)
class PostedRound(RevisionView):
    """A round whose money was posted. `meters` are the readings after it, in cents."""

    regulation: str
    opened_at: AwareDatetime
    correction: Correction | None = None
    meters: dict[str, int]
    record: RecordView


@view_of(SettlementReversed)
class ReversedRound(RevisionView):
    """A round whose postings were reversed: its totals and credits are those of the posting, negated."""

    correction: Correction


@view_of(SettlementSuperseded)
class SupersededRound(RoundView):
    """A record of a round that arrived after a later void or correction of it; no money moved."""

    correction: Correction | None = None


@view_of(SettlementVoided)
class UnpostedRound(RoundView):
    """A round that was voided before any record of it arrived: nothing was posted."""

    account_credits: ClassVar[tuple[AccountCredit, ...]] = ()
    correction: Correction


class ResultView(View):
    """A result of a counted table."""

    property: str
    table: str
    gaming_day: date


@view_of(ResultCounted)
class CountedResult(ResultView):
    """A result that counts, with the time of its end."""

    closed_at: AwareDatetime


@view_of(ResultUncounted)
class UncountedResult(ResultView):
    """A void of a result. If the result was `counted`, it had ended at `closed_at`, and it no longer counts."""

    counted: bool
    closed_at: AwareDatetime | None = None
