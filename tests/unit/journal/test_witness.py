"""A witness cosigns what goes on from what it saw, and nothing else, whatever happens to it in between."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.journal.checkpoint import Checkpoint, open_note, read_unverified, sign
from shared.journal.cosignature import Quorum, WitnessKey, cosignature, cosigned, lines_of
from shared.journal.merkle import Frontier, consistency_proof
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.journal.witness import (
    Inconsistent,
    NotSigned,
    OtherSize,
    State,
    UnknownLog,
    Witness,
    WitnessRefusal,
    WitnessRequest,
)

ORIGIN = "pitledger/vigorish/0"
LOG = Signer.generate("pitledger/vigorish")
KEY = Signer("witness.example.com/w1", Ed25519PrivateKey.generate())
NOW = 1_700_000_000
LEAVES = [b"entry %d" % number for number in range(20)]
LITEWITNESS = json.loads((Path(__file__).parent / "data" / "litewitness-vectors.json").read_text())


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """The directory of a witness that knows nothing."""
    with State(tmp_path) as state:
        yield state


def witness_in(state: State, *logs: Verifier) -> Witness:
    return Witness(KEY, logs or [LOG.verifier], state, lambda: NOW)


def note_of(size: int, leaves: list[bytes] = LEAVES, signer: Signer = LOG, origin: str = ORIGIN) -> str:
    return sign(Checkpoint(origin, size, Frontier().extend(leaves[:size]).root()), signer)


def request(old: int, size: int, leaves: list[bytes] = LEAVES, signer: Signer = LOG) -> WitnessRequest:
    proof = consistency_proof(Frontier().extend(leaves[:old]), leaves[old:size])
    return WitnessRequest(old, proof, note_of(size, leaves, signer))


def test_the_requests_of_another_witness_get_its_answers(state: State) -> None:
    """The requests of torchwood's litewitness, in their order, are answered as it answers them."""
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(LITEWITNESS["log_key"]))
    origin = read_unverified(WitnessRequest.from_body(LITEWITNESS["requests"][0]["body"]).note).origin
    witness = witness_in(state, Verifier(origin, public))

    def status(body: str) -> int:
        try:
            witness.add(WitnessRequest.from_body(body))
        except CheckpointError:
            return 400
        except WitnessRefusal as refused:
            return refused.status
        return 200

    answers = [status(each["body"]) for each in LITEWITNESS["requests"]]
    malformed = 1  # its base64 is not canonical: litewitness calls that a wrong signature
    assert 400 == answers.pop(malformed)
    del LITEWITNESS["requests"][malformed]
    unknown = [origin not in each["body"] for each in LITEWITNESS["requests"]]
    assert [
        404 if other else each["status"] for each, other in zip(LITEWITNESS["requests"], unknown, strict=True)
    ] == answers
    assert 5 == read_unverified(state.latest(origin) or "").size


def test_a_cosignature_is_a_line_of_the_note(state: State) -> None:
    """It holds for the moment and the note that it was made of; the log's own signature still does."""
    note = note_of(3)
    whole = note + witness_in(state).add(request(0, 3))
    assert {KEY.name: NOW} == cosigned(whole, [WitnessKey.of(KEY)])
    assert 3 == open_note(whole, [LOG.verifier]).size
    assert whole == state.latest(ORIGIN)
    assert {} == cosigned(whole, [WitnessKey.of(Signer.generate(KEY.name))])
    with pytest.raises(CheckpointError, match="the note was altered"):
        cosigned(whole.replace(f"{ORIGIN}\n3", f"{ORIGIN}\n4"), [WitnessKey.of(KEY)])


def test_a_witness_key_is_written_as_the_standard_says() -> None:
    """The key of a witness reads back; that of a log, which is of another algorithm, is none."""
    key = WitnessKey.of(KEY)
    assert key.key_id == WitnessKey.from_string(str(key)).key_id
    assert str(key) == str(WitnessKey.from_string(str(key)))
    assert key.key_id != KEY.verifier.key_id
    with pytest.raises(CheckpointError, match="algorithm 4"):
        WitnessKey.from_string(str(KEY.verifier))


def test_what_does_not_go_on_is_refused(state: State) -> None:
    """A fork, a rollback, a wrong proof, another log, another key: nothing is cosigned, and nothing forgotten."""
    witness = witness_in(state)
    witness.add(request(0, 6))
    fork = [b"other", *LEAVES[1:]]
    with pytest.raises(Inconsistent):
        witness.add(request(6, 9, fork))
    with pytest.raises(Inconsistent):
        witness.add(request(6, 6, fork))
    with pytest.raises(Inconsistent):
        witness.add(WitnessRequest(6, (), note_of(9)))
    with pytest.raises(OtherSize, match=r"^6$"):
        witness.add(request(0, 3))
    with pytest.raises(OtherSize, match=r"^6$"):
        witness.add(request(3, 4))
    with pytest.raises(WitnessRefusal, match="greater"):
        witness.add(WitnessRequest(6, (), note_of(5)))
    with pytest.raises(NotSigned):
        witness.add(request(6, 9, signer=Signer.generate(LOG.name)))
    with pytest.raises(UnknownLog):
        witness.add(WitnessRequest(0, (), note_of(1, signer=Signer.generate("other"), origin="other")))
    assert 6 == read_unverified(state.latest(ORIGIN) or "").size
    assert witness.add(request(6, 9)).startswith(f"— {KEY.name} ")


def test_from_nothing_there_is_nothing_to_prove(state: State) -> None:
    """A proof from size zero is refused; the checkpoint of an empty log is cosigned."""
    witness = witness_in(state)
    with pytest.raises(Inconsistent):
        witness.add(WitnessRequest(0, (bytes(32),), note_of(3)))
    assert witness.add(request(0, 0))
    assert witness.add(request(0, 3))


def test_a_witness_that_ends_before_it_answers_goes_on(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it kept is what it may have signed: the log is told the size, asks again and gets its cosignature."""
    replace = State.replace

    def killed(self: State, origin: str, note: str) -> None:
        replace(self, origin, note)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(State, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            witness_in(state).add(request(0, 5))
    again = witness_in(state)
    with pytest.raises(OtherSize, match=r"^5$"):
        again.add(request(0, 5))
    with pytest.raises(Inconsistent):
        again.add(request(5, 5, [b"other", *LEAVES[1:]]))
    assert again.add(request(5, 5))


def test_a_state_that_cannot_be_kept_gives_no_cosignature(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk: nothing is signed, and what was known stays."""

    def full(self: State, origin: str, note: str) -> None:
        raise OSError("no space left")

    witness = witness_in(state)
    witness.add(request(0, 2))
    with monkeypatch.context() as patched:
        patched.setattr(State, "replace", full)
        with pytest.raises(OSError, match="no space"):
            witness.add(request(2, 5))
    assert 2 == read_unverified(state.latest(ORIGIN) or "").size


def test_two_requests_at_once_take_turns(state: State) -> None:
    """Of many that go on from one size, to different ones, just one is cosigned."""
    witness, answers = witness_in(state), list[str]()

    def ask(size: int) -> None:
        try:
            witness.add(request(0, size))
            answers.append("cosigned")
        except OtherSize:
            answers.append("refused")

    threads = [threading.Thread(target=ask, args=(size,)) for size in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ["cosigned", *["refused"] * 7] == sorted(answers)


def test_one_process_has_the_state(state: State, tmp_path: Path) -> None:
    """A second witness with the same directory is refused, and so is one without a directory."""
    with pytest.raises(CheckpointError, match="another witness works with it"), State(state.path):
        pass
    with pytest.raises(CheckpointError, match="begins with a new key"), State(tmp_path / "lost"):
        pass


@pytest.mark.parametrize(
    "body",
    ["", "old 01\n\nx", "old -1\n\nx", "new 1\n\nx", "old 1\nAAAA\n\nx", "old 1\n?\n\nx", "old 1\n" + "A\n" * 64],
)
def test_a_malformed_request_is_refused(body: str) -> None:
    """What is not as the standard writes it is no request."""
    with pytest.raises(CheckpointError):
        WitnessRequest.from_body(body)


def test_a_request_reads_back() -> None:
    """The body that is sent is the request that is read."""
    sent = request(3, 7)
    assert (sent.old_size, list(sent.proof), sent.note) == (
        (read := WitnessRequest.from_body(str(sent))).old_size,
        list(read.proof),
        read.note,
    )


def test_keys_of_a_log_are_replaced_under_a_witness(state: State) -> None:
    """Old notes verify with the old key, new ones with the new; a witness that knows both goes on between them."""
    new = Signer.generate(LOG.name)
    before, after = note_of(4), note_of(6, signer=new)
    assert 4 == open_note(before, [LOG.verifier]).size
    assert 6 == open_note(after, [LOG.verifier, new.verifier]).size
    with pytest.raises(CheckpointError, match="by none of the known keys"):
        open_note(after, [LOG.verifier])
    witness_in(state).add(request(0, 4))
    with pytest.raises(NotSigned):
        witness_in(state).add(request(4, 6, signer=new))
    both = witness_in(state, LOG.verifier, new.verifier)
    assert both.add(request(4, 6, signer=new))
    assert both.add(request(6, 8))
    with pytest.raises(NotSigned):
        witness_in(state, new.verifier).add(request(8, 9))


def test_a_quorum_counts_witnesses_not_keys() -> None:
    """A witness with two keys is one; two names with one key are refused; enough cosignatures lack nothing."""
    old, new, other = Signer.generate("w1"), Signer.generate("w1"), Signer.generate("w2")
    quorum = Quorum([WitnessKey.of(each) for each in (old, new, other)], 2)
    note, body = note_of(3), note_of(3).rpartition("\n\n")[0] + "\n"
    twice = note + cosignature(body, old, NOW) + cosignature(body, new, NOW)
    assert "cosigned by w1, 2 must have" == quorum.lacking(twice)
    assert "cosigned by no witness, 2 must have" == quorum.lacking(note)
    assert "" == quorum.lacking(twice + cosignature(body, other, NOW))
    with pytest.raises(CheckpointError, match="they are one witness"):
        Quorum([WitnessKey.of(old), WitnessKey.of(Signer("w3", old.key))], 1)
    with pytest.raises(CheckpointError, match="require from 1 to 2"):
        Quorum(quorum.witnesses, 3)


def test_lines_of_other_keys_are_not_kept() -> None:
    """Of an answer only the lines of the witness that was asked are taken; one without any is refused."""
    note, body = note_of(3), note_of(3).rpartition("\n\n")[0] + "\n"
    ours, others = cosignature(body, KEY, NOW), cosignature(body, Signer.generate("other"), NOW)
    assert [ours] == lines_of(others + ours, note, [WitnessKey.of(KEY)])
    with pytest.raises(CheckpointError, match="holds no cosignature"):
        lines_of(others, note, [WitnessKey.of(KEY)])
