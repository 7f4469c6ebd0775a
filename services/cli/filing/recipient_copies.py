"""Write a PDF per recipient of information returns, with all of that recipient's returns in the filed file."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from services.cli.filing.return_rows import Row, said_in
from shared.contracts.money import dollars
from shared.jurisdictions.returns import AMOUNTS, ReturnField, ReturnLayout
from shared.runtime.typesetting import typeset

_TEMPLATE: Final = Path(__file__).with_name("recipient_copy.typ")
_BOX: Final = re.compile(r"Box (\d+[a-z]?) - (.+)")
_SHOWN_DIGITS: Final = 4
_PAYER: Final[Sequence[Sequence[ReturnField]]] = (
    ("payer.name",),
    ("payer.trade_name",),
    ("payer.street",),
    ("payer.city", "payer.state_code", "payer.postal_code"),
    ("payer.country",),
)
_RECIPIENT: Final[Sequence[Sequence[ReturnField]]] = (
    ("recipient.legal_name",),
    ("recipient.trade_name",),
    ("recipient.first_name", "recipient.middle_name", "recipient.last_name", "recipient.suffix"),
    ("recipient.street",),
    ("recipient.city", "recipient.state_code", "recipient.postal_code"),
    ("recipient.country",),
)
_CUT: Final[frozenset[ReturnField]] = frozenset(("recipient.tin", "recipient.foreign_tin"))


def recipient_copies(
    form: str, layout: ReturnLayout, rows: Sequence[Row], people: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield each person with a PDF of all of the person's returns, in the order of the file.

    `people` has the recipient of each row. The same rows give the same bytes. Raises: the errors of `typeset`.
    """
    of_person: dict[str, list[Row]] = {}
    for person, row in zip(people, rows, strict=True):
        of_person.setdefault(person, []).append(row)
    for person, own in of_person.items():
        document = copy_document(form, layout, own)
        made_at = datetime(int(document["year"]) + 1, 1, 1, tzinfo=UTC)
        yield person, typeset(_TEMPLATE, document, name=f"copy of {person}", made_at=made_at, tagged=True)


def copy_document(form: str, layout: ReturnLayout, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the template's values for a recipient's document; taxpayer numbers show only the last four digits.

    The heading shows the recipient from the last return. Each return also shows its own recipient, because a return
    that corrects a name to nothing has the old name.
    """
    said = _Said(layout, rows[-1])
    return {
        "form": form,
        "year": said("tax_year"),
        "payer": said.lines(_PAYER),
        "payer_tin": said("payer.tin"),
        "phone": said("payer.phone"),
        **_recipient(said),
        "returns": [_return(layout, row) for row in rows],
    }


class _Said:
    """Gives the text of a return's field as the recipient reads it: codes of the IRS layout are spelled out."""

    def __init__(self, layout: ReturnLayout, row: Row) -> None:
        self._layout, self._row = layout, row

    def __call__(self, field: ReturnField) -> str:
        return said_in(self._layout, self._row, field)

    def lines(self, lines: Sequence[Sequence[ReturnField]]) -> list[str]:
        """Return the lines of a name and address, given the fields of each line; empty lines are left out."""
        said = (" ".join(filter(None, map(self, line))) for line in lines)
        return [line for line in said if line]


def _recipient(said: _Said) -> dict[str, Any]:
    number = said("recipient.tin") or said("recipient.foreign_tin")
    return {"recipient": said.lines(_RECIPIENT), "recipient_tin": _cut(number)}


def _return(layout: ReturnLayout, row: Row) -> dict[str, Any]:
    said = _Said(layout, row)
    boxes = []
    for column in layout.columns:
        text = row.get(column.name, "")
        if text and (box := _BOX.fullmatch(column.name)):
            boxes.append([box[1], box[2], _shown(column.field, text)])
    return {
        "account_number": said("account_number"),
        "corrected": bool(said("corrected")),
        **_recipient(said),
        "boxes": boxes,
    }


def _shown(field: ReturnField | None, text: str) -> str:
    if field in AMOUNTS:
        return dollars(int(text.replace(".", "")), symbol="$")
    return _cut(text) if field in _CUT else text


def _cut(number: str) -> str:
    """Return a taxpayer number with all but its last four digits or letters masked.

    >>> _cut("900551234"), _cut("12-34 5-678")
    ('*****1234', '**-** 5-678')
    """
    return re.sub(rf"\w(?=(?:\W*\w){{{_SHOWN_DIGITS}}})", "*", number)
