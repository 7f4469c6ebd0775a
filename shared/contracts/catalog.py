"""Import every module that declares facts, so that the registry is complete.

The events of tables are in `shared.contracts.tables`, which imports the rules of every game and is needed only for
settling.
"""

from shared.contracts import (
    accounts,
    alarms,
    cage,
    cage_locations,
    check_collection,
    chips_in_service,
    contests,
    corrections,
    counts,
    credit_lines,
    filings,
    general_ledger,
    inventory,
    investigations,
    journal_facts,
    meters,
    pit,
    pit_changes,
    properties,
    ratings,
    settlements,
    submissions,
    suspicions,
    tax_invoices,
    tips,
    vigorish,
    win,
)
from shared.contracts.facts import Fact
from shared.contracts.upcasting import kind_of_type, upcast_data

MODULES = (
    *(accounts, alarms, cage, cage_locations, check_collection, chips_in_service, contests, corrections),
    *(counts, credit_lines),
    *(filings, general_ledger, inventory, investigations, journal_facts, meters),
    *(pit, pit_changes, properties, ratings, settlements, submissions, suspicions, tax_invoices, tips, vigorish, win),
)


def decode_fact(kind: str, data: bytes) -> Fact:
    """Return the fact encoded in an entry's data, upgraded to the current version.

    Raises: LookupError for an unknown kind or version; ValueError for invalid data.
    """
    fact: Fact = kind_of_type(kind).model.model_validate_json(upcast_data(kind, data))
    return fact
