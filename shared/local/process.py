"""A child process that never outlives its parent, however the parent ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from shared.local.errors import LocalStackError

_LEASH = Path(__file__).with_name("_parent_watchdog.py")
_LOG_TAIL_BYTES = 4096
_KILL_SECONDS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class OsAccount:
    """The operating system account under which a process runs."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessConfig:
    """A command to run, and how to end it.

    `stop_signal` requests an orderly end, `kill_signal` an immediate one; a command that has not ended `grace_seconds`
    after either signal is killed. If the parent dies, `remove_when_orphaned` is deleted after the command has ended.
    """

    command: Sequence[str | Path]
    directory: Path
    log: Path
    environment: dict[str, str] | None = None
    account: OsAccount | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    kill_signal: signal.Signals = signal.SIGKILL
    grace_seconds: float = 10.0
    remove_when_orphaned: Path | None = None


def log_tail(log: Path) -> str:
    """Return the last 4 KiB of a log, empty if there is no log."""
    if not log.exists():
        return ""
    with log.open("rb") as written:
        written.seek(max(0, os.fstat(written.fileno()).st_size - _LOG_TAIL_BYTES))
        return written.read().decode(errors="replace").strip()


class ManagedProcess:
    """A running command in its own session, so that Ctrl-C reaches only the parent, which then ends the command.

    The environment is passed through a pipe, so that no process list shows the passwords in it.
    """

    def __init__(self, config: ProcessConfig) -> None:
        self._config = config
        self._leash = subprocess.Popen(  # noqa: S603 - our own interpreter and script
            [sys.executable, "-I", "-S", str(_LEASH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert self._leash.stdin is not None
        assert self._leash.stdout is not None
        specification = json.dumps(asdict(config), default=str)
        with suppress(BrokenPipeError), open(self._leash.stdin.fileno(), "w", closefd=False) as pipe:
            pipe.write(f"{specification}\n")
        pid = self._leash.stdout.readline()
        if not pid:
            _, reason = self._leash.communicate()
            last_line = reason.decode(errors="replace").strip().rpartition("\n")[2]
            raise LocalStackError(f"{config.command[0]} could not be started: {last_line}")
        self.pid = int(pid)

    @property
    def running(self) -> bool:
        """Return whether the command is still running."""
        return self._leash.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Return the exit code of the command, 128 plus the signal if a signal ended it; None while it runs."""
        return self._leash.poll()

    def wait(self, timeout_seconds: float) -> int:
        """Wait until the command ends and return its exit code.

        Raises: LocalStackError if the command did not end within `timeout_seconds`; it is then killed.
        """
        try:
            return self._leash.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise LocalStackError(
                f"{self._config.command[0]} did not end within {timeout_seconds:g} s\n{self.log_tail()}"
            ) from None
        finally:
            self._close()

    def stop(self) -> None:
        """Request an orderly end of the command, and wait until it has ended."""
        self._end(b"s")

    def kill(self) -> None:
        """Kill the command, and wait until it has ended."""
        self._end(b"k")

    @property
    def log(self) -> Path:
        """Return the file to which the process writes its output."""
        return self._config.log

    def log_tail(self) -> str:
        """Return the last 4 KiB of the command's output, for error messages."""
        return log_tail(self._config.log)

    def _end(self, request: bytes) -> None:
        assert self._leash.stdin is not None
        if self.running:
            try:
                self._leash.stdin.write(request)
                self._leash.stdin.flush()
            except BrokenPipeError:
                pass  # it ended by itself after the check
            try:
                self._leash.wait(self._config.grace_seconds + _KILL_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self._leash.kill()
                raise LocalStackError(
                    f"{self._config.command[0]} (process {self.pid}) is still there although it was killed "
                    f"{_KILL_SECONDS_MAX:g} s ago: look at what it waits for"
                ) from None
        self._close()

    def _close(self) -> None:
        for pipe in (self._leash.stdin, self._leash.stdout, self._leash.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
