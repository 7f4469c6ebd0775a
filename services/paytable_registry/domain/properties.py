"""The life cycle of a property version: filed, then approved or returned by another person, never changed. Pure."""

from datetime import datetime

from services.paytable_registry.domain.device_checks import changed_keys
from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.properties import (
    PropertyApproved,
    PropertyDocument,
    PropertyFiled,
    PropertyReturned,
    property_hash,
)
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import Filed, Standing, beginning, fields_of, returned, standing, why_too_late
from shared.runtime.commands.approval import PROPERTY, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject


class PropertyVersion(PropertyDocument, Filed, Standing, ApprovalSubject):
    """A version of a property with its status."""

    @property
    def label(self) -> str:
        """Return the name of the version for messages."""
        return f"version {self.version} of property {self.property}"

    @property
    def approval(self) -> Approval:
        """Return the approval of the version."""
        return Approval(PROPERTY, self.label, self.filed_by, Decision.of(self.status))


def file(wanted: PropertyDocument, history: History, *, by: str, at: datetime) -> PropertyFiled:
    """Return the next version, as filed.

    Raises: Rejected with all of its faults, one per line, or if it could never be approved.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    found = [*problems(wanted), *changed_keys(wanted, history.keys)]
    too_late = why_too_late(wanted.effective_from, history.approved, at)
    if too_late is not None:
        found.append(too_late)
    if found:
        raise Rejected(Reason.NOT_ALLOWED, "\n".join(found))
    version = history.versions + 1
    return PropertyFiled(
        **fields_of(wanted, PropertyDocument),
        version=version,
        hash=property_hash(wanted, version),
        filed_by=by,
        filed_at=at,
    )


def approve(version: PropertyVersion, history: History, *, by: str, at: datetime) -> PropertyApproved:
    """Return the approval of a version.

    Raises: Rejected if it was decided before, for its filer, or if it would change what has been in effect.
    """
    version.approval.approve(by)
    too_late = why_too_late(version.effective_from, history.approved, at)
    if too_late is not None:
        raise Rejected(Reason.TOO_LATE, f"{version.label} cannot be approved any more: {too_late}")
    changed = list(changed_keys(version, history.keys))
    if changed:
        raise Rejected(Reason.TOO_LATE, f"{version.label} cannot be approved any more: {'; '.join(changed)}")
    return PropertyApproved(**fields_of(version, PropertyFiled), approved_by=by, approved_at=at)


def give_back(version: PropertyVersion, *, by: str, at: datetime, reason: str) -> PropertyReturned:
    """Return the return of a version to its filer. Raises: Rejected if it was decided before."""
    version.approval.reject()
    return returned(PropertyReturned, version, by=by, at=at, reason=reason)


def after(version: PropertyFiled | PropertyVersion, fact: PropertyFiled | PropertyReturned) -> PropertyVersion:
    """Return a version after a fact about it was recorded."""
    return PropertyVersion(**fields_of(version, PropertyFiled), **standing(fact))
