"""`pitledger filing instruments`: the list of monetary instruments with names and addresses, for an examiner."""

import csv
import re
from collections.abc import Mapping
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

import typer
from pydantic import TypeAdapter, ValidationError

from services.cli.client import client_of, property_zone
from services.cli.exits import NotFound, NothingThere, UsageWrong
from services.cli.filing.common import section_of
from services.cli.filing.currency_report import NOBODY
from services.cli.filing.reading import ACCOUNTS, identity_of, require_unidentified
from services.cli.output import message, write_bytes
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.envelope import Patron
from shared.contracts.money import dollars

_FROM_REPORT: Final = {
    "Moment": "moment",
    "Window": "place",
    "Patron": "person",
    "In or out": "direction",
    "Kind": "kind",
    "Instrument": "instrument_type",
    "Drawee or issuer": "issuer",
    "Reference numbers": "references",
    "Employee": "by",
    "Conducted by": "conducted_by",
    "On behalf of": "on_behalf_of",
    "Entry": "entry",
}
"""The columns of the list that are in the currency report."""

_NAME: Final = ("first_name", "middle_name", "last_name", "suffix", "legal_name")
_ADDRESS: Final = ("street", "city", "state_code", "postal_code", "country")
_REFERENCE: Final[TypeAdapter[str]] = TypeAdapter(Patron)
_MONTH: Final = re.compile("[0-9]{4}-(0[1-9]|1[0-2])")


def instruments(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    month: Annotated[str, typer.Option("--month", metavar="YYYY-MM", help="Month, YYYY-MM.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write.")],
    unidentified: Annotated[
        list[str] | None,
        typer.Option(
            "--unidentified", metavar="PATRON", help="List this patron without name and address; may be repeated."
        ),
    ] = None,
) -> None:
    """Write a month's list of monetary instruments, with the name and address of each patron, oldest first.

    A drawee or issuer that is recorded as a patron's reference is also listed by name.

    The transactions are those of the currency report. Identities are read from the wagering accounts, and each access
    is recorded. No file is written if a patron has no identity and is not named by --unidentified. The file has
    personal data: keep it as you keep the forms.

    Example: pitledger filing instruments --property riverside --month 2026-11 -o instruments-2026-11.csv
    """
    if _MONTH.fullmatch(month) is None:
        raise UsageWrong(f"--month {month!r}: write it as YYYY-MM")
    with client_of("reporting") as reporting:
        asked = {"property": property_name, "gaming_day": f"{month}-01", "period": "month"}
        rows = section_of(reporting.read("/reports/currency", **asked), "instruments")
        zone = property_zone(reporting, property_name)
    people = {row["person"] for row in rows}
    issuers = {row["issuer"] for row in rows if _may_be_patron(row["issuer"])} - people
    unnamed = set(unidentified or ())
    if missing := sorted(unnamed - people - issuers):
        raise NotFound(f"--unidentified: no instrument of {', '.join(missing)} is listed in {month}")
    identities: dict[str, PatronIdentity] = {}
    if unnamed:
        with client_of(ACCOUNTS) as accounts:
            require_unidentified(accounts, property_name, sorted(unnamed))
    if named := sorted((people | issuers) - unnamed - {NOBODY}):
        with client_of(ACCOUNTS) as accounts:
            for patron in named:
                try:
                    identities[patron] = identity_of(accounts, property_name, patron)
                except NothingThere:
                    if patron in people:
                        raise
                    message(f"the drawee or issuer {patron} is no identified patron: it is listed as it was recorded")
    write_bytes(_list(rows, identities, zone), output, "csv", readable=True)


def _list(rows: list[dict[str, Any]], identities: Mapping[str, PatronIdentity], zone: ZoneInfo) -> bytes:
    """Return the list as CSV, with times in the property's time zone."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*_FROM_REPORT, "Amount, $", "Name", "Permanent address"])
    for row in rows:
        who = identities.get(row["person"])
        at = f"{datetime.fromisoformat(row['moment']).astimezone(zone):%Y-%m-%d %H:%M:%S}"
        issuer = _words(identities.get(row["issuer"]), _NAME, " ")
        shown = {**row, "moment": at, "issuer": f"{issuer} ({row['issuer']})" if issuer else row["issuer"]}
        said = [shown[column] for column in _FROM_REPORT.values()]
        writer.writerow([*said, dollars(row["cents"]), _words(who, _NAME, " "), _words(who, _ADDRESS, ", ")])
    return text.getvalue().encode()


def _may_be_patron(issuer: str) -> bool:
    """Return whether a drawee or issuer has the form of a patron's reference; banks and companies rarely do."""
    try:
        _REFERENCE.validate_python(issuer)
    except ValidationError:
        return False
    return True


def _words(identity: PatronIdentity | None, fields: tuple[str, ...], between: str) -> str:
    """Return the known fields of an identity, joined as text; an empty string without an identity."""
    return between.join(value for name in fields if (value := getattr(identity, name, None)) is not None)
