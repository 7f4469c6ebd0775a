"""Journals for accounting programs: CSV, QuickBooks, Xero, NetSuite, Sage 50. Pure."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from services.reporting.domain.ledger_journals import JournalLine, LedgerJournal
from services.reporting.rendering.ledger_files.ledger_file import LedgerFile, amount, memo
from shared.contracts.spreadsheet_text import guarded

Lines = Iterator[tuple[LedgerJournal, JournalLine]]


def _lines(file: LedgerFile) -> Lines:
    return ((journal, line) for journal in file.journals for line in journal.lines)


def _table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(
        [guarded(one) if isinstance(one, str) and not _is_amount(one) else one for one in row] for row in rows
    )
    return text.getvalue()


def _is_amount(text: str) -> bool:
    """Return whether a text is a number, so that a spreadsheet does not read it as a formula."""
    return text.removeprefix("-").replace(".", "", 1).isdigit()


def _sides(line: JournalLine) -> tuple[str, str]:
    cents = line.cents.value
    return (amount(cents), "") if cents > 0 else ("", amount(-cents))


_CSV: Final = (
    *("journal", "kind", "gaming_day", "version", "known_at", "account", "account_title", "account_kind"),
    *("department", "cost_center", "debit", "credit", "currency", "memo"),
)


def as_csv(file: LedgerFile) -> str:
    """Return journals as CSV with a row for each line; the amount is in the debit or the credit column."""
    return _table(
        _CSV,
        (
            (
                *(journal.number, journal.kind, journal.gaming_day.isoformat(), journal.version),
                journal.known_at.isoformat(),
                line.destination.account,
                file.account(journal, line).title,
                file.account(journal, line).kind,
                *(line.destination.department, line.destination.cost_center),
                *_sides(line),
                *(file.currency, memo(file, journal)),
            )
            for journal, line in _lines(file)
        ),
    )


_XERO: Final = (
    *("*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount"),
    *("TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2"),
)
_NO_TAX: Final = "Tax Exempt"


def as_xero(file: LedgerFile) -> str:
    """Return journals in Xero's template: lines with the same narration and date form a journal; debits positive."""
    return _table(
        _XERO,
        (
            (
                f"{journal.number}: {memo(file, journal)}",
                f"{journal.gaming_day:%d/%m/%Y}",
                file.account(journal, line).title,
                line.destination.account,
                _NO_TAX,
                amount(line.cents.value),
                *(("Department", line.destination.department) if line.destination.department else ("", "")),
                *(("Cost center", line.destination.cost_center) if line.destination.cost_center else ("", "")),
            )
            for journal, line in _lines(file)
        ),
    )


_NETSUITE: Final = (
    *("External ID", "Date", "Currency", "Memo", "Account", "Debit", "Credit", "Line Memo", "Department", "Class"),
)


def as_netsuite(file: LedgerFile) -> str:
    """Return journal entries for NetSuite's import assistant: lines with the same external ID form one entry."""
    return _table(
        _NETSUITE,
        (
            (
                f"{file.property}-{journal.number}",
                f"{journal.gaming_day:%m/%d/%Y}",
                file.currency,
                memo(file, journal),
                line.destination.account,
                *_sides(line),
                file.account(journal, line).title,
                *(line.destination.department, line.destination.cost_center),
            )
            for journal, line in _lines(file)
        ),
    )


_SAGE: Final = ("Date", "Reference", "Number of Distributions", "G/L Account", "Description", "Amount")


def as_sage(file: LedgerFile) -> str:
    """Return general journals for Sage 50 (US); each line states how many lines its journal has; debits positive."""
    return _table(
        _SAGE,
        (
            (
                f"{journal.gaming_day:%m/%d/%y}",
                journal.number,
                len(journal.lines),
                line.destination.account,
                _sage_description(file, journal, line),
                amount(line.cents.value),
            )
            for journal, line in _lines(file)
        ),
    )


def _sage_description(file: LedgerFile, journal: LedgerJournal, line: JournalLine) -> str:
    """Return a line's description with department and cost center, because Sage 50 has no columns for these."""
    return " ".join(filter(None, (memo(file, journal), line.destination.department, line.destination.cost_center)))


_IIF: Final = ("TRNSID", "TRNSTYPE", "DATE", "ACCNT", "CLASS", "AMOUNT", "DOCNUM", "MEMO")


def as_iif(file: LedgerFile) -> str:
    """Return general journals for QuickBooks Desktop, with tabs between columns; debits positive.

    QuickBooks identifies an account by its title. A colon, which would mark a subaccount, is removed from the title.
    The class of a line is its department and cost center.
    """
    rows: list[Sequence[str]] = [("!TRNS", *_IIF), ("!SPL", "SPLID", *_IIF[1:]), ("!ENDTRNS",)]
    for journal in file.journals:
        for number, line in enumerate(journal.lines):
            segments = (line.destination.department, line.destination.cost_center)
            rows.append(
                (
                    "SPL" if number else "TRNS",
                    "",
                    "GENERAL JOURNAL",
                    f"{journal.gaming_day:%m/%d/%Y}",
                    file.account(journal, line).plain_title,
                    ":".join(filter(None, segments)),
                    amount(line.cents.value),
                    journal.number,
                    _iif_text(memo(file, journal)),
                )
            )
        if journal.lines:
            rows.append(("ENDTRNS",))
    return "".join("\t".join(row) + "\r\n" for row in rows)


def _iif_text(text: str) -> str:
    """Return a text with double quotes, which QuickBooks reads as delimiters, replaced by single quotes."""
    return text.replace('"', "'")
