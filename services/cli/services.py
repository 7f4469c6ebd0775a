"""The services that exist: every package beside this one that has a manifest."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.runtime.service.manifest import Manifest

_HOME = Path(__file__).parent.parent


NAMES = tuple(sorted(found.parent.name.replace("_", "-") for found in _HOME.glob("*/manifest.py")))
"""The names of the services."""


def load(name: str) -> "Manifest":
    """Return the manifest of a service; imports its package and all that it needs."""
    manifest: Manifest = import_module(f"{_package(name)}.manifest").MANIFEST
    return manifest


def load_all() -> "list[Manifest]":
    """Return the manifests of all services, in the order of their ports: that in which they are started."""
    return sorted(map(load, NAMES), key=lambda manifest: manifest.port)


def migrations(name: str) -> Path:
    """Return the directory of the service's migrations; does not import the service."""
    spec = find_spec(_package(name))
    assert spec is not None, f"the package of {name} is part of this distribution"
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "migrations"


def _package(name: str) -> str:
    return f"services.{name.replace('-', '_')}"
