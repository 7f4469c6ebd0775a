"""The whole stack on one machine: database, broker, topics, schemas, and the services, in one or several processes."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import httpx

from infra.wanted_topics import wanted as wanted_topics
from services.cli.environment import variable_of
from services.cli.exits import NotFound, StackEnded, last_words
from services.cli.services import CONSOLE, NAMES, STACK_VARIABLE, TOKEN_VARIABLE, url_variable
from services.cli.stack.demo_users import PEOPLE, roles_of
from services.cli.stack.fork_server import ForkServer
from services.cli.stack.log_rotation import rotate
from services.cli.stack.run_directory import Home
from services.cli.stack.supervision import Part
from shared.journal.archive.manifest import ARCHIVE
from shared.local import Broker, LocalStackError, Stack
from shared.local.issuer import TOKEN_LIFE, DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port, port_is_free
from shared.local.process import log_tail
from shared.local.server import Server
from shared.runtime.database_names import role_of
from shared.runtime.retrying import wait_while
from shared.runtime.settings import Settings

POSTGRES_PORT: Final = 5432
BROKER_PORT: Final = 9092
COMMAND: Final = (sys.executable, "-P", "-m", "services.cli.main")
"""The arguments that start `pitledger` as a separate process."""
OPERATOR: Final = "demo.operator"
"""Commands in a terminal with the stack's environment run as this demo user."""

_OF_BROKER_IN_MEMORY: Final = {"PITLEDGER_KAFKA_SESSION_SECONDS": "3", "PITLEDGER_FETCH_SECONDS": "0.2"}
"""Settings for the in-memory broker.

The broker lets a new consumer group start only after half of the group's session timeout, and delays records by half of
the maximum fetch wait.
"""
_PARTITIONS_IN_MEMORY: Final = 2
"""The number of partitions per topic on the in-memory broker.

The broker polls every partition during a fetch: with twelve, a fetch takes six times as long.
"""

_BACKGROUND_SHARE: Final = 0.4
"""CPU share (0 to 1) of background work, summed over all services of the machine."""

CONNECTIONS_OF_OTHERS: Final = 62
"""Database connections in addition to the services' pools: for overlapping restarts, commands and superusers."""

_POOLS: Final = ("database_readers_max", "database_commands_max", "database_background_max")

_READY_SECONDS_MAX: Final = 90.0
_POLL_SECONDS: Final = 0.1
_PROBE_SECONDS_MAX: Final = 5.0
_GRACE_SECONDS: Final = 30.0


def connections_max(environment: Mapping[str, str]) -> int:
    """Return the number of connections that the database must allow, given the pool sizes in the environment."""
    variables = {name: variable_of(name, Settings.model_fields[name]) for name in _POOLS}
    pools: dict[str, Any] = {name: environment[one] for name, one in variables.items() if one in environment}
    return len(NAMES) * Settings(**pools).database_connections_max + CONNECTIONS_OF_OTHERS


class RunningStack:
    """The complete system on one machine, running during a `with` block.

    `DATABASE_URL` and `KAFKA_BOOTSTRAP_SERVERS` in `environment` name servers to use instead of embedded ones; its
    other variables are passed on to the services, and `settings` override them. `directory` keeps the data between
    runs, including the broker's; without it data is temporary. `usual_ports` uses the ports of production if they are
    free. `console` also starts the console. With `together`, all services run in one process, which restarts a service
    that exits unexpectedly; otherwise each service has its own process. `report` is called with a short text for each
    step. If `services` is empty, only the servers are started, and nothing on them is changed.

    If a service is not ready in time, the stack ends; with `stays`, it keeps running, and `not_ready` has the reasons.
    """

    home: Home
    """The directory of the run."""
    urls: Mapping[str, str]
    """The URL of each service: `{"reporting": "http://127.0.0.1:8103"}`."""
    database_url: str
    """The database as a SQLAlchemy URL; an embedded database's URL has its owner's login."""
    bootstrap_servers: str
    """The addresses of the Kafka brokers."""
    console_url: str | None
    """The URL of the console, or None."""
    not_ready: dict[str, str]
    """Services that are still not ready, with the reason."""

    def __init__(
        self,
        *,
        directory: Path | None = None,
        environment: Mapping[str, str] = os.environ,
        settings: Mapping[str, str] | None = None,
        services: Sequence[str] = NAMES,
        partitions: Mapping[str, int] | None = None,
        usual_ports: bool = False,
        console: bool = False,
        together: bool = False,
        stays: bool = False,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._given = environment
        self._settings = settings or {}
        self._directory = directory
        self._partitions = partitions or {}
        self._usual_ports = usual_ports
        self._stays = stays
        self._report = report
        self._services = services
        self._together = together
        self._running_too = (CONSOLE,) if console else ()
        self._running = ExitStack()

    @property
    def keeps(self) -> bool:
        """Return whether acknowledged data outlives the stack: in a directory, or on external servers."""
        return self._directory is not None or (self._servers.postgres is None and self._servers.broker is None)

    @property
    def pids(self) -> Mapping[str, int]:
        """Return the process id of each service."""
        return self._forks.pids

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables for commands that use the stack: run them with `{**os.environ, **stack.environment}`."""
        return {
            "DATABASE_URL": self.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap_servers,
            STACK_VARIABLE: str(self.home.path),
            TOKEN_VARIABLE: self.home.tokens[OPERATOR],
            **{url_variable(service): url for service, url in self.urls.items()},
            **self.home.environment,
            **{name: self._given.get(name, value) for name, value in self.home.archive.items()},
            **self._issuer.settings,
            **self._of_broker,
        }

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            self._start(starting)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()

    def _start(self, starting: ExitStack) -> None:
        self.home = Home(self._directory, starting)
        self._report("starting PostgreSQL and the Kafka broker")
        self._forks = self._new_fork_server()  # it imports while the servers start
        starting.callback(self._stop_forks)
        try:
            self._servers = starting.enter_context(self._new_servers())
        except LocalStackError as error:
            raise NotFound(str(error)) from error
        starting.callback(self._stop_forks)  # before the servers end
        self.database_url, self.bootstrap_servers = self._servers.database_url, self._servers.bootstrap_servers
        self._forks.wait()
        usual = self._forks.ports.items()
        ports = {service: self._usual(port, service) if self._usual_ports else free_port() for service, port in usual}
        self._ports = ports
        self.urls = {name: f"http://{LOOPBACK}:{port}" for name, port in ports.items() if name != CONSOLE}
        self.console_url = f"http://{LOOPBACK}:{ports[CONSOLE]}" if CONSOLE in ports else None
        self._issuer = starting.enter_context(DevelopmentIssuer())
        self._issuer.people = {person: roles_of(person, self._forks.roles) for person in PEOPLE}
        if self.console_url is not None:
            self._issuer.redirects = frozenset({f"{self.console_url}/login/back"})
        self._renew_tokens()
        self.home.write_keys((*NAMES, ARCHIVE))
        if self._services:
            self._report("creating topics and schemas")
            self._prepare()
            self._report(f"starting {', '.join(self._services)}")
        self._logins = self._servers.urls_for([role_of(service) for service in self._services])
        if self._parts:
            self._fork(self._parts)
        self.not_ready = self._wait_until_ready()

    @property
    def _parts(self) -> Sequence[str]:
        """Return the names of the services, and of the console if it runs."""
        return (*self._services, *self._running_too)

    def _stop_forks(self) -> None:
        self._forks.stop()

    def _fork(self, services: Sequence[str]) -> None:
        self._forks.fork({service: self._environment_of(service) for service in services})

    def _fork_all(self) -> None:
        """Replace a fork server that has ended, and start all services again."""
        self._forks.stop()
        self._forks = self._new_fork_server()
        self._forks.wait()
        self._fork(self._parts)

    def _new_fork_server(self) -> ForkServer:
        return ForkServer(
            self._parts,
            together=self._together,
            environment=self._given,
            logs=self.home.logs,
            grace_seconds=_GRACE_SECONDS,
            remove_when_orphaned=self.home.path if self._directory is None else None,
        )

    def _new_servers(self) -> Stack:
        return Stack(
            environment=self._given,
            directory=self._directory,
            postgres_port=self._server_port("DATABASE_URL", POSTGRES_PORT, "PostgreSQL"),
            broker_port=self._server_port("KAFKA_BOOTSTRAP_SERVERS", BROKER_PORT, "the broker"),
            postgres_settings={"max_connections": str(connections_max({**self._given, **self._settings}))},
        )

    def _server_port(self, variable: str, port: int, what: str) -> int | None:
        """Return the port for an embedded server; None for any port, or if `variable` names an external server."""
        return self._usual(port, what) if self._usual_ports and not self._given.get(variable) else None

    def _usual(self, port: int, what: str) -> int:
        """Return `port` if it is free; otherwise report that it is taken, and return a free port."""
        if port_is_free(port):
            return port
        other = free_port()
        self._report(f"port {port} is taken: {what} listens on {other}")
        return other

    def _prepare(self) -> None:
        """Create topics and schemas in separate processes, because their imports are not needed afterwards."""
        partitions = [f"--partitions={topic}={number}" for topic, number in self._all_partitions.items()]
        services = [f"--service={service}" for service in self._services]
        commands = {"topics": ["topics", "apply", "--json", *partitions], "schemas": ["db", "upgrade", *services]}
        self._forks.run(commands, {**self._given, **self.environment})

    @property
    def _all_partitions(self) -> Mapping[str, int]:
        """Return the partition counts that differ from the default, by topic."""
        if not self._in_memory:
            return self._partitions
        few = {topic.name: min(topic.partitions, _PARTITIONS_IN_MEMORY) for topic in wanted_topics()}
        return {**few, **self._partitions}

    @property
    def _of_broker(self) -> Mapping[str, str]:
        """Return the settings for the stack's broker, unless the environment overrides them."""
        wanted = _OF_BROKER_IN_MEMORY if self._in_memory else {}
        return {name: self._given.get(name, value) for name, value in wanted.items()}

    @property
    def _in_memory(self) -> bool:
        return isinstance(self._servers.broker, Broker)

    def _environment_of(self, service: str) -> Mapping[str, str]:
        """Return the environment of a service, with its port, key and database login."""
        if service == CONSOLE:
            return self._environment_of_console()
        own = {"DATABASE_URL": self._logins[role_of(service)], **self.home.environment_of(service)}
        listening = {"PITLEDGER_HTTP_HOST": LOOPBACK, "PITLEDGER_HTTP_PORT": str(self._ports[service])}
        share = {"PITLEDGER_BACKGROUND_SHARE": f"{_BACKGROUND_SHARE / len(self._services):.3f}"}
        return {**share, **self._given, **self.environment, **own, **listening, **self._settings}

    def _environment_of_console(self) -> Mapping[str, str]:
        """Return the environment of the console: the services' URLs, without passwords or tokens."""
        listening = {"PITLEDGER_HTTP_HOST": LOOPBACK, "PITLEDGER_HTTP_PORT": str(self._ports[CONSOLE])}
        known = {**self._given, **self.environment, **listening, **self._settings}
        return {name: value for name, value in known.items() if name not in ("DATABASE_URL", TOKEN_VARIABLE)}

    @property
    def parts(self) -> Sequence[Part]:
        """Return the parts of the stack: the servers, the fork server, and the services with separate processes.

        A server without a directory cannot be restarted, because its data would be lost.
        """
        kept = self._directory is not None
        servers = self._servers.postgres, self._servers.broker
        found = [Part(one.name, _ended(one), one.start if kept else None) for one in servers if one is not None]
        found.append(self._part(self._forks.name, self._fork_all))
        if not self._together:
            found += [self._part(service, partial(self._fork, [service])) for service in self._parts]
        return found

    def _part(self, name: str, start: Callable[[], object]) -> Part:
        return Part(name, lambda: self._forks.ended.get(name), start)

    def _renew_tokens(self) -> None:
        """Issue new tokens to all demo users, and write the operator's token to the environment file."""
        self.home.write_tokens(self._issuer, self._forks.roles)
        self.home.write_environment(self.environment)
        self._tokens_until = time.monotonic() + TOKEN_LIFE.total_seconds() / 2

    def keep_tokens(self) -> None:
        """Replace tokens that expire soon."""
        if time.monotonic() > self._tokens_until:
            self._renew_tokens()

    def rotate_logs(self) -> None:
        """Rotate the logs of services and servers, and report logs that could not be copied."""
        servers = (one.log for one in (self._servers.postgres, self._servers.broker) if one is not None)
        for lost in rotate([*self.home.logs.glob("*.log"), *(log for log in servers if log is not None)]):
            self._report(lost)

    def check(self) -> None:
        """Raise StackEnded if a part of the stack has ended. Tokens about to expire are replaced."""
        self.keep_tokens()
        for part in self.parts:
            if (ended := part.ended()) is not None:
                raise ended

    def _wait_until_ready(self) -> dict[str, str]:
        """Wait until every service is ready; return those that are not ready in time, with their reasons.

        Raises: NotFound unless `stays`; StackEnded if an essential part has ended.
        """
        waiting = dict.fromkeys(self._parts, "")

        def look() -> bool:
            nonlocal waiting
            waiting = self._still_waiting(waiting)
            if waiting and not self._stays:
                self.check()
            ended = self._forks.ended
            return self._forks.name not in ended and any(name not in ended for name in waiting)

        wait_while(look, seconds_max=_READY_SECONDS_MAX, pause_seconds=_POLL_SECONDS)
        if waiting and not self._stays:
            reasons = "; ".join(f"{name}: {why}" for name, why in waiting.items())
            raise NotFound(f"not ready after {_READY_SECONDS_MAX:g} s: {reasons}")
        return waiting

    def _still_waiting(self, names: Iterable[str]) -> dict[str, str]:
        """Return the reason of each of these services that is not ready now, by service. Raises: StackEnded."""
        for part in self.parts:
            if part.start is None and (ended := part.ended()) is not None:
                raise ended
        urls = {**self.urls, CONSOLE: self.console_url}
        found: dict[str, str] = {}
        with httpx.Client(timeout=_PROBE_SECONDS_MAX, trust_env=False) as probe:
            for name in names:
                if (gone := self._forks.ended.get(name)) is not None:
                    why: str | None = f"{gone.happened}; {gone.last_words}"
                else:
                    why = self._not_ready(probe, name, str(urls[name]))
                if why is not None:
                    found[name] = why
        return found

    def _not_ready(self, probe: httpx.Client, service: str, url: str) -> str | None:
        """Return the reason why a service is not ready; None if it is ready."""
        try:
            response = probe.get(f"{url}/readyz")
        except httpx.HTTPError as error:
            return f"does not answer ({error}); {last_words(log_tail(self.home.logs / f'{service}.log'))}"
        return str(response.json()["detail"]) if response.is_error else None

    def look_again(self) -> None:
        """Report services that have become ready since the last call."""
        if self.not_ready:
            left = self._still_waiting(self.not_ready)
            for name in self.not_ready.keys() - left.keys():
                self._report(f"{name} is ready")
            self.not_ready = left


def _ended(server: Server) -> Callable[[], StackEnded | None]:
    return lambda: StackEnded(server.name) if server.pid is None else None
