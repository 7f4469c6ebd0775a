"""What releases promised is read for ever: every archived entry; and every archived schema holds."""

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from services.cli.codegen.generate import ROOT
from services.cli.codegen.releases import MANIFEST, RELEASED, Release, altered, broken, fingerprint, releases
from services.cli.services import load_all
from shared.contracts.facts import KINDS
from shared.contracts.schemas import as_json
from shared.contracts.topic_reader import Skipped
from shared.journal.entry import entry_record
from shared.journal.fact_replay import with_fact
from tests.releases.__main__ import ENTRIES, version_of, write
from tests.releases.entries import Line, entry_of, read, rehashed
from tests.support.json_schema import published

RELEASES = releases(ROOT)
LINES: list[Line] = [line for release in RELEASES for line in read((release.folder / ENTRIES).read_text())]
FACTS = [line for line in LINES if "entry" in line]


def schemas() -> dict[str, str]:
    """Return the schemas of today, by path."""
    return {f"schemas/json/{type_}.json": as_json(schema) for type_, schema in published().items()}


def named(line: Line) -> str:
    """Return what a line is called in the list of tests."""
    return str(line["type"])


@pytest.mark.parametrize("line", FACTS, ids=named)
def test_an_archived_entry_has_its_hash_and_is_read(line: Line) -> None:
    """The hash of the archived bytes is the archived one, and they say a fact of today."""
    entry = entry_of(line)
    assert entry.hash == rehashed(entry).hash
    parts = {"shard_name": line["entry"]["shard"], "seq": entry.seq, "recorded_at": entry.recorded_at}
    assert entry.hash == sha256(entry_record(entry.draft, previous=entry.previous, **parts)).digest()
    _, fact = with_fact(entry)
    assert KINDS.of_type(line["type"]) is type(fact).KIND


@pytest.mark.parametrize("line", LINES, ids=named)
def test_an_archived_message_is_read_by_every_reader_of_its_kind(line: Line) -> None:
    """Who names the kind decodes it, whatever its version; everybody else passes over it as known."""
    kind = KINDS.of_type(line["type"])
    assert kind is not None
    read_by = 0
    for manifest in load_all():
        for handler in manifest.readers:
            reader = handler.reader
            on = kind in KINDS.on(reader.topic)
            if not on or (kind.topic is None and reader.topic.publisher != line["publisher"]):
                continue
            event = reader.decode(line["event"].encode())
            assert (kind.name in reader.kinds) == (not isinstance(event.data, Skipped))
            assert not isinstance(event.data, Skipped) or event.data.known
            read_by += 1
    assert read_by or kind.topic is None or kind.is_fact


def test_an_archive_has_every_kind_and_says_what_money_moves() -> None:
    """Whatever is declared is in the archive of this version or of an earlier one, with its schema."""
    archived = {line["type"]: line for line in LINES}
    assert {kind.type for kind in KINDS} <= archived.keys()
    assert published().keys() <= {type_ for release in RELEASES for type_, _ in release.schemas()}
    for type_, line in archived.items():
        kind, event = KINDS.of_type(type_), json.loads(line["event"])
        assert kind is not None
        assert not kind.is_fact or kind.moves_money == event["movesmoney"]


def test_the_releases_are_as_they_were_and_nothing_breaks_them() -> None:
    """What CI checks finds nothing in this tree."""
    assert version_of(ROOT) == RELEASES[-1].name
    assert [] == altered(ROOT, RELEASES)
    assert [] == broken(schemas(), RELEASES)


def put(root: Path, name: str, schema: Any, *, status: str = RELEASED) -> None:
    """Add a release after those that there are, in which one kind has a schema."""
    known = releases(root)
    folder = root / "releases" / name
    (folder / "schemas").mkdir(parents=True)
    text = json.dumps(schema)
    (folder / "schemas" / "gap.filled.json").write_text(text)
    manifest = {
        "release": name,
        "status": status,
        "after": fingerprint(known[-1]) if known else None,
        "files": {"schemas/gap.filled.json": sha256(text.encode()).hexdigest()},
        "revisions": {},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))


def changes(root: Path, schema: Any) -> list[str]:
    """Return what the releases of a tree have against a schema of the kind."""
    return broken({"schemas/json/gap.filled.json": json.dumps(schema)}, releases(root))


def test_a_change_is_held_against_every_release(tmp_path: Path) -> None:
    """What the last release allows and the one before it does not is refused."""
    note = {"type": "object", "properties": {"note": {"type": "string"}}}
    put(tmp_path, "0.9.0", note)
    put(tmp_path, "0.10.0", {"type": "object", "properties": {}})
    number = {"type": "object", "properties": {"note": {"type": "integer"}}}
    assert [] == changes(tmp_path, note)
    [only] = changes(tmp_path, number)
    assert only.startswith("gap.filled: (document).note: string is no longer allowed; release 0.9.0 has it otherwise")
    assert "another version, with an upcaster" in only
    assert ["0.9.0", "0.10.0"] == [release.name for release in releases(tmp_path)]


def test_a_kind_is_never_removed(tmp_path: Path) -> None:
    """A kind that somebody has recorded is read for ever, also where nobody writes it any more."""
    put(tmp_path, "1.0.0", {})
    (tmp_path / "releases/1.0.0/schemas/gap.filled.json").rename(tmp_path / "releases/1.0.0/schemas/gap.lost.json")
    [only] = broken({}, releases(tmp_path))
    assert only.startswith("gap.lost: removed; release 1.0.0")


def test_a_candidate_may_be_written_again(tmp_path: Path) -> None:
    """What breaks a candidate is named too, with another way out."""
    put(tmp_path, "1.0.0", {"type": "string"}, status="candidate")
    [only] = changes(tmp_path, {"type": "integer"})
    assert "it is a candidate: give the kind another version, or write the candidate again with: make archive" in only


def test_whatever_is_released_stays_as_it_is(tmp_path: Path) -> None:
    """A changed file, a file more, a changed revision, and an earlier release that was written again are named."""
    revision = tmp_path / "services/vigorish/migrations/0001_vigorish.sql"
    revision.parent.mkdir(parents=True)
    revision.write_text("CREATE TABLE owed ()")
    put(tmp_path, "1.0.0", {})
    manifest = tmp_path / "releases/1.0.0" / MANIFEST
    said = json.loads(manifest.read_text())
    said["revisions"] = {"services/vigorish/migrations/0001_vigorish.sql": sha256(revision.read_bytes()).hexdigest()}
    manifest.write_text(json.dumps(said))
    put(tmp_path, "1.1.0", {})
    assert [] == altered(tmp_path, releases(tmp_path))
    (revision.parent / "0002_more.sql").write_text("ALTER TABLE owed ADD x TEXT")
    assert [] == altered(tmp_path, releases(tmp_path))
    revision.write_text("CREATE TABLE owed (x TEXT)")
    (tmp_path / "releases/1.1.0/schemas/gap.filled.json").write_text("true")
    (tmp_path / "releases/1.1.0/more.txt").write_text("")
    manifest.write_text(json.dumps(said | {"status": RELEASED, "more": 1}))
    assert [
        "services/vigorish/migrations/0001_vigorish.sql: not as it was released; put back what release 1.0.0 had",
        "releases/1.1.0/more.txt: not as it was released; put back what release 1.1.0 had",
        "releases/1.1.0/schemas/gap.filled.json: not as it was released; put back what release 1.1.0 had",
        "releases/1.1.0/release.json: what came before it is another; put back what release 1.1.0 had",
    ] == altered(tmp_path, releases(tmp_path))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree in which a release can be written: what it writes comes from the code."""
    for folder in ("services/vigorish/migrations", "shared/journal/migrations"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def test_a_release_is_written_again_until_it_is_marked_as_released(tree: Path) -> None:
    """The candidate is the same each time; the released one is refused, and the next has what is new alone."""
    first = write(tree, "1.0.0", final=False, database=False)
    before = {path: path.read_bytes() for path in first.rglob("*") if path.is_file()}
    write(tree, "1.0.0", final=False, database=False)
    assert before == {path: path.read_bytes() for path in first.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"1\.0\.0 is a candidate still"):
        write(tree, "1.1.0", final=False, database=False)
    write(tree, "1.0.0", final=True, database=False)
    with pytest.raises(ValueError, match=r"1\.0\.0 is released, and never changes"):
        write(tree, "1.0.0", final=False, database=False)
    with pytest.raises(ValueError, match=r"1\.0\.0 came after 0\.9\.0"):
        write(tree, "0.9.0", final=False, database=False)
    second = write(tree, "1.1.0", final=False, database=False)
    assert [] == list((second / "schemas").iterdir())
    assert "" == (second / ENTRIES).read_text()
    known: list[Release] = releases(tree)
    assert [True, False] == [release.is_released for release in known]
    assert ([], []) == (altered(tree, known), broken(schemas(), known))
