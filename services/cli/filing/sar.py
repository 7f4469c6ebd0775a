"""`pitledger sar`: suspicious activity reports (confidential), from a pattern to FinCEN's answer."""

import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
import yaml
from pydantic import ValidationError

from services.cli.client import client_of
from services.cli.documents import read_document
from services.cli.exits import CheckFailed, InputRefused, NotFound
from services.cli.filing.acknowledgement import AcknowledgementWrong, read_acknowledgement
from services.cli.filing.common import section_of
from services.cli.filing.currency_report import cents_moved, currency_report, reported_of
from services.cli.filing.reading import (
    ACCOUNTS,
    content_of,
    date_of,
    document_of,
    error_document,
    filer_of,
    filing_day,
    identity_of,
    today_of,
    words_of,
)
from services.cli.filing.sar_batch import SarDraft, sar_batch
from services.cli.filing.steps import (
    CorrectReason,
    FiledDocuments,
    Property,
    Released,
    SentAt,
    TrackingId,
    WithdrawReason,
    Written,
    corrected,
)
from services.cli.output import AsJson, message, names, numbers, print_json, print_line, show, table, words, write_bytes
from services.cli.subjects import Shown
from shared.rules.errors import what_is_wrong

app = typer.Typer(no_args_is_help=True)

_ROOM: Final = "suspicious-activity"
_NO_PATRON: Final = ("unknown", "account ")
"""The prefixes of the currency report's values for a person who is not a known patron."""
Sar = Annotated[int, typer.Argument(metavar="REPORT", min=1, help="Number of the report.")]
OfProperty = Annotated[str, typer.Option("--property", help="The property's name.")]


def _show(sar: Mapping[str, Any]) -> None:
    """Print a suspicious activity report's status, last day of filing and hash."""
    print_line(f"report {sar['sar']} of {sar['property']} is {sar['status']}; file by {sar['file_by']}")
    print_line(f"SHA-256 {sar['content_sha256']}")


_SARS: Final = FiledDocuments(_ROOM, "/sars", _show)


@app.callback()
def _sar() -> None:
    """Draft and release suspicious activity reports, and record their sending and FinCEN's answers."""


@app.command()
def draft(
    property_name: OfProperty,
    day: Annotated[
        str,
        typer.Option("--day", metavar="DATE", help="Gaming day, YYYY-MM-DD, whose currency report lists the pattern."),
    ],
    reference: Annotated[str, typer.Option("--person", metavar="PERSON", help="Person of the pattern, by reference.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Draft to write, YAML.")],
    detected_on: Annotated[
        str | None,
        typer.Option(
            "--detected-on", metavar="DATE", help="Detection date, YYYY-MM-DD (default: today at the property)."
        ),
    ] = None,
    unidentified: Annotated[
        bool, typer.Option("--unidentified", help="Draft the report without the identity of the person.")
    ] = False,
) -> None:
    """Draft a suspicious activity report from the patterns that a currency report lists for a person.

    The draft has days, amount and subject, and quotes the patterns for the author of the narrative. A person judges
    whether the activity is suspicious, corrects its classification, writes the narrative, and runs `pitledger sar
    prepare`. The subject's identity is read from the wagering accounts, which record the access. The draft itself is
    not recorded. The file is readable by its owner only. For a suspicion without a pattern, start from
    docs/examples/suspicion.yaml.

    Example: pitledger sar draft --property riverside --day 2026-11-20 --person p-7 -o p-7.yaml
    """
    detected = today_of(document_of(property_name)) if detected_on is None else date_of("--detected-on", detected_on)
    report = currency_report(property_name, day)
    patterns = [row for row in section_of(report, "patterns") if reported_of(row)[0] == reference]
    if not patterns:
        way_out = "draft another suspicion as docs/examples/suspicion.yaml does, then: pitledger sar prepare"
        raise NotFound(f"the currency report of {day} lists no pattern of {reference}: {way_out}")
    identity = None
    is_patron = not reference.startswith(_NO_PATRON)
    if is_patron and not unidentified:
        with client_of(ACCOUNTS) as accounts:
            identity = identity_of(accounts, property_name, reference)
    subject = reference if is_patron else None
    cents = cents_moved(property_name, day, report, patterns)
    _write_draft(_drafted(property_name, subject, detected, patterns, cents, identity), output)


def _drafted(
    property_name: str,
    subject: str | None,
    detected: date,
    rows: Sequence[Mapping[str, Any]],
    cents: int,
    identity: Any,
) -> SarDraft:
    """Return a draft for patterns (`rows`) whose movements total `cents`."""
    try:
        return SarDraft(
            property=property_name,
            detected_on=detected,
            subject=subject,
            identity=identity,
            first_day=date.fromisoformat(min(row["first_day"] for row in rows)),
            last_day=date.fromisoformat(max(row["last_day"] for row in rows)),
            dollars=-(-cents // 100),
            suspicions=("below_ctr_threshold",),
            saw=tuple(f"{row['direction']}, {row['first_day']} to {row['last_day']}: {row['saw']}" for row in rows),
        )
    except ValidationError as error:
        raise InputRefused(f"no draft: {_wrong(error)}") from error


def _wrong(error: ValidationError) -> str:
    """Return a draft's faults as one line; a fault of a single member starts with the member's path."""
    found = [(".".join(map(str, one["loc"])), what_is_wrong(one)) for one in error.errors()]
    return "; ".join(f"{place}: {what}" if place else what for place, what in found)


def _write_draft(one: SarDraft, output: Path) -> None:
    said = one.model_dump(mode="json", exclude_none=True) | {"narrative": ""}
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True)
    try:
        with os.fdopen(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputRefused(f"{output}: {error.strerror}") from error
    message(f"{output}: write the narrative, then: pitledger sar prepare {output} -o FILE")


@app.command()
def prepare(
    draft_file: Annotated[Path, typer.Argument(metavar="DRAFT", help="Draft of the report with its narrative, YAML.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Batch file for FinCEN to write, XML.")
    ],
    filed_on: Annotated[
        str | None,
        typer.Option("--filed-on", metavar="DATE", help="Filing date, YYYY-MM-DD (default: today at the property)."),
    ] = None,
    again: Annotated[
        int | None,
        typer.Option("--again", metavar="REPORT", min=1, help="Number of the rejected report that is filed again."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a suspicious activity report as a file for FinCEN, and record it. Another person releases it.

    The last day of filing follows from the day of detection, and is later if the subject is unknown. A rejected report
    stays due, with the same deadline, until it is withdrawn or filed again by another report of its subject and days
    (--again). Until a report is withdrawn or rejected, another report of the same patron and days must amend it.

    Example: pitledger sar prepare p-7.yaml -o sar-p-7.xml
    Example: pitledger sar prepare p-7.yaml -o sar-p-7-again.xml --again 1
    """
    try:
        found = SarDraft.model_validate(read_document(str(draft_file)))
        house = document_of(found.property)
        content = sar_batch(filer_of(house), found, filed_on=filing_day(house, filed_on))
    except ValidationError as error:
        raise InputRefused(f"{draft_file}: {_wrong(error)}") from error
    except ValueError as error:
        raise InputRefused(f"{draft_file}: {error}") from error
    document: dict[str, Any] = {"property": found.property, "detected_on": found.detected_on.isoformat()}
    if found.subject is not None:
        document["subject"] = found.subject
    if again is not None:
        document["files_again"] = again
    with client_of(_ROOM) as room:
        prepared = room.do("/sars", document | {"file": content.decode()})
    write_bytes(content, output, "xml", readable=True)
    _SARS.print(prepared, as_json=as_json)


@app.command()
def release(
    property_name: Property,
    sar: Sar,
    file: Released = None,
    shown: Shown = None,
    as_json: AsJson = False,
) -> None:
    """Release a suspicious activity report that another person prepared; its file may then be sent.

    Exit code 3 if FILE is not the file that was prepared.

    Example: pitledger sar release riverside 3 --file sar-p-7.xml
    """
    _SARS.release(property_name, sar, file, shown, as_json=as_json)


@app.command()
def withdraw(
    property_name: Property,
    sar: Sar,
    reason: WithdrawReason,
    as_json: AsJson = False,
) -> None:
    """Withdraw a suspicious activity report that was not sent, or was rejected and is not to be filed any more.

    If the report was not sent, its stored file is destroyed.

    Example: pitledger sar withdraw riverside 3 --reason "the play explains it"
    """
    _SARS.step(property_name, sar, "withdraw", {"reason": reason}, as_json=as_json)


@app.command()
def filed(
    property_name: Property,
    sar: Sar,
    tracking_id: TrackingId,
    at: SentAt = None,
    reason: CorrectReason = None,
    as_json: AsJson = False,
) -> None:
    """Record that a released suspicious activity report was sent to FinCEN.

    With --reason, replaces a wrongly recorded identifier, as long as the report is not answered.

    Example: pitledger sar filed riverside 3 --tracking-id 260000000001
    """
    _SARS.sent(property_name, sar, tracking_id, at, reason, as_json=as_json)


@app.command()
def acknowledge(
    property_name: Property,
    sar: Sar,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="FinCEN's acknowledgement file, as received.")],
    reason: CorrectReason = None,
    as_json: AsJson = False,
) -> None:
    """Record FinCEN's answer to a suspicious activity report: its BSA identifier or its rejection, and its errors.

    Exit code 1 if the report was rejected and must be filed again. With --reason, replaces a wrong record.

    Example: pitledger sar acknowledge riverside 3 SARXST.20261130.xml
    """
    try:
        found = read_acknowledgement(content_of(file))
    except AcknowledgementWrong as error:
        raise InputRefused(f"{file}: {error}") from error
    if len(found.reports) > 1 or (found.is_accepted and not found.reports):
        raise InputRefused(f"{file}: it is of {len(found.reports)} reports, and a file of ours has one")
    errors = [*found.errors, *(error for one in found.reports for error in one.errors)]
    identifiers = [one.bsa_id for one in found.reports if one.bsa_id is not None and found.is_accepted]
    said = {"errors": list(map(error_document, errors))} | ({"bsa_id": identifiers[0]} if identifiers else {})
    if errors and not as_json:
        show(table(names("Code") + words("Where", "What"), list(map(words_of, errors))))
    _SARS.step(property_name, sar, "acknowledgement", said | corrected(reason), as_json=as_json)
    if not identifiers:
        raise CheckFailed(f"it was not accepted: correct it, and file it again: pitledger sar prepare … --again {sar}")


@app.command()
def destroy(property_name: Property, sar: Sar, as_json: AsJson = False) -> None:
    """Destroy the file of a suspicious activity report after the end of its legal retention.

    Example: pitledger sar destroy riverside 3
    """
    _SARS.step(property_name, sar, "destruction", {}, as_json=as_json)


@app.command("list")
def list_sars(
    property_name: OfProperty,
    status: Annotated[
        str | None,
        typer.Option(
            metavar="STATUS", help="Only this status: prepared, released, filed, accepted, rejected or withdrawn."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List suspicious activity reports with last day of filing, status, and who prepared and released them.

    Example: pitledger sar list --property riverside --status released
    """
    asked = {"property": property_name} | ({} if status is None else {"status": status})
    with client_of(_ROOM) as room:
        found = list(room.pages("/sars", **asked))
    if as_json:
        print_json(found)
        return
    members = ("detected_on", "file_by", "status", "prepared_by", "released_by", "bsa_id")
    rows = [[str(one["sar"]), one.get("subject", ""), *(one.get(name, "") for name in members)] for one in found]
    columns = names("Subject", "Detected", "File by", "Status", "Prepared by", "Released by", "BSA identifier")
    show(table(numbers("Report") + columns, rows))


@app.command()
def due(property_name: OfProperty, as_json: AsJson = False) -> None:
    """List suspicious activity reports that must still be sent, with their last day of filing.

    Exit code 1 if a report is late; an amendment has no deadline and is never late. Monitoring has no alert for these
    reports, so run this command every day.

    Example: pitledger sar due --property riverside
    """
    with client_of(_ROOM) as room:
        found = room.read_list(f"/due-sars?property={quote(property_name, safe='')}")
    if as_json:
        print_json(found)
    else:
        rows = [[str(one["sar"]), one["file_by"], str(one.get("days_left", "")), one["status"]] for one in found]
        show(table(numbers("Report") + names("File by") + numbers("Days left") + names("Status"), rows))
    if late := [str(one["sar"]) for one in found if one.get("days_left", 0) < 0]:
        raise CheckFailed(f"late: {', '.join(late)}")


@app.command()
def content(
    property_name: Property,
    sar: Sar,
    output: Written,
) -> None:
    """Write the file of a suspicious activity report as it was prepared; the access is recorded.

    Example: pitledger sar content riverside 3 -o sar-p-7.xml
    """
    _SARS.write(property_name, sar, output)
