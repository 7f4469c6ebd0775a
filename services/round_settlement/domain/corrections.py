"""Corrections at the desk: their effects on a round, and their approval. Pure; amounts are cents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from services.round_settlement.domain.history import PostingItem
from services.round_settlement.domain.money import postings_of
from services.round_settlement.domain.settling import FindSubmission, RoundHistory, as_corrected, corrected_round
from shared.contracts.corrections import CorrectionProposed
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.rejection import Reason, Rejected, findings_of
from shared.contracts.rounds import AccountFunding
from shared.contracts.settlements import SettlementPosted
from shared.journal.entry import Posting
from shared.rules import round_type
from shared.rules.errors import Finding, Refused
from shared.runtime.commands.approval import ROUND_CORRECTION, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject

CorrectionStatus = Literal["asked", "approved", "rejected"]
Effect = Literal["waiting", "posted", "superseded", "dismissed"]
"""The outcome of an approved correction.

`waiting`: not settled yet. `posted`: settled. `superseded`: the round got another revision first, and no money moved.
`dismissed`: it could no longer be settled, and two people dismissed its event.
"""


class CorrectionItem(BaseModel):
    """A correction of a round: proposer and reason, decision, and outcome."""

    property: str
    correction: int
    table: str
    round_id: str
    gaming_day: date
    replaces: int = Field(description="the revision of the round that the correction replaces")
    reason: str
    proposed_by: str
    proposed_at: datetime
    status: CorrectionStatus
    decided_by: str | None = None
    decided_at: datetime | None = None
    decision_reason: str | None = Field(default=None, description="why it was rejected")
    effect: Effect | None = Field(default=None, description="the effect of the approved correction")


class SettledSide(BaseModel):
    """A round as settled from one record: lines, meters and postings."""

    record: dict[str, Any]
    account_funded: list[AccountFunding]
    lines: list[dict[str, Any]] = Field(description="as in docs/contract/ROUND.md")
    meters: dict[str, int]
    postings: list[PostingItem]


class LinePair(BaseModel):
    """A settlement line before and after a correction; None where the line does not exist."""

    seat: int
    wager: str
    hand: int | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    changed: bool


class PostingChange(BaseModel):
    """The amount on one account of a round before and after a correction: signed cents, debits positive."""

    wager: str = Field(description="empty if the account is not for a single wager type")
    leg: str
    before_cents: int
    after_cents: int
    difference_cents: int


class CorrectionDocument(CorrectionItem, ApprovalSubject):
    """A correction with its effects, computed at the time of the request by the code that would post it.

    `stands` is true if the revision to be replaced is still in force. If the record can no longer be settled, `refused`
    has the reason, and `after` and `postings` are empty. `restates` lists the gaming days whose figures change; sealed
    days among them are restated.
    """

    stands: bool
    before: SettledSide
    after: SettledSide | None = None
    refused: str | None = None
    lines: list[LinePair]
    postings: list[PostingChange]
    restates: list[date]


@dataclass(frozen=True, slots=True)
class Desk:
    """The state needed to decide on a correction: the round's history, and lookups of properties and submissions.

    `approved` is the number of an approved but still pending correction of the same revision, if there is one.
    """

    known: RoundHistory
    places: PropertyLookup
    find: FindSubmission
    approved: int | None = None

    def standing(self, round_id: str, replaces: int, what: str) -> SettlementPosted:
        """Return the settlement in force. Raises: Rejected unless it is revision `replaces` and open to correction."""
        known = self.known
        if not known.sequences:
            raise Rejected(Reason.NOT_FOUND, f"there is no round {round_id} at this table")
        if known.standing is None:
            raise Rejected(
                Reason.CONTRADICTS, f"no money of round {round_id} stands: it is void, and {what} is of none"
            )
        if known.revision != replaces:
            raise Rejected(
                Reason.CONTRADICTS,
                f"round {round_id} stands at revision {known.revision}, and {what} is of revision {replaces}: it got "
                "another revision meanwhile; look at that, and propose a new one if it is still wrong",
            )
        if self.approved is not None:
            raise Rejected(
                Reason.CONTRADICTS,
                f"correction {self.approved} of revision {replaces} of round {round_id} is approved and takes effect: "
                f"{what} would be of a revision that does not stand any more",
            )
        return known.standing.posted

    def corrected(
        self, posted: SettlementPosted, record: Mapping[str, Any], funded: tuple[AccountFunding, ...]
    ) -> SettlementPosted:
        """Return the settlement of a corrected record. Raises: Rejected with all faults of the record."""
        if findings := mistakes(posted.regulation, record):
            detail = f"the record of the round has {len(findings)} mistakes: see the problems"
            raise Rejected(Reason.NOT_ALLOWED, detail, findings=findings)
        try:
            return as_corrected(corrected_round(posted, record, funded), self.places, self.find)
        except Refused as refused:
            raise Rejected(Reason.NOT_ALLOWED, str(refused), cites=refused.paragraph) from refused


def approval_of(correction: CorrectionProposed, status: str) -> Approval:
    """Return the approval step of a correction, with its current decision."""
    name = f"correction {correction.correction} at {correction.property}"
    return Approval(ROUND_CORRECTION, name, correction.proposed_by, Decision.of(status))


def mistakes(regulation: str, record: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return all format faults of a record, each with the field's path in the command."""
    try:
        round_type(regulation).model_validate(record)
    except ValidationError as error:
        return findings_of(error, "round")
    return ()


def changes_nothing(posted: SettlementPosted, corrected: SettlementPosted) -> bool:
    """Return whether a corrected record and its account funding equal the posted ones."""
    return _record(posted) == _record(corrected) and posted.account_funded == corrected.account_funded


def _record(posted: SettlementPosted) -> dict[str, Any]:
    """Return the record of a round in its published form."""
    record: dict[str, Any] = from_json(posted.encode())["record"]
    return record


def correction_document(
    item: CorrectionItem, proposed: CorrectionProposed, before: tuple[SettlementPosted, Sequence[Posting]], desk: Desk
) -> CorrectionDocument:
    """Return a correction with its effects; `before` has the settlement to be replaced, with its postings."""
    posted, postings = before
    corrected, refused = None, None
    try:
        corrected = desk.corrected(posted, proposed.round, proposed.account_funded)
    except Rejected as rejected:
        refused = rejected.detail
    after = None
    if corrected is not None:
        after = _side(corrected, postings_of(corrected.property, corrected.table, corrected.totals))
    side = _side(posted, postings)
    return CorrectionDocument(
        **dict(item),
        stands=desk.known.standing is not None and desk.known.revision == proposed.replaces,
        before=side,
        after=after,
        refused=refused,
        lines=_pairs(side.lines, [] if after is None else after.lines),
        postings=[] if after is None else _differences(side.postings, after.postings),
        restates=sorted({posted.gaming_day} | (set() if corrected is None else {corrected.gaming_day})),
    )


def _side(posted: SettlementPosted, postings: Sequence[Posting]) -> SettledSide:
    return SettledSide(
        record=_record(posted),
        account_funded=list(posted.account_funded),
        lines=[line.as_document() for line in posted.lines],
        meters=posted.meters,
        postings=[PostingItem(wager=account.wager, leg=account.leg, cents=cents) for account, cents in postings],
    )


_LineKey = tuple[int, str, int | None, int]
"""Key of a settlement line: (seat, wager, hand, number of earlier lines with the same three)."""


def _by_key(lines: Sequence[dict[str, Any]]) -> dict[_LineKey, dict[str, Any]]:
    found: dict[_LineKey, dict[str, Any]] = {}
    for line in lines:
        named = (line["seat"], line["wager"], line.get("hand"))
        found[*named, sum(key[:3] == named for key in found)] = line
    return found


def _pairs(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[LinePair]:
    old, new = _by_key(before), _by_key(after)
    return [
        LinePair(
            seat=key[0],
            wager=key[1],
            hand=key[2],
            before=old.get(key),
            after=new.get(key),
            changed=old.get(key) != new.get(key),
        )
        for key in {**old, **new}
    ]


def _differences(before: Sequence[PostingItem], after: Sequence[PostingItem]) -> list[PostingChange]:
    """Return each account's balance before and after the correction, including unchanged balances."""
    old, new = (_by_account(postings) for postings in (before, after))
    return [
        PostingChange(
            wager=wager,
            leg=leg,
            before_cents=(held := old.get((wager, leg), 0)),
            after_cents=(holds := new.get((wager, leg), 0)),
            difference_cents=holds - held,
        )
        for wager, leg in {**old, **new}
    ]


def _by_account(postings: Sequence[PostingItem]) -> dict[tuple[str, str], int]:
    return {(posting.wager, posting.leg): posting.cents for posting in postings}
