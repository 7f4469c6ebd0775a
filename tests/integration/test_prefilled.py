"""A journal that was filled before is written as an empty one, and its books are right."""

from pathlib import Path
from tempfile import gettempdir

import pytest

from loadtest.bench.prefilled import TooSmall, lines, measure
from tests.support.nightly import AT_NIGHT

POSTINGS = 20_000


@AT_NIGHT
def test_rounds_are_played_to_an_empty_and_to_a_filled_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict holds for both: what was filled in stands beside what the service wrote, and not in it."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINT_SECONDS", "2")
    monkeypatch.setattr("loadtest.bench.prefilled.WARM_UP_ROUNDS", 100)
    monkeypatch.setattr("loadtest.bench.prefilled._TABLES", 2)
    said: list[str] = []
    found = measure(POSTINGS, windows=1, rounds=200, directory=Path(gettempdir()), corpora=tmp_path, say=said.append)
    assert found.holds, found.verdicts
    assert POSTINGS <= found.full.postings - found.empty.postings
    assert found.full.entries > found.empty.entries
    assert [1, 1] == [len(found.on_empty), len(found.on_full)]
    assert all("round-settlement" in cost.us for cost in (*found.on_empty, *found.on_full))
    assert "the books are right" in "\n".join(lines(found))
    assert any("postings" in each for each in said)


def test_what_the_disk_does_not_hold_is_not_begun(tmp_path: Path) -> None:
    """Nothing is started, and nothing is written."""
    with pytest.raises(TooSmall, match="bytes free"):
        measure(10**15, windows=1, rounds=1, directory=tmp_path, corpora=tmp_path, say=str)
    assert not list(tmp_path.iterdir())
