"""General-ledger mappings as versioned documents. Pure."""

from typing import Final

from services.paytable_registry.domain.documents import DocumentKind, DocumentVersion
from shared.contracts.general_ledger import (
    LedgerMappingApproved,
    LedgerMappingDocument,
    LedgerMappingFiled,
    LedgerMappingReturned,
    LedgerRule,
    problems,
)
from shared.runtime.commands.approval import LEDGER_MAPPING


class LedgerMappingVersion(LedgerMappingDocument, DocumentVersion):
    """A version of a general-ledger mapping with its status."""

    POLICY = LEDGER_MAPPING

    @classmethod
    def document_of(cls, property_name: str) -> str:
        """Return the name of a property's mapping for messages."""
        return f"the ledger mapping of {property_name}"


def changes(before: LedgerMappingVersion, after: LedgerMappingVersion) -> list[str]:
    """Return the differences between two versions as text, one line for each changed field, account or rule."""
    old, new = _said(before), _said(after)
    return [
        f"{name}: {old.get(name, 'none')} → {new.get(name, 'none')}"
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]


def _said(version: LedgerMappingVersion) -> dict[str, str]:
    """Return a version as text by name: title, currency, `effective_from`, each account and each rule."""
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


LEDGER_MAPPINGS: Final = DocumentKind(
    document=LedgerMappingDocument,
    version=LedgerMappingVersion,
    filed=LedgerMappingFiled,
    approved=LedgerMappingApproved,
    returned=LedgerMappingReturned,
    faults=problems,
    changes=changes,
)
