"""The people of a stack on one machine, and the roles that each of them has: the one place that says so."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

PEOPLE: Final[Mapping[str, Sequence[str]]] = {
    "demo.filer": ("submissions.file",),
    "demo.approver": ("submissions.approve",),
    "demo.auditor": ("*.read",),
    "demo.pit": ("slips.request", "equipment.*"),
    "demo.cage": ("slips.prepare", "slips.receive", "slips.void", "slips.enter"),
    "demo.cashier": ("slips.prepare", "slips.receive", "slips.void", "slips.enter"),
    "demo.counter": ("counts.*",),
    "demo.verifier": ("counts.*",),
    "demo.accountant": ("variances.*", "adjustments.*", "days.*"),
    "demo.revenue_auditor": ("variances.*", "adjustments.*", "days.*"),
    "demo.controller": ("days.*",),
    "demo.account_cashier": ("accounts.*", "patrons.*"),
    "demo.table_system": ("wagers.*",),
    "demo.player_care": ("patrons.*", "exclusions.*"),
    "demo.adjuster": ("accounts.adjust",),
    "demo.adjustment_approver": ("accounts.adjust.approve",),
    "demo.meter_clerk": ("meters.*", "pools.*"),
    "demo.meter_manager": ("meters.*.approve", "meters.approve", "pools.*"),
    "demo.meter_auditor": ("meters.reconcile",),
    "demo.operator": ("quarantine.mend",),
    "demo.operations_manager": ("quarantine.approve",),
}
"""Person -> names or patterns of roles. Whoever approves is somebody else than whoever asked."""


def roles_of(person: str, declared: Collection[str]) -> list[str]:
    """Return the roles of a person among those that are declared."""
    return [name for name in sorted(declared) if any(fnmatchcase(name, pattern) for pattern in PEOPLE[person])]
