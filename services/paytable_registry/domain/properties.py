"""Properties as versioned documents. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from services.paytable_registry.domain.device_checks import changed_keys
from services.paytable_registry.domain.documents import DocumentKind, DocumentVersion
from services.paytable_registry.domain.property_changes import changes
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.properties import PropertyApproved, PropertyDocument, PropertyFiled, PropertyReturned
from shared.contracts.property_snapshot import signers_of
from shared.runtime.commands.approval import PROPERTY


class PropertyVersion(PropertyDocument, DocumentVersion):
    """A version of a property with its status."""

    POLICY = PROPERTY

    @classmethod
    def document_of(cls, property_name: str) -> str:
        """Return the name of a property for messages."""
        return f"property {property_name}"


def _other_keys(wanted: PropertyDocument, approved: Sequence[PropertyVersion]) -> Iterable[str]:
    return changed_keys(wanted, [signer.key for version in approved for signer in signers_of(version)])


PROPERTIES: Final = DocumentKind(
    document=PropertyDocument,
    version=PropertyVersion,
    filed=PropertyFiled,
    approved=PropertyApproved,
    returned=PropertyReturned,
    faults=problems,
    contradictions=_other_keys,
    changes=changes,
)
