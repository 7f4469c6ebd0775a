"""Information returns to the tax office: their due dates, and the columns of the file in which they are uploaded.

`ReturnField` names the contents of a return; a layout maps each field to a column and its format.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from shared.jurisdictions.dated import Provision, Text
from shared.jurisdictions.forms import Count
from shared.rules.record import Listed, Record

ReturnField = Literal[
    "form", "tax_year", "account_number", "corrected", "amendment_number",
    "payer.tin", "payer.name", "payer.trade_name", "payer.street", "payer.city", "payer.state_code",
    "payer.postal_code", "payer.country", "payer.phone",
    "recipient.kind", "recipient.tin_kind", "recipient.tin", "recipient.foreign_tin", "recipient.legal_name",
    "recipient.trade_name", "recipient.first_name", "recipient.middle_name", "recipient.last_name",
    "recipient.suffix", "recipient.street", "recipient.city", "recipient.state_code", "recipient.postal_code",
    "recipient.country", "recipient.residence", "recipient.date_of_birth", "recipient.first_document",
    "recipient.second_document",
    "winnings_cents", "withheld_cents", "won_on", "wager",
    "state.code", "state.payer_number", "state.winnings_cents", "state.withheld_cents",
    "local.winnings_cents", "local.withheld_cents", "local.name", "exemption_code", "tax_rate",
]  # fmt: skip
"""A field of a return, before a layout formats it: a text, cents, or a date."""

IDENTIFYING: Final[frozenset[ReturnField]] = frozenset(
    (
        *("recipient.tin", "recipient.foreign_tin", "recipient.legal_name"),
        *("recipient.first_name", "recipient.middle_name", "recipient.last_name", "recipient.suffix"),
    )
)
"""The fields by which the tax office identifies the recipient."""

AMOUNTS: Final[frozenset[ReturnField]] = frozenset(
    (
        *("winnings_cents", "withheld_cents", "state.winnings_cents", "state.withheld_cents"),
        *("local.winnings_cents", "local.withheld_cents"),
    )
)

MonthDay = Annotated[str, Field(pattern=r"^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")]
"""A day of the year after the tax year, such as `03-31`."""

_BOX: Final = re.compile(r"box (\d+[a-z]?)\b")
_SATURDAY: Final = 5


def _flat(columns: Any) -> Any:
    """Flatten a list of columns; a nested list is a group of columns that several layouts share (a YAML anchor)."""
    if not isinstance(columns, list):
        return columns
    return [column for one in columns for column in (one if isinstance(one, list) else [one])]


class ReturnColumn(Record):
    """A column of the file: its heading, its content, and the values that the tax office accepts.

    It is filled with a `field` of the return, or with the same `text` in every row; with neither it stays empty.
    `values` maps the field's values to the tax office's words. A text is at most `length_max` long, or else is cut if
    `shortened`, and consists of `characters`, a regular expression's character class. `required` is the condition under
    which the column must be filled: in every return; only if the recipient is a person, is an entity, or lives in the
    country of the tax office; or if nothing was withheld.
    """

    name: Text
    field: ReturnField | None = None
    text: Text | None = None
    values: dict[str, str] | None = None
    length_max: Count | None = None
    shortened: bool = False
    characters: Text | None = None
    required: Literal["always", "person", "entity", "domestic", "nothing_withheld"] | None = None
    status: Literal["confirmed", "unconfirmed"] = "unconfirmed"
    note: Text | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.field is not None and self.text is not None:
            raise ValueError(f"{self.name}: give a field or a text, not both")
        if self.required is not None and self.field is None and self.text is None:
            raise ValueError(f"{self.name}: it is required, and nothing fills it")
        try:
            re.compile(f"[{self.characters or 'a'}]")
        except re.error:
            raise ValueError(f"{self.name}: {self.characters!r} is no class of characters") from None
        return self


class ReturnLayout(Record):
    """The columns of the file of a form, in order, and the maximum number of returns in a file.

    Dates are written by `date_format` (`%m/%d/%Y`), amounts in dollars and cents. `other_recipient` is the way to
    correct a return that was sent for the wrong recipient: by one corrected return, or by two returns, a corrected one
    without amounts and a new one.
    """

    returns_max: Count
    date_format: Text
    other_recipient: Literal["one_return", "two_returns"]
    columns: Annotated[tuple[ReturnColumn, ...], Listed, Field(min_length=1), BeforeValidator(_flat)]

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        names = [_plain(one.name) for one in self.columns]
        if twice := sorted({one for one in names if names.count(one) > 1}):
            raise ValueError(f"{', '.join(twice)}: two columns have this name")
        fields = {one.field for one in self.columns}
        if missing := sorted({"account_number", "winnings_cents", "withheld_cents", "tax_year"} - fields):
            raise ValueError(f"no column has {', '.join(missing)}")
        return self

    def __str__(self) -> str:
        return f"{len(self.columns)} columns, {self.returns_max} returns a file; {self.other_recipient}"

    def column(self, field: ReturnField) -> ReturnColumn | None:
        """Return the column to which a field is written, or None."""
        return next((one for one in self.columns if one.field == field), None)

    def places(self, header: Sequence[str]) -> Mapping[str, int]:
        """Return column name -> index in a header; columns that the header does not have are left out.

        Headings are compared regardless of case, spaces and punctuation. A heading that begins with a box number
        matches the column of that box if header and layout each have only one column of the box, because the words
        after the number change from year to year.
        """
        ours = {_plain(one.name): one.name for one in self.columns}
        theirs = [_plain(one) for one in header]
        found = {ours[plain]: place for place, plain in enumerate(theirs) if plain in ours}
        boxes, known = _by_box(theirs), _by_box(ours)
        for box, [plain, *others] in known.items():
            if not others and len(boxes.get(box, ())) == 1:
                found.setdefault(ours[plain], theirs.index(boxes[box][0]))
        return found


class InformationReturn(Record):
    """The due dates of the returns of a tax year: recipients get copies by `copy_by`, the tax office by `file_by`.

    Both are days of the following year; a Saturday or Sunday moves to the next Monday. A return covers one form of the
    log (`each_form`), or all forms of a `recipient` in the year. `layout` has the columns of the uploaded file.
    """

    returned: Provision[Literal["each_form", "recipient"]]
    copy_by: Provision[MonthDay]
    file_by: Provision[MonthDay]
    layout: Provision[ReturnLayout]


def due_on(rule: Provision[str], tax_year: int) -> date:
    """Return the due date, in the year after a tax year, by a rule such as `file_by`.

    Raises: LookupError for a tax year before the first value of the rule.
    """
    month, day = map(int, rule.on(date(tax_year, 12, 31)).value.split("-"))
    due = date(tax_year + 1, month, day)
    return due if due.weekday() < _SATURDAY else due + timedelta(days=7 - due.weekday())


def _by_box(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in names:
        if box := _BOX.match(one):
            found.setdefault(box[1], []).append(one)
    return found


def _plain(name: str) -> str:
    """Return a heading in lower case, with one space for each run of characters that are neither letters nor digits.

    >>> _plain("Box  4 - Federal income tax withheld")
    'box 4 federal income tax withheld'
    """
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))
