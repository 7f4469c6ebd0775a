"""Roles and common parameters of the routes."""

from typing import Annotated, Final

from fastapi import Path

from shared.contracts.envelope import Name
from shared.runtime.http import declare_role, require_role
from shared.runtime.http.roles import READ_REPORTS

CHANGE_METERS: Final = declare_role("meters.change", "File the terms of pools, and request changes of meters.")
APPROVE_METERS: Final = declare_role(
    "meters.change.approve", "Approve or reject terms of pools and changes of meters that somebody else asked for."
)
RECONCILE_METERS: Final = declare_role("meters.reconcile", "Record the reconciliation of the meters for a day.")
READ_SIGNS: Final = declare_role("signs.read", "Read what the signs of progressive meters show.")

SIGN_READER: Final = require_role(READ_SIGNS, READ_REPORTS, CHANGE_METERS, APPROVE_METERS, RECONCILE_METERS)
POOL_READER: Final = require_role(READ_REPORTS, CHANGE_METERS, APPROVE_METERS, RECONCILE_METERS)
DAY_READER: Final = require_role(READ_REPORTS, RECONCILE_METERS)

PoolName = Annotated[Name, Path(description="the pool")]
