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
    pit_changes,
    properties,
    settlements,
    submissions,
    vigorish,
    win,
)
from shared.contracts.facts import Fact
from shared.contracts.upcasting import kind_of_type, upcast_data

MODULES = (
    *(accounts, alarms, cage, contests, corrections, counts, inventory, investigations, journal_facts, meters),
    *(pit, pit_changes, properties, settlements, submissions, vigorish, win),
)


def decode_fact(kind: str, data: bytes) -> Fact:
    """Return the fact that the data of an entry says; that of an older version as today's.

    Raises: LookupError for a kind, or a version, that is not known here; ValueError for other data.
    """
    fact: Fact = kind_of_type(kind).model.model_validate_json(upcast_data(kind, data))
    return fact
