"""Proofs, checkpoints and cosignatures of others, read by this implementation and by the verifier that stands alone."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from infra import verifier
from shared.journal.checkpoint import open_note, sign
from shared.journal.cosignature import WitnessKey, cosignature, cosigned
from shared.journal.merkle import ProofError, verify_consistency, verify_inclusion
from shared.journal.signed_note import Signer, Verifier, split_note
from shared.journal.witness import WitnessRequest

DATA = Path(__file__).parent / "data"
PROOFS = json.loads((DATA / "transparency-vectors.json").read_text())
COSIGNED = json.loads((DATA / "cosignature-vectors.json").read_text())


def _holds(check: Any, *proof: Any) -> bool:
    try:
        check(*proof)
    except (ProofError, verifier.Wrong):
        return False
    return True


def _bytes(hashes: list[str]) -> list[bytes]:
    return [bytes.fromhex(each) for each in hashes]


def test_published_consistency_proofs_hold_where_they_should() -> None:
    """Proofs that hold, and those with a hash too many, too few, turned, or of other sizes and roots, which do not."""
    for what, old, old_root, size, root, proof, holds in PROOFS["consistency"]:
        is_hash = len(old_root) == 64  # one vector has words in its place, which no checkpoint can have
        found = _holds(verify_consistency, old, bytes.fromhex(old_root), size, bytes.fromhex(root), _bytes(proof))
        assert (holds and is_hash) == found, what


def test_published_inclusion_proofs_hold_where_they_should() -> None:
    """Both implementations say the same of it: the verifier that stands alone, too."""
    for what, leaf, index, size, root, path, holds in PROOFS["inclusion"]:
        proof = (bytes.fromhex(leaf), index, size, _bytes(path))
        assert holds == _holds(verify_inclusion, *proof, bytes.fromhex(root)), what
        assert holds == (_holds(verifier.root_of_path, *proof) and verifier.root_of_path(*proof).hex() == root), what


def test_a_checkpoint_that_another_implementation_cosigned_is_read() -> None:
    """Keys, the log's signature and two cosignatures of torchwood hold, here and in the verifier that stands alone."""
    note, keys = COSIGNED["note"], [WitnessKey.from_string(each) for each in COSIGNED["witness_keys"]]
    opened = open_note(note, [Verifier.from_string(COSIGNED["log_key"])])
    trust = verifier.Trust(
        logs=verifier.read_keys([COSIGNED["log_key"]], 1),
        witnesses=verifier.read_keys(COSIGNED["witness_keys"], 4),
        required=2,
    )
    alone = verifier.open_checkpoint(note, trust)
    assert COSIGNED["witness_keys"] == [str(key) for key in keys]
    assert {key.name for key in keys} == cosigned(note, keys).keys() == set(alone.witnesses)
    assert (opened.origin, opened.size, opened.root) == (alone.origin, alone.size, alone.root)


def test_the_same_keys_sign_and_cosign_the_same_bytes() -> None:
    """With the seeds of the vector, of the same moment, this implementation writes the note that torchwood wrote."""
    log, *witnesses = (Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in (1, 2, 3))
    keys = [WitnessKey.from_string(each) for each in COSIGNED["witness_keys"]]
    moments = cosigned(COSIGNED["note"], keys)
    opened = open_note(COSIGNED["note"], [Verifier.from_string(COSIGNED["log_key"])])
    note = sign(opened, Signer("pitledger/round-settlement", log))
    body = split_note(note)[0]
    for key, private in zip(keys, witnesses, strict=True):
        note += cosignature(body, Signer(key.name, private), moments[key.name])
    assert COSIGNED["note"] == note


def test_the_request_of_the_specification_is_read_and_written() -> None:
    """The example of C2SP tlog-witness: its old size, its proof and its note."""
    request = WitnessRequest.from_body(COSIGNED["request"])
    assert (20852014, COSIGNED["request"]) == (request.old_size, str(request))
