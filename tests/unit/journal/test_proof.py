"""Proof documents: what they prove, and that no altered one is believed."""

import base64
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest

from shared.journal import proof
from shared.journal.checkpoint import Checkpoint, sign
from shared.journal.merkle import EvidenceError, Frontier, ProofError, inclusion_proof
from shared.journal.proof import read_fields, verify_document
from shared.journal.signed_note import CheckpointError, Signer
from tests.support.json_text import with_members_twice

SIGNER = Signer.generate("pitledger/round-settlement")
ORIGIN = "pitledger/round-settlement/table.events-3"


def _record(*fields: bytes) -> bytes:
    return b"".join(len(field).to_bytes(8, "big") + field for field in fields)


RECORDS = [_record(b"pitledger-entry-v1", b"%d" % number, b"", b'{"win": %d}' % number) for number in range(11)]
LEAVES = [sha256(record).digest() for record in RECORDS]
CHECKPOINT = Checkpoint(ORIGIN, 10, Frontier().extend(LEAVES[:10]).root())
NOTE = sign(CHECKPOINT, SIGNER)
OTHER_NOTE = sign(CHECKPOINT, Signer.generate(SIGNER.name))


def prove(record: bytes, index: int, leaves: Sequence[bytes], note: str) -> str:
    """The proof of a record by all leaves."""
    return proof.prove(record, index, inclusion_proof(leaves, index, 10), note)


@pytest.mark.parametrize("index", range(10))
def test_every_entry_under_a_checkpoint_can_be_proven_with_the_public_key_alone(index: int) -> None:
    """The document leads from the record to the signed root, and gives back what was recorded."""
    proven = verify_document(prove(RECORDS[index], index, LEAVES, NOTE), [SIGNER.verifier])
    assert (CHECKPOINT, index) == (proven.checkpoint, proven.index)
    assert (b"pitledger-entry-v1", b"%d" % index, b"", b'{"win": %d}' % index) == proven.fields


def test_document_can_be_verified_with_a_hash_function_and_base64_alone() -> None:
    """An outsider needs none of our code: the documented steps lead from the record to the root in the checkpoint."""
    document = json.loads(prove(RECORDS[9], 9, LEAVES, NOTE))
    leaf = sha256(base64.b64decode(document["record"])).digest()
    neighbor, rest = (base64.b64decode(node) for node in document["path"])
    right = sha256(b"\x01" + neighbor + sha256(b"\x00" + leaf).digest()).digest()
    root = sha256(b"\x01" + rest + right).digest()
    assert document["checkpoint"].split("\n")[2] == base64.b64encode(root).decode()


ALTERATIONS: dict[str, Callable[[dict[str, Any]], object]] = {
    "index": lambda document: document.update(index=4),
    "index outside": lambda document: document.update(index=13),
    "record": lambda document: document.update(record=base64.b64encode(RECORDS[4]).decode()),
    "record cut off": lambda document: document.update(record=document["record"][4:]),
    "record not base64": lambda document: document.update(record="!"),
    "path cut off": lambda document: document["path"].pop(),
    "path too long": lambda document: document["path"].append(document["path"][0]),
    "path reversed": lambda document: document["path"].reverse(),
    "path without a hash": lambda document: document["path"].__setitem__(0, ""),
    "checkpoint": lambda document: document.update(checkpoint=NOTE.replace("\n10\n", "\n11\n")),
    "checkpoint of another signer": lambda document: document.update(checkpoint=OTHER_NOTE),
    "checkpoint unsigned": lambda document: document.update(checkpoint=CHECKPOINT.body()),
}


@pytest.mark.parametrize("alter", ALTERATIONS.values(), ids=ALTERATIONS.keys())
def test_altered_document_is_refused(alter: Callable[[dict[str, Any]], object]) -> None:
    """Whichever part is altered, the document proves nothing any more."""
    document = json.loads(prove(RECORDS[5], 5, LEAVES, NOTE))
    verify_document(json.dumps(document), [SIGNER.verifier])
    alter(document)
    with pytest.raises(EvidenceError):
        verify_document(json.dumps(document), [SIGNER.verifier])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "pitledger-inclusion-proof-v2"}, "proof document: format: "),
        ({"index": -1}, "proof document: index: "),
        ({"index": "5"}, "proof document: index: "),
        ({"path": ["AAAA"] * 64}, "proof document: path: "),
        ({"seal": "of approval"}, "proof document: seal: "),
        ({"checkpoint": None}, "proof document: checkpoint: "),
    ],
)
def test_malformed_document_is_refused_with_the_field(change: dict[str, object], message: str) -> None:
    """A document of another shape is refused, with the field that is wrong."""
    document = json.loads(prove(RECORDS[5], 5, LEAVES, NOTE)) | change
    with pytest.raises(ProofError, match=message):
        verify_document(json.dumps(document), [SIGNER.verifier])


def test_a_document_that_says_a_member_twice_proves_neither() -> None:
    """Whichever reader has it next could take the other."""
    for name, text in with_members_twice(json.loads(prove(RECORDS[5], 5, LEAVES, NOTE))):
        with pytest.raises(ProofError, match=f"proof document: member '{name}' is there twice"):
            verify_document(text, [SIGNER.verifier])


def test_text_that_is_not_json_is_refused() -> None:
    """A file of another kind is refused in one sentence."""
    with pytest.raises(ProofError, match="proof document: JSON: Invalid JSON"):
        verify_document("not a document", [SIGNER.verifier])


def test_entry_after_the_checkpoint_cannot_be_proven_under_it() -> None:
    """An entry has to wait for the next checkpoint."""
    with pytest.raises(ProofError, match="leaf 10 is not in a tree of size 10; take a later checkpoint"):
        prove(RECORDS[10], 10, LEAVES, NOTE)


def test_altered_journal_cannot_hand_out_proofs() -> None:
    """A proof is checked before it is handed out, so an alteration is found here and not by the outsider."""
    altered = _record(b"pitledger-entry-v1", b"5", b"", b'{"win": 6}')
    with pytest.raises(ProofError, match="leaf 5 of 10 leads to root"):
        prove(altered, 5, LEAVES, NOTE)
    with pytest.raises(ProofError, match="leaf 5 of 10 leads to root"):
        prove(RECORDS[5], 5, [*LEAVES[:2], bytes(32), *LEAVES[3:]], NOTE)


def test_document_needs_a_checkpoint() -> None:
    """A text that is no checkpoint is refused when the proof is made."""
    with pytest.raises(CheckpointError, match="needs a text, an empty line"):
        prove(RECORDS[5], 5, LEAVES, "no checkpoint")


@pytest.mark.parametrize("cut", [1, 8, 9, 27, 35])
def test_record_that_is_cut_off_is_refused(cut: int) -> None:
    """A field is read whole or not at all."""
    record = _record(b"pitledger-entry-v1", b"41")
    assert read_fields(record) == (b"pitledger-entry-v1", b"41")
    assert read_fields(b"") == ()
    with pytest.raises(ProofError, match=r"record: field [12] ends at byte [0-9]+, the record has"):
        read_fields(record[:cut])
