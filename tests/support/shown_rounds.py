"""Rounds as round settlement shows them, with proofs: by the real rules and the real journal, without a database."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from services.round_settlement.domain.history import (
    CheckpointItem,
    EntryDocument,
    RoundItem,
    entry_document,
    round_document,
)
from services.round_settlement.domain.money import postings_of, totals_of
from shared.contracts.submissions import RulesSubmission, SubmissionApproved, submission_hash
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, sign
from shared.journal.entry import Entry, EntryDraft, entry_record, genesis, reversal, seal
from shared.journal.merkle import Frontier, inclusion_proof
from shared.journal.proof import prove
from shared.rules import catalogue, parse_round, parse_submission, settle
from tests.support.checkpoints import SIGNER

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SHARD_NAME = "table.events/0@test"
ROUND = "BJ-01-0001"
PATH = f"/rounds/riverside/BJ-01/{ROUND}"
CORRECTION = {"reason": "the third card was misread", "entered_by": "p.lee", "approved_by": "m.ortiz"}
OTHERS = 6
"""So many entries about other rounds stand before and after each about this one, so that paths are not short."""


@dataclass(frozen=True, slots=True)
class ShownRound:
    """A round as the API shows it, the catalogue of its regulation, and the proof of each entry by its path."""

    document: dict[str, Any]
    catalogue: dict[str, Any]
    proofs: dict[str, dict[str, Any]]
    key: str


def shown_round(
    record: Mapping[str, Any],
    regulation: str,
    submission: Mapping[str, Any],
    *,
    corrected: Mapping[str, Any] | None = None,
) -> ShownRound:
    """Return a round that was posted, and with `corrected` taken back and posted again with that record."""
    approved = _approved(regulation, submission)
    first = _posted(record, approved, revision=1)
    drafts = [_draft("settlement.posted", 1, *first)]
    if corrected is not None:
        taken_back = {**_about(), "revision": 1, "correction": CORRECTION, "lines": first[0]["lines"], "totals": []}
        drafts.append(_draft("settlement.reversed", 2, taken_back, reversal(first[1])))
        drafts.append(_draft("settlement.posted", 3, *_posted(corrected, approved, revision=2)))
    entries = _sealed(drafts)
    own = [entry for entry in entries if entry.draft.event_id.startswith("own")]
    leaves = [entry.hash for entry in entries]
    origin = checkpoint_origin("round-settlement", SHARD_NAME)
    note = sign(Checkpoint(origin, len(leaves), Frontier().extend(leaves).root()), SIGNER)
    item = RoundItem(
        property="riverside",
        table="BJ-01",
        round_id=ROUND,
        game="blackjack",
        gaming_day=date(2026, 11, 20),
        status="posted",
        revision=1 if corrected is None else 2,
        shard=1,
        seq=own[-1].seq,
    )
    documents = [_shown(entry, approved, len(leaves), note) for entry in own]
    proofs = {f"{PATH}/proofs/1/{entry.seq}": json.loads(_proof(entry, leaves, note)) for entry in own}
    return ShownRound(
        round_document(item, documents).model_dump(mode="json"),
        catalogue(regulation).model_dump(mode="json", exclude_none=True),
        proofs,
        str(SIGNER.verifier),
    )


def _about() -> dict[str, Any]:
    return {
        "property": "riverside",
        "table": "BJ-01",
        "game": "blackjack",
        "gaming_day": "2026-11-20",
        "round_id": ROUND,
        "closed_at": NOON.isoformat(),
    }


def _approved(regulation: str, submission: Mapping[str, Any]) -> SubmissionApproved:
    wanted = RulesSubmission(
        property="riverside",
        game="blackjack",
        regulation=regulation,
        tables=("BJ-01",),
        effective_from=NOON,
        submission=parse_submission(submission),
    )
    people = {"filed_by": "a.files", "filed_at": NOON, "approved_by": "b.approves", "approved_at": NOON}
    return SubmissionApproved(**dict(wanted), version=1, hash=submission_hash(wanted, 1), **people)


def _posted(record: Mapping[str, Any], approved: SubmissionApproved, *, revision: int) -> tuple[dict[str, Any], Any]:
    settlement = settle(approved.regulation, parse_round(approved.regulation, record), approved.submission)
    totals = totals_of(settlement, {})
    data = {
        **_about(),
        "regulation": approved.regulation,
        "submission": {"version": 1, "hash": approved.hash},
        "revision": revision,
        **({"correction": CORRECTION} if revision > 1 else {}),
        "totals": [total.model_dump(mode="json") for total in totals],
        "lines": [line.as_document() for line in settlement.lines],
        "meters": dict(settlement.meters),
        "record": record,
    }
    return data, postings_of("riverside", "BJ-01", totals)


def _draft(kind: str, sequence: int, data: Mapping[str, Any], postings: Any) -> EntryDraft:
    return EntryDraft(
        kind=kind,
        source="/properties/riverside/tables/BJ-01",
        sequence=sequence,
        event_id=f"own-{sequence}",
        offset=sequence - 1,
        record_hash=bytes(32),
        gaming_day=date(2026, 11, 20),
        occurred_at=NOON,
        data=json.dumps(data).encode(),
        postings=postings,
    )


def _sealed(drafts: list[EntryDraft]) -> list[Entry]:
    others = [
        EntryDraft(
            kind="gap.opened",
            source="/properties/riverside/tables/BJ-02",
            sequence=number,
            event_id=f"other-{number}",
            offset=None,
            gaming_day=None,
            occurred_at=NOON,
            data=b"{}",
        )
        for number in range(OTHERS)
    ]
    mixed = [*others, *(each for draft in drafts for each in (draft, *others))]
    return seal(mixed, shard=1, shard_name=SHARD_NAME, next_seq=1, head=genesis(SHARD_NAME), recorded_at=NOON)


def _proof(entry: Entry, leaves: list[bytes], note: str) -> str:
    record = entry_record(
        entry.draft, shard_name=SHARD_NAME, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    return prove(record, entry.seq - 1, inclusion_proof(leaves, entry.seq - 1, len(leaves)), note)


def _shown(entry: Entry, approved: SubmissionApproved, size: int, note: str) -> EntryDocument:
    data = json.loads(entry.draft.data)
    settled = entry.draft.kind == "settlement.posted"
    checkpoint = CheckpointItem(size=size, note=note, proof=f"{PATH}/proofs/1/{entry.seq}")
    return entry_document(
        entry, data, shard_name=SHARD_NAME, submission=approved if settled else None, checkpoint=checkpoint
    )
