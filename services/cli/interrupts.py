"""Handle Ctrl-C and other signals: end the current work without interrupting its cleanup."""

import signal
from types import FrameType
from typing import Final, Self

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptGuard:
    """Turns the first signal into a KeyboardInterrupt, and ignores later ones.

    The KeyboardInterrupt can be lost: if it interrupts code that a native library, a serializer or a finalizer called,
    it is only written to standard error. Long work therefore calls `check` regularly.
    """

    def __init__(self) -> None:
        self._asked = False

    @classmethod
    def heard(cls) -> Self:
        """Install the signal handlers, even if the shell has set the signals to be ignored."""
        ending = cls()
        for number in _ENDING:
            signal.signal(number, ending._interrupt)
        return ending

    def check(self) -> None:
        """Raise KeyboardInterrupt after a signal."""
        if self._asked:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._asked = True
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt
