"""Read the versions of general-ledger mappings."""

from typing import Final

from services.paytable_registry.domain.ledger_mappings import LedgerMappingVersion
from services.paytable_registry.queries.documents import Versions
from services.paytable_registry.tables import ledger_mappings

VERSIONS: Final = Versions(ledger_mappings, LedgerMappingVersion)
