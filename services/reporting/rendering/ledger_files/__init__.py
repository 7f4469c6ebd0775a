"""Write journals as files for accounting programs, or for hledger or beancount as an independent second ledger. Pure.

docs/general-ledger.md documents the source of each layout, and which parts of it could not be confirmed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from services.reporting.rendering.ledger_files.ledger_file import LedgerFile
from services.reporting.rendering.ledger_files.plain_text import as_beancount, as_hledger
from services.reporting.rendering.ledger_files.programs import as_csv, as_iif, as_netsuite, as_sage, as_xero
from shared.contracts.rejection import Reason, Rejected

LedgerFormatName = Literal["csv", "iif", "xero", "netsuite", "sage", "hledger", "beancount"]


@dataclass(frozen=True, slots=True)
class LedgerFormat:
    """A file format: writer function, file extension, media type, and the maximum number of lines, if limited.

    Files for QuickBooks are in Windows-1252, all others in UTF-8; a character that the encoding lacks becomes `?`.
    """

    write: Callable[[LedgerFile], str]
    extension: str
    media_type: str
    encoding: str = "utf-8"
    lines_max: int | None = None


_CSV: Final = "text/csv; charset=utf-8; header=present"
_TEXT: Final = "text/plain; charset=utf-8"

LEDGER_FORMATS: Final[Mapping[LedgerFormatName, LedgerFormat]] = {
    "csv": LedgerFormat(as_csv, "csv", _CSV),
    "iif": LedgerFormat(as_iif, "iif", "text/plain; charset=windows-1252", "cp1252"),
    "xero": LedgerFormat(as_xero, "csv", _CSV, lines_max=300),
    "netsuite": LedgerFormat(as_netsuite, "csv", _CSV),
    "sage": LedgerFormat(as_sage, "csv", _CSV),
    "hledger": LedgerFormat(as_hledger, "journal", _TEXT),
    "beancount": LedgerFormat(as_beancount, "beancount", _TEXT),
}


def write_journals(file: LedgerFile, name: LedgerFormatName) -> bytes:
    """Return a file of journals in a format, as bytes.

    Raises: Rejected if it has more lines than the format allows, or if the format declares accounts once for all days
    and the title or kind of an account differs between days.
    """
    form, lines = LEDGER_FORMATS[name], sum(len(journal.lines) for journal in file.journals)
    if form.lines_max is not None and lines > form.lines_max:
        detail = f"the journals have {lines} lines; {name} takes {form.lines_max} in a file: ask for a shorter period"
        raise Rejected(Reason.DOCUMENT_TOO_LARGE, detail)
    return form.write(file).encode(form.encoding, "replace")
