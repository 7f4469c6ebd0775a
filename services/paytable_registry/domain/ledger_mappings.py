"""The life cycle of a general-ledger mapping: filed, then approved or returned by another person. Pure."""

from datetime import datetime

from services.paytable_registry.domain.history import History
from shared.contracts.general_ledger import (
    LedgerMappingApproved,
    LedgerMappingDocument,
    LedgerMappingFiled,
    LedgerMappingReturned,
    LedgerRule,
    mapping_hash,
    problems,
)
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import Filed, Standing, beginning, fields_of, returned, standing, why_too_late
from shared.runtime.commands.approval import LEDGER_MAPPING, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject


class LedgerMappingVersion(LedgerMappingDocument, Filed, Standing, ApprovalSubject):
    """A version of a general-ledger mapping with its status."""

    @property
    def label(self) -> str:
        """Return the name of the version for messages."""
        return f"version {self.version} of the ledger mapping of {self.property}"

    @property
    def approval(self) -> Approval:
        """Return the approval of the version."""
        return Approval(LEDGER_MAPPING, self.label, self.filed_by, Decision.of(self.status))


def file(wanted: LedgerMappingDocument, history: History, *, by: str, at: datetime) -> LedgerMappingFiled:
    """Return the next version, as filed.

    Raises: Rejected with all of its faults, one per line, or if it could never be approved.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    found = list(problems(wanted))
    too_late = why_too_late(wanted.effective_from, history.approved, at)
    if too_late is not None:
        found.append(too_late)
    if found:
        raise Rejected(Reason.NOT_ALLOWED, "\n".join(found))
    version = history.versions + 1
    return LedgerMappingFiled(
        **fields_of(wanted, LedgerMappingDocument),
        version=version,
        hash=mapping_hash(wanted, version),
        filed_by=by,
        filed_at=at,
    )


def approve(version: LedgerMappingVersion, history: History, *, by: str, at: datetime) -> LedgerMappingApproved:
    """Return the approval of a version.

    Raises: Rejected if it was decided before, for its filer, or if it would change what has been in effect.
    """
    version.approval.approve(by)
    too_late = why_too_late(version.effective_from, history.approved, at)
    if too_late is not None:
        raise Rejected(Reason.TOO_LATE, f"{version.label} cannot be approved any more: {too_late}")
    return LedgerMappingApproved(**fields_of(version, LedgerMappingFiled), approved_by=by, approved_at=at)


def give_back(version: LedgerMappingVersion, *, by: str, at: datetime, reason: str) -> LedgerMappingReturned:
    """Return the return of a version to its filer. Raises: Rejected if it was decided before."""
    version.approval.reject()
    return returned(LedgerMappingReturned, version, by=by, at=at, reason=reason)


def after(
    version: LedgerMappingFiled | LedgerMappingVersion, fact: LedgerMappingFiled | LedgerMappingReturned
) -> LedgerMappingVersion:
    """Return a version after a fact about it was recorded."""
    return LedgerMappingVersion(**fields_of(version, LedgerMappingFiled), **standing(fact))


def changes(before: LedgerMappingVersion, after: LedgerMappingVersion) -> list[str]:
    """Return the differences of two versions as text: accounts, then rules."""
    old, new = _said(before), _said(after)
    return [
        f"{name}: {old.get(name, 'none')} → {new.get(name, 'none')}"
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]


def _said(version: LedgerMappingVersion) -> dict[str, str]:
    """Return what a version says of each of its parts, as text."""
    return {
        "title": version.title,
        "currency": version.currency,
        "effective_from": version.effective_from.isoformat(),
        **{f"account {one.account}": f"{one.title} ({one.kind})" for one in version.accounts},
        **{one.where: _destination(one) for one in version.rules},
    }


def _destination(rule: LedgerRule) -> str:
    segments = (("department", rule.department), ("cost center", rule.cost_center))
    return ", ".join((f"account {rule.account}", *(f"{name} {value}" for name, value in segments if value is not None)))
