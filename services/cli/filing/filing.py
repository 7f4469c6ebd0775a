"""`pitledger filing`: currency transaction reports of a gaming day as FinCEN takes them, and what came back."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
from pydantic import ValidationError

from services.cli.client import Client, client_of
from services.cli.exits import CheckFailed, InputRefused, NotFound, UsageWrong
from services.cli.filing.acknowledgement import AcknowledgementWrong, FiledError, read_acknowledgement
from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.cli.output import AsJson, names, numbers, print_json, print_line, show, table, words, write_bytes
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.properties import Filer

app = typer.Typer(no_args_is_help=True)

_CTR: Final = "FinCEN 112"
_NOBODY: Final = "unknown"
"""The person of the currency report where none was recorded."""

_Reports = Mapping[tuple[str, str], Sequence[Line]]
"""The lines to report by person, and by entry where nobody is known: those cannot be told apart."""


@app.callback()
def _filing() -> None:
    """Prepare what is filed with FinCEN, and read what comes back."""


@app.command()
def prepare(
    property_name: Annotated[str, typer.Option("--property", help="The property.")],
    day: Annotated[str, typer.Option("--day", metavar="DATE", help="The gaming day.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The batch file to write.")],
    filed_on: Annotated[
        str | None, typer.Option("--filed-on", metavar="DATE", help="The day of filing (default: today, in UTC).")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="PERSON", help="Report only this person (repeat for more).")
    ] = None,
    unidentified: Annotated[
        list[str] | None,
        typer.Option("--unidentified", metavar="PERSON", help="Report this person with every field unknown."),
    ] = None,
    corrects: Annotated[
        list[str] | None,
        typer.Option(
            "--corrects", metavar="PERSON=BSA-ID", help="This person's report corrects the one with that identifier."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the currency transaction reports of a gaming day as a batch file for FinCEN's BSA E-Filing System.

    The amounts are those of the currency report. Each person's identity is read from the wagering accounts, and each
    look is on record. A person without an identity is refused unless named by --unidentified. The same reports on the
    same day of filing give the same bytes. The file has personal data: keep it as you keep the forms.

    Example: pitledger filing prepare --property riverside --day 2026-11-20 -o ctr-2026-11-20.xml
    Example: pitledger filing prepare --property riverside --day 2026-11-20 --only p-7 -o p-7.xml
    """
    gaming_day = _date("--day", day)
    filed = datetime.now(UTC).date() if filed_on is None else _date("--filed-on", filed_on)
    prior = dict(_prior(one) for one in corrects or ())
    with client_of("reporting") as reporting:
        report = reporting.read("/reports/currency", property=property_name, gaming_day=day, period="day")
    reports = {key: lines for key, lines in _reports(report).items() if not only or key[0] in only}
    people = {person for person, _ in reports}
    for option, named in (("--only", only), ("--unidentified", unidentified), ("--corrects", prior)):
        if missing := sorted(set(named or ()) - people):
            raise NotFound(f"{option}: nothing is to be reported of {', '.join(missing)} on {day}")
    filer = _filer(property_name)
    identities = _identities(property_name, sorted(people - {_NOBODY, *(unidentified or ())}))
    batch = [
        (person, CtrActivity(gaming_day, identities.get(person), lines, prior.get(person)))
        for (person, _), lines in reports.items()
    ]
    try:
        content = ctr_batch(filer, [activity for _, activity in batch], filed_on=filed)
    except ValueError as error:
        raise InputRefused(f"no batch: {error}") from error
    write_bytes(content, output, "xml", readable=True)
    file_by = min(row["file_by"] for row in _rows(report, "reportable") if row["form"] == _CTR)
    _show_batch(batch, file_by=file_by, digest=sha256(content).hexdigest(), as_json=as_json)


@app.command()
def acknowledged(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The acknowledgement, as FinCEN sent it.")],
    as_json: AsJson = False,
) -> None:
    """Print what became of a batch: accepted or rejected, each report's BSA identifier, and what was found in it.

    Exit code 1 if the batch or a report in it was rejected.

    Example: pitledger filing acknowledged CTRXST.20261130.xml
    """
    try:
        found = read_acknowledgement(file.read_bytes())
    except OSError as error:
        raise InputRefused(f"{file}: {error.strerror}") from error
    except AcknowledgementWrong as error:
        raise InputRefused(f"{file}: {error}") from error
    if as_json:
        reports = [{"bsa_id": one.bsa_id, "errors": [_as_json(said) for said in one.errors]} for one in found.reports]
        errors = [_as_json(one) for one in found.errors]
        print_json({"accepted": found.is_accepted, "errors": errors, "reports": reports})
    else:
        print_line(f"the batch was {'accepted' if found.is_accepted else 'rejected'}")
        rows = [["", "", *_words(one)] for one in found.errors]
        for number, one in enumerate(found.reports, start=1):
            for said in [_words(error) for error in one.errors] or [["", "", ""]]:
                rows.append([str(number), one.bsa_id or "rejected", *said])
        show(table(numbers("Report") + names("BSA identifier", "Code") + words("Where", "What"), rows))
    if not found.is_accepted or not all(one.is_accepted for one in found.reports):
        raise CheckFailed("not everything was accepted: correct it, and file it again")


def _rows(report: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    [rows] = [one["rows"] for one in report["content"]["sections"] if one["name"] == section]
    return list(rows)


def _reports(report: Mapping[str, Any]) -> _Reports:
    found: dict[tuple[str, str], list[Line]] = {}
    for row in _rows(report, "lines"):
        if row["form"] == _CTR:
            reference = row["person"]
            line = Line(row["kind"], row["direction"], row["movements"], row["cents"])
            found.setdefault((reference, row["entry"] if reference == _NOBODY else ""), []).append(line)
    return found


def _filer(property_name: str) -> Filer:
    with client_of("paytable-registry") as registry:
        document = registry.read(f"/properties/{quote(property_name, safe='')}/in-effect")
    if document.get("filer") is None:
        raise NotFound(f"the property document of {property_name} has no filer: say there who files with FinCEN")
    return Filer.model_validate(document["filer"])


def _identities(property_name: str, people: Sequence[str]) -> dict[str, PatronIdentity]:
    if not people:
        return {}
    with client_of("wagering-accounts") as accounts:
        return {person: _identity(accounts, property_name, person) for person in people}


def _identity(accounts: Client, property_name: str, person: str) -> PatronIdentity:
    patron = f"/patrons/{quote(property_name, safe='')}/{quote(person, safe='')}"
    try:
        found = accounts.read(f"{patron}/identity")
    except NotFound as error:
        raise NotFound(f"{person}: {error}; identify the patron, or say --unidentified {person}") from error
    try:
        return PatronIdentity.model_validate(found["identity"])
    except ValidationError:
        raise InputRefused(f"{person}: this version does not read the identity that the service has") from None


def _show_batch(batch: Sequence[tuple[str, CtrActivity]], *, file_by: str, digest: str, as_json: bool) -> None:
    """Print what is in the batch, without personal data, and by when it is to be filed."""
    if as_json:
        reports = [
            {"person": person, "in_dollars": one.dollars("in"), "out_dollars": one.dollars("out")}
            | ({} if one.corrects is None else {"corrects": one.corrects})
            for person, one in batch
        ]
        print_json({"reports": reports, "file_by": file_by, "sha256": digest})
        return
    rows = [[person, f"{one.dollars('in'):,}", f"{one.dollars('out'):,}", one.corrects or ""] for person, one in batch]
    show(table(names("Person") + numbers("In, $", "Out, $") + names("Corrects"), rows))
    print_line(f"file by {file_by}; SHA-256 {digest}")


def _words(error: FiledError) -> list[str]:
    return [f"{error.code}{' (warning)' if error.is_warning else ''}", error.context, error.text]


def _as_json(error: FiledError) -> dict[str, Any]:
    return {"code": error.code, "context": error.context, "text": error.text, "warning": error.is_warning}


def _date(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageWrong(f"{option} {text!r}: give it as YYYY-MM-DD") from None


def _prior(text: str) -> tuple[str, str]:
    person, _, identifier = text.rpartition("=")
    if not person or len(identifier) != 14 or not identifier.isdecimal():
        raise UsageWrong(f"--corrects {text!r}: give it as PERSON=BSA-ID, which has fourteen digits")
    return person, identifier
