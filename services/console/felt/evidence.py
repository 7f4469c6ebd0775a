"""The evidence of an entry: its event, shard and position, hashes, checkpoint, and the URL of its proof."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.console.words import say

_SETTLED_AGAIN: Final = {
    True: say("felt.evidence.settles_again"),
    False: say("felt.evidence.settles_otherwise"),
    None: "",
}


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """The evidence of one entry. `proof` is the URL of its proof; empty if no checkpoint covers the entry yet."""

    heading: str
    event: str
    source: str
    shard: str
    shard_name: str
    seq: str
    previous: str
    hash: str
    record_hash: str
    hash_verified: bool
    settles_again: str
    is_as_recorded: bool
    submission: str
    checkpoint_size: str
    checkpoint_note: str
    proof: str
    file_name: str


def evidence_of(entry: Mapping[str, Any], proofs: str = "") -> EvidenceView:
    """Return the evidence of an entry; `proofs` is the prefix of the proof's path."""
    checkpoint = entry.get("checkpoint")
    source = "felt.evidence.source" if entry.get("offset") is None else "felt.evidence.source_at"
    document = entry.get("submission")
    again = entry.get("settles_again")
    return EvidenceView(
        heading=say("felt.evidence.entry", entry=entry["seq"], shard=entry["shard_name"]),
        event=entry["event_id"],
        source=say(source, sequence=entry["sequence"], source=entry["source"], offset=entry.get("offset")),
        shard=str(entry["shard"]),
        shard_name=entry["shard_name"],
        seq=str(entry["seq"]),
        previous=entry["previous"],
        hash=entry["hash"],
        record_hash=entry.get("record_hash") or "",
        hash_verified=bool(entry["hash_verified"]),
        settles_again=_SETTLED_AGAIN[again],
        is_as_recorded=bool(entry["hash_verified"]) and again is not False,
        submission=say("felt.evidence.submission", **document) if document else "",
        checkpoint_size="" if checkpoint is None else str(checkpoint["size"]),
        checkpoint_note="" if checkpoint is None else checkpoint["note"],
        proof="" if checkpoint is None else proofs + checkpoint["proof"],
        file_name=f"proof-{entry['shard']}-{entry['seq']}.json",
    )
