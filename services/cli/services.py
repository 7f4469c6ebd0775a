"""The services: every package in `services/` with a manifest."""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.runtime.http.roles import Role
    from shared.runtime.service.manifest import Manifest

_HOME: Final = Path(__file__).parent.parent

NAMES: Final = tuple(sorted(found.parent.name.replace("_", "-") for found in _HOME.glob("*/manifest.py")))
"""The names of the services."""

CONSOLE: Final = "console"
"""The name of the console, which runs like a service but has no journal, database or topic of its own."""

SETTLEMENT: Final = "round-settlement"
"""The default service of commands about the journal."""

TOKEN_VARIABLE: Final = "PITLEDGER_TOKEN"  # noqa: S105 - the name of a variable
"""The environment variable with the caller's token for services."""


STACK_VARIABLE: Final = "PITLEDGER_STACK"
"""The environment variable with the run directory of the stack that the other variables refer to."""


def url_variable(name: str) -> str:
    """Return the name of the environment variable with the URL of a service."""
    return f"PITLEDGER_{name.upper().replace('-', '_')}_URL"


def service_option(description: str) -> Any:
    """Return a command's option `--service`, which takes the name of a service."""
    return typer.Option("--service", help=f"{description} {_CHOICES}", parser=_name, metavar=_METAVAR)


def service_argument(description: str) -> Any:
    """Return a command's argument that takes the name of a service."""
    return typer.Argument(help=f"{description} {_CHOICES}", parser=_name, metavar=_METAVAR)


def running_argument(description: str) -> Any:
    """Return a command's argument that takes the name of a service or of the console."""
    return typer.Argument(help=f"{description} {_CHOICES[:-1]}, {CONSOLE}.", parser=_running, metavar=_METAVAR)


_METAVAR: Final = "SERVICE"
_CHOICES: Final = f"One of: {', '.join(NAMES)}."


def _name(text: str) -> str:
    if text not in NAMES:
        raise typer.BadParameter(f"there is no service {text!r}; choose among {', '.join(NAMES)}")
    return text


def _running(text: str) -> str:
    return text if text == CONSOLE else _name(text)


def load(name: str) -> "Manifest":
    """Return the manifest of a service; imports its package and dependencies."""
    manifest: Manifest = import_module(f"services.{name.replace('-', '_')}.manifest").MANIFEST
    return manifest


def load_all() -> "list[Manifest]":
    """Return the manifests of all services ordered by port, which is the order of starting."""
    return sorted(map(load, NAMES), key=lambda manifest: manifest.port)


def roles_of_services(manifests: "Sequence[Manifest]") -> "dict[str, Role]":
    """Return the common roles and the manifests' roles, by role name."""
    from shared.runtime.http.roles import COMMON

    return {role.name: role for role in (*COMMON, *(role for manifest in manifests for role in manifest.roles))}


def urls() -> "dict[str, str]":
    """Return the URL of each service, by name: from the environment, or else its usual port on this machine."""
    return {one.name: os.environ.get(url_variable(one.name)) or f"http://127.0.0.1:{one.port}" for one in load_all()}


def migrations(name: str) -> Path:
    """Return the directory of the service's migrations, without importing the service."""
    return _HOME / name.replace("-", "_") / "migrations"
