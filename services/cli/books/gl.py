"""`pitledger gl`: file, decide and read general-ledger mappings, and export the journals of sealed gaming days."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from services.cli.books.report import period_asked
from services.cli.client import client_of
from services.cli.documents import read_document
from services.cli.exits import InputRefused, UsageWrong
from services.cli.moments import moment_of
from services.cli.output import (
    AsJson,
    heading,
    message,
    names,
    print_json,
    print_line,
    show,
    table,
    words,
    write_bytes,
)
from services.cli.subjects import Shown

app = typer.Typer()

_REGISTRY: Final = "paytable-registry"
_REPORTING: Final = "reporting"
_FORMATS: Final = ("csv", "iif", "xero", "netsuite", "sage", "hledger", "beancount")

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Version = Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The number of the version.")]


@app.command()
def export(
    property_name: Annotated[str, typer.Option("--property", help="The property.")],
    form: Annotated[str, typer.Option("--as", metavar="FORMAT", help=f"{', '.join(_FORMATS)}.")] = "csv",
    day: Annotated[str | None, typer.Option(metavar="DATE", help="The journals of a gaming day.")] = None,
    week: Annotated[str | None, typer.Option(metavar="DATE", help="Of the week that contains a gaming day.")] = None,
    month: Annotated[str | None, typer.Option(metavar="YYYY-MM", help="Of a month.")] = None,
    quarter: Annotated[str | None, typer.Option(metavar="YYYY-Qn", help="Of a quarter.")] = None,
    year: Annotated[str | None, typer.Option(metavar="YYYY", help="Of a year.")] = None,
    known_at: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="As known at a time with its UTC offset (default: now).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The output file (default: stdout).")
    ] = None,
) -> None:
    """Export the journals of sealed gaming days, for an accounting program or a second ledger.

    Exit code 3 while one of the days is not sealed or has no mapping, or while a leg has no rule: then nothing is
    written.

    Example: pitledger gl export --property riverside --day 2026-11-20 --as xero -o journal.csv
    Example: pitledger gl export --property riverside --month 2026-11 --as beancount -o november.beancount
    """
    if form not in _FORMATS:
        raise UsageWrong(f"--as {form!r}: one of {', '.join(_FORMATS)}")
    asked = period_asked({"day": day, "week": week, "month": month, "quarter": quarter, "year": year})
    asked |= {} if known_at is None else {"known_at": moment_of("--known-at", known_at).isoformat()}
    with client_of(_REPORTING) as client:
        content = client.read_bytes("/general-ledger/journals", property=property_name, **asked, **{"as": form})
    write_bytes(content, output, form, readable=True)


@app.command("file")
def file_version(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The mapping, YAML or JSON; - for stdin.")],
    as_json: AsJson = False,
) -> None:
    """File the next version of a property's general-ledger mapping, and print its changes.

    Another person approves it before it takes effect. Exit code 3 if it is refused, with all of its faults, one per
    line.

    Example: pitledger gl file mapping.yaml
    """
    document = read_document(file)
    if not isinstance(document, Mapping):
        raise InputRefused(f"{file}: a mapping has members, and this is a {type(document).__name__}")
    with client_of(_REGISTRY) as client:
        filed = client.do("/ledger-mappings", document)
        changed = client.read(f"{_path(filed['property'], filed['version'])}/changes")
    if as_json:
        print_json({**filed, **changed})
        return
    named = f"{filed['property']} {filed['version']}"
    message(f"version {filed['version']} of the ledger mapping of {filed['property']} is filed")
    _print_changes(changed)
    message(f"somebody else approves it: pitledger gl approve {named}")


@app.command()
def approve(property_name: Property, version: Version, shown: Shown = None, as_json: AsJson = False) -> None:
    """Approve a version that another person filed.

    Example: pitledger gl approve riverside 2
    """
    with client_of(_REGISTRY) as client:
        answer = client.approve(f"{_path(property_name, version)}/approve", sha256=shown)
    _print_decided(answer, as_json=as_json)


@app.command("return")
def give_back(
    property_name: Property,
    version: Version,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason; it is recorded.")],
    as_json: AsJson = False,
) -> None:
    """Return a version to its filer; it never takes effect.

    Example: pitledger gl return riverside 2 --reason "baccarat is of cost center 310"
    """
    with client_of(_REGISTRY) as client:
        answer = client.do(f"{_path(property_name, version)}/return", {"reason": reason})
    _print_decided(answer, as_json=as_json)


@app.command()
def diff(property_name: Property, version: Version, as_json: AsJson = False) -> None:
    """Print the changes of a version since the one approved before it, one per line.

    Example: pitledger gl diff riverside 2
    """
    with client_of(_REGISTRY) as client:
        changed = client.read(f"{_path(property_name, version)}/changes")
    if as_json:
        print_json(changed)
    else:
        _print_changes(changed)


@app.command("show")
def show_version(
    property_name: Property,
    version: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The version with this number (default: that in effect).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a mapping: its chart of accounts, and the rules.

    Example: pitledger gl show riverside
    Example: pitledger gl show riverside --version 2 --json
    """
    with client_of(_REGISTRY) as client:
        found = client.read(_path(property_name, "in-effect" if version is None else version))
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


def _rule(rule: Mapping[str, Any]) -> tuple[str, str, str]:
    conditions = ("item", "game", "pit", "table_class")
    return rule["service"], rule["leg"], ", ".join(f"{name} {rule[name]}" for name in conditions if name in rule)


def _path(property_name: str, *parts: object) -> str:
    return "/".join(("/ledger-mappings", *(quote(str(part), safe="") for part in (property_name, *parts))))


def _print_decided(answer: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    begins = f", from {answer['effective_from']} on" if answer["status"] == "approved" else ""
    message(f"version {answer['version']} of the ledger mapping of {answer['property']} is {answer['status']}{begins}")


def _print_changes(changed: Mapping[str, Any]) -> None:
    for line in changed["changes"]:
        print_line(line)
