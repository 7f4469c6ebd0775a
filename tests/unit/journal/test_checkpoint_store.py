"""Checkpoints as files outside the database."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared.journal.checkpoint import Checkpoint, read_unverified, sign
from shared.journal.checkpoint_store import DirectoryStore, Overtaken
from shared.journal.merkle import EMPTY_ROOT
from shared.journal.signed_note import CheckpointError, Signer
from tests.support.checkpoints import LEAVES, NAME, ORIGIN, SIGNER, SUMDB, checkpoint_of, note_of


class TestDirectoryStore:
    """Checkpoints as files."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[DirectoryStore]:
        """A store whose directory does not exist yet; afterwards there is nothing unfinished in it."""
        yield DirectoryStore(tmp_path / "outside" / "checkpoints")
        assert [file.name for file in tmp_path.rglob(".unfinished-*")] == []

    def test_checkpoints_are_kept_as_they_were_signed(self, store: DirectoryStore) -> None:
        """Each note is one file of its own bytes, readable by all and writable by none, named by origin and size."""
        store.save(note_of(7))
        store.save(note_of(1000))
        file = store.path / "pitledger%2Fround-settlement%2Ftable.events-3" / "0000000000000001000.checkpoint"
        assert SUMDB["checkpoint"].encode() == file.read_bytes()
        assert file.stat().st_mode & 0o777 == 0o444
        assert store.sizes(ORIGIN) == [7, 1000]
        assert note_of(7) == store.load(ORIGIN, 7)
        assert note_of(1000) == store.latest(ORIGIN)

    def test_new_store_is_empty(self, store: DirectoryStore) -> None:
        """Nothing is there before the first checkpoint, and that is no error."""
        assert store.origins() == []
        assert store.sizes(ORIGIN) == []
        assert store.latest(ORIGIN) is None

    def test_sizes_are_ordered_as_numbers(self, store: DirectoryStore) -> None:
        """The latest is the largest, also where a size has a digit more."""
        for size in (0, 9, 10, 100):
            store.save(note_of(size))
        assert store.sizes(ORIGIN) == [0, 9, 10, 100]

    def test_every_origin_has_a_directory_of_its_own_inside_the_store(self, store: DirectoryStore) -> None:
        """No name of a shard leads out of the store or into that of another."""
        names = ["a/b", "a%2Fb", "a", ".hidden", "tisch-№-5", "a b"]
        origins = sorted([*(f"{NAME}/{name}" for name in names), "..", "."])
        everything = Checkpoint(ORIGIN, 0, EMPTY_ROOT)
        for origin in origins:
            note = sign(everything, SIGNER).replace(ORIGIN, origin)
            store.save(note)
        assert origins == store.origins()
        assert len(origins) == len(list(store.path.iterdir()))
        assert origins == [read_unverified(store.load(origin, 0)).origin for origin in origins]

    def test_same_checkpoint_again_changes_nothing(self, store: DirectoryStore) -> None:
        """An idle shard can be signed every minute; the first note stays."""
        first, second = note_of(7), sign(checkpoint_of(7), Signer.generate(NAME))
        store.save(first)
        store.save(second)
        assert first == store.latest(ORIGIN)

    def test_smaller_checkpoint_is_refused(self, store: DirectoryStore) -> None:
        """A shard never shrinks; one that does was restored or rewritten."""
        store.save(note_of(8))
        with pytest.raises(Overtaken, match=r"size 7 is less than that of the latest in .*, 8; verify"):
            store.save(note_of(7))
        assert store.sizes(ORIGIN) == [8]

    def test_same_size_with_another_root_is_refused(self, store: DirectoryStore) -> None:
        """The older checkpoint is evidence and is never written over."""
        store.save(note_of(7))
        with pytest.raises(CheckpointError, match="contradicts the latest"):
            store.save(note_of(7, leaves=LEAVES[1:]))
        assert note_of(7) == store.latest(ORIGIN)

    def test_writers_at_the_same_time_keep_one_version(self, store: DirectoryStore) -> None:
        """Of eight writers with eight histories of one size, one is kept and seven are told."""
        notes = [note_of(7, leaves=LEAVES[number:]) for number in range(8)]

        def save(note: str) -> bool:
            try:
                store.save(note)
            except CheckpointError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            kept = list(pool.map(save, notes))
        assert kept.count(True) == 1
        assert notes[kept.index(True)] == store.latest(ORIGIN)

    def test_file_of_the_same_size_is_never_written_over(
        self, store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also a writer that saw no file when it looked refuses to replace one that came in between."""
        latest = DirectoryStore.latest
        answers = iter([None])
        store.save(note_of(7))
        monkeypatch.setattr(DirectoryStore, "latest", lambda self, origin: next(answers, latest(self, origin)))
        with pytest.raises(CheckpointError, match="contradicts the latest"):
            store.save(note_of(7, leaves=LEAVES[1:]))
        assert note_of(7) == store.load(ORIGIN, 7)

    def test_unfinished_file_of_a_crash_is_not_a_checkpoint(self, tmp_path: Path) -> None:
        """What a crash left behind is neither listed nor in the way."""
        store = DirectoryStore(tmp_path)
        store.save(note_of(7))
        directory = next(tmp_path.iterdir())
        (directory / ".unfinished-abc").write_text("half a no")
        store.save(note_of(8))
        assert store.sizes(ORIGIN) == [7, 8]

    def test_missing_checkpoint_is_named(self, store: DirectoryStore) -> None:
        """Asking for a size that was never signed says which there are."""
        store.save(note_of(7))
        with pytest.raises(CheckpointError, match=r"no checkpoint of .* at size 8; there are \[7\]"):
            store.load(ORIGIN, 8)

    def test_file_that_was_moved_is_refused(self, store: DirectoryStore) -> None:
        """A checkpoint under the name of another size is not taken for it."""
        store.save(note_of(7))
        store.save(note_of(8))
        directory = next(store.path.iterdir())
        (directory / f"{7:019d}.checkpoint").rename(directory / f"{9:019d}.checkpoint")
        with pytest.raises(CheckpointError, match=r"holds the checkpoint of .* at size 7; restore it from a copy"):
            store.latest(ORIGIN)

    def test_file_that_is_not_text_is_refused(self, store: DirectoryStore) -> None:
        """A damaged file is named."""
        store.save(note_of(7))
        damaged = next(store.path.iterdir()) / f"{9:019d}.checkpoint"
        damaged.write_bytes(b"\xff\xfe")
        with pytest.raises(CheckpointError, match=r"0000000000000000009\.checkpoint: not a checkpoint"):
            store.latest(ORIGIN)
