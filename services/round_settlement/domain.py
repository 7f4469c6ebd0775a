"""From a table event to journal entries. Pure: what is known of the round and of the submissions comes in.

A round has three kinds of events: completed, corrected, voided. Whichever has the highest sequence of its table
counts, in whatever order they arrive; so late and reordered events lead to the same books.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from pydantic_core import to_json

from services.round_settlement.money import Funding, account_credits_of, postings_of, totals_of
from shared.contracts.envelope import table_source
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import (
    Correction,
    PlayedRound,
    RoundCompleted,
    RoundCorrected,
    RoundVoided,
    TableData,
    TableEvent,
)
from shared.journal.entry import Draft, Posting, reversal
from shared.rules import Rules
from shared.rules.errors import Refused
from shared.rules.settlement import Settlement

POSTED: Final = "settlement.posted"
REVERSED: Final = "settlement.reversed"
SUPERSEDED: Final = "settlement.superseded"
VOIDED: Final = "settlement.voided"


@dataclass(frozen=True, slots=True)
class InEffect:
    """A rules submission that settles rounds: the approved document, and its rules ready to use."""

    document: SubmissionApproved
    rules: Rules[Any]


FindSubmission = Callable[[str, str, datetime], InEffect | None]
"""(property, game, moment) -> the submission in effect then."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The money of a round that stands: from which event of its table, on which day and game, under what, how much."""

    sequence: int
    revision: int
    gaming_day: date
    game: str
    submission: Mapping[str, Any]
    postings: tuple[Posting, ...]
    totals: tuple[Mapping[str, Any], ...]
    account_credits: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a round: the sequences of the events about it, which of them completed it, its money."""

    sequences: tuple[int, ...] = ()
    completed: int | None = None
    revision: int = 0
    standing: Standing | None = None

    def with_event(self, event: TableEvent) -> "Known":
        """The same, with one event more."""
        completed = event.sequence if isinstance(event, RoundCompleted) else self.completed
        return replace(self, sequences=(*self.sequences, event.sequence), completed=completed)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an event leads to: entries, and what is known of the round afterwards."""

    drafts: tuple[Draft, ...]
    known: Known


def settle_event(event: TableEvent, offset: int, known: Known, find: FindSubmission) -> Outcome:
    """The entries of one event.

    Raises: Refused where the record, its submission or its place among the round's events is wrong.
    """
    data = event.data
    expected = table_source(data.property, data.table)
    if event.source != expected:
        raise Refused(f"'source' is {event.source!r}; the events of this table come from {expected!r}")
    correction: Correction | None = None
    match event:
        case RoundVoided():
            return _void(event, offset, known.with_event(event))
        case RoundCorrected():
            correction = _two_people(event.data.correction)
        case RoundCompleted():
            _first_record(event, known)
    played = _settle(event, find)
    known = known.with_event(event)
    if event.sequence < max(known.sequences):
        return Outcome((_superseded(event, offset, correction, event.data),), known)
    posted, standing = _posted(event, played, offset, known.revision + 1, correction)
    drafts: tuple[Draft, ...] = (posted,)
    if known.standing is not None:
        assert correction is not None, "a first record found money standing"
        drafts = (_reversed(event, offset, known.standing, correction), posted)
    return Outcome(drafts, replace(known, revision=standing.revision, standing=standing))


def _first_record(event: RoundCompleted, known: Known) -> None:
    if known.completed is not None:
        raise Refused(
            f"round {event.data.round_id} was completed by event {known.completed} of this table; "
            "change it with round.corrected"
        )
    if any(sequence < event.sequence for sequence in known.sequences):
        raise Refused(
            f"round {event.data.round_id} was corrected or voided by event {min(known.sequences)} of this table; "
            "its first record cannot come after that"
        )


def _void(event: RoundVoided, offset: int, known: Known) -> Outcome:
    correction = _two_people(event.data.correction)
    if event.sequence < max(known.sequences):
        return Outcome((_superseded(event, offset, correction, None),), known)
    draft = (
        _voided(event, offset, correction)
        if known.standing is None
        else _reversed(event, offset, known.standing, correction)
    )
    return Outcome((draft,), replace(known, standing=None))


def _two_people(correction: Correction) -> Correction:
    if correction.entered_by == correction.approved_by:
        raise Refused(f"{correction.entered_by} both entered and approved the change; it takes two people")
    return correction


@dataclass(frozen=True, slots=True)
class _Played:
    submission: InEffect
    settlement: Settlement
    funding: Funding


def _settle(event: RoundCompleted | RoundCorrected, find: FindSubmission) -> _Played:
    data = event.data
    if data.closed_at < data.opened_at:
        raise Refused(f"round {data.round_id} was closed at {data.closed_at} before it was opened at {data.opened_at}")
    submission = find(data.property, data.game, data.opened_at)
    if submission is None:
        raise Refused(
            f"no rules submission of {data.property} for {data.game} was in effect at {data.opened_at.isoformat()}; "
            "file one and have it approved, then replay this record"
        )
    document = submission.document
    named = f"submission {document.property}/{document.game} version {document.version}"
    if data.table not in document.tables:
        raise Refused(f"table {data.table} is not in {named}, which was in effect at {data.opened_at.isoformat()}")
    if data.regulation != document.regulation:
        raise Refused(f"the record says {data.regulation}; {named} is under {document.regulation}")
    settlement = submission.rules.settle(data.round)
    return _Played(submission, settlement, _funding(data, settlement))


def _funding(data: PlayedRound, settlement: Settlement) -> Funding:
    funding: Funding = {}
    for part in data.account_funded:
        if (part.seat, part.wager) in funding:
            raise Refused(f"wager {part.wager!r} is funded from an account twice", seat=part.seat)
        funding[part.seat, part.wager] = part.cents
    stakes: dict[tuple[int, str], int] = {}
    for line in settlement.lines:
        stakes[line.seat, line.wager] = stakes.get((line.seat, line.wager), 0) + line.stake
    for (seat, wager), cents in funding.items():
        staked = stakes.get((seat, wager), 0)
        if cents > staked:
            raise Refused(f"{cents} of wager {wager!r} came from an account, but only {staked} was staked", seat=seat)
    return funding


# --- entries ---


def _posted(
    event: RoundCompleted | RoundCorrected, played: _Played, offset: int, revision: int, correction: Correction | None
) -> tuple[Draft, Standing]:
    data, document = event.data, played.submission.document
    totals = totals_of(played.settlement, played.funding)
    postings = postings_of(data.property, data.table, totals)
    content = _round_of(data) | {
        "regulation": data.regulation,
        "opened_at": data.opened_at.isoformat(),
        "closed_at": data.closed_at.isoformat(),
        "submission": {"version": document.version, "hash": document.hash},
        "revision": revision,
        "totals": [total.as_document() for total in totals],
        "lines": [line.as_document() for line in played.settlement.lines],
        "meters": dict(played.settlement.meters),
    }
    if played.settlement.notices:
        content["notices"] = [asdict(notice) for notice in played.settlement.notices]
    if data.dealer_id is not None:
        content["dealer_id"] = data.dealer_id
    if correction is not None:
        content["correction"] = correction.model_dump()
    if data.account_funded:
        content["account_funded"] = [part.model_dump() for part in data.account_funded]
        content["account_credits"] = account_credits_of(played.settlement, data.account_funded)
    standing = Standing(
        event.sequence,
        revision,
        data.gaming_day,
        data.game,
        content["submission"],
        postings,
        tuple(content["totals"]),
        tuple(content.get("account_credits", ())),
    )
    return _draft(POSTED, event, offset, content, record=data, postings=postings), standing


def _reversed(event: TableEvent, offset: int, standing: Standing, correction: Correction) -> Draft:
    content = _round_of(event.data) | {
        "game": standing.game,
        "gaming_day": standing.gaming_day.isoformat(),
        "revision": standing.revision,
        "reverses": standing.sequence,
        "submission": dict(standing.submission),
        "correction": correction.model_dump(),
        "totals": [_negative(total) for total in standing.totals],
    }
    if standing.account_credits:
        content["account_credits"] = [
            {**credit, "staked": -credit["staked"], "credited": -credit["credited"]}
            for credit in standing.account_credits
        ]
    draft = _draft(REVERSED, event, offset, content, postings=reversal(standing.postings))
    return replace(draft, gaming_day=standing.gaming_day)


def _superseded(event: TableEvent, offset: int, correction: Correction | None, record: PlayedRound | None) -> Draft:
    content = _round_of(event.data)
    if correction is not None:
        content["correction"] = correction.model_dump()
    return _draft(SUPERSEDED, event, offset, content, record=record)


def _voided(event: RoundVoided, offset: int, correction: Correction) -> Draft:
    return _draft(VOIDED, event, offset, _round_of(event.data) | {"correction": correction.model_dump()})


def _round_of(data: TableData) -> dict[str, Any]:
    return {
        "property": data.property,
        "table": data.table,
        "game": data.game,
        "gaming_day": data.gaming_day.isoformat(),
        "round_id": data.round_id,
    }


def _negative(total: Mapping[str, Any]) -> dict[str, Any]:
    return {name: -value if isinstance(value, int) else value for name, value in total.items()}


def _draft(
    kind: str,
    event: TableEvent,
    offset: int,
    content: dict[str, Any],
    *,
    record: PlayedRound | None = None,
    postings: Sequence[Posting] = (),
) -> Draft:
    data = to_json(content)
    if record is not None:
        played: Any = record
        data = b'%b,"record":%b}' % (data[:-1], played.round.model_dump_json(exclude_defaults=True).encode())
    return Draft(
        kind=kind,
        source=event.source,
        sequence=event.sequence,
        event_id=event.id,
        offset=offset,
        gaming_day=event.data.gaming_day,
        occurred_at=event.time,
        data=data,
        postings=tuple(postings),
    )
