"""General-ledger mappings: the one that `pitledger gl example` prints, at any property."""

from functools import cache
from typing import Any

import yaml

from services.cli.books.gl import example_mapping
from shared.contracts.general_ledger import LedgerMappingApproved, LedgerMappingDocument, mapping_hash
from shared.contracts.versions import fields_of
from tests.support.published import published
from tests.support.rounds import PROPERTY

PROGRAM_ROOTS = {
    "asset": "Assets",
    "liability": "Liabilities",
    "equity": "Equity",
    "revenue": "Income",
    "expense": "Expenses",
    "clearing": "Equity:Clearing",
    "memorandum": "Equity:Memorandum",
}
"""Below which account a plain-text accounting program has those of a kind."""
_BEGUN = "2020-01-01T05:00:00Z"


@cache
def _example() -> dict[str, Any]:
    return yaml.safe_load(example_mapping())  # type: ignore[no-any-return]


def mapping_document(name: str = PROPERTY, **changes: Any) -> dict[str, Any]:
    """The body of `POST /ledger-mappings`: the example, in effect since 2020."""
    return _example() | {"property": name, "effective_from": _BEGUN} | changes


def remapped(service: str, leg: str, **changes: Any) -> dict[str, Any]:
    """The example, with changes in the first rule of a leg."""
    rules = [dict(rule) for rule in _example()["rules"]]
    next(rule for rule in rules if (rule["service"], rule["leg"]) == (service, leg)).update(changes)
    return mapping_document(rules=rules)


def approved_mapping(name: str = PROPERTY, version: int = 1, **changes: Any) -> LedgerMappingApproved:
    """An approved version of such a mapping."""
    wanted = LedgerMappingDocument.model_validate(mapping_document(name, **changes))
    return LedgerMappingApproved(
        **fields_of(wanted, LedgerMappingDocument),
        version=version,
        hash=mapping_hash(wanted, version),
        filed_by="ledger.amy",
        filed_at=wanted.effective_from,
        approved_by="finance.joe",
        approved_at=wanted.effective_from,
    )


def mapping_event(name: str = PROPERTY, sequence: int = 1, version: int = 1, **changes: Any) -> dict[str, Any]:
    """The entry with which the registry publishes such a version on `properties`."""
    fact = approved_mapping(name, version, **changes)
    data = fact.model_dump(mode="json", exclude_none=True)
    at = fact.approved_at
    return published("ledger_mapping.approved", data, service="paytable-registry", sequence=sequence, at=at, shard=2)
