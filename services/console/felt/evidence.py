"""What proves an entry: its event, its place in its shard, its hashes, its checkpoint, and where its proof is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_SETTLED_AGAIN: Final = {
    True: "Settled again now under that submission: the same lines and meters.",
    False: "Settled again now under that submission: NOT the lines or meters that were recorded.",
    None: "",
}


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """The evidence of one entry. `proof` is the address of its proof; empty while no checkpoint covers it."""

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
    """Return the evidence of an entry; `proofs` stands before the path of its proof."""
    checkpoint = entry.get("checkpoint")
    offset = "" if entry.get("offset") is None else f", offset {entry['offset']}"
    document = entry.get("submission")
    again = entry.get("settles_again")
    named = (
        (
            f"{document['game']} version {document['version']} under {document['regulation']}, "
            f"approved by {document['approved_by']}, hash {document['hash']}"
        )
        if document
        else ""
    )
    return EvidenceView(
        heading=f"Entry {entry['seq']} of {entry['shard_name']}",
        event=entry["event_id"],
        source=f"sequence {entry['sequence']} of {entry['source']}{offset}",
        shard=str(entry["shard"]),
        shard_name=entry["shard_name"],
        seq=str(entry["seq"]),
        previous=entry["previous"],
        hash=entry["hash"],
        record_hash=entry.get("record_hash") or "",
        hash_verified=bool(entry["hash_verified"]),
        settles_again=_SETTLED_AGAIN[again],
        is_as_recorded=bool(entry["hash_verified"]) and again is not False,
        submission=named,
        checkpoint_size="" if checkpoint is None else str(checkpoint["size"]),
        checkpoint_note="" if checkpoint is None else checkpoint["note"],
        proof="" if checkpoint is None else proofs + checkpoint["proof"],
        file_name=f"proof-{entry['shard']}-{entry['seq']}.json",
    )
