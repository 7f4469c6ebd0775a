"""Checkpoints as files outside the database."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

from shared.journal import checkpoint_store as stores
from shared.journal.checkpoint import Checkpoint, read_unverified, sign
from shared.journal.checkpoint_store import DirectoryStore, StaleCheckpoint
from shared.journal.merkle import EMPTY_ROOT
from shared.journal.signed_note import CheckpointError, Signer
from tests.support.checkpoints import LEAVES, NAME, ORIGIN, SIGNER, SUMDB, checkpoint_of, note_of


class TestDirectoryStore:
    """Checkpoints as files."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[DirectoryStore]:
        """A store whose directory does not exist yet; afterwards there is nothing unfinished in it."""
        yield DirectoryStore(tmp_path / "outside" / "checkpoints")
        assert [file.name for file in tmp_path.rglob(".unfinished*")] == []

    def test_checkpoints_are_kept_as_they_were_signed(self, store: DirectoryStore) -> None:
        """Each note is a file of its own bytes, readable by all and writable by none; the latest has one name."""
        store.save(note_of(7))
        store.save(note_of(1000))
        directory = store.path / "pitledger%2Fround-settlement%2Ftable.events-3"
        assert SUMDB["checkpoint"].encode() == (directory / "checkpoint").read_bytes()
        assert note_of(7) == (directory / "0000000000000000007.checkpoint").read_text()
        assert {0o444} == {file.stat().st_mode & 0o777 for file in directory.glob("*checkpoint")}
        assert store.sizes(ORIGIN) == [7, 1000]
        assert note_of(7) == store.load(ORIGIN, 7)
        assert note_of(1000) == store.latest(ORIGIN)

    def test_of_each_tile_the_first_stays_and_of_all_the_latest(
        self, store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However often is signed: so many files as there are tiles, the pointer and the lock, and no more."""
        monkeypatch.setattr(stores, "TILE_ENTRIES", 100)
        sizes = [3, *range(50, 1000, 7)]
        for size in sizes:
            store.save(note_of(size))
        firsts = [min(size for size in sizes if size // 100 == tile) for tile in range(10)]
        assert [*firsts, sizes[-1]] == store.sizes(ORIGIN)
        (directory,) = store.path.iterdir()
        assert len(firsts) + 2 == len(list(directory.iterdir()))

    def test_to_save_and_to_ask_for_the_latest_lists_no_directory(
        self, store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Both cost the same in a directory of any size."""
        store.save(note_of(7))

        def listed(*_: object) -> list[str]:
            raise AssertionError("a directory was listed")

        monkeypatch.setattr(os, "listdir", listed)
        monkeypatch.setattr(os, "scandir", listed)
        store.save(note_of(8))
        assert note_of(8) == store.latest(ORIGIN)

    def test_who_takes_turns_never_puts_the_latest_back(self, store: DirectoryStore) -> None:
        """Of many writers at once with checkpoints of one history, the greatest is the latest."""

        def save(size: int) -> None:
            with suppress(StaleCheckpoint):
                store.save(note_of(size))

        sizes = [size * 37 % 199 + 1 for size in range(1, 199)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, sizes))
        assert note_of(max(sizes)) == store.latest(ORIGIN)

    def test_cosignatures_are_kept_until_the_witness_cosigned_a_later_one(self, store: DirectoryStore) -> None:
        """What a witness saw last is there while newer ones wait, with the lines of others that saw the same."""
        lines = {name: f"— {name} {'A' * 100}\n" for name in ("w/1", "w2")}
        for size in (7, 8, 9, 10):
            store.save(note_of(size))
            if size in (7, 9):
                for name, line in lines.items():
                    store.add_cosignatures(note_of(size), name, line)
        both = "".join(lines.values())
        assert [note_of(7) + both, note_of(9) + both, note_of(10)] == store.notes(ORIGIN)[0]
        store.add_cosignatures(note_of(10), "w2", lines["w2"])
        assert note_of(10) + lines["w2"] == store.latest(ORIGIN)
        assert note_of(9) + both == store.load(ORIGIN, 9)

    def test_a_copy_ends_where_it_is_told_to(self, store: DirectoryStore, tmp_path: Path) -> None:
        """It holds what covers so many entries, what a witness saw of it, and what else is known of it."""
        line = f"— w {'A' * 100}\n"
        for size in (7, 8, 9, 10):
            store.save(note_of(size))
            if size == 8:
                store.add_cosignatures(note_of(8), "w", line)
        held = DirectoryStore(tmp_path / "held")
        store.copy(ORIGIN, held, [note_of(9), note_of(10)], up_to=9)
        assert [note_of(7), note_of(8) + line, note_of(9)] == held.notes(ORIGIN)[0]
        assert note_of(9) == held.latest(ORIGIN)

    def test_new_store_is_empty(self, store: DirectoryStore) -> None:
        """Nothing is there before the first checkpoint, and that is no error."""
        assert store.origins() == []
        assert store.sizes(ORIGIN) == []
        assert store.latest(ORIGIN) is None

    def test_sizes_are_ordered_as_numbers(self, store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """The latest is the largest, also where a size has a digit more."""
        monkeypatch.setattr(stores, "TILE_ENTRIES", 1)
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
        with pytest.raises(StaleCheckpoint, match=r"size 7 is less than that of the latest in .*, 8; verify"):
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

    @pytest.mark.parametrize(
        ("saved", "tile"), [(1, 100), (2, 100), (2, 1)], ids=["the first", "the next", "the first of the next tile"]
    )
    def test_a_process_killed_at_any_step_loses_and_damages_nothing(
        self, tmp_path: Path, saved: int, tile: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After each kill the latest is the one before or the new one, whole; the next process goes on."""
        monkeypatch.setattr(stores, "TILE_ENTRIES", tile)
        for step in count():
            store = DirectoryStore(tmp_path / str(step))
            for size in range(7, 6 + saved):
                store.save(note_of(size))
            new = 6 + saved
            words = (sys.executable, "-c", _KILLED, str(store.path), note_of(new), str(step), str(tile))
            ended = subprocess.run(words, check=False).returncode
            before = note_of(new - 1) if saved > 1 else None
            assert store.latest(ORIGIN) in ((note_of(new),) if ended == 0 else (before, note_of(new)))
            assert [] == store.notes(ORIGIN)[1]
            store.save(note_of(new + 1))
            assert note_of(new + 1) == store.latest(ORIGIN)
            if ended == 0:
                assert step >= 6  # it was killed before each of the steps until now
                break
            assert -signal.SIGKILL == ended

    def test_a_first_of_a_tile_that_a_killed_process_left_must_be_the_same(self, store: DirectoryStore) -> None:
        """It is evidence like the others: it is never written over."""
        store.save(note_of(7))
        (store.path / directory_of(store) / "checkpoint").unlink()
        assert note_of(7) == store.latest(ORIGIN)
        with pytest.raises(CheckpointError, match="contradicts the latest"):
            store.save(note_of(7, leaves=LEAVES[1:]))
        assert note_of(7) == store.load(ORIGIN, 7)

    def test_missing_checkpoint_is_named(self, store: DirectoryStore) -> None:
        """Asking for a size that was never signed says which there are."""
        store.save(note_of(7))
        with pytest.raises(CheckpointError, match=r"no checkpoint of .* at size 8; there are \[7\]"):
            store.load(ORIGIN, 8)

    def test_file_that_was_moved_is_refused(self, store: DirectoryStore) -> None:
        """A checkpoint under the name of another size, or in the directory of another log, is not taken for it."""
        store.save(note_of(7))
        store.save(note_of(8))
        first = next(store.path.iterdir()) / f"{7:019d}.checkpoint"
        first.rename(first.with_name(f"{9:019d}.checkpoint"))
        with pytest.raises(CheckpointError, match=r"holds the checkpoint of .* at size 7; restore it from a copy"):
            store.load(ORIGIN, 7)
        store.save(note_of(5, origin=f"{NAME}/other"))
        (store.path / directory_of(store, f"{NAME}/other") / "checkpoint").replace(first.parent / "checkpoint")
        with pytest.raises(CheckpointError, match=r"holds the checkpoint of '.*/other' at size 5; restore it"):
            store.latest(ORIGIN)

    @pytest.mark.parametrize("damage", [b"\xff\xfe", b"", note_of(8).encode()[:-40]], ids=["bytes", "empty", "cut off"])
    def test_file_that_is_no_note_is_refused(self, store: DirectoryStore, damage: bytes) -> None:
        """A damaged file is named, by who asks for the latest and by who would save over it."""
        store.save(note_of(7))
        latest = store.path / directory_of(store) / "checkpoint"
        latest.unlink()
        latest.write_bytes(damage)
        asking: list[Callable[[], object]] = [
            lambda: store.latest(ORIGIN),
            lambda: store.save(note_of(9)),
            lambda: store.load(ORIGIN, 7),
        ]
        for asked in asking:
            with pytest.raises(CheckpointError, match=r"/checkpoint: not a checkpoint"):
                asked()
        notes, wrong = store.notes(ORIGIN)
        assert ([note_of(7)], 1) == (notes, len(wrong))


_KILLED = """
import os, signal, sys
from pathlib import Path

left = int(sys.argv[3])

def dying(step):
    def died(*given, **more):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return step(*given, **more)
    return died

from shared.journal import checkpoint_store
checkpoint_store.TILE_ENTRIES = int(sys.argv[4])
for name in ("open", "fsync", "replace", "mkdir"):
    setattr(os, name, dying(getattr(os, name)))
checkpoint_store.DirectoryStore(Path(sys.argv[1])).save(sys.argv[2])
os._exit(0)
"""
"""Saves a note, and is killed before so many of its durable steps."""


def directory_of(store: DirectoryStore, origin: str = ORIGIN) -> Path:
    """The directory of an origin."""
    return store.path / quote(origin, safe="")
