"""`pitledger property`: file, approve, return and read property documents, through the paytable registry."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Final

import typer

from services.cli.client import Client, client_of
from services.cli.exits import UsageWrong
from services.cli.moments import moment_of
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table, words
from services.cli.registry.documents import REGISTRY, Documents, Property, ReturnReason, Version
from services.cli.subjects import Shown
from shared.contracts.money import dollars

app = typer.Typer()

_REQUIRED = "signatures_required_from"

_PROPERTIES: Final = Documents("/properties", "pitledger property", "property {}".format)


@app.command("file")
def file_version(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File of the property document, YAML or JSON; - for stdin.")
    ],
    as_json: AsJson = False,
) -> None:
    """File the next version of a property document, and print its changes.

    Another person must approve the version before it takes effect. If it is refused, all of its faults are printed, one
    per line, and the exit code is 3.

    Example: pitledger property file riverside.yaml
    """
    _PROPERTIES.file(file, as_json=as_json)


@app.command()
def approve(property_name: Property, version: Version, shown: Shown = None, as_json: AsJson = False) -> None:
    """Approve a property version that another person filed; it takes effect at its `effective_from`.

    Example: pitledger property approve riverside 2
    """
    _PROPERTIES.approve(property_name, version, shown, as_json=as_json)


@app.command("return")
def give_back(
    property_name: Property,
    version: Version,
    reason: ReturnReason,
    as_json: AsJson = False,
) -> None:
    """Return a property version to its filer; it never takes effect.

    Example: pitledger property return riverside 2 --reason "BJ-07 stays open"
    """
    _PROPERTIES.give_back(property_name, version, reason, as_json=as_json)


@app.command()
def diff(
    property_name: Property,
    version: Version,
    since: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Version number to compare with (default: the previously approved version)."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the changes that a property version makes, one per line.

    Example: pitledger property diff riverside 2
    Example: pitledger property diff riverside 4 --since 2
    """
    compared = {} if since is None else {"since": str(since)}
    _PROPERTIES.compare(property_name, version, as_json=as_json, **compared)


@app.command("show")
def show_version(
    property_name: Property,
    at: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="As of this time, ISO 8601 with UTC offset (default: now).")
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Version number, in any status (default: the version in effect)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a property: its law, clock, limits, tables and people.

    Example: pitledger property show riverside
    Example: pitledger property show riverside --at 2026-11-20T23:59:00-05:00
    Example: pitledger property show riverside --version 2 --json
    """
    if at is not None and version is not None:
        raise UsageWrong("--at and --version: give one of them")
    moment = {} if at is None else {"at": moment_of("--at", at).isoformat()}
    found = _PROPERTIES.read(property_name, version, **moment)
    if as_json:
        print_json(found)
    else:
        _show(found)


@app.command("list")
def list_versions(
    property_name: Annotated[str | None, typer.Option("--property", help="Only this property.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the versions of properties: filed, approved and returned.

    Example: pitledger property list
    """
    asked = {} if property_name is None else {"property": property_name}
    with client_of(REGISTRY) as client:
        found = list(client.pages(_PROPERTIES.path, **asked))
    if as_json:
        for one in found:
            print_json(one)
    elif found:
        rows = [
            [one["property"], str(one["version"]), one["effective_from"], one["status"], _decided(one)] for one in found
        ]
        show(table(names("Property") + numbers("Version") + names("From", "Status") + words("People"), rows))
    else:
        message("no property was ever filed" if property_name is None else f"{property_name} was never filed")


@app.command()
def tables(
    property_name: Property,
    day: Annotated[str | None, typer.Option(metavar="DATE", help="Gaming day, YYYY-MM-DD (default: today's).")] = None,
    month: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM", help="Month, YYYY-MM: print its tables and their gaming days instead of the master list."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a property's master list of tables and devices, or the tables in use in a month.

    Example: pitledger property tables riverside
    Example: pitledger property tables riverside --day 2026-11-20
    Example: pitledger property tables riverside --month 2026-11
    """
    if day is not None and month is not None:
        raise UsageWrong("--day and --month: give one of them")
    with client_of(REGISTRY) as client:
        found = (
            _master_list(client, property_name, day)
            if month is None
            else client.read(_PROPERTIES.path_of(property_name, "tables", "by-month"), month=month)
        )
    if as_json:
        print_json(found)
    elif month is None:
        _show_master_list(found)
    else:
        _show_month(found)


def _decided(one: Mapping[str, Any]) -> str:
    """Return a text with who filed a version, who approved or returned it, and the reason for the return."""
    filed = f"filed by {one['filed_by']}"
    match one["status"]:
        case "approved":
            return f"{filed}, approved by {one['approved_by']}"
        case "returned":
            return f"{filed}, returned by {one['returned_by']}: {one['return_reason']}"
    return filed


# --- a version ---


def _show(found: Mapping[str, Any]) -> None:
    shifts = (f"{shift['shift']} from {_clock(shift['begins'])}" for shift in found["shifts"])
    facts = [
        ["packs", ", ".join(found["packs"])],
        ["license class", found["license_class"]],
        ["gaming day", f"begins at {_clock(found['gaming_day_begins'])} in {found['time_zone']}"],
        ["other gaming day", {"refuse": "is refused", "flag": "is flagged"}[found["other_gaming_day"]]],
        ["late events", {"refuse": "are refused", "flag": "are flagged"}[found["late_events"]]],
        ["shifts", ", ".join(shifts)],
        ["pits", ", ".join(found["pits"])],
        ["chips", "; ".join(map(_chip_set, found.get("chip_sets", ()))) or "not named: all are taken"],
        ["signatures", f"required from {required} on" if (required := found.get(_REQUIRED)) else "not required"],
        ["systems", ", ".join(system["system"] for system in found["systems"]) or "none"],
        *_figures(found["limits"]),
        *_figures(found["plausibility"]),
        ["in effect", f"from {found['effective_from']} on"],
        ["people", _decided(found)],
        ["hash", found["hash"]],
        ["sha256", found["sha256"]],
    ]
    title = f"{found['title']} ({found['property']}), version {found['version']}: {found['status']}"
    show(heading(title), table(names("") + words(""), facts))
    columns = names("Table", "Asset", "Game", "Pit") + numbers("Positions") + words("Location") + names("Open")
    show(heading("Tables"), table(columns, [[*_table(one), _open(one)] for one in found["tables"]]))
    if found["people"]:
        members = [[one["person"], ", ".join(one["roles"])] for one in found["people"]]
        show(heading("People"), table(names("Person") + words("Roles"), members))


def _chip_set(one: Mapping[str, Any]) -> str:
    """Return a one-line description of a chip set: name, kind, denominations, dates."""
    until = f" until {one['retired_on']}" if "retired_on" in one else ""
    values = ", ".join(dollars(cents) for cents in one["denominations_cents"])
    return f"{one['chip_set']} ({one['kind']}s of {values}) from {one['in_use_from']}{until}"


def _figures(part: Mapping[str, Any]) -> list[list[str]]:
    """Return a property part's values as rows of name and value, with cents as dollars."""
    return [
        [name.removesuffix("_cents").replace("_", " "), dollars(value) if name.endswith("_cents") else str(value)]
        for name, value in part.items()
        if value is not None
    ]


def _clock(text: str) -> str:
    """Return a time of day without zero seconds: `06:00`."""
    return text.removesuffix(":00") if text.count(":") > 1 else text


def _table(one: Mapping[str, Any]) -> Sequence[str]:
    return (one["table"], one["asset_number"], one["game"], one["pit"], str(one["positions"]), one["location"])


def _open(one: Mapping[str, Any]) -> str:
    retired = f" until {one['retired_on']}" if one.get("retired_on") else ""
    return f"since {one['opened_on']}{retired}"


# --- lists of tables ---


def _master_list(client: Client, property_name: str, day: str | None) -> dict[str, Any]:
    asked = {}
    if day is not None:
        try:
            asked["gaming_day"] = date.fromisoformat(day).isoformat()
        except ValueError:
            raise UsageWrong(f"--day {day!r}: give it as 2026-11-20") from None
    return client.read(_PROPERTIES.path_of(property_name, "tables", "list"), **asked)


def _show_master_list(found: Mapping[str, Any]) -> None:
    day = f"gaming day {found['gaming_day']} (version {found['version']})"
    columns = names("Table", "Asset", "Game", "Pit") + numbers("Positions") + words("Location", "Pools") + names("Open")
    rows = [[*_table(one), ", ".join(one["progressive_links"]), _open(one)] for one in found["tables"]]
    show(heading(f"Tables of {found['property']}, {day}"), table(columns, rows))
    columns = names("Asset") + words("Kind") + names("Serial", "Table", "Pit")
    rows = [
        [one["asset_number"], one["kind"], one.get("serial_number") or "", one["table"], one["pit"]]
        for one in found["devices"]
    ]
    show(heading(f"Devices of {found['property']}, {day}"), table(columns, rows))


def _show_month(found: Mapping[str, Any]) -> None:
    rows = [[one["table"], one["asset_number"], one["game"], one["pit"], str(one["days"])] for one in found["tables"]]
    columns = names("Table", "Asset", "Game", "Pit") + numbers("Gaming days")
    show(heading(f"Tables of {found['property']} in {found['month']}"), table(columns, rows))
