"""Reports delivered into a folder and into an S3-compatible store, and verified there."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from obstore.store import ObjectStore
from pydantic import SecretStr

from services.reporting.delivery import (
    Checked,
    DeliveryError,
    Manifest,
    StoreAccess,
    deliver,
    open_store,
    verify_delivery,
)
from services.reporting.framework.document import Document
from services.reporting.rendering import FORMATS
from shared.contracts.reports import Reached
from shared.journal.signed_note import CheckpointError, Signer, open_signed_text
from tests.unit.reporting.rendering_documents import report

SIGNER = Signer.generate("pitledger/reporting")
KEYS = [SIGNER.verifier]
NAME = "riverside/2026-11-20/master-game-v1-20261121T060000.250000Z"
JSON = f"{NAME}.json"

FULL = report()
SEALED = report(stage="final", known_at="2026-11-22T06:00:00Z")


@pytest.fixture(params=["folder", "file URL", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """An empty store of each kind."""
    match request.param:
        case "folder":
            return open_store(str(tmp_path / "reports"))
        case "file URL":
            return open_store((tmp_path / "reports").as_uri())
        case _:
            endpoint: str = request.getfixturevalue("s3")
            bucket = f"reports-{uuid4()}"
            httpx.put(f"{endpoint}/{bucket}").raise_for_status()
            access = StoreAccess(endpoint, "us-east-1", "key", SecretStr("secret"))
            return open_store(f"s3://{bucket}/audit/2026", access)


def _names(store: ObjectStore) -> list[str]:
    return sorted(one["path"] for batch in store.list() for one in batch)


def _get(store: ObjectStore, name: str) -> bytes:
    return bytes(store.get(name).bytes())


def _problems(store: ObjectStore) -> tuple[str, ...]:
    return verify_delivery(store, KEYS).problems


def test_a_delivery_is_verified_with_the_public_key_alone(store: ObjectStore) -> None:
    """Every format lies below its property and day; the manifest, signed like a checkpoint, says what each file has."""
    name = deliver(store, [(FULL, list(FORMATS))], SIGNER)
    files = [f"{NAME}{ending}" for ending in ("-slips.parquet", "-tables.parquet", ".csv", ".json", ".pdf", ".xlsx")]
    assert sorted([*files, name]) == _names(store)
    assert Checked(manifests=1, files=6, problems=()) == verify_delivery(store, KEYS)
    text, signers = open_signed_text(_get(store, name).decode(), KEYS)
    manifest = Manifest.model_validate_json(text)
    assert ["pitledger/reporting"] == signers
    assert (FULL.header, FULL.sha256) == (manifest.reports[0].header, manifest.reports[0].sha256)
    assert sorted(files) == sorted(file.name for file in manifest.reports[0].files)
    assert {len(_get(store, file.name)) - file.size for file in manifest.reports[0].files} == {0}


def test_the_same_delivery_twice_changes_nothing(store: ObjectStore) -> None:
    """Who does not know whether a delivery arrived delivers it again."""
    first = deliver(store, [(FULL, ["json", "csv"])], SIGNER)
    before = _names(store)
    assert first == deliver(store, [(FULL, ["json", "csv"])], SIGNER)
    assert before == _names(store)


def test_what_was_known_later_stands_beside_what_was_known_before(store: ObjectStore) -> None:
    """A sealed report overwrites no preliminary one: it has names and a manifest of its own."""
    first = deliver(store, [(FULL, ["json"])], SIGNER)
    before = _get(store, JSON)
    second = deliver(store, [(SEALED, ["json"])], SIGNER)
    assert first < second
    assert before == _get(store, JSON)
    assert Checked(manifests=2, files=2, problems=()) == verify_delivery(store, KEYS)


def test_nothing_is_overwritten(store: ObjectStore) -> None:
    """Another content of the same name is refused, and what was there stays."""
    deliver(store, [(FULL, ["json"])], SIGNER)
    before = _get(store, JSON)
    with pytest.raises(DeliveryError, match=r"master-game-v1-.*\.json: the store has another file of this name"):
        deliver(store, [(report(generated_by="audit.lee"), ["json"])], SIGNER)
    assert before == _get(store, JSON)
    assert () == _problems(store)


def _alter(store: ObjectStore, name: str) -> None:
    content = bytearray(_get(store, name))
    content[len(content) // 2] ^= 1
    store.put(name, bytes(content))


def _alter_file(store: ObjectStore, _manifest: str) -> None:
    _alter(store, JSON)


def _remove_file(store: ObjectStore, _manifest: str) -> None:
    store.delete(JSON)


def _add_file(store: ObjectStore, _manifest: str) -> None:
    store.put("riverside/2026-11-20/more.json", b"{}")


def _remove_manifest(store: ObjectStore, manifest: str) -> None:
    store.delete(manifest)


def _rename_manifest(store: ObjectStore, manifest: str) -> None:
    store.rename(manifest, "manifests/newest.note")


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (_alter_file, "master-game-v1-20261121T060000.250000Z.json: not what was delivered"),
        (_remove_file, "master-game-v1-20261121T060000.250000Z.json: missing"),
        (_add_file, "riverside/2026-11-20/more.json: in no manifest"),
        (_alter, "manifests/20261121T060000.250000Z-"),
        (_remove_manifest, "there is no manifest"),
        (_rename_manifest, "manifests/newest.note: the note of a manifest of another name"),
    ],
)
def test_tampering_is_found(store: ObjectStore, tamper: Callable[[ObjectStore, str], None], found: str) -> None:
    """One altered bit, a missing file, an added one, an altered or missing manifest."""
    manifest = deliver(store, [(FULL, ["json"])], SIGNER)
    tamper(store, manifest)
    assert [True] == [found in problem for problem in _problems(store)][:1]


def test_a_manifest_of_somebody_else_is_found(store: ObjectStore) -> None:
    """A forger with a key of his own does not get through, even under the same name."""
    deliver(store, [(FULL, ["json"])], Signer.generate("pitledger/reporting"))
    signed_by_nobody, unlisted = _problems(store)
    assert "by none of the known keys" in signed_by_nobody
    assert f"{JSON}: in no manifest" == unlisted


def test_names_tell_reports_of_parts_apart(tmp_path: Path) -> None:
    """A month has both its days; a report of one table or game names it."""
    store = open_store(str(tmp_path))
    documents: list[Document] = [
        report(period="month", first_day="2026-11-01", last_day="2026-11-30", version=2),
        report(table="BJ-001"),
        report(game="BJ-001"),
    ]
    deliver(store, [(document, ["csv"]) for document in documents], SIGNER)
    assert [
        "riverside/2026-11-01_2026-11-30/master-game-v2-20261121T060000.250000Z.csv",
        "riverside/2026-11-20/master-game-game-BJ-001-v1-20261121T060000.250000Z.csv",
        "riverside/2026-11-20/master-game-table-BJ-001-v1-20261121T060000.250000Z.csv",
    ] == _names(store)[1:]


def test_a_delivery_of_nothing_is_refused(tmp_path: Path) -> None:
    """It would be a signed statement about nothing."""
    with pytest.raises(ValueError, match="needs a document and a format"):
        deliver(open_store(str(tmp_path)), [], SIGNER)


def test_a_manifest_too_long_to_be_opened_is_not_signed(tmp_path: Path) -> None:
    """A delivery that nobody could verify fails, and leaves no manifest."""
    through = [Reached(service="round-settlement", shard=shard, seq=4711, missing=0) for shard in range(10_000)]
    with pytest.raises(CheckpointError, match="characters are more than"):
        deliver(open_store(str(tmp_path)), [(report(through=through), ["json"])], SIGNER)
    assert not (tmp_path / "manifests").exists()


def test_another_kind_of_store_is_refused() -> None:
    """The message says which there are."""
    with pytest.raises(DeliveryError, match=r"ftp://host/reports: not a store; name a folder"):
        open_store("ftp://host/reports")
