"""The fork server of a stack, which imports the services' modules once for all services."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Self

from services.cli.exits import CommandFailed, StackEnded
from shared.local.errors import LocalStackError
from shared.local.process import log_tail

SERVER: Final = "fork-server"
TOGETHER: Final = "services"
"""The fork server's name in the stack: SERVER if it forks the services, TOGETHER if it runs them itself."""

_KILL_SECONDS_MAX: Final = 10.0


class ForkServer:
    """Forks services, each into a separate process that cannot outlive the parent, even if the parent is killed.

    With `together`, the fork server instead runs all services in its own process, and restarts a service that exits
    unexpectedly. `fork` can then be called only once, and the server ends with the services. Preparatory commands are
    forked in either case.

    On construction, the server begins to import the services, in parallel with the parent's work. Each service has its
    own session, so that Ctrl-C reaches only the parent. A service that has not exited `grace_seconds` after the request
    to stop is killed. A service that exited unexpectedly can be forked again. If the parent is killed, the directory
    `remove_when_orphaned` is deleted after the services have exited. `logs` is the directory of the services' logs and
    of the server's own log, which holds errors that occur before a service opens its log.
    """

    ports: Mapping[str, int]
    """The default port of each service."""
    roles: Sequence[str]
    """The roles that the services declare, and the common ones."""

    def __init__(
        self,
        services: Sequence[str],
        *,
        together: bool = False,
        environment: Mapping[str, str],
        logs: Path,
        grace_seconds: float,
        remove_when_orphaned: Path | None = None,
    ) -> None:
        self.name: Final = TOGETHER if together else SERVER
        self._logs = logs
        self._seconds_max = grace_seconds + _KILL_SECONDS_MAX
        self.pids: dict[str, int] = {}
        """The process ids of the services that were forked."""
        self._exit_codes: dict[str, int] = {}
        self._answers: SimpleQueue[Any] = SimpleQueue()
        options = {
            "services": services,
            "together": together,
            "grace_seconds": grace_seconds,
            "remove_when_orphaned": remove_when_orphaned,
        }
        with self._log(self.name).open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-P", "-m", "services.cli.stack.forking", json.dumps(options, default=str)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=logs,
                env=dict(environment),
                start_new_session=True,
            )
        self._listener = Thread(target=self._listen, name="fork server", daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop()

    def wait(self) -> None:
        """Wait until the services are imported. Raises: StackEnded."""
        answer = self._answer()
        self.ports, self.roles = answer["ports"], answer["roles"]

    def run(self, commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> None:
        """Run `pitledger` commands in parallel, each logging to a file named after it, and wait until they have ended.

        Raises: CommandFailed, StackEnded if the server has ended.
        """
        self._ask(commands=[self._order(name, words, environment) for name, words in commands.items()])
        for name, code in self._answer().items():
            if code:
                raise CommandFailed(code, log_tail(self._log(name)))

    def fork(self, environments: Mapping[str, Mapping[str, str]]) -> None:
        """Start services; `environments` has the variables of each. Raises: StackEnded if the fork server has ended."""
        for service in environments:
            self._exit_codes.pop(service, None)
        self._ask(services=[self._order(name, ["run", name], own) for name, own in environments.items()])
        self.pids |= self._answer()

    def _order(self, name: str, words: Sequence[str], environment: Mapping[str, str]) -> Mapping[str, Any]:
        return {"name": name, "words": words, "log": str(self._log(name)), "environment": dict(environment)}

    @property
    def ended(self) -> Mapping[str, StackEnded]:
        """Return how each unexpectedly exited service ended, by name; if the fork server exited, only its own end."""
        if (code := self._process.poll()) is not None:
            return {self.name: self._ended(self.name, code)}
        return {service: self._ended(service, code) for service, code in list(self._exit_codes.items())}

    def check(self) -> None:
        """Raise StackEnded if a service or the fork server has exited unexpectedly."""
        for ended in self.ended.values():
            raise ended

    def stop(self) -> None:
        """Shut down the services and the server; wait until they have exited."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            return  # stopped before
        if self.pids:
            self._ask()
        else:
            self._process.kill()  # it may be importing
        try:
            self._process.wait(self._seconds_max)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise LocalStackError(
                f"services are still there {self._seconds_max:g} s after they were asked to end, "
                f"look at what they wait for: {self.pids}"
            ) from None
        finally:
            self._close()

    def _close(self) -> None:
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _ended(self, name: str, code: int) -> StackEnded:
        return StackEnded(name, code if code >= 0 else 128 - code, log_tail(self._log(name)))

    def _ask(self, **orders: Sequence[Mapping[str, Any]]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the server has ended, so that `_answer` raises StackEnded
            self._process.stdin.write(f"{json.dumps(orders)}\n".encode())
            self._process.stdin.flush()

    def _answer(self) -> Any:
        if (answer := self._answers.get()) is None:
            raise self._ended(self.name, self._process.wait())
        return answer

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            document = json.loads(line)
            if "ended" in document:
                self._exit_codes |= document["ended"]
            else:
                self._answers.put(document)
        self._answers.put(None)
