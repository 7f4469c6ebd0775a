"""A signal that asks for the end is heard once, and never lost."""

import signal
from collections.abc import Iterator

import pytest

from services.cli.interrupts import InterruptGuard

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def ending() -> Iterator[InterruptGuard]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield InterruptGuard.heard()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_once(ending: InterruptGuard, number: signal.Signals) -> None:
    """The first one interrupts what is under way; the cleaning up is not interrupted by another."""
    ending.check()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    for each in SIGNALS:
        signal.raise_signal(each)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interruption_that_was_dropped_is_made_up_for(ending: InterruptGuard) -> None:
    """Below a finalizer or a native library an exception is dropped; the next look raises it again."""

    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    Finalized()
    with pytest.raises(KeyboardInterrupt):
        ending.check()


def test_it_is_heard_where_the_shell_ignored_it(ending: InterruptGuard) -> None:
    """A shell starts what runs in its background with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    InterruptGuard.heard()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
