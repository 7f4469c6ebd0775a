"""What round settlement publishes on `settlements`: rounds posted and reversed, and what it could not post."""

from datetime import date
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AwareDatetime, Field, WithJsonSchema

from shared.contracts.envelope import Contract, Correction, Digest, Identifier, Name, Sequence
from shared.contracts.facts import Fact, fact
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.topic_reader import View
from shared.contracts.topics import SETTLEMENTS
from shared.contracts.wager_totals import WagerTotals


class AccountCredit(Contract):
    """What a wager that an electronic account funded did on that account, in cents; negative where it is taken back.

    `staked_cents` was taken from the account, `credited_cents` goes to it; both are 0 where the wager did not
    count. A share of a meter is never in `credited_cents`.
    """

    account: Identifier
    seat: int
    wager: Name
    staked_cents: int
    credited_cents: int


Played = Annotated[Any, WithJsonSchema({"type": "object"})]
"""The record of a round (docs/contract/ROUND.md): its game's model where it is settled, a document where it is read."""


class SubmissionRef(Contract):
    """The version of the rules submission under which a round settled."""

    version: int
    hash: Digest


class RoundView(View):
    """Which round a settlement is about, as a consumer sees it."""

    property: str
    table: str
    game: str
    gaming_day: date
    round_id: str


class RevisionView(RoundView):
    """Which revision of a round."""

    revision: int


class SettledRound(Fact, TableData):
    """The round that an entry is about."""

    def encode(self) -> bytes:
        """Return the JSON, a record of a round in it as it was reported; what is as by default is left out."""
        return self.__pydantic_serializer__.to_json(self, exclude_defaults=True)


class RoundKey(NamedTuple):
    """A revision of a round."""

    property: str
    table: str
    round_id: str
    revision: int

    @classmethod
    def of(cls, said: Any) -> Self:
        """Return the revision of a round that a fact, or a view of one, is about."""
        return cls(said.property, said.table, said.round_id, said.revision)


class TakenBack(Correction, SettledRound):
    """What a revision of a round had done elsewhere was taken back: it was voided or corrected."""

    revision: int


class RoundNotice(Contract):
    """Something that settling found and that a person should know of: a dealer's hand that was set otherwise, say.

    `paragraph` is the rule that says how it should be: of the regulation, or of the property's document.
    """

    code: str
    seat: int | None = None
    paragraph: str
    detail: str


class NoticedRound(SettledRound):
    """What became of a round, on the gaming day of its moment, and what was noticed of it."""

    notices: tuple[RoundNotice, ...] = ()


@fact("settlement.posted", SETTLEMENTS, moves_money=True)
class SettlementPosted(NoticedRound):
    """A round was settled and its money posted. `revision` is 1, and one more with each correction.

    `desk_correction` is the number of the correction that two people proposed and approved at the desk, if one did.
    """

    regulation: str
    opened_at: AwareDatetime
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    revision: Annotated[int, Field(ge=1)]
    correction: Correction | None = None
    totals: tuple[WagerTotals, ...]
    lines: tuple[dict[str, Any], ...]
    meters: dict[str, int]
    account_funded: tuple[AccountFunding, ...] = ()
    account_credits: tuple[AccountCredit, ...] = ()
    record: Played
    desk_correction: int | None = None


@fact("settlement.reversed", SETTLEMENTS, moves_money=True)
class SettlementReversed(NoticedRound):
    """The money of a posted round was taken back: it was voided, or is posted again as corrected.

    `reverses` is the sequence of the event whose posting is taken back, in the stream of its table or of that table's
    desk. When it was closed, who dealt, under which submission it had settled and its `lines` stand here as they were
    posted.
    """

    revision: int
    reverses: Sequence
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    correction: Correction
    lines: tuple[dict[str, Any], ...]
    totals: tuple[WagerTotals, ...]
    account_credits: tuple[AccountCredit, ...] = ()


@fact("settlement.superseded", SETTLEMENTS)
class SettlementSuperseded(NoticedRound):
    """An event about a round came after a later void or correction of it: it is kept, and moves no money.

    So does a `desk_correction` whose round got another revision between its approval and its effect.
    """

    record: Played | None = None
    correction: Correction | None = None
    desk_correction: int | None = None


@fact("settlement.voided", SETTLEMENTS)
class SettlementVoided(NoticedRound):
    """A round was voided before any record of it came: nothing was posted, nothing is taken back."""

    correction: Correction
