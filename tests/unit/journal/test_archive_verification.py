"""An archive is verified from files and public keys alone: whatever was altered in a file or a manifest is named."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from shared.journal.archive.manifest import ArchivedFile, DayManifest, ManifestError, Signed
from shared.journal.archive.proving import prove_archived
from shared.journal.archive.rows import accounts_of, entries_of
from shared.journal.archive.verification import read_chain, uncovered, verify_day
from shared.journal.proof import verify_document
from shared.journal.signed_note import Signer
from tests.support.archive_files import (
    ACCOUNTS_BY_NUMBER,
    DAYS,
    SERVICE,
    Files,
    accounts_table,
    archive_files,
    described,
    entries_table,
    written,
)
from tests.support.journals import SHARD


@pytest.fixture
def files() -> Files:
    """An archive of two days."""
    return archive_files()


def whats(files: Files, manifest: DayManifest) -> list[str]:
    """What is wrong with a day."""
    return [problem.what for problem in verify_day(manifest, files.read, files.verifiers)]


def with_values(column: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[pa.Table], pa.Table]:
    """A change of the values of a column."""

    def changed(rows: pa.Table) -> pa.Table:
        place = rows.column_names.index(column)
        values = pa.array(change(rows.column(column).to_pylist()), rows.schema.field(column).type)
        return rows.set_column(place, rows.schema.field(column), values)

    return changed


def test_an_archive_as_it_was_written_verifies(files: Files) -> None:
    """The chain holds, and each day is what the signed checkpoint says; nothing is left out."""
    chain = read_chain(files.signed, files.verifiers)

    assert (files.manifests, ()) == (chain.manifests, chain.problems)
    assert [[], []] == [whats(files, manifest) for manifest in chain.manifests]
    assert [] == uncovered(chain.manifests)


def test_rows_are_the_entries_that_were_archived(files: Files) -> None:
    """Every field, with postings and the day of an entry that has none."""
    of_day = [entry for entry in files.entries if entry.seq % 2 == 0]
    accounts = accounts_table(DAYS[0])

    assert ACCOUNTS_BY_NUMBER == accounts_of(accounts)
    assert of_day == list(entries_of(entries_table(DAYS[0], of_day).to_batches(), accounts))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            with_values("cents", lambda cents: [[cents[0][0] - 1, cents[0][1] + 1], *cents[1:]]),
            "entry 2 of table.events/0@test or a posting of it is not what was recorded",
        ),
        (
            with_values("cents", lambda cents: [[cents[0][0], cents[0][1] + 1], *cents[1:]]),
            "entry 2 of table.events/0@test: the postings do not sum to zero",
        ),
        (
            with_values("data", lambda data: [*data[:2], data[2] + b" ", *data[3:]]),
            "entry 6 of table.events/0@test or a posting of it is not what was recorded",
        ),
        (
            with_values("day_of_recording", lambda flags: [False for _ in flags]),
            "entry 8 of table.events/0@test or a posting of it is not what was recorded",
        ),
        (
            with_values("accounts", lambda numbers: [[9, 2], *numbers[1:]]),
            "entry 2 of table.events/0@test has a posting without account or cents",
        ),
        (
            lambda rows: pa.concat_tables([rows.slice(0, 1), rows.slice(2)]),
            "entry 4 of table.events/0@test is missing: there is entry 6 of table.events/0@test in its place",
        ),
        (
            lambda rows: rows.slice(0, 4),
            "entry 10 of table.events/0@test is missing: there is nothing more in its place",
        ),
        (
            lambda rows: rows.take([1, 0, 2, 3, 4]),
            "entry 2 of table.events/0@test is missing: there is entry 4 of table.events/0@test in its place",
        ),
        (lambda rows: pa.concat_tables([rows, rows.slice(4)]), "there are more entries than the manifest says"),
    ],
    ids=[
        "changed cents",
        "a changed cent",
        "data",
        "flag of the day",
        "account",
        "dropped row",
        "dropped last row",
        "two rows exchanged",
        "a row too many",
    ],
)
def test_altered_rows_are_named(files: Files, change: Callable[[pa.Table], pa.Table], what: str) -> None:
    """Even if whoever altered a file could have the manifest say its hash, the signed checkpoints say otherwise."""
    first = files.manifests[0]
    altered = files.replace_rows(first, change)
    of_content = f"{SERVICE}: {what}"

    assert of_content in whats(files, altered)
    assert {of_content, "tables/entries/data/1.parquet: the file is not what was archived"} <= set(whats(files, first))


def test_an_account_with_two_rows_is_named(files: Files) -> None:
    """A question would count its postings twice, though every hash is good."""
    first = files.manifests[0]
    [old] = [one for one in first.files if one.table == "accounts"]
    rows = accounts_table(DAYS[0])
    content = written(pa.concat_tables([rows, rows.slice(0, 1)]))
    files.files[old.path] = content
    new = described("accounts", old.path, content, rows.num_rows + 1)
    altered = first.model_copy(update={"files": [new if one is old else one for one in first.files]})

    assert [f"{SERVICE}: an account's number has two rows"] == whats(files, altered)


def test_a_hash_that_was_altered_with_its_entry_is_not_that_of_the_checkpoint(files: Files) -> None:
    """An entry with another hash leads to another root."""
    altered = files.replace_rows(files.manifests[0], with_values("hash", lambda hashes: [bytes(32), *hashes[1:]]))

    assert f"{SERVICE}: {SHARD}: the entries are not those of the signed checkpoint of 10 entries" in whats(
        files, altered
    )


@pytest.mark.parametrize("place", [0, 4])
def test_an_entry_that_is_not_linked_is_named(files: Files, place: int) -> None:
    """Also the first one of a shard, which is linked to the shard's name."""
    whole = files.add(date(2026, 11, 22), files.entries)

    def unlinked(values: list[bytes]) -> list[bytes]:
        return [bytes(32) if number == place else value for number, value in enumerate(values)]

    altered = files.replace_rows(whole, with_values("previous", unlinked))
    what = f"{SERVICE}: entry {place + 1} of {SHARD} is not linked to its predecessor"
    assert what in whats(files, altered)


def test_counts_that_a_manifest_says_are_those_of_the_files(files: Files) -> None:
    """Entries, postings and the last hash."""
    first = files.manifests[0]
    [service] = first.services
    [shard] = service.shards
    for change in ({"entries": 6}, {"last_hash": "0" * 64}):
        wrong = service.model_copy(update={"shards": (shard.model_copy(update=change),)})
        said = whats(files, first.model_copy(update={"services": (wrong,)}))
        assert (
            f"{SERVICE}: {SHARD}: the manifest has other counts or another last hash than its ranges and entries"
            in said
        )
    wrong = service.model_copy(update={"postings": 11})
    said = whats(files, first.model_copy(update={"services": (wrong,)}))
    assert [f"{SERVICE}: the manifest has other numbers of entries or postings than the files"] == said


def test_a_missing_file_is_named(files: Files) -> None:
    """Whatever else there is."""
    del files.files["tables/accounts/data/2.parquet"]

    assert "tables/accounts/data/2.parquet: the file is missing" in whats(files, files.manifests[1])
    assert [] == whats(files, files.manifests[0])


def test_a_file_that_is_no_parquet_is_named(files: Files) -> None:
    """A damaged file is no bug of the verifier."""
    files.files["tables/entries/data/1.parquet"] = b"PAR1 nothing PAR1"

    assert any("the file has no rows of entries" in what for what in whats(files, files.manifests[0]))


def test_files_of_another_day_are_named(files: Files) -> None:
    """A manifest proves the files of its own day alone."""
    first, second = files.manifests
    exchanged = first.model_copy(update={"files": second.files})

    assert any("has rows of" in what and "2026, 11, 21" in what for what in whats(files, exchanged))


def test_a_manifest_of_another_day_does_not_continue_the_chain(files: Files) -> None:
    """Manifests are numbered, and each names the one before it."""
    first, second = files.signed
    [problem] = read_chain([second, first], files.verifiers).problems
    [later] = read_chain([first, first], files.verifiers).problems

    assert (1, 2) == (problem.number, later.number)
    assert "size 2, not 1" in problem.what
    assert "size 1, not 2" in later.what


def test_a_manifest_that_was_altered_is_not_the_signed_one(files: Files) -> None:
    """A single character of it."""
    text = files.signed[0].text.replace(b'"entries": 5', b'"entries": 6', 1)
    assert text != files.signed[0].text
    [problem] = read_chain([Signed(text, files.signed[0].note), files.signed[1]], files.verifiers).problems

    assert "manifest 1: it is not the manifest that was signed" == problem.what


def test_a_manifest_that_others_signed_does_not_count(files: Files) -> None:
    """A service's key does not speak for the archive, nor does anybody's of the same name."""
    for signer in (files.service, Signer.generate("pitledger/archive")):
        other = archive_files()
        other.signer = signer
        if signer is files.service:
            with pytest.raises(ValueError, match="speaks for other origins"):
                other.sign(other.manifests[0].model_copy(update={"number": 3}))
        else:
            other.signed, other.manifests = [], []
            other.sign(archive_files().manifests[0])
            assert "by none of the known keys" in read_chain(other.signed, files.verifiers).problems[0].what


def test_the_checkpoint_of_another_shard_proves_nothing(files: Files) -> None:
    """Although its signature is good."""
    service = files.manifests[0].services[0]
    shard = service.shards[0]
    other = service.model_copy(update={"service": "vigorish"})
    moved = files.manifests[0].model_copy(
        update={
            "services": (other,),
            "files": [one.model_copy(update={"service": "vigorish"}) for one in files.manifests[0].files],
        }
    )

    assert any("its checkpoint is that of" in what for what in whats(files, moved))
    assert shard.checkpoint.startswith("pitledger/round-settlement/")


def test_a_restated_day_replaces_its_manifest(files: Files) -> None:
    """The chain has both; a manifest that names another one as replaced is refused."""
    again = files.add(DAYS[0], [entry for entry in files.entries if entry.seq % 2 == 0])
    chain = read_chain(files.signed, files.verifiers)
    files.sign(again.model_copy(update={"number": 4, "previous": files.signed[-1].digest.hex(), "replaces": 1}))

    assert (1, ()) == (again.replaces, chain.problems)
    [problem] = read_chain(files.signed, files.verifiers).problems
    assert "it replaces 1, but the day's manifest before it is 3" in problem.what


def test_a_signed_manifest_names_the_one_before_it(files: Files) -> None:
    """Although its signature and its place in the log are good."""
    files.sign(files.manifests[0].model_copy(update={"number": 3, "previous": "0" * 64, "replaces": 1}))
    [problem] = read_chain(files.signed, files.verifiers).problems

    assert "it is number 3 after 0000000000000000…, not the next of the chain" in problem.what


def test_entries_of_no_archived_day_are_named(files: Files) -> None:
    """Between the entries that are there."""
    [gap] = uncovered(files.manifests[1:])

    assert (SERVICE, SHARD, [(2, 2), (4, 4), (6, 6), (8, 8)]) == (gap.service, gap.shard, gap.ranges)


@pytest.mark.parametrize("text", [b"{}", b"not JSON", b'{"format": 1, "format": 2}'])
def test_a_document_that_is_no_manifest_is_refused(text: bytes) -> None:
    """With one line."""
    with pytest.raises(ManifestError, match="manifest: "):
        DayManifest.read(text)


def test_a_file_outside_the_store_is_no_file_of_a_manifest() -> None:
    """A path is one of the store."""
    with pytest.raises(ValueError, match="path"):
        ArchivedFile(table="entries", service=SERVICE, path="/etc/passwd", size=1, sha256="0" * 64, rows=1)


@pytest.mark.parametrize("seq", range(1, 11))
def test_each_entry_is_proven_from_files(files: Files, seq: int) -> None:
    """With the document that every proof has."""
    document = prove_archived(files.manifests, files.read, SERVICE, SHARD, seq)
    proven = verify_document(document, files.verifiers)

    assert seq - 1 == proven.index
    assert files.entries[seq - 1].draft.data in proven.fields


def test_an_entry_of_no_archived_day_is_not_proven(files: Files) -> None:
    """And a service that is not archived has none."""
    for service, seq in ((SERVICE, 11), ("vigorish", 1)):
        with pytest.raises(LookupError, match="no archived day has entry"):
            prove_archived(files.manifests, files.read, service, SHARD, seq)
