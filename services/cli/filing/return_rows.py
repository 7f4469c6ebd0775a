"""Write an information return as a row of the file for the IRS, and check the row. No I/O.

The values come from the log of winnings and the recipient's identity; the layout of the tax year defines their format.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from re import findall
from typing import Final, get_args
from unicodedata import combining, normalize

from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.money import dollars
from shared.contracts.properties import Filer
from shared.jurisdictions.returns import AMOUNTS, IDENTIFYING, ReturnColumn, ReturnField, ReturnLayout

Row = Mapping[str, str]
"""A row of the file: text by column name of the layout."""

_WITHHELD_WHOLE: Final = "1042-S"
_COUNTRY: Final = "US"
"""The country of the tax office and of the payers."""
_NOT_EXEMPT: Final = "00"
_EXEMPT: Final = "04"
"""The exemption codes of Form 1042-S for chapter 3: not exempt, and exempt under a treaty."""
_PAYER: Final = tuple(field for field in get_args(ReturnField) if field.startswith("payer."))
"""The fields of the payer of a return."""
_WRITTEN: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE"}
    | {"’": "'", "‘": "'", "–": "-", "—": "-"}
)
"""English replacements for letters and marks that Unicode does not decompose."""


@dataclass(frozen=True, slots=True)
class InformationReturn:
    """An information return: the amounts in the log of winnings, in cents, and the recipient's identity.

    `patron` is None if the winner is unknown, `identity` if the patron is not identified. `withheld_cents` is None if
    no cashier recorded it; `regular_cents` is the federal tax that had to be withheld in any case. Likewise for the
    state's tax (`state_withheld_cents`, `state_cents`) and for local tax (`local_withheld_cents`), which no law
    requires here. `treaty` is the country whose treaty gives relief, `rate_percent` the rate of withholding.
    """

    form: str
    tax_year: int
    account_number: str
    patron: str | None
    residence: str | None
    winnings_cents: int
    withheld_cents: int | None
    regular_cents: int
    won_on: date
    wager: str
    identified_by: tuple[str, ...] = ()
    identity: PatronIdentity | None = None
    state_code: str | None = None
    state_cents: int = 0
    state_withheld_cents: int | None = None
    local_withheld_cents: int | None = None
    treaty: str | None = None
    rate_percent: str | None = None

    def refusals(self, filer: Filer) -> Iterator[str]:
        """Yield a message for each fault of the return that does not depend on the layout."""
        who = self.identity
        yield from self._refusals_beside(filer)
        yield from self._refusals_of_treaty()
        if self.patron is None:
            yield "nobody is known to have won it"
        elif who is None:
            yield f"{self.patron} is not identified"
        if self.residence is None:
            yield "the tax residence of the winner is not known, so that both forms list it"
        elif self.form == _WITHHELD_WHOLE and self.residence == _COUNTRY:
            yield f"a resident of {_COUNTRY} has no return on {self.form}"
        if self.winnings_cents <= 0:
            yield f"winnings of {_dollars(self.winnings_cents)} are none"
        if self.withheld_cents is None and self.regular_cents:
            yield self._unrecorded("", self.regular_cents, "withheld_cents")
        withheld_cents = self.withheld_cents or 0
        if withheld_cents < 0:
            yield f"{_dollars(withheld_cents)} cannot have been withheld"
        if withheld_cents > max(self.winnings_cents, 0):
            yield f"{_dollars(withheld_cents)} were withheld of {_dollars(self.winnings_cents)}"
        beside_cents = (self.state_withheld_cents or 0) + (self.local_withheld_cents or 0)
        if beside_cents and withheld_cents + beside_cents > self.winnings_cents >= withheld_cents:
            taken = _dollars(withheld_cents + beside_cents)
            yield f"{taken} were withheld of {_dollars(self.winnings_cents)}, with the taxes of state and locality"
        if self.won_on.year > self.tax_year:
            yield f"it was won on {self.won_on}, after {self.tax_year}"
        if who is not None and who.date_of_birth is not None and who.date_of_birth > self.won_on:
            yield f"the winner was born on {who.date_of_birth}, after {self.won_on}"

    def shortfall(self) -> str | None:
        """Return a message with the shortfall of withheld tax on Form 1042-S; None if there is no shortfall.

        The return is due nevertheless, with the tax actually withheld. Box 11 (tax paid by the agent) stays empty,
        because the books record no such payment.
        """
        withheld_cents = self.withheld_cents
        if self.form != _WITHHELD_WHOLE or withheld_cents is None or withheld_cents >= self.regular_cents:
            return None
        short = _dollars(self.regular_cents - withheld_cents)
        return (
            f"{_dollars(withheld_cents)} were withheld instead of {_dollars(self.regular_cents)}: tax is short by "
            f"{short}, for which the casino is liable (26 U.S.C. 1461); no claim under a treaty that gives so much "
            "relief is recorded with the winner"
        )

    def _refusals_beside(self, filer: Filer) -> Iterator[str]:
        """Yield a message for each error in the state and local tax fields."""
        if self.state_withheld_cents is None and self.state_cents:
            yield self._unrecorded(f" for {self.state_code}", self.state_cents, "state_withheld_cents")
        if self._has_state and self.state_code is None:
            yield f"{_dollars(self.state_withheld_cents or 0)} were withheld for a state that no pack names"
        if self._has_state and filer.state_tax_number is None:
            yield "the filer of the property has no 'state_tax_number', by which its state knows the payer"
        if self.local_withheld_cents and filer.locality is None:
            yield "the filer of the property has no 'locality', whose tax was withheld"

    def _unrecorded(self, whose: str, cents: int, field: str) -> str:
        return (
            f"nobody recorded what was withheld{whose} of {self.wager}, won on {self.won_on}, and {_dollars(cents)} "
            f"had to be: record it with the winner ('{field}'), 0 if nothing was withheld"
        )

    def _refusals_of_treaty(self) -> Iterator[str]:
        """Yield a message for each fault in the relief under a tax treaty."""
        if self.treaty is None or (who := self.identity) is None:
            return
        if (self.withheld_cents or 0) > self.regular_cents:
            yield f"{_dollars(self.withheld_cents or 0)} were withheld, and the treaty with {self.treaty} gives relief"
        if who.kind == "entity":
            yield "relief of an entity under a treaty has a code (box 13j) that is not recorded: use the portal"
        if who.taxpayer_number is None or who.taxpayer_number_kind == "foreign":
            yield f"relief under the treaty with {self.treaty} takes a taxpayer number of the United States"
        if who.country != self.treaty:
            yield f"relief under the treaty with {self.treaty} takes an address there, not in {who.country or 'none'}"

    @property
    def _has_state(self) -> bool:
        return bool(self.state_withheld_cents or self.state_cents)

    def _beside(self, filer: Filer) -> dict[ReturnField, str | int | date | None]:
        """Return the values of the state and local tax fields, if there are such taxes."""
        found: dict[ReturnField, str | int | date | None] = {}
        if self._has_state:
            found |= {
                "state.code": self.state_code,
                "state.payer_number": filer.state_tax_number,
                "state.winnings_cents": self.winnings_cents,
                "state.withheld_cents": self.state_withheld_cents or 0,
            }
        if self.local_withheld_cents:
            found |= {
                "local.winnings_cents": self.winnings_cents,
                "local.withheld_cents": self.local_withheld_cents,
                "local.name": filer.locality,
            }
        return found

    def fields(self, filer: Filer) -> dict[ReturnField, str | int | date | None]:
        """Return the value of each field of the return, without the fields that mark a correction."""
        return {
            "form": self.form,
            "tax_year": str(self.tax_year),
            "account_number": self.account_number,
            "winnings_cents": self.winnings_cents,
            "withheld_cents": self.withheld_cents or 0,
            "won_on": self.won_on,
            "wager": self.wager,
            "tax_rate": None if self.rate_percent is None else f"{float(self.rate_percent):05.2f}",
            "exemption_code": _EXEMPT if self.treaty is not None and self.rate_percent == "0.00" else _NOT_EXEMPT,
            "payer.tin": filer.ein,
            "payer.name": filer.legal_name,
            "payer.trade_name": filer.trade_name,
            "payer.street": filer.street,
            "payer.city": filer.city,
            "payer.state_code": filer.state_code,
            "payer.postal_code": filer.postal_code,
            "payer.country": _COUNTRY,
            "payer.phone": filer.contact_phone,
            "recipient.residence": self.residence,
            "recipient.second_document": ", ".join(self.identified_by[1:2]).replace("_", " ") or None,
            **({} if self.identity is None else _recipient(self.identity)),
            **self._beside(filer),
        }


def _recipient(who: PatronIdentity) -> dict[ReturnField, str | int | date | None]:
    is_foreign = who.taxpayer_number_kind == "foreign"
    return {
        "recipient.kind": who.kind,
        "recipient.tin_kind": None if is_foreign else who.taxpayer_number_kind,
        "recipient.tin": None if is_foreign else who.taxpayer_number,
        "recipient.foreign_tin": who.taxpayer_number if is_foreign else None,
        "recipient.legal_name": who.legal_name,
        "recipient.trade_name": who.also_known_as if who.kind == "entity" else None,
        "recipient.first_name": who.first_name,
        "recipient.middle_name": who.middle_name,
        "recipient.last_name": who.last_name,
        "recipient.suffix": who.suffix,
        "recipient.street": who.street,
        "recipient.city": who.city,
        "recipient.state_code": who.state_code,
        "recipient.postal_code": who.postal_code,
        "recipient.country": who.country,
        "recipient.date_of_birth": who.date_of_birth,
        "recipient.first_document": None if who.document is None else who.document.number,
    }


def row_of(layout: ReturnLayout, fields: Mapping[ReturnField, str | int | date | None]) -> Row:
    """Return the row of an original return. Invalid values are kept, for `wrong_cells` to report."""
    return {column.name: _text(layout, column, fields) for column in layout.columns}


def unwritten(layout: ReturnLayout, fields: Mapping[ReturnField, str | int | date | None]) -> Iterator[str]:
    """Yield a message for each nonzero amount that the layout has no column for."""
    for field in sorted(AMOUNTS):
        cents = fields.get(field)
        if isinstance(cents, int) and cents and layout.column(field) is None:
            name = field.removesuffix("_cents").replace(".", " ")
            yield f"{name}: the layout has no column for {_dollars(cents)}, make this return in the portal"


def said_in(layout: ReturnLayout, row: Row, field: ReturnField) -> str:
    """Return the text of a row's field, with the layout's code translated into this system's word."""
    column = layout.column(field)
    text = "" if column is None else row.get(column.name, "")
    words = {} if column is None or column.values is None else {word: ours for ours, word in column.values.items()}
    return words.get(text, text)


def wrong_cells(layout: ReturnLayout, row: Row) -> Iterator[str]:
    """Yield a message for each invalid cell of a row: missing, too long, with invalid characters or an unknown code."""

    def said(field: ReturnField) -> str:
        return said_in(layout, row, field)

    needed = {
        "always": True,
        "person": said("recipient.kind") == "person",
        "entity": said("recipient.kind") == "entity",
        "domestic": said("recipient.country") == said("payer.country"),
        "nothing_withheld": not any(digit in said("withheld_cents") for digit in "123456789"),
    }
    for column in layout.columns:
        text = row[column.name]
        if not text and column.required is not None and needed[column.required]:
            yield f"{column.name}: it is empty, and {_WHEN[column.required]}"
        if column.length_max is not None and len(text) > column.length_max:
            yield f"{column.name}: {len(text)} characters, at most {column.length_max}"
        if column.characters is not None and (other := set(text) - set(findall(f"[{column.characters}]", text))):
            yield f"{column.name}: {' '.join(sorted(other))!r} cannot be written"
        if text and column.values is not None and text not in column.values.values():
            yield f"{column.name}: the layout has no word for {text!r}"


_WHEN: Final = {
    "always": "no return is without it",
    "person": "a person's return is not without it",
    "entity": "an entity's return is not without it",
    "domestic": "an address in the country is not without it",
    "nothing_withheld": "nothing was withheld of somebody without a taxpayer number",
}


def has_changed(layout: ReturnLayout, written: Row, now: Row | None) -> bool:
    """Return whether a filed row differs from the correct row `now`, apart from the payer and the correction marks.

    `now` is None if no return is required any more.
    """
    if now is None:
        return written != _without_amounts(layout, written)
    now = _with_payer_of(layout, written, now)
    marks = {column.name for column in layout.columns if column.field in ("corrected", "amendment_number")}
    return any(written[name] != now[name] for name in now if name not in marks)


def _with_payer_of(layout: ReturnLayout, sent: Row, now: Row) -> Row:
    """Return the row `now` with the payer as sent: a correction is matched to a return by its payer.

    The payer's number at the state's tax office is kept only if both rows have one, because a return may have had no
    state tax before.
    """
    kept = [
        one.name
        for one in layout.columns
        if one.field in _PAYER or (one.field == "state.payer_number" and sent[one.name] and now[one.name])
    ]
    return {**now, **{name: sent[name] for name in kept}}


def _without_amounts(layout: ReturnLayout, row: Row) -> Row:
    return {**row, **{one.name: "0.00" for one in layout.columns if one.field in AMOUNTS and row[one.name]}}


def corrections(layout: ReturnLayout, sent: Row, now: Row | None) -> list[Row]:
    """Return the rows that correct an already sent return; no rows if the return has not changed.

    `now` is the correct row, None if no return is required any more; its payer is that of the sent return. Raises:
    ValueError if the layout has no column that marks a return as corrected.
    """
    if not has_changed(layout, sent, now):
        return []
    nothing = _without_amounts(layout, sent)
    if now is None:
        return [_marked(layout, sent, nothing)]
    now = _with_payer_of(layout, sent, now)
    is_other = any(sent[column.name] != now[column.name] for column in layout.columns if column.field in IDENTIFYING)
    if is_other and layout.other_recipient == "two_returns":
        return [_marked(layout, sent, nothing), now]
    return [_marked(layout, sent, now)]


def _marked(layout: ReturnLayout, sent: Row, row: Row) -> Row:
    corrected, number = layout.column("corrected"), layout.column("amendment_number")
    if corrected is None:
        raise ValueError("no column of the layout says that a return is a corrected one: correct it in the portal")
    marks = {corrected.name: (corrected.values or {}).get("yes", "yes")}
    if number is not None:
        marks[number.name] = str(int(sent[number.name] or 0) + 1)
    return {**row, **marks}


def _text(layout: ReturnLayout, column: ReturnColumn, fields: Mapping[ReturnField, str | int | date | None]) -> str:
    value = column.text if column.field is None else fields.get(column.field)
    match value:
        case None:
            return ""
        case int():
            return dollars(value, grouped=False)
        case date():
            return value.strftime(layout.date_format)
    text = _plain(value) if column.values is None else column.values.get(value, value)
    return text[: column.length_max].rstrip() if column.shortened else text


def _plain(text: str) -> str:
    """Return a text with its letters replaced by their English equivalents, where they have any.

    >>> _plain("José Søndergård’s")
    "Jose Sondergard's"
    """
    apart = normalize("NFKD", text.translate(_WRITTEN))
    return "".join(one for one in apart if not combining(one))


def _dollars(cents: int) -> str:
    return dollars(cents, symbol="$")
