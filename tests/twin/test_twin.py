"""A bounded run of the twin: faults on one stack, one after the other, each with its verdict."""

from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from tests.attacks.outcome import say
from tests.support.nightly import AT_NIGHT
from tests.twin.play import Play
from tests.twin.run import FAULTS, Result, order, suffered, table
from tests.twin.stack import ACCOUNTS, SETTLEMENT, Twin

SERVICES: Final = ("paytable-registry", SETTLEMENT, "reporting", ACCOUNTS)
SHOWN: Final = ("stop-service", "cut-commit", "fence-kafka", "failover")
"""Those that come to rest in seconds; `make twin` has the others, too."""
ROUNDS: Final = 3_000


@pytest.fixture
def twin() -> Iterator[Twin]:
    """A stack that may suffer."""
    running = Twin(services=SERVICES)
    try:
        running.start()
        yield running
    finally:
        running.close()


@AT_NIGHT
@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("kafka_packages", "whole_stack")
def test_every_fault_ends_with_books_that_are_right(twin: Twin, rng: Random) -> None:
    """A service freezes, commits are cut, Kafka names no broker, a standby takes over: all books are right."""
    play = Play(twin, seed=rng.randrange(1_000), rounds=ROUNDS)
    play.open()
    for _, name in zip(SHOWN, order(SHOWN, rng), strict=False):
        result = suffered(twin, play, name, rng)
        say(*result.lines())
        assert [] == result.wrong, "\n".join(result.lines())
        assert "holds" == result.came_to


def test_the_table_says_how_often_and_what_it_came_to() -> None:
    """Each fault has one line, in the order of their list, with the first wrong verdict named."""
    found = [
        Result("upgrade", "a", 3.0),
        Result("kill-kafka", "b", 2.0, wrong=["x"]),
        Result("upgrade", "c", 1.0),
        Result("disk-full-kafka", "needs root", skipped=True),
    ]
    assert [
        "| `kill-kafka` | 1 | 2.0 to 2.0 | 1 WRONG | b |",
        "| `disk-full-kafka` | 1 | - | skipped | needs root |",
        "| `upgrade` | 2 | 1.0 to 3.0 | holds | c |",
    ] == table(found)[2:]
    assert set(SHOWN) <= FAULTS.keys()
