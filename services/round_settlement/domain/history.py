"""A round in the journal: every entry about it, verified. Pure."""

from datetime import date, datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from shared.contracts.submissions import SubmissionApproved
from shared.contracts.wager_totals import WagerTotals
from shared.journal.entry import Entry, entry_hash
from shared.rules import Refused, parse_round, settle

RoundStatus = Literal["posted", "void"]
"""`posted`: one of the round's entries is in force. `void`: no entry is in force."""


class RoundItem(BaseModel):
    """The current status of a round. `shard` and `seq` identify the entry in force; both are None if it is void."""

    property: str
    table: str
    round_id: str
    game: str
    gaming_day: date
    status: RoundStatus
    revision: int = Field(description="the number of postings; 0 if the round was only voided")
    shard: int | None = None
    seq: int | None = None


class PostingItem(BaseModel):
    """An entry's amount on one account: signed cents, debits positive."""

    wager: str = Field(description="empty if the account is not for a single wager type")
    leg: str
    cents: int


class CheckpointItem(BaseModel):
    """A signed checkpoint that covers an entry, and the URL path of the entry's inclusion proof."""

    size: int = Field(description="the number of entries of the shard that the checkpoint covers")
    note: str = Field(description="a C2SP tlog-checkpoint")
    proof: str = Field(description="the URL path of the proof that the entry is in the signed tree")


class EntryDocument(BaseModel):
    """One entry about a round: its cause, its data as published, its postings, its position in the chain.

    `hash_verified` is true if the recomputed hash matches. `settles_again` is true if settling the record again under
    its submission gives the entry's lines and meters; it is None if the entry is not a settlement.
    """

    shard: int
    shard_name: str
    seq: int
    kind: str
    source: str
    sequence: int
    event_id: str
    offset: int | None = None
    record_hash: str | None = Field(
        default=None,
        description="SHA-256 of the record at that offset; for a command, of its sender and idempotency key",
    )
    gaming_day: date | None = None
    occurred_at: datetime
    recorded_at: datetime
    previous: str
    hash: str
    hash_verified: bool
    settles_again: bool | None = None
    data: dict[str, Any]
    submission: SubmissionApproved | None = None
    postings: list[PostingItem]
    checkpoint: CheckpointItem | None = None

    @property
    def is_as_recorded(self) -> bool:
        """Return whether all checks of the entry passed."""
        return self.hash_verified and self.settles_again is not False


class RoundDocument(RoundItem):
    """A round with its history: every entry about it, oldest first.

    `totals`, `lines` and `postings` are from the entry in force, if any.
    """

    totals: list[WagerTotals]
    lines: list[dict[str, Any]] = Field(description="as in docs/contract/ROUND.md")
    postings: list[PostingItem]
    entries: list[EntryDocument]


_OF_DRAFT: Final = ("kind", "source", "sequence", "event_id", "offset", "gaming_day", "occurred_at")


def entry_document(
    entry: Entry,
    data: dict[str, Any],
    *,
    shard_name: str,
    submission: SubmissionApproved | None,
    checkpoint: CheckpointItem | None,
) -> EntryDocument:
    """Return an entry about a round for display, with its checks.

    `data` is the entry's content, and `submission` the rules submission of a settlement.
    """
    draft = entry.draft
    digest = entry_hash(
        draft, shard_name=shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    return EntryDocument(
        **{name: getattr(draft, name) for name in _OF_DRAFT},
        shard=entry.shard,
        shard_name=shard_name,
        seq=entry.seq,
        recorded_at=entry.recorded_at,
        previous=entry.previous.hex(),
        hash=entry.hash.hex(),
        record_hash=None if draft.record_hash is None else draft.record_hash.hex(),
        hash_verified=digest == entry.hash,
        settles_again=None if submission is None else _settles_again(data, submission),
        data=data,
        submission=submission,
        postings=[PostingItem(wager=account.wager, leg=account.leg, cents=cents) for account, cents in draft.postings],
        checkpoint=checkpoint,
    )


def round_document(item: RoundItem, entries: list[EntryDocument]) -> RoundDocument:
    """Return a round for display, with every entry about it."""
    standing = next((one for one in entries if (one.shard, one.seq) == (item.shard, item.seq)), None)
    return RoundDocument(
        **dict(item),
        totals=[] if standing is None else [WagerTotals.model_validate(one) for one in standing.data["totals"]],
        lines=[] if standing is None else standing.data["lines"],
        postings=[] if standing is None else standing.postings,
        entries=entries,
    )


def _settles_again(data: dict[str, Any], document: SubmissionApproved) -> bool:
    if document.hash != data["submission"]["hash"]:
        return False
    try:
        settlement = settle(document.regulation, parse_round(document.regulation, data["record"]), document.submission)
    except Refused:
        return False
    lines = [line.as_document() for line in settlement.lines]
    return bool(lines == data["lines"] and dict(settlement.meters) == data["meters"])
