"""Every module that declares facts: import this, and the registry knows all that a journal may hold.

What tables report stands in `shared.contracts.tables`: it brings the rules of every game, and settling alone reads it.
"""

from shared.contracts import (
    accounts,
    alarms,
    cage,
    contests,
    corrections,
    counts,
    inventory,
    investigations,
    journal_facts,
    meters,
    pit,
    properties,
    settlements,
    submissions,
    vigorish,
)
from shared.contracts.facts import KINDS, Fact

MODULES = (
    *(accounts, alarms, cage, contests, corrections, counts, inventory, investigations, journal_facts, meters),
    *(pit, properties, settlements, submissions, vigorish),
)


def decode_fact(kind: str, data: bytes) -> Fact:
    """Return the fact that the data of an entry says."""
    fact: Fact = KINDS[kind].model.model_validate_json(data)
    return fact
