"""Files of information returns for tests, as `pitledger filing returns` makes them."""

from datetime import date
from typing import Any, Final

from services.cli.filing.return_files import file_of
from services.cli.filing.return_rows import InformationReturn, Row, corrections, row_of
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.jurisdictions import pack
from shared.jurisdictions.returns import ReturnLayout
from tests.support.accounts import IDENTITY, PROPERTY
from tests.support.filings import FILER

YEAR: Final = 2026


def layout_of(form: str = "w_2g") -> ReturnLayout:
    """Return the layout of a form in 2026."""
    return pack("us-federal").returns[form].layout.on(date(YEAR, 12, 31)).value


W_2G: Final = layout_of()
FORM_1042_S: Final = layout_of("form_1042_s")
PERSON: Final = PatronIdentity.model_validate(IDENTITY)


def returned(**changes: Any) -> InformationReturn:
    """Return an information return with nothing wrong in it."""
    said: dict[str, Any] = {
        "form": "W-2G",
        "tax_year": YEAR,
        "account_number": "0000000001",
        "patron": "p-1",
        "residence": "US",
        "winnings_cents": 250_000,
        "withheld_cents": 60_000,
        "regular_cents": 60_000,
        "won_on": date(2026, 11, 20),
        "wager": "exact",
        "identified_by": ("drivers_license", "passport"),
        "identity": PERSON,
        "rate_percent": "30.00",
    }
    return InformationReturn(**said | changes)


def row(**changes: Any) -> Row:
    """Return the row of an information return."""
    one = returned(**changes)
    return row_of(FORM_1042_S if one.form == "1042-S" else W_2G, one.fields(FILER))


def corrected(before: Row, now: Row | None) -> list[Row]:
    """Return the rows that correct a W-2G that was sent."""
    return corrections(W_2G, before, now)


def returns_filing(*people: str, rows: list[Row] | None = None, **more: Any) -> dict[str, Any]:
    """Return the body of the command that prepares a file of a W-2G of each of these patrons."""
    numbered = [row(account_number=f"{number:010}") for number, _ in enumerate(people, start=1)]
    return {
        "property": PROPERTY,
        "form": "w_2g",
        "period": str(YEAR),
        "subjects": [{"kind": "patron", "reference": person} for person in people],
        "file": file_of(W_2G, numbered if rows is None else rows),
    } | more
