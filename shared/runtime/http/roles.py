"""Roles of callers, each declared once, with a name of the form `<area>.<verb>`.

A service declares the roles of its own commands in its manifest. Roles that several services share are declared here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

_NAME: Final = re.compile(r"[a-z]+(\.[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Role:
    """A role: its name in a token's claims, and one sentence about what it permits."""

    name: str
    description: str


_declared: dict[str, Role] = {}

ROLES: Final[Mapping[str, Role]] = MappingProxyType(_declared)
"""All roles that the imported modules declare, by name."""


def declare_role(name: str, description: str) -> Role:
    """Declare a role and return it. Raises: ValueError for a malformed name, or for another description of a name."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"role {name!r} is not named like 'area.verb', in lower case")
    role = _declared.setdefault(name, Role(name, description))
    if role.description != description:
        raise ValueError(f"role {name!r} is declared already: {role.description}")
    return role


READ_REPORTS: Final = declare_role("reports.read", "Read reports, exceptions, and the records behind them.")
READ_PATRON_REPORTS: Final = declare_role(
    "patrons.report", "Read reports of what persons won and moved in currency: winnings to report, currency reports."
)
READ_QUARANTINE: Final = declare_role("quarantine.read", "Read the records that a service could not process.")
MEND_QUARANTINE: Final = declare_role("quarantine.mend", "Ask for a quarantined record to be replayed or dismissed.")
APPROVE_QUARANTINE: Final = declare_role("quarantine.approve", "Approve what somebody else asked for in quarantine.")
COMMON: Final = (READ_REPORTS, READ_PATRON_REPORTS, READ_QUARANTINE, MEND_QUARANTINE, APPROVE_QUARANTINE)
"""The roles that several services share."""
