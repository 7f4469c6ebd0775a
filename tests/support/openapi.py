"""What the services' HTTP interfaces are, without a running service."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from services.cli.codegen.contracts import openapi
from services.cli.services import NAMES, load
from services.cli.subjects import Approvals
from services.console.operations import Operation, operations_of

PATH: Final = "/openapi.json"
"""Where each service serves its document, to everybody."""


@cache
def document_of(service: str) -> dict[str, Any]:
    """Return the OpenAPI document of a service."""
    return openapi(load(service))


@cache
def approvals_of(service: str) -> Approvals:
    """Return the approvals of a service, each with the path of what is approved; a service of a test has none."""
    return Approvals(document_of(service) if service in NAMES else {"paths": {}})


@cache
def all_operations() -> Mapping[tuple[str, str], Operation]:
    """Return every command of every service, by service and name, as the console's forms have them."""
    return {(name, one.name): one for name in NAMES for one in operations_of(name, document_of(name))}
