"""Reports as read from the file of a filing. Pure."""

from dataclasses import dataclass
from datetime import date


class FileWrong(Exception):
    """A file does not have the format of its form; the message has none of the file's content."""


@dataclass(frozen=True, slots=True)
class ReportInFile:
    """A report as read from a file: its gaming day or tax year (`period`), and its amounts.

    A currency transaction report has whole dollars in and out, the digest of its lines and parties, the BSA identifier
    that it amends, the minimum and maximum number of its persons (`people`, because a person may be several parties),
    and the day of filing, if stated in the file. An information return has its account number, its winnings and
    withheld taxes in cents, and a flag that is set if it corrects another return. `filer_ein` is the employer
    identification number of the filer, or of the payer, if stated in the file.
    """

    period: str
    in_dollars: int | None = None
    out_dollars: int | None = None
    lines_sha256: str | None = None
    amends: str | None = None
    people: tuple[int, int] = (1, 1)
    filed_on: date | None = None
    filer_ein: str | None = None
    account_number: str | None = None
    winnings_cents: int | None = None
    withheld_cents: int | None = None
    state_withheld_cents: int | None = None
    local_withheld_cents: int | None = None
    corrected: bool = False
