"""`pitledger verify-proof`: verify an exported proof without database or services."""

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from services.cli.documents import read_bytes
from services.cli.exits import CheckFailed, UsageWrong
from services.cli.operations.keys import Keys, read_verifiers
from services.cli.output import AsJson, heading, names, numbers, print_json, show, table, words
from shared.contracts.money import dollars
from shared.journal.merkle import EvidenceError
from shared.journal.proof import ProvenEntry, verify_document

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS = (
    "format", "previous", "shard", "seq", "kind", "source", "sequence", "event_id", "offset", "record_hash",
    "gaming_day", "occurred_at", "recorded_at", "data",
)  # fmt: skip
"""The fields of an entry's record before its postings, in their order."""
_ENTRY_FORMAT = b"pitledger-entry-v1"
_ACCOUNT = ("property", "table", "wager", "leg")
"""The fields of a posting before its amount."""


def verify_proof(
    file: Annotated[str, typer.Argument(help="File of the proof, JSON; - for stdin.")],
    keys: Keys = None,
    as_json: AsJson = False,
) -> None:
    """Verify an exported proof with only the public key.

    Prints the proven entry. Exit code 1 if the proof is invalid.

    Example: pitledger verify-proof entry-41.json --key verifiers.txt
    """
    if not keys:
        raise UsageWrong("--key is missing: give the verifier key of the service, or a file with it")
    try:
        proven = verify_document(read_bytes(file), read_verifiers(keys))
    except EvidenceError as error:
        raise CheckFailed(f"{file}: nothing is proven: {error}") from error
    entry = entry_of(proven)
    if as_json:
        print_json(entry)
        return
    plain = [[name, str(value)] for name, value in entry.items() if name not in ("data", "postings")]
    show(heading("Proven"), table(names("Field") + words("Value"), plain))
    if entry["postings"]:
        rows = [[*(posting[part] for part in _ACCOUNT), dollars(posting["cents"])] for posting in entry["postings"]]
        show(table(names("Property", "Table", "Wager", "Leg") + numbers("Amount"), rows))
    show(json.dumps(entry["data"], indent=2, ensure_ascii=False))


def entry_of(proven: ProvenEntry) -> dict[str, Any]:
    """Return the content of a proof by field name: log name and size of the checkpoint, and the fields of the entry."""
    head, rest = proven.fields[: len(_FIELDS)], proven.fields[len(_FIELDS) :]
    if not head or head[0] != _ENTRY_FORMAT:
        raise CheckFailed("the proof holds, but its record is not an entry of a journal that this version knows")
    named = {name: value.decode(errors="replace") for name, value in zip(_FIELDS, head, strict=True)}
    length = len(_ACCOUNT) + 1
    postings = [rest[at : at + length] for at in range(1, len(rest), length)]
    return {
        "log": proven.checkpoint.origin,
        "log_size": proven.checkpoint.size,
        "seq": int(named["seq"]),
        "kind": named["kind"],
        "source": named["source"],
        "sequence": int(named["sequence"]),
        "event_id": named["event_id"],
        "offset": int(named["offset"]) if named["offset"] else None,
        "record_hash": head[_FIELDS.index("record_hash")].hex() or None,
        "gaming_day": named["gaming_day"] or None,
        "occurred_at": _moment(named["occurred_at"]),
        "recorded_at": _moment(named["recorded_at"]),
        "previous": head[1].hex(),
        "data": json.loads(named["data"]),
        "postings": [
            {**dict(zip(_ACCOUNT, map(bytes.decode, account), strict=True)), "cents": int(cents)}
            for *account, cents in postings
        ],
    }


def _moment(microseconds: str) -> str:
    return (_EPOCH + timedelta(microseconds=int(microseconds))).isoformat()
