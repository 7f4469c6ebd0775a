"""Routes of general-ledger mappings."""

from services.paytable_registry.api.access import APPROVE_LEDGER_MAPPINGS, FILE_LEDGER_MAPPINGS, LEDGER_MAPPINGS_READER
from services.paytable_registry.api.documents import Described, DocumentChanges, DocumentRoutes
from services.paytable_registry.commands.ledger_mappings import (
    PATH,
    ApproveLedgerMapping,
    FileLedgerMapping,
    ReturnLedgerMapping,
)
from services.paytable_registry.domain.ledger_mappings import LEDGER_MAPPINGS, LedgerMappingVersion
from services.paytable_registry.queries.ledger_mappings import VERSIONS
from shared.runtime.http import Page


class LedgerMappingChanges(DocumentChanges):
    """The differences between a version of a ledger mapping and an earlier version, if there is one."""


routes = DocumentRoutes(
    kind=LEDGER_MAPPINGS,
    versions=VERSIONS,
    path=PATH,
    tag="ledger mappings",
    file=FileLedgerMapping,
    approve=ApproveLedgerMapping,
    give_back=ReturnLedgerMapping,
    filer=FILE_LEDGER_MAPPINGS,
    approver=APPROVE_LEDGER_MAPPINGS,
    reader=LEDGER_MAPPINGS_READER,
    page=Page[LedgerMappingVersion],
    changes=LedgerMappingChanges,
    listed=Described(
        "list_ledger_mappings",
        "List versions of ledger mappings",
        "List all versions of the mappings of all properties, or of one: filed, approved and returned.",
    ),
    in_effect=Described(
        "read_ledger_mapping_in_effect", "Read the ledger mapping in effect", "Return the mapping as of that moment."
    ),
    one=Described("read_ledger_mapping", "Read a version of a ledger mapping"),
    compared=Described("read_ledger_mapping_changes", "Compare a version of a ledger mapping with the one before"),
).routes
