"""Ctrl-C and its like: what is under way ends, and the cleaning up after it is left alone."""

import signal
from types import FrameType
from typing import Final, Self

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptGuard:
    """Turn the first signal that asks a command to end into a KeyboardInterrupt, and ignore those that follow.

    Code that runs below a native library, in a serializer or a finalizer, has its exceptions written to standard error
    and dropped, this one among them. Whoever works for long therefore calls `check` every so often.
    """

    def __init__(self) -> None:
        self._asked = False

    @classmethod
    def heard(cls) -> Self:
        """Listen to the signals from now on, also where the shell had them ignored."""
        ending = cls()
        for number in _ENDING:
            signal.signal(number, ending._interrupt)
        return ending

    def check(self) -> None:
        """Raise KeyboardInterrupt when a signal has asked for the end."""
        if self._asked:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._asked = True
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt
