"""`pitledger filing returns` and `copies`: information returns for the IRS, and copies for their recipients."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import quote

import typer

from services.cli.client import Client, client_of
from services.cli.exits import InputRefused, NotFound, UsageWrong
from services.cli.filing.common import FILINGS, Filing, Unconfirmed, laws_of, section_of
from services.cli.filing.reading import ACCOUNTS, content_of, document_of, filer_of, identity_of
from services.cli.filing.recipient_copies import recipient_copies
from services.cli.filing.return_files import TemplateWrong, file_of, header_of, in_files, require_columns
from services.cli.filing.return_rows import (
    InformationReturn,
    Row,
    corrections,
    has_changed,
    row_of,
    unwritten,
    wrong_cells,
)
from services.cli.filing.same_person import Apart, require_one_reference_each
from services.cli.filing.steps import Property
from services.cli.output import AsJson, message, print_json, write_bytes
from services.wagering_accounts.domain.filed_returns import read_rows
from services.wagering_accounts.domain.filings import layout_of, require_reviewed, unreviewed
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.filings import FORM_NUMBERS, FilingForm
from shared.contracts.properties import Filer
from shared.contracts.rejection import Rejected
from shared.jurisdictions import Pack
from shared.jurisdictions.returns import ReturnLayout

_RETURNS: Final[Mapping[str, FilingForm]] = {"w-2g": "w_2g", "1042-s": "form_1042_s"}
_DUE: Final = ("due", "rejected")
_SENT: Final = ("filed", "accepted", "to_correct")


class _Named(NamedTuple):
    """The rows of one return, which must be in the same file, with the return's patron, account number and basis.

    `basis` is None for a return that no form supports any more.
    """

    patron: str
    account_number: str
    basis: str | None
    rows: Sequence[Row]

    def subject(self) -> dict[str, str]:
        """Return the return's subject in the request that prepares its filing."""
        return {"kind": "patron", "reference": self.patron} | ({} if self.basis is None else {"basis": self.basis})


def returns(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    year: Annotated[int, typer.Option("--year", min=1900, max=9998, help="Tax year, YYYY.")],
    form: Annotated[str, typer.Option("--form", metavar="FORM", help="IRS form: w-2g or 1042-s.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the files of returns.")],
    template: Annotated[
        Path | None,
        typer.Option(
            "--template",
            metavar="FILE",
            help="CSV template of the IRS portal for the form and year, which defines the columns.",
        ),
    ] = None,
    empty: Annotated[
        list[str] | None,
        typer.Option("--empty", metavar="COLUMN", help="Column of the template to leave empty; may be repeated."),
    ] = None,
    corrected: Annotated[
        bool, typer.Option("--corrected", help="Write corrections of returns already sent, instead of the returns due.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PERSON", help="Only this person, by reference; may be repeated."),
    ] = None,
    apart: Apart = None,
    unconfirmed: Unconfirmed = False,
    as_json: AsJson = False,
) -> None:
    """Write a tax year's information returns as files for the IRS portal, and record each file as a filing.

    Included are the returns in the winnings report's section `returns` that are in no filing, or were rejected.
    Identities are read from the wagering accounts, and each access is recorded. If a return would be rejected, every
    reason is printed and no file is written; likewise if two winners are one person and neither is named by --apart.
    With --corrected, writes corrections of sent returns that differ from the books. A file has at most as many returns
    as the portal accepts. Another person releases each filing. The files contain personal data.

    Example: pitledger filing returns --property riverside --year 2026 --form w-2g --template w2g.csv -o returns
    Example: pitledger filing returns --property riverside --year 2026 --form w-2g --corrected -o returns
    """
    if form.lower() not in _RETURNS:
        raise UsageWrong(f"--form {form!r}: w-2g or 1042-s")
    key = _RETURNS[form.lower()]
    document = document_of(property_name)
    filer, laws = filer_of(document), laws_of(document)
    layout = _layout(laws, key, year, told=unconfirmed)
    header = None if template is None else _header(template)
    with client_of("reporting") as reporting:
        report = reporting.read("/reports/winnings", property=property_name, gaming_day=f"{year}-12-31", period="year")
    of_form = [one for one in section_of(report, "returns") if one["form"] == FORM_NUMBERS[key]]
    rows = [one for one in of_form if _is_named(one, only)]
    with client_of(ACCOUNTS) as accounts:
        office = _Office(accounts, property_name, filer, layout)
        wrong = {_latest(one) for one in of_form if one["status"] == "to_withdraw"}
        if corrected:
            wrong |= office.outdated(rows)
            named = office.corrections(_answered(accounts, property_name, key, year, rows, wrong))
        else:
            named = office.originals([one for one in rows if one["status"] in _DUE])
        if here := _in_order(wrong & {_latest(one) for one in rows if one.get("filing")}):
            message(f"not sent, and no longer right: withdraw filing {here}, and repeat this")
        if not named:
            raise NotFound(
                f"nothing is to be {'corrected' if corrected else 'returned'} on {FORM_NUMBERS[key]} for {year}"
            )
        require_one_reference_each(property_name, {one.patron for one in named}, apart or ())
        _require_columns(layout, header, template, named, empty or ())
        _make_folder(output)
        prepared = []
        for file in in_files([[(one, row) for row in one.rows] for one in named], layout.returns_max):
            content = file_of(layout, [row for _, row in file], header)
            subjects = [one.subject() for one, _ in file]
            asked = {"property": property_name, "form": key, "period": str(year), "subjects": subjects}
            filing = accounts.do("/filings", asked | {"file": content, "unconfirmed": unconfirmed})
            path = output / f"{form.lower()}-{year}-{filing['filing']}.csv"
            write_bytes(content.encode(), path, "csv", readable=True)
            prepared.append(filing)
    if header is None:
        message(f"the columns are those of the pack, not of a template of {year}: see docs/information-returns.md")
    if as_json:
        print_json(prepared)
    else:
        for filing in prepared:
            FILINGS.show(filing)


def copies(
    property_name: Property,
    filing: Filing,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the recipients' copies, PDF.")
    ],
) -> None:
    """Write a copy for each recipient of the information returns in a filing, as PDF; the access is recorded.

    The copies have the content of the filed file, and are not IRS forms. Rejected returns are omitted: copy them from
    the filing that files them again. Copies can be written once the filing is released.

    Example: pitledger filing copies riverside 4 -o copies
    """
    laws = laws_of(document_of(property_name))
    path = FILINGS.path_of(property_name, filing)
    with client_of(ACCOUNTS) as accounts:
        found = accounts.read(path)
        if found["form"] not in _RETURNS.values():
            raise InputRefused(f"filing {filing} of {property_name} has no information returns")
        if found["status"] == "prepared":
            raise InputRefused(f"filing {filing} of {property_name} is prepared: copies are of what was released")
        content = accounts.read_bytes(f"{path}/file").decode()
    layout = _layout(laws, found["form"], int(found["period"]), told=True)
    stand = [
        (row, one["reference"])
        for row, one in zip(read_rows(content, layout), found["reports"], strict=True)
        if not _is_rejected(found, one)
    ]
    if not stand:
        raise NotFound(f"every return of filing {filing} was rejected: their copies come from the next filing of them")
    _make_folder(output)
    made = recipient_copies(FORM_NUMBERS[found["form"]], layout, *zip(*stand, strict=True))
    for person, pages in made:
        name = f"{FORM_NUMBERS[found['form']].lower()}-{found['period']}-{filing}-{quote(person, safe='')}.pdf"
        write_bytes(pages, output / name, "pdf", readable=False)


def _is_rejected(filing: Mapping[str, Any], report: Mapping[str, Any]) -> bool:
    """Return whether a report was rejected, by itself or with the whole filing."""
    return filing["status"] == "rejected" and not report.get("accepted")


class _Office:
    """Builds the rows of returns from the winnings report, and collects the reasons why rows would be rejected."""

    def __init__(self, accounts: Client, property_name: str, filer: Filer, layout: ReturnLayout) -> None:
        self._accounts, self._property, self._filer, self._layout = accounts, property_name, filer, layout
        self._wrong: list[str] = []
        self._short: dict[str, str] = {}
        self._known: dict[str, PatronIdentity | None] = {}

    def originals(self, rows: Iterable[Mapping[str, Any]]) -> list[_Named]:
        """Return the rows of the returns that are due.

        Raises: InputRefused with all reasons why rows would be rejected.
        """
        made = [_Named(str(one.get("patron")), one["account_number"], one["basis"], [self._row(one)]) for one in rows]
        self._refuse()
        self._tell_short(made)
        return made

    def corrections(self, rows: Iterable[Mapping[str, Any]]) -> list[_Named]:
        """Return the rows that correct returns already sent.

        Raises: InputRefused with all reasons why rows would be rejected.
        """
        sent: dict[str, dict[str, Row]] = {}
        made: list[_Named] = []
        for one in rows:
            if one["filing"] not in sent:
                sent[one["filing"]] = self._rows_of(int(one["filing"]))
            number = one["account_number"]
            now = self._row(one) if one["forms"] else None
            try:
                found = corrections(self._layout, sent[one["filing"]][number], now)
            except ValueError as error:
                raise InputRefused(str(error)) from error
            if found:
                made.append(_Named(one["patron"], number, one.get("basis"), found))
        self._refuse()
        self._tell_short(made)
        return made

    def outdated(self, rows: Iterable[Mapping[str, Any]]) -> set[str]:
        """Return the filings with unsent corrections that no longer match the books.

        The winnings report compares only amounts; this also detects a changed name or address.
        """
        prepared: dict[str, dict[str, Row]] = {}
        found = set()
        for one in rows:
            filing = one.get("amendment")
            if filing is None or one["status"] == "to_withdraw":
                continue
            if filing not in prepared:
                prepared[filing] = self._rows_of(int(filing))
            now = self._written(one)[0] if one["forms"] else None
            if has_changed(self._layout, prepared[filing][one["account_number"]], now):
                found.add(filing)
        return found

    def _rows_of(self, filing: int) -> dict[str, Row]:
        """Return the rows of a filing's file by account number; if a return has two rows, the last one."""
        content = self._accounts.read_bytes(f"{FILINGS.path_of(self._property, filing)}/file").decode()
        column = self._layout.column("account_number")
        assert column is not None, "every layout has account numbers"
        return {row[column.name]: row for row in map(self._whole, read_rows(content, self._layout))}

    def _whole(self, row: Row) -> Row:
        """Return a row with all columns of the layout; columns missing from the file's template are empty."""
        return {one.name: row.get(one.name, "") for one in self._layout.columns}

    def _row(self, said: Mapping[str, Any]) -> Row:
        """Return the row of a return, and collect the reasons why it would be rejected."""
        row, wrong = self._written(said)
        self._wrong += wrong
        return row

    def _written(self, said: Mapping[str, Any]) -> tuple[Row, list[str]]:
        """Return the row of a return, and the reasons why it would be rejected."""
        patron = said.get("patron")
        one = InformationReturn(
            form=said["form"],
            tax_year=int(said["year"]),
            account_number=said["account_number"],
            patron=patron,
            residence=said.get("residence"),
            winnings_cents=said["winnings_cents"],
            withheld_cents=said.get("withheld_cents"),
            regular_cents=said["regular_cents"],
            won_on=date.fromisoformat(said["won_on"]),
            wager=said["wager"],
            identified_by=tuple((said.get("identified_by") or "").split(", ")),
            identity=None if patron is None else self._identity(patron),
            state_code=said.get("state_code"),
            state_cents=said["state_cents"],
            state_withheld_cents=said.get("state_withheld_cents"),
            local_withheld_cents=said.get("local_withheld_cents"),
            treaty=said.get("treaty"),
            rate_percent=said.get("rate_percent"),
        )
        fields = one.fields(self._filer)
        row = row_of(self._layout, fields)
        wrong = [*one.refusals(self._filer), *unwritten(self._layout, fields)]
        if one.identity is not None:
            wrong += wrong_cells(self._layout, row)
        name = f"{patron or 'unknown'}, return {one.account_number}"
        if (short := one.shortfall()) is not None:
            self._short[one.account_number] = f"{name}: {short}"
        return row, [f"{name}: {reason}" for reason in wrong]

    def _identity(self, patron: str) -> PatronIdentity | None:
        if patron not in self._known:
            try:
                self._known[patron] = identity_of(self._accounts, self._property, patron)
            except NotFound:
                self._known[patron] = None
        return self._known[patron]

    def _tell_short(self, made: Iterable[_Named]) -> None:
        """Print the shortfall of withheld tax of each of these returns."""
        for one in made:
            if one.account_number in self._short:
                message(self._short[one.account_number])

    def _refuse(self) -> None:
        if self._wrong:
            wrong = list(dict.fromkeys(self._wrong))
            why = "reason" if len(wrong) == 1 else f"{len(wrong)} reasons"
            error = InputRefused(f"not every return can be made, for the {why} above: leave people out with --only")
            error.details = "\n".join(wrong)
            raise error


def _answered(
    accounts: Client,
    property_name: str,
    form: FilingForm,
    year: int,
    rows: Iterable[Mapping[str, Any]],
    wrong: Collection[str],
) -> list[Mapping[str, Any]]:
    """Return the rows of returns that may be corrected; print the filings that must be sent or answered first.

    Filings in `wrong` are not printed, because they must be withdrawn instead.
    """
    asked = {"property": property_name, "form": form, "period": str(year), "status": "filed"}
    unanswered = {str(one["filing"]) for one in accounts.pages("/filings", **asked)}
    sent = [one for one in rows if one["status"] in _SENT]
    if waiting := _in_order({one["filing"] for one in sent if one["filing"] in unanswered}):
        message(f"sent, and not answered: record the acknowledgement of filing {waiting} first")
    if prepared := _in_order({one["amendment"] for one in sent if one.get("amendment")} - {*wrong}):
        message(f"corrected already, and not sent: send filing {prepared}, or withdraw it")
    return [one for one in sent if one["filing"] not in unanswered and not one.get("amendment")]


def _latest(row: Mapping[str, Any]) -> str:
    """Return the number of the filing with a return's latest version: its unsent correction, or else the return."""
    return str(row.get("amendment") or row["filing"])


def _in_order(filings: Iterable[str]) -> str:
    return ", ".join(sorted(filings, key=int))


def _make_folder(output: Path) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputRefused(f"{output}: {error.strerror}") from error


def _is_named(row: Mapping[str, Any], only: Sequence[str] | None) -> bool:
    return not only or row.get("patron") in only


def _layout(laws: Sequence[Pack], form: FilingForm, year: int, *, told: bool) -> ReturnLayout:
    try:
        require_reviewed(unreviewed(laws, form, str(year)), told=told)
        return layout_of(laws, form, str(year))
    except Rejected as error:
        raise InputRefused(str(error)) from error


def _header(template: Path) -> list[str]:
    try:
        return header_of(content_of(template))
    except TemplateWrong as error:
        raise InputRefused(f"{template}: {error}") from error


def _require_columns(
    layout: ReturnLayout,
    header: Sequence[str] | None,
    template: Path | None,
    named: Iterable[_Named],
    empty: Sequence[str],
) -> None:
    if header is None:
        return
    try:
        require_columns(layout, header, [row for one in named for row in one.rows], empty)
    except TemplateWrong as error:
        refused = InputRefused(f"{template}: it is not the template of this layout")
        refused.details = str(error)
        raise refused from error
