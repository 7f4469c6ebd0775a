"""Export of the journals of sealed gaming days to a file; it is refused while a day's journal is missing."""

from datetime import date, datetime

from services.reporting.read_model.general_ledger import unposted
from services.reporting.read_model.reading import Books
from services.reporting.rendering.ledger_files.ledger_file import LedgerFile
from services.reporting.reports.general_ledger.books import LedgerPeriod, ledger_of
from shared.contracts.rejection import Reason, Rejected


async def ledger_file(books: Books, read_until: datetime | None, *, partial: bool) -> LedgerFile:
    """Return the content of a file with the journals of the queried gaming days.

    `read_until` is the time up to which all recorded entries had been read before `books` were queried; None if it is
    unknown. A journal with a later as-of time could still get other lines under the same number. With `partial`, the
    file ends with the last sealed gaming day, and what was posted on later days is left out.

    Raises: Rejected if a day with postings is not sealed, or without `partial` the last day; if a day has no mapping,
    or a leg no rule; if an entry that moved money does not state its postings; or if entries up to the as-of time of a
    journal have not all been read.
    """
    ledger = await ledger_of(books)
    property_name = books.question.property
    if not ledger.sealed:
        raise Rejected(
            Reason.TOO_EARLY, f"no gaming day of these is sealed at {property_name}: there is no journal yet"
        )
    last, asked = max(ledger.sealed), books.question.last
    if partial:
        ledger = ledger.until(last)
    faults = [*_faults(ledger)]
    if not partial and last < asked and asked not in ledger.placed:  # a day with postings is named already
        faults.append(_unfinished(last, asked))
    missing = (await unposted(books)).value
    if missing:
        faults.append(f"{missing} entries that moved money do not state their postings: they are of an earlier release")
    faults += _unread(ledger, read_until)
    if faults:
        raise Rejected(Reason.TOO_EARLY, "\n".join(faults))
    mappings = [mapping for mapping in ledger.mappings.values() if mapping is not None]
    return LedgerFile(
        property=property_name,
        title=books.place.document.title,
        currency=mappings[-1].currency,
        last=last,
        charts={day: mapping.chart for day, mapping in ledger.mappings.items() if mapping is not None},
        journals=ledger.journals,
        balances=ledger.balances,
    )


def _unfinished(last: date, asked: date) -> str:
    ends = f"the last sealed gaming day of these is {last}, and they end with {asked}"
    return f"{ends}: wait until that is sealed, or ask for a partial export up to {last} ('partial', --partial)"


def _unread(ledger: LedgerPeriod, read_until: datetime | None) -> list[str]:
    """Return an error text if entries have not been read up to the as-of time of the latest journal; else empty."""
    latest = max((journal.known_at for journal in ledger.journals), default=None)
    if latest is None or (read_until is not None and latest <= read_until):
        return []
    how_far = "how far is not known yet" if read_until is None else f"only up to {read_until.isoformat()}"
    return [f"not all that was recorded up to {latest.isoformat()} has been read, {how_far}: try again later"]


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
