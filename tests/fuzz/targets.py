"""What takes bytes from outside: inputs that it reads, how it is called, and the one way in which it refuses others."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from services.cli.intake_lines import read_lines
from services.cli.services import load_all
from services.round_settlement.domain.settling import Known, settle_event
from services.round_settlement.handlers import compiled
from shared.contracts.catalog import decode_fact
from shared.contracts.device_signatures import BadSignature, DeviceSignature, encoded_key
from shared.contracts.device_signatures import sign as sign_as_device
from shared.contracts.envelope import position
from shared.contracts.exact import ExactCents, exact_text, parse_exact
from shared.contracts.facts import KINDS
from shared.contracts.properties import PropertyDocument
from shared.contracts.rejection import Rejected
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import READER
from shared.journal.checkpoint import Checkpoint, open_note, read_unverified, sign
from shared.journal.mark import Mark, Place, open_mark, sign_mark
from shared.journal.merkle import EvidenceError, Frontier
from shared.journal.proof import prove, verify_document
from shared.journal.signed_batch import BatchVerifier, message_bytes, sign_batch, signer_name
from shared.journal.signed_note import Signer, Verifier
from shared.rules import compile_rules, parse_cases, parse_round, parse_submission
from shared.rules.errors import Refused
from shared.runtime.web import Listing
from tests.support.properties import document, place
from tests.support.records import read
from tests.support.rounds import DAY
from tests.unit.contracts.examples import EXAMPLES


@dataclass(frozen=True, slots=True)
class Target:
    """Something that takes bytes; `inputs` are some that it reads, and `refuses` is all that it may raise."""

    name: str
    inputs: Sequence[bytes]
    takes: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...] = ()

    def __call__(self, data: bytes) -> bool:
        """Return whether it read an input or refused it as it declares; whatever else it raises is a finding."""
        try:
            self.takes(data)
        except self.refuses:
            return False
        return True


def _examples() -> list[bytes]:
    return [json.dumps(one).encode() for one in EXAMPLES.values()]


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
    said = from_json(data)
    match said:
        case {"type": str(kind), "data": dict(fields)} if kind in KINDS and KINDS[kind].is_fact:
            decoded = decode_fact(kind, json.dumps(fields).encode())
            assert decoded == decode_fact(kind, decoded.encode())


_GOLDEN: Final = Path(__file__).parents[1] / "golden"


def _cases() -> list[bytes]:
    cases = (case for path in sorted(_GOLDEN.glob("*/*.yaml")) for case in parse_cases(read(path)))
    said = (
        {"regulation": case.regulation, "submission": case.submission, "round": case.round}
        for case in cases
        if case.expect is not None
    )
    return [json.dumps(one).encode() for one in said]


def _round(data: bytes) -> None:
    """Settle a round under a submission: whatever was played, no cent comes from nowhere."""
    match from_json(data):
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
        outcome = settle_event(event, Known(), lambda *_: place_of_round, lambda *_: approved)
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
    reached = Place(seq=4, postings=8, head=b"\x03" * 32, nodes=(b"\x04" * 32,))
    mark = Mark(verified=reached, scrubbed=reached, scrubbed_at=DAY)
    return sign_mark("pitledger/vigorish/people", mark, _SIGNER)


def _proofs() -> list[bytes]:
    leaves = [sha256(record).digest() for record in _RECORDS]
    note = _note()
    return [prove(record, index, leaves, note).encode() for index, record in enumerate(_RECORDS)]


def _text(takes: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return what takes the text of bytes: what is no UTF-8 never gets as far."""
    return lambda data: takes(data.decode("utf-8", "replace"))


_EXACT: Final = TypeAdapter[str](ExactCents)


def _exact(text: str) -> None:
    """Read an exact amount, and write it: the amount stays."""
    nanos = parse_exact(_EXACT.validate_python(text))
    assert nanos == parse_exact(exact_text(nanos))


def _submission(data: bytes) -> None:
    match from_json(data):
        case {"regulation": str(regulation), "submission": submission}:
            compile_rules(regulation, parse_submission(submission))
        case _:
            raise Refused("no submission")


def targets() -> list[Target]:
    """Return everything that takes bytes from outside, by name."""
    notes = [_note().encode()]
    batch = BatchVerifier([_SIGNER.verifier])
    header = sign_as_device(_DEVICE, "BJ-01-terminal", "table.events", b"{}")
    listing = Listing[tuple[str, int]]("slips", tuple[str, int])
    json_lines = b"\n".join(_of_topic(READER.topic))
    csv = b"type,time,sequence,table\r\nround.voided,2026-11-20T10:00:00Z,7,BJ-01\r\n"
    found = [
        *_readers(),
        Target("place-of-a-record", _examples(), position),
        Target("fact", _examples(), _fact, (ValidationError, ValueError)),
        Target("round", _cases(), _round, (Refused, ValueError)),
        Target("table-event", _of_topic(READER.topic), _table_event(), (Refused,)),
        Target("submission", _cases(), _submission, (Refused, ValueError)),
        Target(
            "property",
            [json.dumps(document()).encode()],
            PropertyDocument.model_validate_json,
            (ValidationError,),
        ),
        Target("checkpoint", notes, _text(read_unverified), (EvidenceError,)),
        Target("signed-note", notes, _text(lambda note: open_note(note, [_SIGNER.verifier])), (EvidenceError,)),
        Target("mark", [_mark().encode()], _text(lambda note: open_mark(note, [_SIGNER.verifier])), (EvidenceError,)),
        Target("verifier-key", [str(_SIGNER.verifier).encode()], _text(Verifier.from_string), (EvidenceError,)),
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
        Target("intake-json-lines", [json_lines], lambda data: read_lines("a.jsonl", data, "5" * 64)),
        Target("intake-csv", [csv], lambda data: read_lines("a.csv", data, "5" * 64)),
        Target("cursor", [listing.cursor(("fill", 17)).encode()], _text(listing.after), (Rejected,)),
        Target("exact-cents", [b"500000.5", b"-0.000000001"], _text(_exact), (ValueError,)),
    ]
    return sorted(found, key=lambda target: target.name)
