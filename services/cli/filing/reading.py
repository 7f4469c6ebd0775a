"""What `pitledger filing` and `pitledger sar` read: who files, who somebody is, what FinCEN answered."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from services.cli.client import Client, client_of
from services.cli.exits import InputRefused, NotFound, UsageWrong
from services.cli.filing.acknowledgement import FiledError
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.properties import Filer

ACCOUNTS: Final = "wagering-accounts"


def content_of(file: Path) -> bytes:
    """Return the bytes of a file. Raises: UsageWrong if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageWrong(f"{file}: {error.strerror}") from error


def document_of(property_name: str) -> dict[str, Any]:
    """Return the property's document in effect."""
    with client_of("paytable-registry") as registry:
        return registry.read(f"/properties/{quote(property_name, safe='')}/in-effect")


def today_of(document: Mapping[str, Any]) -> date:
    """Return today by the clock of a property, as its document names it."""
    return datetime.now(ZoneInfo(document["time_zone"])).date()


def filer_of(document: Mapping[str, Any]) -> Filer:
    """Return who files for a property, as its document says. Raises: NotFound."""
    if document.get("filer") is None:
        raise NotFound(f"the property document of {document['property']} has no filer: say there who files")
    return Filer.model_validate(document["filer"])


def identity_of(accounts: Client, property_name: str, person: str) -> PatronIdentity:
    """Return who a patron is; the look is on record. Raises: NotFound, InputRefused."""
    patron = f"/patrons/{quote(property_name, safe='')}/{quote(person, safe='')}"
    try:
        found = accounts.read(f"{patron}/identity")
    except NotFound as error:
        raise NotFound(f"{person}: {error}; identify the patron, or say --unidentified {person}") from error
    try:
        return PatronIdentity.model_validate(found["identity"])
    except ValidationError:
        raise InputRefused(f"{person}: this version does not read the identity that the service has") from None


def words_of(error: FiledError) -> list[str]:
    """Return an error of FinCEN's as cells of a row: code, place and text."""
    return [f"{error.code}{' (warning)' if error.is_warning else ''}", error.context, error.text]


def error_document(error: FiledError) -> dict[str, Any]:
    """Return an error of FinCEN's as the services take it: without its text, which follows from the code."""
    return {"code": error.code, "place": error.context, "is_warning": error.is_warning}


def date_of(option: str, text: str) -> date:
    """Return the day of an option. Raises: UsageWrong."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageWrong(f"{option} {text!r}: give it as YYYY-MM-DD") from None
