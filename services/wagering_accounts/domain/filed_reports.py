"""What a file that is filed says of a report in it. Pure."""

from dataclasses import dataclass
from datetime import date


class FileWrong(Exception):
    """A file is none of its form; the message has none of its content."""


@dataclass(frozen=True, slots=True)
class ReportInFile:
    """A report as the file has it: its gaming day or tax year, and its amounts.

    A currency transaction report has whole dollars in and out, the identifier that it amends, and the persons in it: no
    fewer than those who differ, no more than their parts (somebody may have several), and the day of filing, if the
    file gives one; an information return has its account number, winnings and tax withheld, cents, and whether it is a
    corrected one.
    """

    period: str
    in_dollars: int | None = None
    out_dollars: int | None = None
    amends: str | None = None
    people: tuple[int, int] = (1, 1)
    filed_on: date | None = None
    account_number: str | None = None
    winnings_cents: int | None = None
    withheld_cents: int | None = None
    state_withheld_cents: int | None = None
    local_withheld_cents: int | None = None
    corrected: bool = False
