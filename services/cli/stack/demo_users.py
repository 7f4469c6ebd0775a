"""The demo users of a local stack, with their roles."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

PEOPLE: Final[Mapping[str, Sequence[str]]] = {
    "demo.filer": ("properties.file", "submissions.file"),
    "demo.approver": ("properties.file.approve", "submissions.file.approve"),
    "demo.auditor": ("*.read", "patrons.report"),
    "demo.pit": ("ratings.enter", "reports.read", "rounds.read", "slips.request"),
    "demo.pit_manager": (
        *("patrons.report", "pit.correct", "ratings.amend", "ratings.enter", "reports.read", "rounds.correct"),
        *("rounds.read", "slips.request"),
    ),
    "demo.cage": ("cage.transact", "slips.prepare"),
    "demo.cashier": ("cage.transact", "slips.prepare"),
    "demo.credit_clerk": ("creditlines.request",),
    "demo.credit_manager": ("creditlines.approve",),
    "demo.credit_director": ("creditlines.approve",),
    "demo.check_clerk": ("checks.prepare",),
    "demo.counter": ("boxes.count",),
    "demo.verifier": ("boxes.count",),
    "demo.accountant": ("days.audit", "reports.read"),
    "demo.revenue_auditor": ("days.audit", "reports.read", "rounds.read"),
    "demo.surveillance": ("alarms.resolve", "quarantine.read", "reports.read", "rounds.read"),
    "demo.controller": ("days.audit.approve", "reports.read"),
    "demo.account_cashier": ("accounts.manage",),
    "demo.player_host": ("accounts.promote",),
    "demo.table_system": ("accounts.wager",),
    "demo.player_care": ("accounts.erase", "accounts.exclude"),
    "demo.adjuster": ("accounts.adjust",),
    "demo.adjustment_approver": ("accounts.adjust.approve", "accounts.erase.approve"),
    "demo.ledger_accountant": ("ledger.file", "reports.read"),
    "demo.financial_controller": ("ledger.file.approve", "reports.read"),
    "demo.title31_clerk": ("filings.prepare", "patrons.report", "properties.read"),
    "demo.title31_officer": ("filings.prepare.approve", "patrons.report", "properties.read", "reports.read"),
    "demo.sar_analyst": ("patrons.report", "properties.read", "sar.prepare"),
    "demo.sar_officer": ("patrons.report", "properties.read", "sar.prepare.approve"),
    "demo.meter_clerk": ("meters.change",),
    "demo.meter_manager": ("meters.change.approve",),
    "demo.round_corrector": ("pit.correct", "rounds.correct", "rounds.read"),
    "demo.correction_approver": ("pit.correct.approve", "reports.read", "rounds.correct.approve", "rounds.read"),
    "demo.meter_auditor": ("meters.reconcile",),
    "demo.prometheus": ("metrics.read",),
    "demo.operator": ("properties.read", "quarantine.mend", "reports.read"),
    "demo.operations_manager": ("properties.read", "quarantine.approve", "reports.read"),
}
"""The names or patterns of each demo user's roles. No user has both the requester's and the approver's role."""

WATCHER: Final = "demo.prometheus"
"""The demo user whose token Prometheus uses to read metrics of money."""


def roles_of(person: str, declared: Collection[str]) -> list[str]:
    """Return those of the declared roles that a demo user has, sorted."""
    return [name for name in sorted(declared) if any(fnmatchcase(name, pattern) for pattern in PEOPLE[person])]
