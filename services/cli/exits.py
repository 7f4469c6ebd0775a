"""The exit codes of the command line, and the errors that lead to them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command."""

    FINE = 0
    NOT_AS_IT_SHOULD_BE = 1
    USAGE = 2
    REFUSED = 3
    NOT_THERE = 4
    BUG = 70
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.FINE: "everything is as it should be",
    ExitCode.NOT_AS_IT_SHOULD_BE: "what was checked is not as it should be",
    ExitCode.USAGE: "a command, option, file name or setting is wrong",
    ExitCode.REFUSED: "the input is refused: the round is impossible, or the document cannot be filed",
    ExitCode.NOT_THERE: "the database, the broker or a service does not answer, or a record does not exist",
    ExitCode.BUG: "a bug of Pitledger; --debug shows where",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
}

EPILOG = "Exit codes:\n\n" + "\n\n".join(f"{code:>4}  {meaning}" for code, meaning in MEANINGS.items())
"""The exit codes as `--help` shows them."""


class CommandError(Exception):
    """A command failed.

    The message is one line with the remedy; `details` are printed above the message.
    """

    exit_code = ExitCode.BUG
    details = ""


class CheckFailed(CommandError):
    """A check found a problem."""

    exit_code = ExitCode.NOT_AS_IT_SHOULD_BE


class UsageWrong(CommandError):
    """An argument, a file name or a setting is wrong."""

    exit_code = ExitCode.USAGE


class InputRefused(CommandError):
    """The input was read and is refused."""

    exit_code = ExitCode.REFUSED


class NotFound(CommandError):
    """Something required does not exist or does not answer."""

    exit_code = ExitCode.NOT_THERE


class NothingThere(NotFound):
    """A service responded 404 for a path."""


class CommandFailed(CommandError):
    """A command in a separate process failed, with an exit code and the end of its log."""

    def __init__(self, code: int, log_tail: str) -> None:
        above, _, said = log_tail.rpartition("\n")
        super().__init__(said.removeprefix("pitledger: "))
        self.details = above
        self.exit_code = ExitCode(code) if code in MEANINGS else ExitCode.BUG


def last_words(log_tail: str) -> str:
    """Return the last line of a log, introduced for an error message."""
    return f"last in its log: {log_tail.splitlines()[-1] if log_tail else 'nothing'}"


class StackEnded(CommandError):
    """A process of the stack exited unexpectedly."""

    def __init__(self, name: str, code: int | None = None, log_tail: str = "") -> None:
        how = "" if code is None else f" with exit code {code}" if code < 128 else f", killed by signal {code - 128}"
        self.happened = f"{name} ended by itself{how}"
        super().__init__(f"{self.happened}; the end of its log stands above")
        self.details = log_tail
        self.last_words = last_words(log_tail)
        self.add_note(log_tail)  # a traceback shows it if the details are not printed
        self.exit_code = ExitCode.NOT_THERE if code == ExitCode.NOT_THERE else ExitCode.BUG
