"""Common parts of the filing commands: jurisdiction packs, arguments, and the printing of a filing."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from services.cli.exits import InputRefused, UsageWrong
from services.cli.filing.reading import ACCOUNTS
from services.cli.filing.steps import FiledDocuments
from services.cli.output import names, numbers, print_line, show, table
from shared.contracts.money import dollars
from shared.jurisdictions import Pack, PackWrong, keep_own_packs_in, pack

Filing = Annotated[int, typer.Argument(metavar="FILING", min=1, help="Number of the filing.")]
Unconfirmed = Annotated[
    bool,
    typer.Option("--unconfirmed", help="Accept legal values that are past their review date and not confirmed."),
]

_TAXES: Final = {
    "Withheld, $": "withheld_cents",
    "For the state, $": "state_withheld_cents",
    "For the locality, $": "local_withheld_cents",
}
_OWN_PACKS: Final = "PITLEDGER_JURISDICTIONS"


def laws_of(document: Mapping[str, Any]) -> list[Pack]:
    """Return a property's jurisdiction packs, including those from the installation's own folder.

    Raises: InputRefused if the property names none; UsageWrong if one cannot be loaded.
    """
    if not document.get("packs"):
        raise InputRefused(f"the property document of {document['property']} names no packs: say there whose law holds")
    folder = os.environ.get(_OWN_PACKS)
    try:
        keep_own_packs_in(None if folder is None else Path(folder))
        return [pack(name) for name in document["packs"]]
    except (PackWrong, OSError, LookupError) as error:
        raise UsageWrong(f"{_OWN_PACKS}: {error}") from error


def section_of(report: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Return the rows of a section of a report."""
    [rows] = [one["rows"] for one in report["content"]["sections"] if one["name"] == section]
    return list(rows)


def _show(filing: Mapping[str, Any]) -> None:
    """Print a filing's reports, status, last day of filing and hash."""
    if filing["form"] == "ctr":
        columns = names("Persons") + numbers("In, $", "Out, $") + names("Amends", "BSA identifier")
        show(table(columns, [_report(one) for one in filing["reports"]]))
    else:
        columns = names("Person", "Account number") + numbers("Winnings, $", *_TAXES, "Corrects filing")
        show(table(columns, [_return(one) for one in filing["reports"]]))
    print_line(f"filing {filing['filing']} of {filing['property']} is {filing['status']}; file by {filing['file_by']}")
    if filing["unconfirmed"]:
        print_line(f"it relies on unconfirmed values: {', '.join(filing['unconfirmed'])}")
    print_line(f"SHA-256 {filing['content_sha256']}")


FILINGS: Final = FiledDocuments(ACCOUNTS, "/filings", _show)


def _report(one: Mapping[str, Any]) -> Sequence[str]:
    amounts = (f"{one['in_dollars']:,}", f"{one['out_dollars']:,}")
    named = ", ".join((one["reference"], *one.get("with_others", ())))
    return [named, *amounts, one.get("amends", ""), one.get("bsa_id", "")]


def _return(one: Mapping[str, Any]) -> Sequence[str]:
    amounts = (dollars(one[name]) if name in one else "" for name in ("winnings_cents", *_TAXES.values()))
    return [one["reference"], one["account_number"], *amounts, str(one.get("corrects", ""))]
