"""A few days on the clock of round settlement; `make soak` plays a month of all services that follow from rounds."""

from dataclasses import replace

import pytest

from tests.soak.month import Evening, Held, month, unbounded
from tests.support.nightly import AT_NIGHT


@AT_NIGHT
def test_nothing_grows_with_days_alone(whole_stack: None) -> None:
    """Connections, open files, threads, memory, metrics, logs and files of checkpoints stay; each day is read out."""
    with month(["round-settlement"]) as played:
        for number in range(1, 7):
            evening = played.play(5)
            assert number * 40 == evening.rounds
    assert [] == unbounded(played.evenings)


@pytest.mark.parametrize(
    "change",
    [
        {"connections": 40},
        {"checkpoint_files": 9},
        *({"processes": {"s": replace(Held(100_000, 50, 20, 400, 1), **{name: value})}} for name, value in
          (("memory_kib", 200_000), ("files", 80), ("threads", 40), ("series", 500), ("log_bytes", 9_999))),
    ],
    ids=str,
)  # fmt: skip
def test_what_grows_is_named(change: dict[str, object]) -> None:
    """Each of them, once it is more than it was after a third of the days."""
    one = Evening(40, {"s": Held(100_000, 50, 20, 400, 1)}, 10, 8, 1, 1, {})
    assert [] == unbounded([one] * 6)
    assert 1 == len(unbounded([*[one] * 5, replace(one, **change)]))  # type: ignore[arg-type]
