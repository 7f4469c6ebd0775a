"""A round as the journal knows it: every entry about it, checked again. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field
from pydantic_core import from_json

from shared.contracts.submissions import SubmissionApproved
from shared.contracts.wager_totals import WagerTotals
from shared.journal.entry import Entry, entry_hash
from shared.rules import Refused, parse_round, settle

RoundStatus = Literal["posted", "void"]
"""`posted`: the money of one entry stands. `void`: none does."""


class RoundItem(BaseModel):
    """Where a round stands. `shard` and `seq` are the entry whose money stands."""

    property: str
    table: str
    round_id: str
    game: str
    gaming_day: date
    status: RoundStatus
    revision: int = Field(description="how often it was posted; 0 while there has been only a void")
    shard: int | None = None
    seq: int | None = None


class PostingItem(BaseModel):
    """The money of an entry on one account: signed cents, debits positive."""

    wager: str = Field(description="empty where the account is not of one wager type")
    leg: str
    cents: int


class CheckpointItem(BaseModel):
    """A signed checkpoint that covers an entry, and where the proof under it can be read."""

    size: int = Field(description="how many entries of the shard it covers")
    note: str = Field(description="a C2SP tlog-checkpoint")
    proof: str = Field(description="the path of the proof that the entry is in the tree that was signed")


class EntryDocument(BaseModel):
    """One entry about a round: its cause, its data as it was published, its money, its place in the chain.

    `hash_verified` says whether the hash, computed again, is the recorded one; `settles_again` whether the record of
    the round still settles to the lines and meters of the entry under the submission of then.
    """

    shard: int
    shard_name: str
    seq: int
    kind: str
    source: str
    sequence: int
    event_id: str
    offset: int | None = None
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
        """Return whether nothing that can be checked of the entry contradicts it."""
        return self.hash_verified and self.settles_again is not False


class RoundDocument(RoundItem):
    """A round with its history: every entry about it, oldest first.

    `totals`, `lines` and `postings` are those of the entry whose money stands; there are none where none does.
    """

    totals: list[WagerTotals]
    lines: list[dict[str, Any]] = Field(description="as in docs/contract/ROUND.md")
    postings: list[PostingItem]
    entries: list[EntryDocument]


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """An entry about a round, what it says, and the submission that it names, where it names one."""

    shard_name: str
    entry: Entry
    data: dict[str, Any]
    submission: SubmissionApproved | None
    checkpoint: CheckpointItem | None = None


def submission_named(data: dict[str, Any]) -> tuple[str, str, int] | None:
    """Return (property, game, version) of the submission under which an entry settled; None where it settled none."""
    return (data["property"], data["game"], data["submission"]["version"]) if "lines" in data else None


def data_of(entry: Entry) -> dict[str, Any]:
    """Return what an entry says."""
    data: dict[str, Any] = from_json(entry.draft.data)
    return data


def entry_document(recorded: RecordedEntry) -> EntryDocument:
    """Return an entry as it is shown, with what can be checked of it."""
    entry, draft = recorded.entry, recorded.entry.draft
    digest = entry_hash(
        draft, shard_name=recorded.shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    return EntryDocument(
        shard=entry.shard,
        shard_name=recorded.shard_name,
        seq=entry.seq,
        kind=draft.kind,
        source=draft.source,
        sequence=draft.sequence,
        event_id=draft.event_id,
        offset=draft.offset,
        gaming_day=draft.gaming_day,
        occurred_at=draft.occurred_at,
        recorded_at=entry.recorded_at,
        previous=entry.previous.hex(),
        hash=entry.hash.hex(),
        hash_verified=digest == entry.hash,
        settles_again=None if recorded.submission is None else _settles_again(recorded.data, recorded.submission),
        data=recorded.data,
        submission=recorded.submission,
        postings=[
            PostingItem(wager=posting.account.wager, leg=posting.account.leg, cents=posting.cents)
            for posting in draft.postings
        ],
        checkpoint=recorded.checkpoint,
    )


def round_document(item: RoundItem, recorded: Sequence[RecordedEntry]) -> RoundDocument:
    """Return a round as it is shown."""
    entries = [entry_document(one) for one in recorded]
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
