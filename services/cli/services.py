"""The services that exist: the one list that every command goes by."""

from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.runtime.service.rebuild import Projections
    from shared.runtime.service.run import Service


class ServiceName(StrEnum):
    """The name of a service; in the order in which they are migrated and started."""

    PAYTABLE_REGISTRY = "paytable-registry"
    ROUND_SETTLEMENT = "round-settlement"
    REPORTING = "reporting"
    TABLE_INVENTORY = "table-inventory"
    VIGORISH = "vigorish"
    PROGRESSIVE_METERS = "progressive-meters"
    WAGERING_ACCOUNTS = "wagering-accounts"


def load(name: str) -> "Service":
    """The service itself; imports its package and all that it needs."""
    service: Service = import_module(_package(name)).SERVICE
    return service


def projections(name: str) -> "Projections":
    """What of the service's tables can be made anew; imports its package."""
    found: Projections = import_module(f"{_package(name)}.rebuild").PROJECTIONS
    return found


def migrations(name: str) -> Path:
    """The directory of the service's migrations; does not import the service."""
    spec = find_spec(_package(name))
    assert spec is not None, f"the package of {name} is part of this distribution"
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "migrations"


def _package(name: str) -> str:
    return f"services.{name.replace('-', '_')}"
