"""Views of settlements with the fields that reporting needs, without cards. Amounts are cents."""

from typing import Annotated, Any

import msgspec
from pydantic import AwareDatetime, ConfigDict, PlainValidator

from shared.contracts.envelope import Correction
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
from shared.contracts.topic_reader import View, view_of
from shared.contracts.wager_totals import WagerTotals


class Line(msgspec.Struct, gc=False):
    """A settlement line, cents. A msgspec structure, as are seats: a month has some sixty million of them."""

    seat: int
    wager: str
    outcome: str
    stake: int
    payout: int
    stake_returned: int
    from_meter: int = 0
    paid_by: str = "house"
    category: str | None = None
    hand: int | None = None


class Seat(msgspec.Struct, gc=False):
    """A seat's wagers, cents by wager."""

    seat: int
    wagers: dict[str, int]


class Record(msgspec.Struct, gc=False):
    """The record of a round."""

    seats: tuple[Seat, ...] = ()


def _structured(kind: Any) -> PlainValidator:
    """Return the validator of a structure in a view."""

    def read(value: Any) -> Any:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error

    return PlainValidator(read)


class Totals(WagerTotals):
    """A round's totals for a wager type, ignoring fields added later."""

    model_config = ConfigDict(extra="ignore")


class Notice(RoundNotice):
    """A finding of settlement, ignoring fields added later."""

    model_config = ConfigDict(extra="ignore")


class NoticedRound(RoundView):
    """A round with its notices."""

    notices: tuple[Notice, ...] = ()


class DealtRound(NoticedRound, RevisionView):
    """A dealt round: closing time, dealer, submission, and totals."""

    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    totals: tuple[Totals, ...]
    lines: Annotated[tuple[Line, ...], _structured(tuple[Line, ...])]


class AccountWager(View):
    """A wager that an electronic account funded."""

    account: str
    seat: int
    wager: str


@view_of(SettlementPosted)
class PostedRound(DealtRound):
    """A posted round. `record` is the round record without cards."""

    record: Annotated[Record, _structured(Record)]
    regulation: str
    account_credits: tuple[AccountWager, ...] = ()
    correction: Correction | None = None


@view_of(SettlementReversed)
class ReversedRound(DealtRound):
    """A round whose postings were reversed."""

    correction: Correction


@view_of(SettlementSuperseded)
class SupersededRound(NoticedRound):
    """A record of a round that arrived after a later void or correction of it."""

    correction: Correction | None = None


@view_of(SettlementVoided)
class VoidedRound(NoticedRound):
    """A round that was voided before any record of it arrived."""

    correction: Correction
