"""What takes files, forms, logins and questions: what an operator gives, a browser sends, a provider of logins says."""

import atexit
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode
from zoneinfo import ZoneInfo

import httpx
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import ValidationError

from services.cli.documents import document_in, documents_in
from services.cli.exits import CheckFailed, InputRefused
from services.cli.operations.intake_lines import read_lines
from services.cli.registry.submission_files import proven_in
from services.console.forms import filled
from services.console.operations import Operation
from services.console.protection import local_path
from services.console.provider import LoginRefused, Provider, granted_of
from services.reporting.delivery import Manifest, open_manifest
from shared.contracts.device_signatures import encoded_key
from shared.contracts.facts import KINDS
from shared.contracts.properties import PropertyDocument
from shared.contracts.rejection import Rejected
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, sign
from shared.journal.entry import EntryDraft, entry_record, genesis
from shared.journal.merkle import Frontier, inclusion_proof
from shared.journal.proof import prove
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, signed_note
from shared.jurisdictions.packs import PackWrong, load_pack
from shared.rules import parse_cases, parse_round, parse_submission
from shared.rules.errors import Refused
from shared.runtime.http import Listing
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.http.conditional_requests import accepted, entity_tag, is_current
from shared.runtime.http.revocation_list import Revoked
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.fuzz.target import Target, json_of, text_of
from tests.fuzz.targets import export_facts
from tests.support.openapi import all_operations
from tests.support.properties import document
from tests.unit.contracts.examples import EXAMPLES

_SIGNER: Final = Signer(signer_name("reporting"), Ed25519PrivateKey.from_private_bytes(b"\x01" * 32))
_REGISTRY: Final = Signer(signer_name("paytable-registry"), Ed25519PrivateKey.from_private_bytes(b"\x03" * 32))
_OF_PROVIDER: Final = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
_KEY: Final = {"kty": "OKP", "crv": "Ed25519", "kid": "okp", "x": encoded_key(_OF_PROVIDER.public_key())}
_ISSUER: Final = "https://id.example/realms/house"
_CLIENT: Final = "pitledger-console"
_NOW: Final = datetime(2026, 11, 22, 18, tzinfo=UTC)
_CLAIMS: Final = {
    "iss": _ISSUER,
    "aud": ["pitledger", _CLIENT],
    "sub": "ann",
    "nonce": "nonce",
    "iat": int(_NOW.timestamp()),
    "exp": int(_NOW.timestamp()) + 600,
    "roles": ["days.audit", "reports.read"],
    "properties": ["riverside"],
}
_GOLDEN: Final = Path(__file__).parents[1] / "golden"
_PACKS: Final = Path(__file__).parents[2] / "shared" / "jurisdictions"


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run what waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    finally:
        work.close()
    raise AssertionError("it waits for something")


def _token(claims: object) -> str:
    """Return a token that the provider signed, whatever it says."""
    said = [json.dumps(part).encode() for part in ({"alg": "Ed25519", "kid": "okp"}, claims)]
    parts = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in said)
    return (parts + b"." + urlsafe_b64encode(_OF_PROVIDER.sign(parts)).rstrip(b"=")).decode()


def _tokens(about: object = None, keys: object = None) -> Tokens:
    """Return what reads the tokens of a provider that says this of itself and of its keys."""
    said = {"about": about or {"issuer": _ISSUER, "jwks_uri": f"{_ISSUER}/keys"}, "keys": keys or {"keys": [_KEY]}}

    async def get(url: str) -> Any:
        return said["about" if url.endswith("openid-configuration") else "keys"]

    return Tokens(Settings(), _ISSUER, clock=lambda: _NOW, metrics=Metrics(), get=get)


_Check = Callable[[str], Coroutine[Any, Any, object]]


def _of_login(provider: Provider) -> _Check:
    return lambda token: provider.check_id_token(token, "nonce")


def _checked(check: _Check, text: Callable[[bytes], str]) -> Callable[[bytes], object]:
    return lambda data: _run(check(text(data)))


def _logins() -> Iterator[Target]:
    """Yield what reads tokens, and what the provider of logins says."""
    tokens = _tokens()
    provider = Provider(Settings(console_client_id=_CLIENT), tokens, httpx.AsyncClient(), lambda: _NOW)

    def keys(data: bytes) -> None:
        """Read the keys of a provider: it never raises, and nobody is let in by what is no key."""
        match json_of(data):
            case {"about": about, "keys": found}:
                read = _tokens(about, found)
                _run(read.keys._read())
                if read.keys.age_seconds == float("inf"):
                    raise Refused("no keys")
            case _:
                raise Refused("no keys")

    said = {"about": {"issuer": _ISSUER, "jwks_uri": f"{_ISSUER}/keys"}, "keys": {"keys": [_KEY, {"kty": "RSA"}]}}
    answer = {"access_token": "a.b.c", "expires_in": 300, "refresh_token": "r", "id_token": "a.b.c"}
    yield Target("provider-keys", [json.dumps(said).encode()], keys, (Refused,))
    token, claims = _token(_CLAIMS).encode(), json.dumps(_CLAIMS).encode()
    refuses = (Rejected, LoginRefused, Refused)
    for name, check in (("bearer-token", tokens.caller_of), ("id-token", _of_login(provider))):
        yield Target(name, [token], _checked(check, lambda data: data.decode("latin-1")), refuses)
        yield Target(f"{name}-claims", [claims], _checked(check, lambda data: _token(json_of(data))), refuses)
    yield Target("token-answer", [json.dumps(answer).encode()], lambda data: granted_of(data, _NOW), (ValueError,))


def _files() -> Iterator[Target]:
    """Yield what reads the files that an operator or another system gives."""
    kept = Path(mkdtemp(prefix="pitledger-fuzz-"))
    atexit.register(rmtree, kept, ignore_errors=True)
    revoked = kept / "revoked.yaml"
    pack = kept / "us-ri" / "pack.yaml"
    pack.parent.mkdir()

    def lines(name: str) -> Callable[[bytes], object]:
        def takes(data: bytes) -> None:
            events, problems = read_lines(name, data, "5" * 64)
            if problems:
                raise Refused(problems[0].reason)
            assert events

        return takes

    def cases(data: bytes) -> None:
        for _, one in documents_in("cases.yaml", data):
            for case in parse_cases(one):
                parse_round(case.regulation, case.round)
                parse_submission(case.submission)

    def is_revoked(data: bytes) -> None:
        revoked.write_bytes(data)
        Revoked(revoked).is_revoked("ann", "5" * 64, _NOW)

    def in_pack(data: bytes) -> None:
        pack.write_bytes(data)
        load_pack(pack.parent)

    def manifest(data: bytes) -> None:
        """Read a manifest that was signed, whatever it says; its text ends with a line, as that of a note does."""
        text = data.decode("utf-8", "replace").rstrip("\n") + "\n"
        note = signed_note(text, _SIGNER).encode()
        with suppress(CheckpointError):  # of another name: each has its own hash in it
            open_manifest("manifests/another.note", note, [_SIGNER.verifier])

    csv = (
        b"type,time,property,table,gaming_day,shift,dealer,cents,instrument,sequence\r\n"
        b"chips.sold,2026-11-20T10:04:00-05:00,riverside,BJ-01,2026-11-20,day,dealer.ana,30000,currency,7\r\n"
    )
    cells = (
        b"type,time,property,table,gaming_day,shift,contents,counted_by\n"
        b'table.opened,2026-11-20T10:00:00-05:00,riverside,BJ-01,2026-11-20,day,"[{""cents"": 2500, ""count"": 2}]",a\n'
    )
    events = [json.dumps(EXAMPLES[kind.name]).encode() for kind in (*KINDS.on(TABLE_EVENTS), *KINDS.on(PIT_EVENTS))]
    golden = [path.read_bytes() for path in sorted(_GOLDEN.glob("??-*/*.yaml"))]
    small = [one for one in golden if len(one) < 8_000]
    anchors = b"a: &a {x: 1}\nb: [*a, {<<: *a, y: 2026-11-20T10:00:00Z}]\nc: !!binary aGk=\n"
    yield Target("file-of-events-csv", [csv, cells, csv + csv.splitlines(True)[1] * 3], lines("a.csv"), (Refused,))
    yield Target("file-of-events-json", [*events, b"\n".join(events)], lines("a.jsonl"), (Refused,))
    yield Target("file-of-cases", small, cases, (InputRefused, Refused))
    yield Target(
        "file-of-property",
        [json.dumps(document()).encode(), yaml.safe_dump(document()).encode(), anchors],
        lambda data: PropertyDocument.model_validate(document_in("property.yaml", data)),
        (InputRefused, ValidationError),
    )
    yield Target(
        "file-of-export",
        [_export()],
        lambda data: proven_in("export.json", data, [_REGISTRY.verifier]),
        (InputRefused, CheckFailed),
    )
    yield Target(
        "file-of-revoked",
        [b"- {person: ann, issued_before: 2026-11-22T12:00:00Z}\n", b"- token_sha256: " + b"5" * 64],
        is_revoked,
        (Rejected,),
    )
    yield Target("file-of-jurisdiction", [(_PACKS / "us-ri" / "pack.yaml").read_bytes()], in_pack, (PackWrong,))
    yield Target("delivered-manifest", [_manifest()], manifest, (ValidationError,))


def _export() -> bytes:
    """Return an export of a submission as the registry signs it."""
    origin = checkpoint_origin("paytable-registry", "submissions/1")
    records: list[bytes] = []
    for seq, (kind, data) in enumerate(export_facts(), 1):
        draft = EntryDraft(
            kind=kind, source="/paytable-registry/submissions", sequence=seq, event_id="", offset=None,
            gaming_day=None, occurred_at=_NOW, data=json.dumps(data).encode(),
        )  # fmt: skip
        before = sha256(records[-1]).digest() if records else genesis("submissions/1")
        records.append(entry_record(draft, shard_name="submissions/1", seq=seq, recorded_at=_NOW, previous=before))
    leaves = [sha256(one).digest() for one in records]
    note = sign(Checkpoint(origin, len(leaves), Frontier().extend(leaves).root()), _REGISTRY)
    proofs = [
        json.loads(prove(one, index, inclusion_proof(leaves, index, len(leaves)), note))
        for index, one in enumerate(records)
    ]
    about = {name: export_facts()[0][1][name] for name in ("property", "game")}
    return json.dumps({"format": "pitledger-submissions-v1", **about, "proofs": proofs}).encode()


def _manifest() -> bytes:
    header = {
        "report": "daily", "title": "Day", "property": "riverside", "property_title": "Riverside",
        "jurisdiction": "us-pa",
        "period": "day", "first_day": "2026-11-20", "last_day": "2026-11-20", "stage": "preliminary", "version": 1,
        "known_at": "2026-11-21T06:00:00Z", "generated_by": "kim", "system_version": "1", "input_open": 0,
        "exceptions_open": 0, "through": [],
    }  # fmt: skip
    file = {"name": "daily.csv", "media_type": "text/csv", "size": 1, "sha256": "5" * 64}
    said = {"known_at": "2026-11-21T06:00:00Z", "reports": [{"header": header, "sha256": "5" * 64, "files": [file]}]}
    return Manifest.model_validate(said).model_dump_json().encode()


def _pages() -> Iterator[Target]:
    """Yield what reads what a browser, or a client of the services, sends beside JSON."""
    listing = Listing[tuple[str, int, datetime]]("slips", tuple[str, int, datetime])
    operations = list(all_operations().values())
    zone = ZoneInfo("America/New_York")

    def form(data: bytes) -> None:
        """Fill in the form of a command: the document is one that can be sent on."""
        sent = dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))
        number = sum(map(ord, sent.get("form", "0"))) % len(operations)
        found = filled(operations[number], sent, zone)
        json.dumps(found.body, allow_nan=False).encode()
        if found.mistakes:
            raise Refused("; ".join(found.mistakes.values()))

    def path(text: str) -> None:
        found = local_path(text)
        assert found.startswith("/")
        assert not found.startswith(("//", "/\\"))

    forms = [urlencode({"form": chr(number), **dict(_typed(one))}).encode() for number, one in enumerate(operations)]
    yield Target("form", forms, form, (Refused,))

    def accept(text: str) -> None:
        assert accepted(text, ("application/json", "text/csv")) in ("application/json", "text/csv", None)
        is_current(text, entity_tag("{}"))

    yield Target("accept-header", [b"text/html, text/*;q=0.5", b"*/*"], text_of(accept))
    yield Target("path-after-login", [b"/p/riverside?day=2026-11-22"], text_of(path))
    yield Target("cursor", [listing.cursor(("fill", 17, _NOW)).encode()], text_of(listing.after), (Rejected,))


def _typed(operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield what somebody types into a form, by the kind of each field."""
    typed = {
        "cents": "$1,250.50",
        "whole": "7",
        "flag": "yes",
        "day": "2026-11-20",
        "moment": "2026-11-20T20:30",
        "document": "{}",
    }
    waiting = [(one, one.name) for one in operation.fields]
    while waiting:
        one, at = waiting.pop()
        if one.kind == "group":
            waiting += [(each, f"{at}.{each.name}") for each in one.fields]
        elif one.kind == "list":
            assert one.item is not None
            waiting.append((one.item, f"{at}.0"))
        else:
            yield at, one.choices[0] if one.choices else typed.get(one.kind, "BJ-01")


def targets() -> list[Target]:
    """Return what takes files, forms, logins and questions."""
    return [*_logins(), *_files(), *_pages()]
