"""What takes records, evidence and what rules decide: every reader of every topic, notes, proofs, marks, rounds."""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from services.cli.services import load_all
from services.paytable_registry.domain.exports import versions_of
from services.round_settlement.domain.results import Results, count_result, void_result
from services.round_settlement.domain.settling import RoundHistory, settle_event
from services.round_settlement.handlers import compiled
from shared.contracts.catalog import decode_fact
from shared.contracts.device_signatures import BadSignature, DeviceSignature, encoded_key
from shared.contracts.device_signatures import sign as sign_as_device
from shared.contracts.envelope import position
from shared.contracts.exact import ExactCents, exact_text, parse_exact
from shared.contracts.facts import KINDS
from shared.contracts.properties import PropertyDocument
from shared.contracts.submissions import SubmissionApproved, SubmissionFiled, submission_hash
from shared.contracts.tables import READER, RecordedResult, VoidedResult
from shared.journal.checkpoint import Checkpoint, open_note, read_unverified, sign
from shared.journal.merkle import EvidenceError, Frontier, inclusion_proof
from shared.journal.proof import prove, verify_document
from shared.journal.signed_batch import BatchVerifier, message_bytes, sign_batch, signer_name
from shared.journal.signed_note import Signer, Verifier
from shared.journal.verification_bookmark import VerificationBookmark, VerifiedPosition, open_mark, sign_mark
from shared.rules import compile_rules, parse_cases, parse_round, parse_submission
from shared.rules.errors import Refused
from tests.fuzz.target import Target, json_of, text_of
from tests.support.properties import document, place
from tests.support.records import read
from tests.support.rounds import DAY
from tests.unit.contracts.examples import EXAMPLES


def _examples() -> list[bytes]:
    return [json.dumps(one).encode() for one in EXAMPLES.values()]


def _facts() -> list[bytes]:
    return [one for kind, one in zip(EXAMPLES, _examples(), strict=True) if KINDS[kind].is_fact]


def _readers() -> Iterator[Target]:
    """Yield every reader of a topic, as each service has it."""
    for manifest in load_all():
        for handler in manifest.readers:
            name = f"{manifest.name}-{handler.__name__}"
            yield Target(name, _of_topic(handler.reader.topic), handler.reader.decode, (Refused,))


def _of_topic(topic: Any) -> list[bytes]:
    source = {} if topic.publisher is None else {"source": f"/{topic.publisher}/shards/1"}
    return [json.dumps({**EXAMPLES[kind.name], **source}).encode() for kind in KINDS.on(topic)]


def _fact(data: bytes) -> None:
    """Read the data of an entry, as a journal has it, and write it again: nothing may be lost."""
    match json_of(data):
        case {"type": str(kind), "data": dict(fields)} if kind in KINDS and KINDS[kind].is_fact:
            decoded = decode_fact(kind, to_json(fields))
            assert decoded == decode_fact(kind, decoded.encode())
        case _:
            raise Refused("no fact")


_GOLDEN: Final = Path(__file__).parents[1] / "golden"


def _cases() -> list[bytes]:
    cases = (case for path in sorted(_GOLDEN.glob("??-*/*.yaml")) for case in parse_cases(read(path)))
    said = (
        {"regulation": case.regulation, "submission": case.submission, "round": case.round}
        for case in cases
        if case.expect is not None
    )
    return [json.dumps(one).encode() for one in said]


def _round(data: bytes) -> None:
    """Settle a round under a submission: whatever was played, no cent comes from nowhere."""
    match json_of(data):
        case {"regulation": str(regulation), "submission": submission, "round": Mapping() as record}:
            rules = compile_rules(regulation, parse_submission(submission))
            settled = rules.settle(parse_round(regulation, record))
            assert 0 == settled.players_net + settled.house_net + settled.bank_net + settled.meters_net
        case _:
            raise Refused("no case")


def _table_event() -> Callable[[bytes], None]:
    place_of_round = place()
    approved = compiled(SubmissionApproved.model_validate(EXAMPLES["submission.approved"]["data"]))

    def takes(data: bytes) -> None:
        """Settle what a table reports: what is posted sums to zero."""
        event: Any = READER.decode(data)
        if isinstance(event.data, RecordedResult):
            assert () == count_result(event, Results(), lambda *_: place_of_round).postings
            return
        if isinstance(event.data, VoidedResult):
            assert () == void_result(event, Results(), lambda *_: place_of_round).postings
            return
        outcome = settle_event(event, RoundHistory(), lambda *_: place_of_round, lambda *_: approved)
        for recording in outcome.recordings:
            assert 0 == sum(posting.cents for posting in recording.postings)

    return takes


_SIGNER: Final = Signer(signer_name("vigorish"), Ed25519PrivateKey.from_private_bytes(b"\x01" * 32))
_DEVICE: Final = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
_MESSAGE: Final = message_bytes("vigorish", b"/properties/riverside", b"{}")


def _note() -> str:
    tree = Frontier().extend(sha256(record).digest() for record in _RECORDS)
    return sign(Checkpoint("pitledger/vigorish/people", tree.size, tree.root()), _SIGNER)


_RECORDS: Final = [len(one).to_bytes(8, "big") + one for one in (b"a", b"posted", b"", b"{}")]


def _mark() -> str:
    reached = VerifiedPosition(seq=4, postings=8, head=b"\x03" * 32, nodes=(b"\x04" * 32,))
    mark = VerificationBookmark(verified=reached, scrubbed=reached, scrubbed_at=DAY)
    return sign_mark("pitledger/vigorish/people", mark, _SIGNER)


def _proofs() -> list[bytes]:
    leaves = [sha256(record).digest() for record in _RECORDS]
    note = _note()
    return [
        prove(record, index, inclusion_proof(leaves, index, len(leaves)), note).encode()
        for index, record in enumerate(_RECORDS)
    ]


def export_facts() -> list[tuple[str, dict[str, Any]]]:
    """Return the facts of an export: what was filed, and its approval."""
    filed = EXAMPLES["submission.filed"]["data"]
    content = SubmissionFiled.model_validate(filed)
    own = {"hash": submission_hash(content, content.version)}
    decided = {**EXAMPLES["submission.approved"]["data"], **filed, **own}
    names = SubmissionApproved.model_fields.keys()
    approved = {name: value for name, value in decided.items() if name in names}
    return [("submission.filed", {**filed, **own}), ("submission.approved", approved)]


def _versions(data: bytes) -> None:
    """Read the proven facts of an export, as who asks for one has it from the registry."""
    filed = EXAMPLES["submission.filed"]["data"]
    match json_of(data):
        case [*facts] if all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in facts):
            versions_of(filed["property"], filed["game"], [(kind, to_json(fact)) for kind, fact in facts])
        case _:
            raise Refused("no facts")


_EXACT: Final = TypeAdapter[str](ExactCents)


def _exact(text: str) -> None:
    """Read an exact amount, and write it: the amount stays."""
    nanos = parse_exact(_EXACT.validate_python(text))
    assert nanos == parse_exact(exact_text(nanos))


def _submission(data: bytes) -> None:
    match json_of(data):
        case {"regulation": str(regulation), "submission": submission}:
            compile_rules(regulation, parse_submission(submission))
        case _:
            raise Refused("no submission")


def targets() -> list[Target]:
    """Return what takes records, evidence and rounds."""
    notes = [_note().encode()]
    batch = BatchVerifier([_SIGNER.verifier])
    header = sign_as_device(_DEVICE, "BJ-01-terminal", "table.events", b"{}")
    return [
        *_readers(),
        Target("place-of-a-record", _examples(), position),
        Target("fact", _facts(), _fact, (Refused, ValidationError)),
        Target("round", _cases(), _round, (Refused,)),
        Target("table-event", _of_topic(READER.topic), _table_event(), (Refused,)),
        Target("submission", _cases(), _submission, (Refused,)),
        Target(
            "property",
            [json.dumps(document()).encode()],
            PropertyDocument.model_validate_json,
            (ValidationError,),
        ),
        Target("checkpoint", notes, text_of(read_unverified), (EvidenceError,)),
        Target("signed-note", notes, text_of(lambda note: open_note(note, [_SIGNER.verifier])), (EvidenceError,)),
        Target("mark", [_mark().encode()], text_of(lambda note: open_mark(note, [_SIGNER.verifier])), (EvidenceError,)),
        Target("verifier-key", [str(_SIGNER.verifier).encode()], text_of(Verifier.from_string), (EvidenceError,)),
        Target("proof", _proofs(), lambda data: verify_document(data, [_SIGNER.verifier]), (EvidenceError,)),
        Target(
            "signed-batch",
            sign_batch(_SIGNER, [_MESSAGE, b"another"]),
            lambda data: batch.require(_SIGNER.name, _MESSAGE, data),
            (EvidenceError,),
        ),
        Target(
            "device-signature",
            [header],
            lambda data: DeviceSignature.read(data).require(encoded_key(_DEVICE.public_key()), b"{}"),
            (BadSignature,),
        ),
        Target("export-facts", [json.dumps(export_facts()).encode()], _versions, (EvidenceError, Refused)),
        Target("exact-cents", [b"500000.5", b"-0.000000001"], text_of(_exact), (ValueError,)),
    ]
