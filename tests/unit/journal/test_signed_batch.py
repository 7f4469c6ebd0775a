"""Messages signed together: each proves to be one of them, and nothing else does."""

import pytest

from shared.journal.signed_batch import BatchVerifier, Unsigned, message_bytes, sign_batch
from shared.journal.signed_note import Signer

NAME = "pitledger/vigorish"
SIGNER = Signer.generate(NAME)
MESSAGES = [message_bytes("vigorish", b"/vigorish/shards/1", b'{"sequence":%d}' % number) for number in range(1, 40)]


def verifier() -> BatchVerifier:
    return BatchVerifier([SIGNER.verifier])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31, 33])
@pytest.mark.parametrize("together", [True, False], ids=["one after the other", "each by itself"])
def test_every_message_of_a_batch_is_verified(size: int, together: bool) -> None:
    """In trees of any size; what one message taught of the tree does not matter to another."""
    proofs = sign_batch(SIGNER, MESSAGES[:size])
    known = verifier()
    for message, proof in zip(MESSAGES[:size], proofs, strict=True):
        (known if together else verifier()).require(NAME, message, proof)


def test_another_message_is_not() -> None:
    """Another value, key or topic, and a message of the batch with the proof of another."""
    known = verifier()
    proofs = sign_batch(SIGNER, MESSAGES[:8])
    known.require(NAME, MESSAGES[0], proofs[0])
    others = [
        message_bytes("vigorish", b"/vigorish/shards/1", b'{"sequence":9}'),
        message_bytes("vigorish", b"/vigorish/shards/2", b'{"sequence":1}'),
        message_bytes("vigorish.other", b"/vigorish/shards/1", b'{"sequence":1}'),
    ]
    for other in others:
        with pytest.raises(Unsigned, match="of something else"):
            known.require(NAME, other, proofs[0])
    with pytest.raises(Unsigned):
        verifier().require(NAME, MESSAGES[2], proofs[3])


def test_only_the_publisher_signs() -> None:
    """The key of another name, a key that nobody knows, no signature, and something that is none."""
    [proof] = sign_batch(SIGNER, MESSAGES[:1])
    both = BatchVerifier([SIGNER.verifier, Signer.generate("pitledger/accounts").verifier])
    with pytest.raises(Unsigned, match="none of 'pitledger/accounts'"):
        both.require("pitledger/accounts", MESSAGES[0], proof)
    with pytest.raises(Unsigned, match="none of 'pitledger/vigorish'"):
        verifier().require(NAME, MESSAGES[0], sign_batch(Signer.generate(NAME), MESSAGES[:1])[0])
    for nothing in (None, b"", proof[:-1], proof + b"\0"):
        with pytest.raises(Unsigned):
            verifier().require(NAME, MESSAGES[0], nothing)


def test_one_key_for_two_names_signs_for_neither_the_other() -> None:
    """The name stands in what is signed."""
    other = Signer("pitledger/accounts", SIGNER.key)
    [proof] = sign_batch(other, MESSAGES[:1])
    forged = proof[:9] + SIGNER.verifier.key_id + proof[13:]
    with pytest.raises(Unsigned, match="of something else"):
        verifier().require(NAME, MESSAGES[0], forged)


@pytest.mark.parametrize("at", [0, 1, 5, 9, 13, 77, 109])
def test_no_byte_of_a_proof_may_be_another(at: int) -> None:
    """Version, place, size, key id, signature and path."""
    proof = bytearray(sign_batch(SIGNER, MESSAGES[:5])[1])
    proof[at] ^= 0x80
    with pytest.raises(Unsigned):
        verifier().require(NAME, MESSAGES[1], bytes(proof))


def test_keys_are_rotated_by_knowing_both() -> None:
    """What the former key signed is still verified, and what the new one signs already."""
    new = Signer.generate(NAME)
    both = BatchVerifier([SIGNER.verifier, new.verifier])
    for signer in (SIGNER, new):
        both.require(NAME, MESSAGES[0], sign_batch(signer, MESSAGES[:1])[0])
