"""Inputs of `pitledger filing` and `pitledger sar`: filer, dates, identities, and FinCEN's errors."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from services.cli.client import Client, client_of
from services.cli.exits import InputRefused, NotFound, NothingThere, UsageWrong
from services.cli.filing.acknowledgement import FiledError
from services.wagering_accounts.domain.identity import ERASED, PatronIdentity
from shared.contracts.properties import Filer
from shared.contracts.taxpayer_numbers import is_made_up

ACCOUNTS: Final = "wagering-accounts"


def content_of(file: Path) -> bytes:
    """Return the bytes of a file. Raises: UsageWrong if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageWrong(f"{file}: {error.strerror}") from error


def document_of(property_name: str) -> dict[str, Any]:
    """Return the property document in effect. Raises: NotFound."""
    with client_of("paytable-registry") as registry:
        return registry.read(f"/properties/{quote(property_name, safe='')}/in-effect")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def today_of(document: Mapping[str, Any]) -> date:
    """Return today's date in the time zone of a property document."""
    return now().astimezone(ZoneInfo(document["time_zone"])).date()


def filing_day(document: Mapping[str, Any], filed_on: str | None) -> date:
    """Return the date of filing from `--filed-on`, by default today in the property's time zone.

    Raises: UsageWrong, also for a future date.
    """
    today = today_of(document)
    day = today if filed_on is None else date_of("--filed-on", filed_on)
    if day > today:
        raise UsageWrong(f"--filed-on {day} has not come yet: it is {today} in {document['time_zone']}")
    return day


def filer_of(document: Mapping[str, Any]) -> Filer:
    """Return a property document's filer. Raises: NotFound without a filer; InputRefused for a made-up EIN."""
    if document.get("filer") is None:
        raise NotFound(f"the property document of {document['property']} has no filer: say there who files")
    filer = Filer.model_validate(document["filer"])
    if is_made_up(filer.ein):
        raise InputRefused(f"the filer's EIN {filer.ein} is made up: file a property document with the right one")
    return filer


def identity_of(accounts: Client, property_name: str, person: str) -> PatronIdentity:
    """Return a patron's identity; the access is recorded. Raises: NotFound, InputRefused."""
    patron = f"/patrons/{quote(property_name, safe='')}/{quote(person, safe='')}"
    try:
        found = accounts.read(f"{patron}/identity")
    except NothingThere as error:
        unidentified = f"--unidentified {person}"
        is_gone = ERASED in str(error)  # nobody can be identified again under an erased reference
        way = f"only {unidentified} is left" if is_gone else f"identify the patron, or say {unidentified}"
        raise NothingThere(f"{person}: {error}; {way}") from error
    try:
        return PatronIdentity.model_validate(found["identity"])
    except ValidationError:
        raise InputRefused(f"{person}: this version does not read the identity that the service has") from None


def require_unidentified(accounts: Client, property_name: str, people: Iterable[str]) -> None:
    """Raise InputRefused if a patron that --unidentified names has an identity on record.

    FinCEN wants an identity that the casino knows in the report. Viewing an identity is recorded as access to it.
    """
    for person in people:
        try:
            identity_of(accounts, property_name, person)
        except NothingThere:
            continue
        raise InputRefused(f"{person} is identified, and what is known is reported: leave out --unidentified {person}")


def words_of(error: FiledError) -> list[str]:
    """Return a FinCEN error as the cells of a table row: code, place and text."""
    return [f"{error.code}{' (warning)' if error.is_warning else ''}", error.context, error.text]


def error_document(error: FiledError) -> dict[str, Any]:
    """Return a FinCEN error as JSON for the services, without its text, which the code implies."""
    return {"code": error.code, "place": error.context, "is_warning": error.is_warning}


def date_of(option: str, text: str) -> date:
    """Return an option's value, YYYY-MM-DD, as a date. Raises: UsageWrong."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageWrong(f"{option} {text!r}: give it as YYYY-MM-DD") from None
