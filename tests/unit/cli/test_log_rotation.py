"""Logs of a stack: whatever its processes say, and for however long, they stay short."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from services.cli.stack.log_rotation import rotate


def test_a_long_log_is_moved_and_its_process_goes_on(tmp_path: Path) -> None:
    """Two files of bounded size, however much is written; the latest lines are there, in their order."""
    log, line = tmp_path / "reporting.log", b"%06d\n"
    with log.open("ab", buffering=0) as process:
        for number in range(1000):
            process.write(line % number)
            assert [] == rotate([log], bytes_max=700)
            assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 2 * 700 + 7
    kept = [tmp_path / "reporting.log.1", log]
    assert set(kept) == set(tmp_path.iterdir())
    lines = b"".join(file.read_bytes() for file in kept).split()
    assert len(lines) >= 100
    assert [b"%06d" % number for number in range(1000 - len(lines), 1000)] == lines


def test_a_short_log_and_one_that_is_gone_are_left_alone(tmp_path: Path) -> None:
    """Nothing is copied."""
    log = tmp_path / "reporting.log"
    log.write_bytes(b"said\n")
    assert [] == rotate([log, tmp_path / "gone.log"], bytes_max=5)
    assert [log] == list(tmp_path.iterdir())


def test_on_a_full_disk_a_log_is_emptied_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so, and leaves no half of a copy."""

    def full(source: Path, target: Path) -> Any:
        target.write_bytes(source.read_bytes()[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    log = tmp_path / "reporting.log"
    log.write_bytes(b"said too much\n")
    [lost] = rotate([log], bytes_max=5)
    assert "reporting.log was emptied without a copy: " in lost
    assert ([log], b"") == (list(tmp_path.iterdir()), log.read_bytes())
