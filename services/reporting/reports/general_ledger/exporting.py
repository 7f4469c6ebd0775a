"""The journals of sealed gaming days as a file; the export is refused while the journal of a day is missing."""

from services.reporting.read_model.general_ledger import unposted
from services.reporting.read_model.reading import Books
from services.reporting.rendering.ledger_files.ledger_file import LedgerFile
from services.reporting.reports.general_ledger.books import LedgerPeriod, ledger_of
from shared.contracts.rejection import Reason, Rejected


async def ledger_file(books: Books) -> LedgerFile:
    """Return the journals of the queried gaming days.

    Raises: Rejected if a day is not sealed or has no mapping, if a leg has no rule, or if an entry that moved money
    does not state its postings.
    """
    ledger = await ledger_of(books)
    property_name = books.question.property
    if not ledger.sealed:
        raise Rejected(
            Reason.TOO_EARLY, f"no gaming day of these is sealed at {property_name}: there is no journal yet"
        )
    faults = [*_faults(ledger)]
    missing = (await unposted(books)).value
    if missing:
        faults.append(f"{missing} entries that moved money do not state their postings: they are of an earlier release")
    if faults:
        raise Rejected(Reason.TOO_EARLY, "\n".join(faults))
    mappings = [mapping for mapping in ledger.mappings.values() if mapping is not None]
    used = {line.destination.account for journal in ledger.journals for line in journal.lines}
    return LedgerFile(
        property=property_name,
        title=books.place.document.title,
        currency=mappings[-1].currency,
        last=max(ledger.sealed),
        accounts={
            number: account for mapping in mappings for number, account in mapping.chart.items() if number in used
        },
        journals=ledger.journals,
        balances=ledger.balances,
    )


def _faults(ledger: LedgerPeriod) -> list[str]:
    found = [f"gaming day {day} is not sealed" for day in sorted(ledger.placed.keys() - set(ledger.sealed))]
    found += [
        f"no general-ledger mapping is in effect on gaming day {day}: file one, and have it approved"
        for day, mapping in ledger.mappings.items()
        if mapping is None
    ]
    if not found:
        legs = sorted({(one.posted.service, one.posted.leg) for one in ledger.unmapped})
        found += [f"{service} {leg}: the mapping has no rule for it" for service, leg in legs]
    currencies = sorted({mapping.currency for mapping in ledger.mappings.values() if mapping is not None})
    if len(currencies) > 1:
        found.append(f"the days are in {' and '.join(currencies)}: ask for those of one currency")
    return found
