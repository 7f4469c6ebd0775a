"""Derive facts from a table event, given the round's history, the properties and the submissions. Pure.

A round has three kinds of events: completed, corrected, voided. The event with the highest sequence is in force,
regardless of the order of arrival, so that late and reordered events lead to the same result.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from services.round_settlement.domain.money import Funding, account_credits_of, postings_of, totals_of
from services.round_settlement.domain.placing import OTHER_GAMING_DAY, GamingDayAssignment, place_round, place_void
from shared.contracts.corrections import CorrectionApproved
from shared.contracts.envelope import Correction, table_source
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.settlements import (
    AccountCredit,
    RoundNotice,
    SettledRound,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
    SettlementVoided,
    SubmissionRef,
)
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import PlayedRound, RoundCompleted, RoundCorrected, RoundVoided, TableEvent
from shared.contracts.versions import fields_of
from shared.journal.entry import Posting, reversal
from shared.journal.recording import FactWithPostings
from shared.rules import Rules, parse_round
from shared.rules.errors import Refused
from shared.rules.settlement import Settlement


@dataclass(frozen=True, slots=True)
class EffectiveSubmission:
    """A rules submission under which rounds settle: approved document, reference in facts, compiled rules."""

    document: SubmissionApproved
    ref: SubmissionRef
    rules: Rules[Any]


FindSubmission = Callable[[str, str, str, datetime], EffectiveSubmission | None]
"""(property, game, table, moment) -> the submission in effect at that table and moment, or None."""


@dataclass(frozen=True, slots=True)
class PostedSettlement:
    """The settlement of a round in force: the fact and its postings.

    `sequence` is the sequence of the event that was settled, in the table's stream or in the table's desk stream.
    """

    sequence: int
    posted: SettlementPosted
    postings: tuple[Posting, ...]


@dataclass(frozen=True, slots=True)
class RoundHistory:
    """The history of a round: the sequences of all events and of the completing one, and the settlement in force."""

    sequences: tuple[int, ...] = ()
    completed: int | None = None
    revision: int = 0
    standing: PostedSettlement | None = None

    @classmethod
    def of(
        cls, completed: int | None, others: Iterable[int], revision: int, standing: PostedSettlement | None
    ) -> "RoundHistory":
        """Return the history, given the completing event and the other events."""
        sequences = (*others,) if completed is None else (completed, *others)
        return cls(sequences, completed, revision, standing)

    def with_event(self, event: TableEvent) -> "RoundHistory":
        """Return the history with one more event."""
        completed = event.sequence if isinstance(event, RoundCompleted) else self.completed
        return RoundHistory((*self.sequences, event.sequence), completed, self.revision, self.standing)


def completes(fact: SettledRound) -> bool:
    """Return whether a fact's event completed the round, as opposed to correcting or voiding it."""
    match fact:
        case SettlementPosted(correction=None):
            return True
        case SettlementSuperseded(correction=None):
            return fact.record is not None
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an event: facts with postings, and the round's history after it."""

    recordings: tuple[FactWithPostings, ...]
    known: RoundHistory


def settle_event(event: TableEvent, known: RoundHistory, places: PropertyLookup, find: FindSubmission) -> Outcome:
    """Settle one table event and return the outcome.

    Raises: Refused if the record, its property, its submission or its position among the round's events is invalid.
    """
    data = event.data
    expected = table_source(data.property, data.table)
    if event.source != expected:
        raise Refused(f"'source' is {event.source!r}; the events of this table come from {expected!r}")
    correction: Correction | None = None
    match event:
        case RoundVoided():
            return _void(event, known.with_event(event), places)
        case RoundCorrected():
            correction = require_two_people(event.data.correction)
        case RoundCompleted():
            _first_record(event, known)
    played = _settle(event.data, places, find)
    known = known.with_event(event)
    if event.sequence < max(known.sequences):
        return Outcome((_superseded(event.data, played.placed, correction, event.data.round),), known)
    return _replace(known, event.sequence, _posted(event.data, played, known.revision + 1, correction))


def settle_correction(
    approved: CorrectionApproved, known: RoundHistory, places: PropertyLookup, find: FindSubmission
) -> Outcome:
    """Settle a correction that was approved at the desk and return the outcome.

    If the round got another revision since the approval, the correction is recorded as superseded and not posted.
    Raises: Refused if the record, its property or its submission is invalid.
    """
    people = require_two_people(
        Correction(reason=approved.reason, entered_by=approved.proposed_by, approved_by=approved.approved_by)
    )
    number = approved.correction
    if known.standing is None or known.revision != approved.replaces:
        placed = GamingDayAssignment(approved.gaming_day)
        superseded = _superseded(approved, placed, people, approved.round, desk_correction=number)
        return Outcome((superseded,), known)
    corrected = corrected_round(known.standing.posted, approved.round, approved.account_funded)
    played = _settle(corrected, places, find)
    posted = _posted(corrected, played, known.revision + 1, people, desk_correction=number)
    return _replace(known, approved.sequence, posted)


def corrected_round(
    posted: SettlementPosted, record: Mapping[str, Any], account_funded: tuple[AccountFunding, ...]
) -> PlayedRound:
    """Return a posted round with its record replaced. Raises: Refused for a malformed record, naming seat and field."""
    return _played_round(posted, parse_round(posted.regulation, record), account_funded)


def derive_again(posted: SettlementPosted, submission: EffectiveSubmission) -> FactWithPostings:
    """Return a posted settlement with all that follows from its record and this submission derived again.

    Gaming day, revision and correction, which depend on the property and on other events, are those of `posted`.
    Raises: Refused if the submission does not allow the round, or is under another regulation.
    """
    regulation = submission.document.regulation
    if posted.regulation != regulation:
        raise Refused(f"the record says {posted.regulation}; the submission is under {regulation}")
    data = _played_round(posted, posted.record, posted.account_funded)
    settlement = submission.rules.settle(data.round)
    placed = tuple(notice for notice in posted.notices if notice.code == OTHER_GAMING_DAY)
    played = _Played(GamingDayAssignment(posted.gaming_day, placed), submission, settlement, _funding(data, settlement))
    again = _posted(data, played, posted.revision, posted.correction, desk_correction=posted.desk_correction)
    return FactWithPostings(fact=again, postings=postings_of(again.property, again.table, again.totals))


def _played_round(posted: SettlementPosted, record: Any, account_funded: tuple[AccountFunding, ...]) -> PlayedRound:
    return PlayedRound.model_construct(
        **fields_of(posted, TableData),
        opened_at=posted.opened_at,
        closed_at=posted.closed_at,
        dealer_id=posted.dealer_id,
        account_funded=account_funded,
        regulation=posted.regulation,
        round=record,
    )


def as_corrected(corrected: PlayedRound, places: PropertyLookup, find: FindSubmission) -> SettlementPosted:
    """Return the settlement of a corrected round without recording it. Raises: Refused if it cannot be settled."""
    return _posted(corrected, _settle(corrected, places, find), 1, None)


def _replace(known: RoundHistory, sequence: int, posted: SettlementPosted) -> Outcome:
    """Reverse the settlement in force, if any, and post the new one; `sequence` is that of the event."""
    postings = postings_of(posted.property, posted.table, posted.totals)
    recordings: tuple[FactWithPostings, ...] = (FactWithPostings(fact=posted, postings=postings),)
    if known.standing is not None:
        assert posted.correction is not None, "a first record found money standing"
        recordings = (_reversed(known.standing, posted.correction), *recordings)
    standing = PostedSettlement(sequence, posted, postings)
    return Outcome(recordings, RoundHistory(known.sequences, known.completed, posted.revision, standing))


def _first_record(event: RoundCompleted, known: RoundHistory) -> None:
    if known.completed is not None:
        name, day = event.data.round_id, event.data.gaming_day
        said = f"round {name} was completed by event {known.completed} of this table"
        once = (
            f"a round number is used once at a table. Number rounds on, or put the gaming day before the number "
            f"({day}-{name}), and send this round under such a number at the same sequence"
        )
        if known.standing is None:  # no settlement in force shows its gaming day
            raise Refused(
                f"{said}, and is void. If this is the same round, change it with round.corrected; else {once}"
            )
        if known.standing.posted.gaming_day != day:
            raise Refused(f"{said}, on gaming day {known.standing.posted.gaming_day}: {once}")
        raise Refused(f"{said}; change it with round.corrected")
    if any(sequence < event.sequence for sequence in known.sequences):
        raise Refused(
            f"round {event.data.round_id} was corrected or voided by event {min(known.sequences)} of this table; "
            "its first record cannot come after that"
        )


def _void(event: RoundVoided, known: RoundHistory, places: PropertyLookup) -> Outcome:
    correction = require_two_people(event.data.correction)
    placed = place_void(event, None if known.standing is None else known.standing.posted.opened_at, places)
    if event.sequence < max(known.sequences):
        return Outcome((_superseded(event.data, placed, correction, None),), known)
    if known.standing is None:
        fact = SettlementVoided.model_construct(**_about(event.data, placed), correction=correction)
        return Outcome((FactWithPostings(fact=fact),), known)
    return Outcome((_reversed(known.standing, correction, placed.notices),), replace(known, standing=None))


def require_two_people(correction: Correction) -> Correction:
    if same_person(correction.entered_by, correction.approved_by):
        raise Refused(f"{correction.entered_by} both entered and approved the change; it takes two people")
    return correction


@dataclass(frozen=True, slots=True)
class _Played:
    placed: GamingDayAssignment
    submission: EffectiveSubmission
    settlement: Settlement
    funding: Funding


def _settle(data: Any, places: PropertyLookup, find: FindSubmission) -> _Played:
    """Settle a completed or corrected round under the submission in effect at its opening.

    Raises: Refused if the round is invalid.
    """
    placed = place_round(data, places)
    submission = find(data.property, data.game, data.table, data.opened_at)
    if submission is None:
        raise Refused(
            f"no rules submission of {data.property} for {data.game} was in effect at table {data.table} at "
            f"{data.opened_at.isoformat()}; file one that lists the table and have it approved, then replay this record"
        )
    document = submission.document
    named = f"submission {document.property}/{document.game} version {document.version}"
    if data.regulation != document.regulation:
        raise Refused(f"the record says {data.regulation}; {named} is under {document.regulation}")
    settlement = submission.rules.settle(data.round)
    return _Played(placed, submission, settlement, _funding(data, settlement))


def _funding(data: PlayedRound, settlement: Settlement) -> Funding:
    funding: Funding = {}
    for part in data.account_funded:
        if (part.seat, part.wager) in funding:
            raise Refused(f"wager {part.wager!r} is funded from an account twice", seat=part.seat)
        funding[part.seat, part.wager] = part.cents
    if not funding:
        return funding
    stakes: dict[tuple[int, str], int] = {}
    for line in settlement.lines:
        stakes[line.seat, line.wager] = stakes.get((line.seat, line.wager), 0) + line.stake
    for (seat, wager), cents in funding.items():
        staked = stakes.get((seat, wager), 0)
        if cents > staked:
            raise Refused(f"{cents} of wager {wager!r} came from an account, but only {staked} was staked", seat=seat)
    return funding


# --- facts: built from checked values, so they are not validated again ---


def _about(data: TableData, placed: GamingDayAssignment) -> dict[str, Any]:
    """Return the fields common to all facts about a round, with the assigned gaming day and its notices."""
    return fields_of(data, SettledRound) | {"gaming_day": placed.gaming_day, "notices": placed.notices}


def _posted(
    data: Any, played: _Played, revision: int, correction: Correction | None, *, desk_correction: int | None = None
) -> SettlementPosted:
    settlement = played.settlement
    return SettlementPosted.construct_unvalidated(
        _about(data, played.placed)
        | {
            "regulation": data.regulation,
            "opened_at": data.opened_at,
            "closed_at": data.closed_at,
            "dealer_id": data.dealer_id,
            "submission": played.submission.ref,
            "revision": revision,
            "correction": correction,
            "totals": totals_of(settlement, played.funding),
            "lines": settlement.lines,
            "meters": dict(settlement.meters),
            "notices": (
                *played.placed.notices,
                *(RoundNotice.construct_unvalidated(asdict(notice)) for notice in settlement.notices),
            ),
            "account_funded": data.account_funded,
            "account_credits": account_credits_of(settlement, data.account_funded),
            "record": data.round,
            "desk_correction": desk_correction,
        }
    )


def _reversed(
    standing: PostedSettlement, correction: Correction, notices: tuple[RoundNotice, ...] = ()
) -> FactWithPostings:
    """Reverse the settlement in force, on the gaming day on which it was posted."""
    posted = standing.posted
    fact = SettlementReversed.model_construct(
        **fields_of(posted, SettledRound),
        notices=notices,
        revision=posted.revision,
        reverses=standing.sequence,
        closed_at=posted.closed_at,
        dealer_id=posted.dealer_id,
        submission=posted.submission,
        correction=correction,
        lines=posted.lines,
        totals=tuple(-total for total in posted.totals),
        account_credits=tuple(_taken_back(credit) for credit in posted.account_credits),
    )
    return FactWithPostings(fact=fact, postings=reversal(standing.postings))


def _taken_back(credit: AccountCredit) -> AccountCredit:
    taken = {"staked_cents": -credit.staked_cents, "credited_cents": -credit.credited_cents}
    return AccountCredit.model_construct(**(dict(credit) | taken))


def _superseded(
    data: TableData,
    placed: GamingDayAssignment,
    correction: Correction | None,
    record: Any,
    *,
    desk_correction: int | None = None,
) -> FactWithPostings:
    fact = SettlementSuperseded.model_construct(
        **_about(data, placed), correction=correction, record=record, desk_correction=desk_correction
    )
    return FactWithPostings(fact=fact)
