"""`pitledger report`: list the reports, print a report in any format, and list the entries behind a cell."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

import typer

from services.cli.client import client_of, property_zone
from services.cli.exits import UsageWrong
from services.cli.moments import moment_of
from services.cli.output import (
    AsJson,
    Column,
    heading,
    names,
    numbers,
    print_json,
    print_line,
    show,
    table,
    words,
    write_bytes,
)
from shared.contracts.money import dollars
from shared.contracts.property_snapshot import clock_text

_REPORTING: Final = "reporting"
_PERIODS: Final = {"day": "YYYY-MM-DD", "week": "YYYY-MM-DD", "month": "YYYY-MM", "quarter": "YYYY-Qn", "year": "YYYY"}
_AMOUNTS: Final = frozenset({"cents", "exact_cents", "count", "decimal", "percent"})

_Day = Annotated[str | None, typer.Option(metavar="DATE", help="Gaming day, YYYY-MM-DD.")]
_Week = Annotated[str | None, typer.Option(metavar="DATE", help="Week that contains this gaming day, YYYY-MM-DD.")]
_Month = Annotated[str | None, typer.Option(metavar="YYYY-MM", help="Month, YYYY-MM.")]
_Quarter = Annotated[str | None, typer.Option(metavar="YYYY-Qn", help="Quarter, YYYY-Qn, such as 2026-Q4.")]
_Year = Annotated[str | None, typer.Option(metavar="YYYY", help="Year, YYYY.")]


def report(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the report (default: list all reports).")
    ] = None,
    property_name: Annotated[str | None, typer.Option("--property", help="The property's name.")] = None,
    day: _Day = None,
    week: _Week = None,
    month: _Month = None,
    quarter: _Quarter = None,
    year: _Year = None,
    table_name: Annotated[str | None, typer.Option("--table", help="Only this table.")] = None,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    known_at: Annotated[
        str | None,
        typer.Option(metavar="MOMENT", help="As known at this time, ISO 8601 with UTC offset (default: now)."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="Output format: pdf, xlsx, csv, parquet or json (default: tables in the terminal).",
        ),
    ] = None,
    section: Annotated[str | None, typer.Option(help="With --as csv or parquet: only this section.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="CELL", help="List the entries behind this cell: section/row/column, or section/total/column."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a report of a gaming day, or of the week, month, quarter or year that contains it.

    The terminal omits empty columns; the other formats have all columns. Every figure can be traced to the journal
    entries behind it: --explain lists them. The same query with the same --known-at gives the same bytes.

    Example: pitledger report
    Example: pitledger report master-game --property riverside --day 2026-11-20
    Example: pitledger report master-game --property riverside --month 2026-11 --as pdf -o november.pdf
    Example: pitledger report master-game --property riverside --day 2026-11-20 --explain tables/BJ-07/drop_cents
    """
    with client_of(_REPORTING) as client:
        if name is None:
            _list(client.read_list("/reports"), as_json=as_json)
            return
        if property_name is None:
            raise UsageWrong("--property: say of which property")
        asked = period_asked({"day": day, "week": week, "month": month, "quarter": quarter, "year": year}) | {
            "property": property_name
        }
        asked |= {} if known_at is None else {"known_at": moment_of("--known-at", known_at).isoformat()}
        asked |= {key: value for key, value in (("table", table_name), ("game", game)) if value is not None}
        if explain is not None:
            found = client.read(f"/reports/{name}/entries", **asked, cell=explain)
            print_json(found) if as_json else _explain(found, property_zone(client, property_name))
        elif form is not None:
            narrowed = {} if section is None else {"section": section}
            content = client.read_bytes(f"/reports/{name}", **asked, **narrowed, **{"as": form})
            write_bytes(content, output, form, readable=form in ("json", "csv"))
        else:
            document = client.read(f"/reports/{name}", **asked)
            print_json(document) if as_json else _show(document, property_zone(client, property_name))


def period_asked(periods: Mapping[str, str | None]) -> dict[str, str]:
    """Return the period as query parameters. Raises: UsageWrong for no or several periods, or for an invalid date."""
    given = {period: text for period, text in periods.items() if text is not None}
    if len(given) != 1:
        raise UsageWrong(f"say which period: one of {', '.join(f'--{period}' for period in periods)}")
    [(period, text)] = given.items()
    try:
        day = date.fromisoformat(_first_day(period, text))
    except ValueError:
        raise UsageWrong(f"--{period} {text!r}: give it as {_PERIODS[period]}") from None
    return {"period": period, "gaming_day": day.isoformat()}


def _first_day(period: str, text: str) -> str:
    if period == "quarter":
        year, _, quarter = text.partition("-Q")
        return f"{year}-{3 * int(quarter) - 2:02}-01"
    return text + "-01" * {"month": 1, "year": 2}.get(period, 0)


def _list(found: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            print_json(one)
        return
    rows = [[one["name"], one["title"], ", ".join(one["periods"]), one["about"]] for one in found]
    show(table(names("Report", "Title", "Of a") + words("What it shows"), rows))


def _explain(found: Mapping[str, Any], zone: ZoneInfo) -> None:
    computed = f" ({found['formula']})" if found["formula"] else ""
    print_line(f"{found['cell']}: {found['title']}{computed} = {_text(found['value'], found['unit'], zone)}")
    rows = [
        [
            entry["service"],
            f"{entry['shard']}/{entry['seq']}",
            _text(entry.get("recorded_at"), "moment", zone),
            entry.get("round_id") or "",
            ", ".join(f"{lead['what'].replace('_', ' ')} {lead['name']}" for lead in entry["leads"]),
            entry.get("measure") or "",
            _exact(entry.get("value"), _unit(entry.get("measure") or found["unit"]), zone),
            entry.get("factor") or "",
            _exact(entry.get("adds"), found["unit"], zone),
        ]
        for entry in found["entries"]
    ]
    is_sum = found["adds_up_to"] is not None
    if is_sum:
        rows.append(["sum", *[""] * 7, _exact(found["adds_up_to"], found["unit"], zone)])
        if found["rounding"] != "0":
            print_line(f"the value is the sum and {found['rounding']} of rounding")
    elif rows:
        print_line("computed from these entries, and not their sum")
    texts = names("Journal", "Entry", "Recorded at", "Round", "Of", "Measure")
    show(table(texts + numbers("Value", "Factor", "Adds"), rows, footer=is_sum))


def _show(document: Mapping[str, Any], zone: ZoneInfo) -> None:
    """Print a report as tables: its header, its sections, its identities, and its unconfirmed values.

    Times are in the property's time zone, except `known at`, which is printed in the form that --known-at accepts.
    """
    first, last = document["first_day"], document["last_day"]
    period = first if first == last else f"{first} to {last}"
    version = f", version {document['version']}" if document["version"] > 1 else ""
    show(heading(f"{document['title']}: {document['property_title']} ({document['jurisdiction']}), {period}"))
    print_line(
        f"{document['stage']}{version}; known at {document['known_at']}; "
        f"open gaps and refused records {document['exceptions_open']}, of reporting's input {document['input_open']}; "
        f"SHA-256 {document['sha256'][:16]}"
    )
    for section in document["content"]["sections"]:
        columns = _said(section, document["columns"][section["name"]])
        rows = [[_text(row[column["name"]], column["unit"], zone) for column in columns] for row in section["rows"]]
        totals = section["total"]
        if totals is not None:
            rows.append([_text(totals[column["name"]], column["unit"], zone) for column in columns])
        if rows and columns:
            show(heading(section["title"]), table(_headings(columns), rows, footer=totals is not None))
        else:
            show(heading(section["title"]), "nothing to report")
    for identity in document["content"]["identities"]:
        left, right = (_text(identity[side], identity["unit"], zone) for side in ("left", "right"))
        verdict = "holds" if identity["holds"] else f"FAILS: {left} against {right}"
        print_line(f"{identity['name']}: {identity['says']}: {verdict}")
    for mark in document["content"]["marks"]:
        print_line(f"unconfirmed: {mark['what']} ({mark['source']}): {mark['note']}")


def _said(section: Mapping[str, Any], columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return only the columns that have a value in some row, to fit narrow terminals."""
    return [column for column in columns if any(row[column["name"]] not in (None, 0) for row in section["rows"])]


def _headings(columns: list[dict[str, Any]]) -> list[Column]:
    return [(column["title"], "number" if column["unit"] in _AMOUNTS else "name") for column in columns]


def _unit(measure: str) -> str:
    return "cents" if measure.endswith("cents") else "count"


def _exact(amount: int | str | None, unit: str, zone: ZoneInfo) -> str:
    """Return an exact amount as text: whole cents as dollars, a fraction unchanged."""
    if amount is None or (isinstance(amount, str) and "/" in amount):
        return amount or ""
    return _text(int(amount), unit, zone)


def _text(value: Any, unit: str, zone: ZoneInfo) -> str:
    if value is None:
        return ""
    if unit == "moment":
        return clock_text(datetime.fromisoformat(value), zone)
    return dollars(int(value)) if unit == "cents" else f"{value:,}" if isinstance(value, int) else str(value)
