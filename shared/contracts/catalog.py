"""Every module that declares kinds: import this, and the registry of facts and events is complete."""

from shared.contracts import (
    accounts,
    counts,
    inventory,
    journal_facts,
    meters,
    pit,
    settlements,
    submissions,
    tables,
    vigorish,
)
from shared.contracts.facts import KINDS, Fact

MODULES = (accounts, counts, inventory, journal_facts, meters, pit, settlements, submissions, tables, vigorish)


def decode_fact(kind: str, data: bytes) -> Fact:
    """Return the fact that the data of an entry says."""
    fact: Fact = KINDS[kind].model.model_validate_json(data)
    return fact
