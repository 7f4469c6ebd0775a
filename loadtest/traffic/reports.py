"""Read the reports of a day over HTTP, and compare them with the expected books."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import httpx

from loadtest.floor.books import FIGURES, Books, Wagered

_SECONDS: Final = 30.0

_COLUMNS: Final = {name: "count" if name == "rounds" else f"{name}_cents" for name in FIGURES}
"""The name in the settled win report of each figure of `Wagered`."""

_FOUND_WITHIN_DAYS: Final = 2
"""The number of days after a simulated day whose exceptions are also read, because the day is played after its end."""

_OF_PLAY: Final = frozenset({"gap", "quarantined", "reversed", "voided", "superseded", "notice", "restated"})


class ReportUnavailable(Exception):
    """Reporting did not return a report."""


@dataclass(frozen=True, slots=True)
class Reports:
    """The settled win report of a day, and all exceptions of the property."""

    win_as_settled: Mapping[str, Any]
    exceptions: tuple[Mapping[str, Any], ...]


def read_reports(reporting_url: str, token: str, *, property_name: str, gaming_day: date) -> Reports:
    """Return the reports of the day. Raises: ReportUnavailable."""
    with httpx.Client(
        base_url=reporting_url, timeout=_SECONDS, trust_env=False, headers={"authorization": f"Bearer {token}"}
    ) as reporting:
        day = {"property": property_name, "gaming_day": gaming_day.isoformat()}
        win_as_settled = _get(reporting, "/reports/win-as-settled", day)
        exceptions: dict[str, Mapping[str, Any]] = {}
        for days in range(_FOUND_WITHIN_DAYS + 1):
            wanted = {"property": property_name, "gaming_day": (gaming_day + timedelta(days=days)).isoformat()}
            exceptions.update(_exceptions(_get(reporting, "/reports/exceptions", wanted)))
        return Reports(win_as_settled, tuple(exceptions.values()))


def _exceptions(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield exceptions about input and rounds, with ids, except those of the pit, the cage and the count room."""
    for section in report["content"]["sections"]:
        if section["name"] in ("open", "over"):
            yield from ((row["id"], row) for row in section["rows"] if row["kind"] in _OF_PLAY)


def rows_of(report: Mapping[str, Any], section: str) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a section of a report."""
    rows: Sequence[Mapping[str, Any]] = _section(report, section)["rows"]
    return rows


def total_of(report: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """Return the total row of a section of a report."""
    total: Mapping[str, Any] = _section(report, section)["total"]
    return total


def _section(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found: dict[str, Mapping[str, Any]] = {one["name"]: one for one in report["content"]["sections"]}
    return found[name]


def differences(books: Books, reports: Reports) -> Iterator[str]:
    """Yield the differences between the reports and the expected books, as text."""
    rows = {(row["table"], row["wager"]): row for row in rows_of(reports.win_as_settled, "wagers")}
    for key in sorted(books.by_table_and_wager.keys() | rows.keys()):
        expected = books.by_table_and_wager.get(key, Wagered())
        yield from _compare(f"table {key[0]}, {key[1]}", expected, rows.get(key, {}), _COLUMNS)
    total = total_of(reports.win_as_settled, "tables")
    yield from _compare("the day", books.total(), {**total, "count": total["rounds_counted"]}, _COLUMNS)
    for identity in reports.win_as_settled["content"]["identities"]:
        if not identity["holds"]:
            yield f"{identity['name']}: {identity['left']} is not {identity['right']}, but {identity['says']}"
    yield from _compare_exceptions(books, reports.exceptions)


def _compare(where: str, expected: Wagered, row: Mapping[str, Any], columns: Mapping[str, str]) -> Iterator[str]:
    figures = {column: getattr(expected, name) for name, column in columns.items()} | {"win_cents": expected.win}
    for column, value in figures.items():
        reported = row.get(column, 0)
        if reported != value:
            yield f"{where}: {column} is {reported} in the report and must be {value}"


def _compare_exceptions(books: Books, exceptions: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    sent = books.messages
    found = {(each["kind"], each["status"]) for each in exceptions}
    refused = "dismissed" if ("quarantined", "dismissed") in found else "open"  # dismissed if the day was closed
    expected = {
        ("gap", "filled"): sent["late"],
        ("gap", "open"): sent["refused"],  # the sequence of a refused record stays a gap until the record is repaired
        ("quarantined", refused): sent["malformed"] + sent["refused"],
        ("reversed", "noted"): sent["void"] + sent["correction"],
        ("notice", "noted"): books.notices,
        ("notice", "reversed"): books.notices_reversed,
    }
    for kind, status in sorted(expected.keys() | found):
        count = sum((each["kind"], each["status"]) == (kind, status) for each in exceptions)
        wanted = expected.get((kind, status), 0)
        if count != wanted:
            yield f"exceptions: {count} of kind {kind}, status {status}, and there must be {wanted}"


def _get(reporting: httpx.Client, path: str, wanted: Mapping[str, str]) -> Mapping[str, Any]:
    response = reporting.get(path, params=wanted)
    if response.is_error:
        raise ReportUnavailable(f"GET {path} answered {response.status_code}: {response.text}")
    answer: Mapping[str, Any] = response.json()
    return answer
