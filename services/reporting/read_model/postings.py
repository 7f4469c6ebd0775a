"""Measures of services' postings, except the postings of rounds, which are derived from wager totals. Pure.

`posted_cents` is the amount that an entry posted on a leg. The item consists of the service, the leg, and the journal's
name of the wager, instrument, coupon, slip or pool (which may be empty), separated by spaces. `unposted` counts entries
that moved money but whose messages do not state their postings.
"""

from collections.abc import Iterator
from typing import Any, Final

from services.reporting.read_model.measures import Amount
from shared.contracts.facts import EntryEvent
from shared.contracts.postings import postings_of_text
from shared.contracts.topics import SETTLEMENTS

POSTED: Final = "posted_cents"
UNPOSTED: Final = "unposted"


def amounts_of_entry(service: str, event: EntryEvent[Any]) -> Iterator[Amount]:
    """Yield the amounts of an entry's postings; nothing for an entry of round settlement."""
    if service == SETTLEMENTS.publisher:
        return
    if event.postings is None:
        if event.movesmoney:
            yield Amount(UNPOSTED, 1)
        return
    for one in postings_of_text(event.postings):
        yield Amount(POSTED, one.cents, one.table, item=f"{service} {one.leg} {one.wager}")
