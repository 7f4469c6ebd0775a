"""`pitledger gl`: file, approve and read general-ledger mappings, and export the journals of sealed gaming days."""

import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError

from services.cli.books.report import period_asked
from services.cli.client import client_of
from services.cli.exits import NotFound, UsageWrong
from services.cli.filing.reading import document_of
from services.cli.moments import moment_of
from services.cli.output import (
    AsJson,
    heading,
    message,
    names,
    print_json,
    show,
    table,
    words,
    write_bytes,
)
from services.cli.registry.documents import Documents, Property, ReturnReason, Version
from services.cli.subjects import Shown
from shared.contracts.general_ledger import SEGMENTS, LedgerMappingDocument

app = typer.Typer()

_REPORTING: Final = "reporting"
_FORMATS: Final = ("csv", "iif", "xero", "netsuite", "sage", "hledger", "beancount")

_MAPPINGS: Final = Documents("/ledger-mappings", "pitledger gl", "the ledger mapping of {}".format)


@app.command()
def export(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    form: Annotated[str, typer.Option("--as", metavar="FORMAT", help=f"Output format: {', '.join(_FORMATS)}.")] = "csv",
    day: Annotated[str | None, typer.Option(metavar="DATE", help="Gaming day, YYYY-MM-DD.")] = None,
    week: Annotated[
        str | None, typer.Option(metavar="DATE", help="Week that contains this gaming day, YYYY-MM-DD.")
    ] = None,
    month: Annotated[str | None, typer.Option(metavar="YYYY-MM", help="Month, YYYY-MM.")] = None,
    quarter: Annotated[str | None, typer.Option(metavar="YYYY-Qn", help="Quarter, YYYY-Qn, such as 2026-Q4.")] = None,
    year: Annotated[str | None, typer.Option(metavar="YYYY", help="Year, YYYY.")] = None,
    known_at: Annotated[
        str | None,
        typer.Option(metavar="MOMENT", help="As known at this time, ISO 8601 with UTC offset (default: now)."),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Accept a period that is not sealed to its end, up to its last sealed day."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
) -> None:
    """Export the journals of sealed gaming days, for an accounting program or a second ledger.

    Nothing is written and the exit code is 3 if a day with postings or the last day is not sealed, if a day has no
    mapping, if a leg has no rule, or if reporting has not yet read every entry up to the latest seal or restatement.
    With --partial, the file ends with the last sealed day, and later postings are left out.

    Example: pitledger gl export --property riverside --day 2026-11-20 --as xero -o journal.csv
    Example: pitledger gl export --property riverside --month 2026-11 --as beancount -o november.beancount
    """
    if form not in _FORMATS:
        raise UsageWrong(f"--as {form!r}: one of {', '.join(_FORMATS)}")
    asked = period_asked({"day": day, "week": week, "month": month, "quarter": quarter, "year": year})
    asked |= {} if known_at is None else {"known_at": moment_of("--known-at", known_at).isoformat()}
    asked |= {"partial": "true"} if partial else {}
    with client_of(_REPORTING) as client:
        content = client.read_bytes("/general-ledger/journals", property=property_name, **asked, **{"as": form})
    write_bytes(content, output, form, readable=True)


@app.command()
def example() -> None:
    """Print an example mapping: a chart of accounts, and a rule for every leg.

    Example: pitledger gl example > mapping.yaml
    """
    sys.stdout.write(example_mapping())


def example_mapping() -> str:
    """Return the example mapping as YAML."""
    return files("services.cli.registry").joinpath("ledger_mapping.yaml").read_text(encoding="utf-8")


@app.command("file")
def file_version(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File of the mapping, YAML or JSON; - for stdin.")],
    as_json: AsJson = False,
) -> None:
    """File the next version of a property's general-ledger mapping, and print its changes.

    Another person must approve the version before it takes effect. If it is refused, all of its faults are printed, one
    per line, and the exit code is 3. Prints a warning for a rule's game or pit that no table of the property has, and
    how many rules have each department and cost center.

    Example: pitledger gl file mapping.yaml
    """
    _MAPPINGS.file(file, as_json=as_json, before=_describe)


@app.command()
def approve(property_name: Property, version: Version, shown: Shown = None, as_json: AsJson = False) -> None:
    """Approve a mapping version that another person filed.

    Example: pitledger gl approve riverside 2
    """
    _MAPPINGS.approve(property_name, version, shown, as_json=as_json)


@app.command("return")
def give_back(
    property_name: Property,
    version: Version,
    reason: ReturnReason,
    as_json: AsJson = False,
) -> None:
    """Return a mapping version to its filer; it never takes effect.

    Example: pitledger gl return riverside 2 --reason "baccarat belongs to cost center 310"
    """
    _MAPPINGS.give_back(property_name, version, reason, as_json=as_json)


@app.command()
def diff(property_name: Property, version: Version, as_json: AsJson = False) -> None:
    """Print the changes from the previously approved mapping version to this one, one per line.

    Example: pitledger gl diff riverside 2
    """
    _MAPPINGS.compare(property_name, version, as_json=as_json)


@app.command("show")
def show_version(
    property_name: Property,
    version: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Version number (default: the version in effect).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a mapping: its chart of accounts, and the rules.

    Example: pitledger gl show riverside
    Example: pitledger gl show riverside --version 2 --json
    """
    found = _MAPPINGS.read(property_name, version)
    if as_json:
        print_json(found)
        return
    title = f"{found['title']} ({found['property']}), version {found['version']}: {found['status']}"
    accounts = [[one["account"], one["kind"], one["title"]] for one in found["accounts"]]
    show(heading(title), table(names("Account", "Kind") + words("Title"), accounts))
    rules = [
        [*_rule(one), one["account"], one.get("department", ""), one.get("cost_center", "")] for one in found["rules"]
    ]
    columns = names("Service", "Leg") + words("Where") + names("Account", "Department", "Cost center")
    show(heading("Rules"), table(columns, rules))


def _describe(document: Mapping[str, Any]) -> None:
    """Print a mapping's departments and cost centers, and its games and pits that no table has now."""
    try:
        wanted = LedgerMappingDocument.model_validate(document)
        place = document_of(wanted.property)
    except (ValidationError, NotFound):
        return  # the registry says what is wrong
    for segment, plural in SEGMENTS.items():
        if counts := wanted.segments(segment):
            listed = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
            message(f"{plural} of the rules: {listed}")
    for condition in ("game", "pit"):
        known = sorted({str(one[condition]) for one in place["tables"]})
        named = {getattr(rule, condition) for rule in wanted.rules} - {None, *known}
        for name in sorted(named):
            there = f"the {condition}s of its tables are {', '.join(known)}" if known else "it has no tables"
            message(f"{condition} {name}: no table of {wanted.property} has it, so its rules do not apply; {there}")


def _rule(rule: Mapping[str, Any]) -> tuple[str, str, str]:
    conditions = ("item", "game", "pit", "table_class")
    return rule["service"], rule["leg"], ", ".join(f"{name} {rule[name]}" for name in conditions if name in rule)
