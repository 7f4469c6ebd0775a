"""`pitledger filing`: filings with FinCEN and the IRS, from preparing the file to the agency's answer."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from services.cli.client import client_of
from services.cli.exits import CheckFailed, CommandError, InputRefused, NotFound, UsageWrong
from services.cli.filing.acknowledgement import Acknowledgement, AcknowledgementWrong, read_acknowledgement
from services.cli.filing.books_check import due_no_more, require_still_so
from services.cli.filing.common import FILINGS, Filing, Unconfirmed, laws_of
from services.cli.filing.ctr_batch import CtrActivity, ctr_batch
from services.cli.filing.currency_report import (
    NOBODY,
    account_of,
    currency_report,
    filed_as_they_are,
    name_of,
    others_of,
    people_of,
    reports_of,
    require_amendments,
    require_reported,
    subject_of,
)
from services.cli.filing.instruments_list import instruments
from services.cli.filing.reading import (
    ACCOUNTS,
    content_of,
    date_of,
    document_of,
    error_document,
    filer_of,
    filing_day,
    identity_of,
    require_unidentified,
    today_of,
    words_of,
)
from services.cli.filing.returns import copies, returns
from services.cli.filing.same_person import Apart, require_one_reference_each
from services.cli.filing.steps import (
    CorrectReason,
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
from services.wagering_accounts.domain.filings import require_reviewed, unreviewed
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.filings import ERRORS_MAX, FORM_NUMBERS
from shared.contracts.rejection import Rejected
from shared.runtime.filing.filed_amounts import has_last_day

app = typer.Typer(no_args_is_help=True)

_TO_FILE_AGAIN: Final = "rejected"
_OPEN: Final = ("prepared", "released", _TO_FILE_AGAIN)
"""The statuses of filings that must still be sent, or sent again."""


@app.callback()
def _filing() -> None:
    """Prepare and release filings with FinCEN and the IRS, and record their sending and the agency's answers."""


@app.command()
def prepare(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    day: Annotated[str, typer.Option("--day", metavar="DATE", help="Gaming day, YYYY-MM-DD.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Batch file for FinCEN to write, XML.")
    ],
    filed_on: Annotated[
        str | None,
        typer.Option("--filed-on", metavar="DATE", help="Filing date, YYYY-MM-DD (default: today at the property)."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PERSON",
            help="Only this person, by reference (the entry, if unidentified); may be repeated.",
        ),
    ] = None,
    unidentified: Annotated[
        list[str] | None,
        typer.Option(
            "--unidentified",
            metavar="PERSON",
            help="Report this person with every identity field marked as unknown; may be repeated.",
        ),
    ] = None,
    corrects: Annotated[
        list[str] | None,
        typer.Option(
            "--corrects",
            metavar="PERSON=BSA-ID",
            help="Amend the report of this person (the entry, if unidentified) with this BSA identifier; "
            "may be repeated.",
        ),
    ] = None,
    apart: Apart = None,
    unconfirmed: Unconfirmed = False,
    as_json: AsJson = False,
) -> None:
    """Write the currency transaction reports of a gaming day as a batch file for FinCEN, and record it as a filing.

    The amounts are those of the currency report. Identities are read from the wagering accounts, and each access is
    recorded. No file is written if a person without identity is not named by --unidentified, if a person named by
    --unidentified has an identity, if a person who was reported before is not named by --corrects, or if two references
    that moved currency on the day are one person and neither is named by --apart. Without --only, reports that are
    unchanged in an earlier filing are omitted, so that the command can be repeated when the day has more to report. A
    correcting report has the current amounts, even below the threshold or without any. A movement by an agent is in one
    report with its principal. Another person releases the filing. The file has personal data: keep it as you keep the
    forms.

    Example: pitledger filing prepare --property riverside --day 2026-11-20 -o ctr-2026-11-20.xml
    Example: pitledger filing prepare --property riverside --day 2026-11-20 --only p-7 -o p-7.xml
    """
    gaming_day = date_of("--day", day)
    prior = dict(_prior(one) for one in corrects or ())
    report = currency_report(property_name, day)
    require_reported(report, (*(only or ()), *prior))
    require_one_reference_each(property_name, people_of(report), apart or ())
    reports = {
        key: lines for key, lines in reports_of(report, prior).items() if not only or {key[0], name_of(key)} & {*only}
    }
    if not only:
        filed_before = {key: filing for key, filing in filed_as_they_are(report).items() if name_of(key) not in prior}
        reports = {key: lines for key, lines in reports.items() if key not in filed_before}
        for key, filing in filed_before.items():
            message(f"{name_of(key)} is left out: filing {filing} has the report as it is")
    require_amendments(report, {key: lines for key, lines in reports.items() if name_of(key) not in prior})
    reported = {name_of(key) for key in reports}
    persons = {person for person, _ in reports}
    people = persons.union(*(others_of(*of_report) for of_report in reports.items()))
    for option, named, there in (
        ("--only", only, reported | persons),
        ("--unidentified", unidentified, people),
        ("--corrects", prior, reported),
    ):
        if missing := sorted(set(named or ()) - there):
            elsewhere = ", and nothing was filed here: amend what was filed elsewhere in FinCEN's own form"
            way = elsewhere if option == "--corrects" else ""
            raise NotFound(f"{option}: nothing is to be reported of {', '.join(missing)} on {day}{way}")
    property_document = document_of(property_name)
    filed = filing_day(property_document, filed_on)
    if filed_on is not None and filed <= gaming_day:
        raise UsageWrong(f"--filed-on {filed}: the gaming day {day} had not ended then")
    filer = filer_of(property_document)
    _require_reviewed(property_document, day, told=unconfirmed)
    nobody = {one for one in people if one == NOBODY or account_of(one) is not None}
    identities = _identities(property_name, people - nobody, {*(unidentified or ())})
    batch = [
        CtrActivity(
            gaming_day,
            identities.get(key[0]),
            lines,
            prior.get(name_of(key)),
            account=account_of(key[0]),
            reference=key[0],
            others={one: identities.get(one) for one in others_of(key, lines)},
        )
        for key, lines in reports.items()
    ]
    try:
        content = ctr_batch(filer, batch, filed_on=filed)
    except ValueError as error:
        raise InputRefused(f"no batch: {error}") from error
    subjects = [subject_of(key, others_of(key, lines)) for key, lines in reports.items()]
    document = {"property": property_name, "period": day, "subjects": subjects, "file": content.decode()}
    with client_of(ACCOUNTS) as accounts:
        prepared = accounts.do("/filings", document | {"unconfirmed": unconfirmed})
    write_bytes(content, output, "xml", readable=True)
    FILINGS.print(prepared, as_json=as_json)


@app.command()
def release(
    property_name: Property,
    filing: Filing,
    file: Released = None,
    shown: Shown = None,
    apart: Apart = None,
    as_json: AsJson = False,
) -> None:
    """Release a filing that another person prepared; its file may then be sent.

    Currency transaction reports are compared with the currency report of their gaming day, information returns with the
    winnings report of their year. Exit code 3 if a report's amounts or details have changed since (withdraw the filing,
    and prepare it again), if two references of the report have become one person and neither is named by --apart, or if
    FILE is not the prepared file. Exit code 1 if the release is refused, for example because the filer or an identity
    in the file was changed after the filing was prepared.

    Example: pitledger filing release riverside 3 --file ctr-2026-11-20.xml
    """
    FILINGS.release(
        property_name, filing, file, shown, as_json=as_json, require=partial(require_still_so, apart=apart or ())
    )


@app.command()
def withdraw(
    property_name: Property,
    filing: Filing,
    reason: WithdrawReason,
    as_json: AsJson = False,
) -> None:
    """Withdraw a filing that was not sent; the stored file is destroyed.

    Example: pitledger filing withdraw riverside 3 --reason "p-7 showed another document"
    """
    FILINGS.step(property_name, filing, "withdraw", {"reason": reason}, as_json=as_json)


@app.command()
def filed(
    property_name: Property,
    filing: Filing,
    tracking_id: TrackingId,
    at: SentAt = None,
    reason: CorrectReason = None,
    as_json: AsJson = False,
) -> None:
    """Record that the file of a released filing was sent to FinCEN.

    With --reason, replaces a wrongly recorded identifier, as long as the filing is not answered.

    Example: pitledger filing filed riverside 3 --tracking-id 260000000001
    """
    FILINGS.sent(property_name, filing, tracking_id, at, reason, as_json=as_json)


@app.command()
def acknowledge(
    property_name: Property,
    filing: Filing,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="FinCEN's acknowledgement file, as received.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Status of the file on the IRS portal: accepted or rejected."),
    ] = None,
    rejected: Annotated[
        list[int] | None,
        typer.Option(
            "--rejected",
            metavar="NUMBER",
            help="Number of a return that was rejected although its file was accepted; may be repeated.",
        ),
    ] = None,
    reason: CorrectReason = None,
    as_json: AsJson = False,
) -> None:
    """Record the agency's answer to a filing and to each report in it: accepted or rejected, with errors.

    FinCEN answers with a file. The IRS portal displays its answer: enter it by --status and --rejected. Exit code 1 if
    the filing or a report in it was rejected and must be filed again. With --reason, replaces a wrong record.

    Example: pitledger filing acknowledge riverside 3 CTRXST.20261130.xml
    Example: pitledger filing acknowledge riverside 4 --status accepted --rejected 17
    """
    if (file is None) == (status is None) or (file is not None and rejected):
        raise UsageWrong("give FinCEN's file, or --status with what the portal of the IRS shows")
    path = FILINGS.path_of(property_name, filing)
    with client_of(ACCOUNTS) as client:
        if file is None:
            document = _shown_by_portal(client.read(path), str(status), set(rejected or ()))
        else:
            found = _read(file)
            document = _document(found, client.read(path)["report_count"])
        answer = client.do(f"{path}/acknowledgement", document | corrected(reason))
    if as_json:
        print_json(answer)
    elif file is None:
        FILINGS.show(answer)
    else:
        _show_acknowledgement(found)
    if answer["status"] != "accepted":
        raise CheckFailed("not everything was accepted: correct it, and file it again")


@app.command("list")
def list_filings(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    status: Annotated[
        str | None,
        typer.Option(
            metavar="STATUS", help="Only this status: prepared, released, filed, accepted, rejected or withdrawn."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List filings with form, period, last day of filing, status, and the persons who prepared and released them.

    A rejected filing that was not filed again is compared with the currency report or winnings report of its period: if
    none of its reports is still due, the filing is not shown as due or late. A filing that only amends or corrects
    reports is late only if it was rejected, because its last day is that of the original reports.

    Example: pitledger filing list --property riverside --status released
    """
    asked = {"property": property_name} | ({} if status is None else {"status": status})
    with client_of(ACCOUNTS) as client:
        found = list(client.pages("/filings", **asked))
    if as_json:
        print_json(found)
        return
    today = today_of(document_of(property_name)).isoformat()
    statuses = _statuses(found)
    rows = [
        [
            str(one["filing"]),
            FORM_NUMBERS[one["form"]],
            one["period"],
            str(one["report_count"]),
            one.get("copy_by", ""),
            one["file_by"]
            + (" (late)" if status_now in _OPEN and has_last_day(one) and one["file_by"] < today else ""),
            status_now,
            one["prepared_by"],
            one.get("released_by", ""),
            one.get("tracking_id", ""),
        ]
        for one, status_now in zip(found, statuses, strict=True)
    ]
    columns = numbers("Filing") + names("Form", "Period") + numbers("Reports") + names("Copy by", "File by", "Status")
    show(table(columns + names("Prepared by", "Released by", "Tracking ID"), rows))


@app.command()
def content(
    property_name: Property,
    filing: Filing,
    output: Written,
) -> None:
    """Write the file of a filing as it was prepared; the access is recorded.

    Example: pitledger filing content riverside 3 -o ctr-2026-11-20.xml
    """
    FILINGS.write(property_name, filing, output)


app.command("returns")(returns)
app.command("copies")(copies)
app.command("instruments")(instruments)


def _statuses(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return each filing's status as text; for a rejected filing, also whether it must be filed again."""
    left = [one for one in found if one["status"] == _TO_FILE_AGAIN and not one["filed_again"]]
    try:
        settled = due_no_more(left) if left else set()
    except CommandError as error:
        message(f"whether rejected filings are due still is not known: {error}")
        settled = set()
    after = {one["filing"]: ", in a later filing" for one in found if one.get("filed_again")}
    after |= dict.fromkeys(settled, ", no longer due")
    return [one["status"] + after.get(one["filing"], "") for one in found]


def _require_reviewed(document: Mapping[str, Any], day: str, *, told: bool) -> None:
    try:
        require_reviewed(unreviewed(laws_of(document), "ctr", day), told=told)
    except Rejected as error:
        raise InputRefused(str(error)) from error


def _read(file: Path) -> Acknowledgement:
    try:
        return read_acknowledgement(content_of(file))
    except AcknowledgementWrong as error:
        raise InputRefused(f"{file}: {error}") from error


def _shown_by_portal(filing: Mapping[str, Any], status: str, rejected: set[int]) -> dict[str, Any]:
    """Return the IRS portal's answer as the service's request body. Raises: UsageWrong."""
    if status not in ("accepted", "rejected"):
        raise UsageWrong(f"--status {status!r}: accepted or rejected")
    numbers_of = [one["report"] for one in filing["reports"]]
    if missing := rejected - set(numbers_of):
        raise UsageWrong(f"--rejected {min(missing)}: the filing has the reports 1 to {len(numbers_of)}")
    is_accepted = status == "accepted"
    reports = [{"report": one, "accepted": is_accepted and one not in rejected} for one in numbers_of]
    return {"accepted": is_accepted, "reports": reports}


def _show_acknowledgement(found: Acknowledgement) -> None:
    print_line(f"the file was {'accepted' if found.is_accepted else 'rejected'}")
    rows = [["", "", *words_of(one)] for one in found.errors]
    for number, one in enumerate(found.reports, start=1):
        for said in [words_of(error) for error in one.errors] or [["", "", ""]]:
            rows.append([str(number), one.bsa_id or "rejected", *said])
    show(table(numbers("Report") + names("BSA identifier", "Code") + words("Where", "What"), rows))


def _document(found: Acknowledgement, report_count: int) -> dict[str, Any]:
    """Return an acknowledgement as the service's request body, with error codes but without FinCEN's error texts.

    The answer to a rejected batch may list only some of its reports. It does not say which, so every report is then
    rejected, and the errors, without repetitions and at most ERRORS_MAX, are those of the batch.
    """
    if not found.is_accepted and len(found.reports) != report_count:
        listed = [*found.errors, *(error for one in found.reports for error in one.errors)]
        errors = list(dict.fromkeys(listed))[:ERRORS_MAX]
        message(
            f"FinCEN lists {len(found.reports)} of {report_count} reports: all are rejected, and {len(errors)} of "
            f"{len(listed)} errors are those of the file"
        )
        every = [{"report": number, "accepted": False} for number in range(1, report_count + 1)]
        return {"accepted": False, "errors": list(map(error_document, errors)), "reports": every}
    reports = [
        {"report": number, "accepted": one.is_accepted, "errors": [error_document(said) for said in one.errors]}
        | ({} if one.bsa_id is None else {"bsa_id": one.bsa_id})
        for number, one in enumerate(found.reports, start=1)
    ]
    return {"accepted": found.is_accepted, "errors": [error_document(one) for one in found.errors], "reports": reports}


def _identities(
    property_name: str, people: Collection[str], unidentified: Collection[str]
) -> dict[str, PatronIdentity]:
    """Return people's identities by person, except the `unidentified`. Raises: InputRefused if one of these has one."""
    if not people:
        return {}
    unnamed = sorted({*people} & {*unidentified})
    with client_of(ACCOUNTS) as accounts:
        require_unidentified(accounts, property_name, unnamed)
        named = sorted({*people} - {*unidentified})
        return {person: identity_of(accounts, property_name, person) for person in named}


def _prior(text: str) -> tuple[str, str]:
    person, _, identifier = text.rpartition("=")
    if not person or len(identifier) != 14 or not identifier.isdecimal():
        raise UsageWrong(f"--corrects {text!r}: give it as PERSON=BSA-ID, which has fourteen digits")
    return person, identifier
