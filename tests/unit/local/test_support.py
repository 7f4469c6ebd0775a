"""The helpers of the tests: they wait, give up and refuse as they say."""

import random

import pytest

from shared.local import EmbeddedPackageMissingError
from tests.support import GivenBroker, eventually
from tests.support.kafka import give_up

NO_JARS = EmbeddedPackageMissingError("its jars could not be fetched")


def test_waiting_gives_what_it_waited_for() -> None:
    """The first truthy answer is returned, however many answers were before it."""
    answers = iter([None, 0, "there"])
    assert "there" == eventually(lambda: next(answers), every=0)


def test_waiting_ends_with_what_was_last_seen() -> None:
    """Past the deadline, the failure says what was waited for and what was seen instead."""
    with pytest.raises(AssertionError, match=r"not true within 0 s: the third entry; last seen: \[\]"):
        eventually(list[int], seconds=0, because="the third entry")


def test_waiting_passes_on_errors_that_were_not_expected() -> None:
    """Only errors that were named count as not yet; any other ends the waiting at once."""
    with pytest.raises(ZeroDivisionError):
        eventually(lambda: 1 // 0, retry_on=KeyError)


def test_without_kafka_a_test_is_skipped_with_what_is_missing() -> None:
    """On a machine without the packages, or the network to fetch them, the reason says so."""
    with pytest.raises(pytest.skip.Exception, match="needs an Apache Kafka that it may restart: its jars could not"):
        give_up(NO_JARS, {})


def test_without_kafka_ci_fails() -> None:
    """Where CI is set, Apache Kafka is required: the same reason is a failure."""
    with pytest.raises(pytest.fail.Exception, match="with CI set it is required, not skipped"):
        give_up(NO_JARS, {"CI": "true", "KAFKA_BOOTSTRAP_SERVERS": "kafka.example:9092"})


@pytest.mark.parametrize("deed", ["start", "stop", "kill"])
def test_a_given_cluster_is_not_ours_to_stop(deed: str) -> None:
    """A cluster that the environment names is neither started nor stopped by a test."""
    with pytest.raises(RuntimeError, match=r"kafka\.example:9092 was given by KAFKA_BOOTSTRAP_SERVERS"):
        getattr(GivenBroker("kafka.example:9092"), deed)()


def test_random_numbers_can_be_repeated(rng: random.Random, request: pytest.FixtureRequest) -> None:
    """The printed seed and the name of the test give the same numbers again."""
    again = random.Random(f"{request.config.getoption('--seed')} {request.node.nodeid}")
    assert again.getstate() == rng.getstate()
