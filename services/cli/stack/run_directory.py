"""The run directory of a local stack: people's tokens, keys, checkpoints, logs."""

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from services.cli.exits import UsageWrong
from services.cli.operations.keys import (
    VERIFIERS,
    WRAPPING_KEYS,
    key_file,
    write_keys,
    write_patron_keys,
)
from services.cli.stack.demo_users import PEOPLE, WATCHER, roles_of
from shared.journal.archive.manifest import ARCHIVE
from shared.local.issuer import DevelopmentIssuer


class Home:
    """The run directory, accessible to its owner only."""

    def __init__(self, directory: Path | None, starting: ExitStack) -> None:
        """Create the run directory: under `directory`, or, if that is None, as a temporary one that `starting` removes.

        Raises: UsageWrong if the directory cannot be created.
        """
        if directory is None:
            self.path = Path(tempfile.mkdtemp(prefix="pitledger-"))
            starting.callback(shutil.rmtree, self.path, ignore_errors=True)
        else:
            # The database's account must be able to traverse `directory`; secrets are in a subdirectory.
            self.path = directory.resolve() / "run"
            try:
                directory.mkdir(parents=True, exist_ok=True)
                self.path.mkdir(mode=0o700, exist_ok=True)
                self.path.chmod(0o700)
            except OSError as error:
                raise UsageWrong(f"{directory}: {error.strerror}; give a directory in which to keep data") from error
        self.logs = self.path / "logs"
        self.checkpoints = self.path / "checkpoints"
        """The directory of the signed checkpoints."""
        self._keys = self.path / "keys"
        for kept in (self.logs, self.checkpoints, self._keys):
            kept.mkdir(exist_ok=True)
        self.tokens_file = self.path / "tokens.json"
        """A JSON list of the users that may call the HTTP APIs, each with roles and token."""
        self.verifiers_file = self._keys / VERIFIERS
        """The current and former public keys of the services, one per line."""
        self.metrics_token_file = self.path / "metrics_token"
        """The token with which Prometheus reads metrics of money, as its `credentials_file`."""
        self.environment_file = self.path / "environment"
        """The environment as shell commands, for other terminals."""
        self.tokens: Mapping[str, str] = {}

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the settings for all services that refer to the run directory, by environment variable."""
        return {
            "PITLEDGER_CHECKPOINT_DIRECTORY": str(self.checkpoints),
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(self.verifiers_file),
            "PITLEDGER_MESSAGE_AUTHENTICATION": "required",
        }

    @property
    def archive(self) -> Mapping[str, str]:
        """Return the archiver's settings by environment variable, for commands in other terminals."""
        return {
            "PITLEDGER_ARCHIVE_KEY_FILE": str(self.key_file(ARCHIVE)),
            "PITLEDGER_ARCHIVE_STORE": str(self.path / "archive"),
        }

    def write_tokens(self, issuer: DevelopmentIssuer, declared: Collection[str]) -> None:
        """Issue a new token to every demo user, with the user's roles among those declared; write token files."""
        roles = {person: roles_of(person, declared) for person in PEOPLE}
        self.tokens = {person: issuer.token(person, roles[person]) for person in PEOPLE}
        people = [{"person": person, "roles": roles[person], "token": self.tokens[person]} for person in PEOPLE]
        _write(self.tokens_file, json.dumps(people, indent=2) + "\n")
        _write(self.metrics_token_file, self.tokens[WATCHER])

    def key_file(self, service: str) -> Path:
        """Return the path of the private key file of a service or the archiver; no other process uses the key."""
        return key_file(self._keys, service)

    def environment_of(self, service: str) -> Mapping[str, str]:
        """Return the settings specific to one service, by environment variable."""
        own = {"PITLEDGER_CHECKPOINT_KEY_FILE": str(self.key_file(service))}
        if service in WRAPPING_KEYS:
            own["PITLEDGER_PATRON_KEYS_FILE"] = str(self._keys / WRAPPING_KEYS[service])
        return own

    def write_keys(self, services: Sequence[str]) -> None:
        """Create missing keys of services."""
        write_keys(self._keys, services)
        write_patron_keys(self._keys)

    def write_environment(self, environment: Mapping[str, str]) -> None:
        """Write the environment of the stack as shell commands."""
        exports = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
        _write(self.environment_file, "".join(exports))


def _write(path: Path, text: str) -> None:
    """Write a file atomically, readable by its owner only."""
    new = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        new.chmod(0o600)
        file.write(text)
    new.replace(path)
