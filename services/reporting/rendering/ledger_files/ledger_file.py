"""The content of a file of journals, independent of its format. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from services.reporting.domain.ledger_journals import JournalLine, LedgerJournal
from shared.contracts.general_ledger import LedgerAccount


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The content of a file: journals of gaming days up to `last`, charts of accounts by day, and closing balances.

    `charts` has the accounts of each gaming day by their number: titles and kinds may differ between days. `balances`
    are computed from the latest known postings of the days, independently of the journals.
    """

    property: str
    title: str
    currency: str
    last: date
    charts: Mapping[date, Mapping[str, LedgerAccount]]
    journals: Sequence[LedgerJournal]
    balances: Sequence[JournalLine]

    def account(self, journal: LedgerJournal, line: JournalLine) -> LedgerAccount:
        """Return the account of a line, with the title and kind that it has on the gaming day of the journal."""
        return self.charts[journal.gaming_day][line.destination.account]


def memo(file: LedgerFile, journal: LedgerJournal) -> str:
    """Return the description of a journal, with property, gaming day, and version or reversal."""
    day = f"{file.property}, gaming day {journal.gaming_day}"
    if journal.kind == "reversal":
        return f"{day}: reversal of version {journal.version - 1}"
    return f"{day}, version {journal.version}" if journal.version > 1 else day


def amount(cents: int) -> str:
    """Return an amount, given in cents, as text with two decimals.

    >>> amount(-5), amount(123456)
    ('-0.05', '1234.56')
    """
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"
