"""What is tried again, for how long, and what is raised at once."""

import asyncio
from collections.abc import Callable

import pytest

from shared.runtime.retrying import retry


class Passing(Exception):
    """An error that may pass."""


def _retried(attempt: Callable[[], str], seconds_max: float = 60) -> tuple[str, list[str]]:
    noted: list[str] = []

    async def once() -> str:
        return attempt()

    answer = asyncio.run(
        retry(
            once,
            passes=lambda error: isinstance(error, Passing),
            note=lambda error: noted.append(str(error)),
            seconds_max=seconds_max,
            at_once=lambda _: True,
        )
    )
    return answer, noted


def test_what_may_pass_is_tried_until_it_succeeds() -> None:
    """Each failure in between is noted."""
    outcomes: list[Exception | str] = [Passing("first"), Passing("second"), "done"]

    def attempt() -> str:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    assert _retried(attempt) == ("done", ["first", "second"])


def test_what_does_not_pass_is_raised_at_once() -> None:
    """A bug is no reason to wait."""
    attempts = []

    def attempt() -> str:
        attempts.append(1)
        raise KeyError("bug")

    with pytest.raises(KeyError, match="bug"):
        _retried(attempt)
    assert len(attempts) == 1


def test_after_the_deadline_the_last_error_is_raised() -> None:
    """The error itself, not one that says that time is up."""

    def attempt() -> str:
        raise Passing("still there")

    with pytest.raises(Passing, match="still there"):
        _retried(attempt, seconds_max=0)
