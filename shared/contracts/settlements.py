"""Facts of round settlement, on the topic `settlements`: rounds posted or reversed, and events without a posting."""

from datetime import date
from functools import reduce
from operator import or_
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AwareDatetime, Field, GetCoreSchemaHandler, ValidationInfo, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from shared.contracts.envelope import Correction, Digest, Identifier, Name, Sequence
from shared.contracts.facts import Fact, fact
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.tables import RecordedResult, VoidedResult
from shared.contracts.topic_reader import View
from shared.contracts.topics import SETTLEMENTS
from shared.contracts.wager_totals import WagerTotals
from shared.rules import Line, Round, games, round_type


class AccountCredit(View):
    """The effect of an account-funded wager on its account, in cents; negative if reversed.

    `staked_cents` was taken from the account, `credited_cents` is paid to it; both are 0 if the wager did not count. A
    meter award is never in `credited_cents`.
    """

    account: Identifier
    seat: int
    wager: Name
    staked_cents: int
    credited_cents: int


class _OfItsGame:
    """Validates the record of a round with the model of its game, which the fact's `regulation` names."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        any_game = reduce(or_, (game.round_type for game in games().values()))
        return core_schema.with_info_wrap_validator_function(
            _round_of_its_game,
            handler.generate_schema(any_game),
            serialization=core_schema.simple_ser_schema("any"),
        )


def _round_of_its_game(value: Any, _: object, info: ValidationInfo) -> Round:
    """Return the record of a round. Raises: ValueError if it is not a record of the regulation's game."""
    if "regulation" not in info.data:
        raise ValueError("it is read under its regulation")
    return round_type(info.data["regulation"]).model_validate(value)


SettledRecord = Annotated[Round, _OfItsGame]
"""The record of a round (docs/contract/ROUND.md), in the model of its game."""

UnsettledRecord = Annotated[Any, WithJsonSchema({"type": "object"})]
"""The record of a round that was not settled, as any JSON object."""


class SubmissionRef(View):
    """The version of the rules submission under which a round was settled."""

    version: int
    hash: Digest


class SettledRound(Fact, TableData):
    """The round that an entry is about."""

    def encode(self) -> bytes:
        """Return the JSON, with the round record as reported; default values are left out."""
        return self.__pydantic_serializer__.to_json(self, exclude_defaults=True)


class RoundKey(NamedTuple):
    """The key of a revision of a round."""

    property: str
    table: str
    round_id: str
    revision: int

    @classmethod
    def of(cls, said: Any) -> Self:
        """Return the key of the revision of a round that a fact, or a view of a fact, is about."""
        return cls(said.property, said.table, said.round_id, said.revision)


class TakenBack(Correction, SettledRound):
    """The effects of a revision of a round were reversed, because the round was voided or corrected."""

    revision: int


class RoundNotice(View):
    """A finding at settlement that needs attention, such as a dealer's hand not set as the rules require.

    `paragraph` names the rule concerned, in the regulation or in the property's document.
    """

    code: str
    seat: int | None = None
    paragraph: str
    detail: str


class NoticedRound(SettledRound):
    """A fact about a round, on its gaming day, with the findings."""

    notices: tuple[RoundNotice, ...] = ()


@fact("settlement.posted", SETTLEMENTS, moves_money=True)
class SettlementPosted(NoticedRound):
    """A round was settled and its money posted. `revision` starts at 1 and increases by one with each correction.

    `desk_correction` is the number of the correction that people approved in round settlement, if any.
    """

    regulation: str
    opened_at: AwareDatetime
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    revision: Annotated[int, Field(ge=1)]
    correction: Correction | None = None
    totals: tuple[WagerTotals, ...]
    lines: tuple[Line, ...]
    meters: dict[str, int]
    account_funded: tuple[AccountFunding, ...] = ()
    account_credits: tuple[AccountCredit, ...] = ()
    record: SettledRecord
    desk_correction: int | None = None


@fact("settlement.reversed", SETTLEMENTS, moves_money=True)
class SettlementReversed(NoticedRound):
    """The postings of a round were reversed, because it was voided or is posted again after a correction.

    `reverses` is the sequence of the event whose posting is reversed, in the stream of its table or in
    that table's desk stream. Closing time, dealer, submission and `lines` are those of the reversed posting.
    """

    revision: int
    reverses: Sequence
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    correction: Correction
    lines: tuple[Line, ...]
    totals: tuple[WagerTotals, ...]
    account_credits: tuple[AccountCredit, ...] = ()


@fact("settlement.superseded", SETTLEMENTS)
class SettlementSuperseded(NoticedRound):
    """An event about a round arrived after a later void or correction of it: it is recorded, and moves no money.

    The same holds for a `desk_correction` whose round got another revision between its approval and its effect.
    """

    record: UnsettledRecord | None = None
    correction: Correction | None = None
    desk_correction: int | None = None


@fact("settlement.voided", SETTLEMENTS)
class SettlementVoided(NoticedRound):
    """A round was voided before any record of it arrived: nothing was posted or reversed."""

    correction: Correction


class ReportedResult(RecordedResult, Fact):
    """The result of a game at a counted table, on its gaming day.

    If the event states a wrong gaming day, the result is recorded under the gaming day of its moment, and `claimed_day`
    is the stated one.
    """

    claimed_day: date | None = None


@fact("result.counted", SETTLEMENTS)
class ResultCounted(ReportedResult):
    """The result of a game at a counted table was recorded: nothing was settled, and no money moved."""


@fact("result.superseded", SETTLEMENTS)
class ResultSuperseded(ReportedResult):
    """A result arrived after it had been voided: it is recorded, and does not count.

    `sequence` is the result's position in the table's stream, `voided_by` the position of its void.
    """

    sequence: Sequence
    voided_by: Sequence


@fact("result.uncounted", SETTLEMENTS)
class ResultUncounted(VoidedResult, Fact):
    """A result was voided. If it was `counted`, it no longer counts, nor does the shoe of which it was the last result.

    `game`, `gaming_day` and `closed_at` are those of the result. If the result was not counted, game and gaming day are
    those of the table at the event's moment, and `closed_at` is None.
    """

    game: Name
    gaming_day: date
    counted: bool
    last_of_shoe: bool = False
    closed_at: AwareDatetime | None = None
