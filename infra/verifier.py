"""Verify Pitledger's proofs without Pitledger: this file needs only Python 3.11 and the package `cryptography`.

    python verifier.py FILE --key verifiers.txt [--witness witnesses.txt --witnesses 2] [--json]

FILE is the output of `pitledger prove` (an entry) or `pitledger export` (a gaming day, or a whole journal); `-` is
standard input. The keys must have come by a channel that nobody can tamper with. All hashes are computed from the
fields; no hash in FILE is trusted. The exit code is 0 if everything verifies, 1 if anything fails, and 2 if the
arguments are invalid. Standards: RFC 9162 (2.1), c2sp.org/signed-note, /tlog-checkpoint and /tlog-cosignature.
"""

import argparse
import base64
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LOG, WITNESS = 1, 4
"""Algorithm numbers of keys: a log's signature on a note, and a witness's cosignature with its time."""


class Wrong(Exception):
    """Verification failed: nothing is proven."""


class Misused(Exception):
    """The verifier was called with arguments that cannot prove anything."""


@dataclass(frozen=True)
class Key:
    """A trusted public key, with its name and the key id that signatures carry."""

    name: str
    key_id: bytes
    key: Ed25519PublicKey


@dataclass(frozen=True)
class Trust:
    """The trusted keys, and the number of witnesses that must have cosigned."""

    logs: Sequence[Key]
    witnesses: Sequence[Key]
    required: int


@dataclass(frozen=True)
class Checkpoint:
    """The signed number of entries of a log, and the root of the tree over them."""

    origin: str
    size: int
    root: bytes
    witnesses: tuple[str, ...]


# --- keys and notes ---


def unbase64(text: str, what: str) -> bytes:
    """Decode standard base64. Raises: Wrong for other text, or a non-canonical encoding."""
    try:
        value = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Wrong(f"{what} is not base64") from error
    if base64.b64encode(value).decode() != text:
        raise Wrong(f"{what} is not base64 in its canonical form")
    return value


def read_keys(options: Sequence[str], algorithm: int) -> list[Key]:
    """Return the keys in the options, each of which is a key or a file with one key per line.

    Text after the first space of a line is ignored. Raises: Misused for a malformed key or another `algorithm`.
    """
    lines: list[str] = []
    for option in options:
        path = Path(option)
        lines += path.read_text(encoding="utf-8").splitlines() if path.is_file() else [option]
    keys = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split()[0].split("+", 2)
        if len(parts) != 3:
            raise Misused(f"{line!r} is no key: <name>+<key id>+<key>")
        name, key_id, encoded = parts
        raw = unbase64(encoded, f"the key of {name}")
        expected = sha256(name.encode() + b"\n" + raw).digest()[:4]
        if len(raw) != 33 or raw[0] != algorithm or expected.hex() != key_id:
            raise Misused(f"the key of {name} is not an Ed25519 key of algorithm {algorithm}, or not what its id says")
        keys.append(Key(name, expected, Ed25519PublicKey.from_public_bytes(raw[1:])))
    return keys


def trust_of(logs: Sequence[str], witnesses: Sequence[str] = (), required: int | None = None) -> Trust:
    """Return the trusted keys, from keys or files of keys; by default every witness must have cosigned.

    Raises: Misused if `required` is not between 1 and the number of witnesses, or if two witnesses share a key.
    """
    cosigners = read_keys(witnesses, WITNESS)
    known = len({witness.name for witness in cosigners})
    required = known if required is None else required
    owners = {witness.key.public_bytes_raw(): witness.name for witness in cosigners}
    if len(set(owners.values())) != known or not min(1, known) <= required <= known:
        raise Misused(f"{required} witnesses are required of {known}, each with a key of its own")
    return Trust(read_keys(logs, LOG), cosigners, required)


def open_checkpoint(note: str, trust: Trust) -> Checkpoint:
    """Verify the signature of a note's log and enough witnesses' cosignatures; return the checkpoint."""
    if re.search(r"[\x00-\x09\x0b-\x1f]", note):
        raise Wrong("the note holds control characters")
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise Wrong("the checkpoint is no signed note")
    body = text + "\n"
    lines = body.split("\n")
    if len(lines) < 4 or not lines[0] or not re.fullmatch(r"0|[1-9][0-9]{0,18}", lines[1]):
        raise Wrong("the note is no checkpoint")
    origin, size, root = lines[0], int(lines[1]), unbase64(lines[2], "the root")
    if len(root) != 32:
        raise Wrong("the root is no SHA-256")
    signed, seen = False, set[str]()
    for line in signatures[:-1].split("\n"):
        name, _, encoded = line.removeprefix("— ").partition(" ")
        if not line.startswith("— ") or not encoded:
            raise Wrong(f"{line!r} is no signature")
        signature = unbase64(encoded, f"the signature of {name}")
        key_id, rest = signature[:4], signature[4:]
        for key in trust.logs:
            if (key.name, key.key_id) == (name, key_id):
                _verify(key, rest, body.encode())
                signed |= origin == name or origin.startswith(name + "/")
        for key in trust.witnesses:
            if (key.name, key.key_id) == (name, key_id):
                at = int.from_bytes(rest[:8], "big")
                _verify(key, rest[8:], f"cosignature/v1\ntime {at}\n{body}".encode())
                if at:
                    seen.add(name)
    if not signed:
        raise Wrong(f"the checkpoint of {origin} at {size} is signed by no known key that speaks for it")
    if len(seen) < trust.required:
        raise Wrong(
            f"the checkpoint of {origin} at {size} is cosigned by {', '.join(sorted(seen)) or 'no witness'}; "
            f"{trust.required} must have"
        )
    return Checkpoint(origin, size, root, tuple(sorted(seen)))


def _verify(key: Key, signature: bytes, message: bytes) -> None:
    try:
        key.key.verify(signature, message)
    except InvalidSignature as error:
        raise Wrong(f"the signature of {key.name} does not match: the note was altered") from error


# --- trees ---


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node of a Merkle tree over its two children."""
    return sha256(b"\x01" + left + right).digest()


def root_of_path(entry_hash: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the Merkle root that an inclusion path leads to (RFC 9162, section 2.1.3.2); `index` counts from 0."""
    if not 0 <= index < size or any(len(node) != 32 for node in path):
        raise Wrong(f"the path of entry {index + 1} of {size} is malformed")
    node, position, last = sha256(b"\x00" + entry_hash).digest(), index, size - 1
    for sibling in path:
        if last == 0:
            raise Wrong(f"the path of entry {index + 1} is too long")
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise Wrong(f"the path of entry {index + 1} is too short")
    return node


class Growing:
    """Computes the Merkle root of entries that are added one by one."""

    def __init__(self) -> None:
        self.size = 0
        self._nodes: list[bytes] = []

    def add(self, entry_hash: bytes) -> None:
        """Append an entry, given by its hash."""
        node, filled = sha256(b"\x00" + entry_hash).digest(), self.size
        while filled & 1:
            node, filled = node_hash(self._nodes.pop(), node), filled >> 1
        self._nodes.append(node)
        self.size += 1

    def root(self) -> bytes:
        """Return the current root."""
        if not self._nodes:
            return sha256(b"").digest()
        *left, root = self._nodes
        for node in reversed(left):
            root = node_hash(node, root)
        return root


# --- entries ---


def field(value: bytes) -> bytes:
    """Return a field in its hashed form: its length in eight bytes, then its bytes."""
    return len(value).to_bytes(8, "big") + value


def record_of(entry: dict[str, Any], shard: str, previous: bytes) -> bytes:
    """Return the bytes that the hash of an exported entry covers. Raises: Wrong if the entry is malformed."""

    def number(name: str, value: Any) -> bytes:
        if type(value) is not int:
            raise Wrong(f"{name} of entry {entry.get('seq')} is no whole number")
        return b"%d" % value

    try:
        parts = [b"pitledger-entry-v1", previous, shard.encode(), number("seq", entry["seq"])]
        parts += [entry["kind"].encode(), entry["source"].encode(), number("sequence", entry["sequence"])]
        parts.append(entry["event_id"].encode())
        parts.append(b"" if entry["offset"] is None else number("offset", entry["offset"]))
        parts.append(bytes.fromhex(entry["record_hash"] or ""))
        parts.append((entry["gaming_day"] or "").encode())
        parts += [number(name, entry[name]) for name in ("occurred_at_us", "recorded_at_us")]
        parts += [entry["data"].encode(), number("postings", len(entry["postings"]))]
        for *account, cents in entry["postings"]:
            if len(account) != 4:
                raise Wrong(f"a posting of entry {entry['seq']} has not the four fields of an account")
            parts += [part.encode() for part in account] + [number("cents", cents)]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Wrong(f"entry {entry.get('seq')} is malformed: {error!r}") from error
    if sum(posting[4] for posting in entry["postings"]) != 0:
        raise Wrong(f"the postings of entry {entry['seq']} do not sum to zero")
    return b"".join(field(part) for part in parts)


def fields_of(record: bytes) -> list[bytes]:
    """Return the fields of a record, without their lengths."""
    fields, at = [], 0
    while at < len(record):
        start = at + 8
        at = start + int.from_bytes(record[at:start], "big")
        if at > len(record):
            raise Wrong("the record is cut off")
        fields.append(record[start:at])
    return fields


# --- documents ---


def verify_entry(document: dict[str, Any], trust: Trust) -> dict[str, Any]:
    """Verify the proof document of an entry; return its proven content. Raises: Wrong."""
    try:
        note, index, path = document["checkpoint"], document["index"], document["path"]
        record = unbase64(document["record"], "the record")
        nodes = [unbase64(node, "the path") for node in path]
    except (KeyError, TypeError) as error:
        raise Wrong(f"the proof document is malformed: {error!r}") from error
    checkpoint = open_checkpoint(note, trust)
    digest = sha256(record).digest()
    if type(index) is not int or root_of_path(digest, index, checkpoint.size, nodes) != checkpoint.root:
        raise Wrong(f"the entry is not in {checkpoint.origin} as it was signed")
    fields = fields_of(record)
    if len(fields) < 15 or fields[0] != b"pitledger-entry-v1" or fields[3] != b"%d" % (index + 1):
        raise Wrong("the record is no entry, or another one than its place says")
    if sum(int(cents) for cents in fields[19::5]) != 0:
        raise Wrong("the postings of the entry do not sum to zero")
    text = [value.decode("utf-8", "replace") for value in fields]
    return {
        "proven": "entry",
        "log": checkpoint.origin,
        "entries": 1,
        "seq": index + 1,
        "of": checkpoint.size,
        "kind": text[4],
        "source": text[5],
        "gaming_day": text[10] or None,
        "data": json.loads(text[13]),
        "postings": [[*text[at : at + 4], int(text[at + 4])] for at in range(15, len(text), 5)],
        "witnesses": list(checkpoint.witnesses),
    }


def verify_lines(first: dict[str, Any], lines: Iterator[dict[str, Any]], trust: Trust) -> Iterator[dict[str, Any]]:
    """Verify an export of a gaming day or of a whole journal; yield the proven content of each log. Raises: Wrong."""
    whole = first["format"] == "pitledger-journal-v1"
    for _ in range(_count(first, "logs")):
        head = next(lines, {})
        checkpoint = open_checkpoint(str(head.get("checkpoint")), trust)
        service, shard = str(first.get("service")), str(head.get("shard"))
        if checkpoint.origin != f"pitledger/{service}/{shard}":
            raise Wrong(f"the checkpoint of {checkpoint.origin} stands with the shard {shard} of {service}")
        entries = _count(head, "entries")
        if whole and entries != checkpoint.size:
            raise Wrong(f"{checkpoint.origin}: {entries} entries are exported, {checkpoint.size} were signed")
        check = _verify_whole if whole else _verify_some
        postings = check(lines, entries, shard, checkpoint, first.get("gaming_day"))
        yield {
            "proven": "log" if whole else "entries of a day",
            "log": checkpoint.origin,
            "entries": entries,
            "postings": postings,
            "of": checkpoint.size,
            "witnesses": list(checkpoint.witnesses),
        }
    if next(lines, None) is not None:
        raise Wrong("more follows than the first line says")


def _verify_whole(
    lines: Iterator[dict[str, Any]], entries: int, shard: str, checkpoint: Checkpoint, day: str | None
) -> int:
    """Hash all entries of a log, compare the Merkle root with the signed one; return the number of postings."""
    del day
    tree, postings = Growing(), 0
    head = sha256(field(b"pitledger-shard-v1") + field(shard.encode())).digest()
    for seq in range(1, entries + 1):
        entry = next(lines, {})
        if entry.get("seq") != seq:
            raise Wrong(f"{checkpoint.origin}: entry {seq} is missing")
        head = sha256(record_of(entry, shard, head)).digest()
        tree.add(head)
        postings += len(entry["postings"])
    if tree.root() != checkpoint.root:
        raise Wrong(f"{checkpoint.origin}: these are not the {entries} entries that were signed")
    return postings


def _verify_some(
    lines: Iterator[dict[str, Any]], entries: int, shard: str, checkpoint: Checkpoint, day: str | None
) -> int:
    """Verify the inclusion path of each entry of a gaming day, and return the number of postings."""
    postings, before = 0, 0
    for _ in range(entries):
        entry = next(lines, {})
        try:
            previous = bytes.fromhex(entry["previous"])
            path = [unbase64(node, "the path") for node in entry["path"]]
        except (KeyError, TypeError, ValueError) as error:
            raise Wrong(f"{checkpoint.origin}: an entry has no proof: {error!r}") from error
        digest = sha256(record_of(entry, shard, previous)).digest()
        seq = entry["seq"]
        if seq <= before or entry["gaming_day"] != day:
            raise Wrong(f"{checkpoint.origin}: entry {seq} is out of order or of another day")
        if root_of_path(digest, seq - 1, checkpoint.size, path) != checkpoint.root:
            raise Wrong(f"{checkpoint.origin}: entry {seq} is not what was signed")
        postings, before = postings + len(entry["postings"]), seq
    return postings


def _count(document: dict[str, Any], name: str) -> int:
    value = document.get(name)
    if type(value) is not int or value < 0:
        raise Wrong(f"the export does not say how many {name} it has: it is cut off or no export")
    return value


def verify(content: Iterator[str], trust: Trust) -> Iterator[dict[str, Any]]:
    """Verify a document, given as its lines; yield the proven content, one document per log. Raises: Wrong."""
    opening = next(content, "")
    try:
        first = json.loads(opening, object_pairs_hook=_members_once)
    except ValueError:
        first = _parsed(opening + "".join(content))  # a proof document is written over several lines
    form = first.get("format") if isinstance(first, dict) else None
    if form == "pitledger-inclusion-proof-v1":
        yield verify_entry(first, trust)
    elif form in ("pitledger-journal-v1", "pitledger-day-v1"):
        yield from verify_lines(first, lines_of(content), trust)
    else:
        raise Wrong(f"the format {form!r} is not known")


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject an object with a duplicate member, because a proof would hold for only one of the values."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Wrong("a member is there twice in one object")
    return members


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_members_once)
    except ValueError as error:
        raise Wrong(f"not JSON: {error}") from error


def lines_of(content: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the lines of an export, each parsed as a JSON object."""
    return map(_object, content)


def _object(line: str) -> dict[str, Any]:
    value = _parsed(line)
    if not isinstance(value, dict):
        raise Wrong("a line is no JSON object")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the file named by the arguments, print what it proves, and return the exit code."""
    parser = argparse.ArgumentParser(description="Verify what Pitledger proves, without Pitledger.")
    parser.add_argument("file", help="file written by `pitledger prove` or `pitledger export`; - for stdin")
    parser.add_argument(
        "--key",
        action="append",
        required=True,
        help="verifier key of a service, or a file with one per line; may be repeated",
    )
    parser.add_argument(
        "--witness",
        action="append",
        default=[],
        help="verifier key of a witness, or a file with one per line; may be repeated",
    )
    parser.add_argument(
        "--witnesses", type=int, help="number of witnesses that must have cosigned each checkpoint (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print what is proven as JSON, one document per line")
    given = parser.parse_args(arguments)
    try:
        trust = trust_of(given.key, given.witness, given.witnesses)
        with sys.stdin if given.file == "-" else Path(given.file).open(encoding="utf-8", newline="\n") as content:
            proven = list(verify(iter(content), trust))
    except (Misused, OSError) as error:
        sys.stderr.write(f"verifier: {error}\n")
        return 2
    except (Wrong, UnicodeError, RecursionError) as error:
        sys.stderr.write(f"{given.file}: nothing is proven: {error}\n")
        return 1
    for each in proven:
        cosigned = f", cosigned by {', '.join(each['witnesses'])}" if each["witnesses"] else ""
        line = f"{each['log']}: {each['entries']} of {each['of']} entries hold{cosigned}"
        sys.stdout.write((json.dumps(each) if given.json else line) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
