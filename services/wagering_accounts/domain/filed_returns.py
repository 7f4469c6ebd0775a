"""Read the returns in a file of information returns, by the layout of its tax year. Pure."""

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Final

from services.wagering_accounts.domain.filed_reports import FileWrong, ReportInFile
from shared.jurisdictions.returns import ReturnField, ReturnLayout

_AMOUNT: Final = re.compile(r"([0-9]{1,10})\.([0-9]{2})")
_DIGITS: Final = {"account_number": re.compile("[0-9]{10}"), "tax_year": re.compile("[0-9]{4}")}


def read_rows(content: str, layout: ReturnLayout) -> list[dict[str, str]]:
    """Return the rows of a CSV file, each a mapping from column name to text. Raises: FileWrong if it is malformed."""
    try:
        header, *rows = list(csv.reader(StringIO(content, newline=""), strict=True))
    except (csv.Error, ValueError):
        raise FileWrong("the file is no CSV with a header") from None
    places = layout.places(header)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise FileWrong(f"row {number} of the file has {len(row)} columns, and its header {len(header)}")
    return [{name: row[place] for name, place in places.items()} for row in rows]


def read_returns(content: str, layout: ReturnLayout) -> tuple[ReportInFile, ...]:
    """Return the information returns in a file, in file order. Raises: FileWrong if it cannot be read."""
    rows = read_rows(content, layout)
    if not 1 <= len(rows) <= layout.returns_max:
        raise FileWrong(f"the file has {len(rows)} returns: it may have {layout.returns_max}, and one at least")
    return tuple(_read(rows, layout))


def _read(rows: list[dict[str, str]], layout: ReturnLayout) -> Iterator[ReportInFile]:
    for number, row in enumerate(rows, start=1):
        cells = _Cells(number, row, layout)
        yield ReportInFile(
            period=cells.digits("tax_year"),
            account_number=cells.digits("account_number"),
            winnings_cents=cells.cents("winnings_cents"),
            withheld_cents=cells.cents("withheld_cents"),
            state_withheld_cents=cells.cents("state.withheld_cents") if cells.text("state.withheld_cents") else None,
            local_withheld_cents=cells.cents("local.withheld_cents") if cells.text("local.withheld_cents") else None,
            corrected=bool(cells.text("corrected")),
            filer_ein=cells.text("payer.tin").replace("-", "") or None,
        )


class _Cells:
    """The cells of a row of the file, by the field of the return whose value they have."""

    def __init__(self, number: int, row: Mapping[str, str], layout: ReturnLayout) -> None:
        self._number, self._row, self._layout = number, row, layout

    def text(self, field: ReturnField) -> str:
        """Return the text of a field; empty if no column has it. Raises: FileWrong if the columns with it differ."""
        names = [one.name for one in self._layout.columns if one.field == field]
        said = {self._row.get(name, "") for name in names} or {""}
        if len(said) > 1:
            raise FileWrong(f"row {self._number} of the file: {' and '.join(names)} differ")
        return said.pop()

    def digits(self, field: ReturnField) -> str:
        """Return an account number or a tax year as digits. Raises: FileWrong if it has another format."""
        if _DIGITS[field].fullmatch(found := self.text(field)) is None:
            raise FileWrong(f"row {self._number} of the file has no {field.replace('_', ' ')}")
        return found

    def cents(self, field: ReturnField) -> int:
        """Return an amount in cents, converted from dollars and cents. Raises: FileWrong if it has another format."""
        if (found := _AMOUNT.fullmatch(self.text(field))) is None:
            raise FileWrong(
                f"row {self._number} of the file has no amount of {field.removesuffix('_cents').replace('.', ' ')}"
            )
        return int(found[1]) * 100 + int(found[2])
