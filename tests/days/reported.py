"""Compare what reports say of a gaming day of the tables with what the reference has seen."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.reporting.reports import REPORTS
from tests.days.comparing import Seen, figures_seen
from tests.days.through import Json, Through

_FIGURES: Final = (
    *("opener_cents", "fills_cents", "credits_cents", "currency_cents", "counter_checks_cents", "prepaid_cents"),
    *("coupons_cents", "drop_cents"),
)
_ADDED_UP: Final = ("tables", "games", "pits", "to_date", "tables_to_date", "games_to_date")


def unlike_reported(through: Through, seen: Seen, day: date) -> Iterator[str]:
    """Return in words where reports of a gaming day say something else than was seen.

    Each line of the master game report and the drop and win summary, and each of the tax.
    """
    of_tables: dict[str, dict[str, Any]] = {}
    of_shifts: dict[tuple[str, str], dict[str, Any]] = {}
    vague = set[str]()
    for table, reference in seen.tables.items():
        whole, won, lacks = Counter[str](), 0, seen.lacks(table, day)
        for (of, shift), line in reference.lines.items():
            if of == day:
                figures = figures_seen(line)
                said = line.missing and _said(reference.clock.zone, line.missing)
                of_shifts[table, shift] = _expected(figures, said, line.win())
                whole.update(figures)
                won += line.win()
        for name in ("opener_cents", "closer_cents"):
            whole[name] -= whole["handed_over_cents"]
        of_tables[table] = _expected(whole, lacks and _said(reference.clock.zone, lacks), won)
        vague |= {table} if any(what == "opener" for what, *_ in lacks) else set()
    master = through.report("master-game", day)
    if master is None:
        if any(any(of_day.values()) for of_day in of_tables.values()):
            yield f"{day}: there is no report, seen {of_tables}"
        return
    yield from _rows(master, day, "shifts", ("table", "shift"), of_shifts, vague)
    yield from _rows(master, day, "tables", ("table",), {(table,): row for table, row in of_tables.items()}, vague)
    yield from _identities(master, day)
    yield from _summary(through, day, of_tables, of_shifts)
    yield from _tax(through, day, _of_all(of_tables)["final_win_cents"])


def _of_all(of_tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return win, final win and drop of all tables that were used; None where that of one is not known."""
    used = [row for row in of_tables.values() if any(row.values())]
    found: dict[str, Any] = {"drop_cents": sum(row["drop_cents"] for row in used)}
    for name in ("win_cents", "final_win_cents"):
        found[name] = None if any(row[name] is None for row in used) else sum(row[name] for row in used)
    return found


def _said(zone: ZoneInfo, lacks: set[Any]) -> str:
    """Return what is missing as a report says it."""
    said = {
        f"{what} {name}".strip() + f" (since {since.astimezone(zone):%Y-%m-%d %H:%M})" for what, name, since in lacks
    }
    return ", ".join(sorted(said))


def _expected(figures: Mapping[str, int], missing: str | set[Any], win_cents: int) -> dict[str, Any]:
    row: dict[str, Any] = {name: figures.get(name, 0) for name in _FIGURES}
    closer, adjusted = figures.get("closer_cents", 0), figures.get("adjusted_cents", 0)
    if missing:
        lacking = dict.fromkeys(("win_cents", "final_win_cents"))
        return row | lacking | {"closer_cents": closer or None, "adjusted_cents": adjusted, "missing": missing}
    won = {"win_cents": win_cents, "final_win_cents": win_cents + adjusted, "missing": None}
    return row | won | {"closer_cents": closer, "adjusted_cents": adjusted}


def _rows(
    report: Mapping[str, Any],
    day: date,
    section: str,
    key: Sequence[str],
    expected: Mapping[Any, Any],
    vague: Collection[str],
) -> Iterator[str]:
    """Compare rows; of the tables of which `vague` says that nobody had opened them, only what was counted."""
    found = {tuple(row[name] for name in key): row for row in _section(report, section)["rows"]}
    for name in sorted({*found, *expected}):
        row, wanted = found.get(name, {}), expected.get(name, {})
        if not (any(wanted.values()) or any(row.get(one) for one in _FIGURES) or row.get("missing")):
            continue
        said = {one: row.get(one) for one in wanted or _expected({}, "", 0)}
        if name[0] in vague:
            wanted, said = ({name: one[name] for name in _FIGURES} for one in (wanted, said))
        if said != wanted:
            yield f"{day}: {report['report']} says {said} of {section} {name}, seen {wanted}"


def _identities(report: Mapping[str, Any], day: date) -> Iterator[str]:
    for one in report["content"]["identities"]:
        if not one["holds"] and one["name"] not in _NEED_NOT_HOLD:
            yield f"{day}: {report['report']}: {one}"


_NEED_NOT_HOLD: Final = (
    "counted and settled",
    "tables with a win",
    "handle and lines",
    "payout and lines",
)
"""Identities that need not hold: not all is counted, variances are not resolved, rounds are told without lines."""


def _summary(
    through: Through, day: date, of_tables: Mapping[str, Mapping[str, Any]], shifts: Mapping[tuple[str, str], Any]
) -> Iterator[str]:
    summary = _given(through, "drop-and-win", day)
    yield from _identities(summary, day)
    wins = {row["shift"]: row["win_cents"] for row in _section(summary, "shifts")["rows"]}
    for shift in sorted({shift for _, shift in shifts}):
        of_shift = {table: row for (table, of), row in shifts.items() if of == shift}
        won = _of_all(of_shift)["win_cents"]
        if any(any(row.values()) for row in of_shift.values()) and wins.get(shift) != won:
            yield f"{day} {shift}: drop-and-win says {wins.get(shift)}, seen {won}"
    for section in ("tables", "games", "pits"):
        for row in _section(summary, section)["rows"]:
            of_day = of_tables[row["table"]] if section == "tables" else _of_all(of_tables)
            if "counts" in (row["missing"] or ""):
                continue
            if row["win_cents"] != of_day["win_cents"]:
                yield f"{day}: drop-and-win says {row['win_cents']} of {section}, seen {of_day['win_cents']}"
            if of_day["win_cents"] is not None and (row["drop_cents"] or 0) != of_day["drop_cents"]:
                yield f"{day}: drop-and-win says {row['drop_cents']} of {section}, seen {of_day['drop_cents']}"


def _tax(through: Through, day: date, final: int | None) -> Iterator[str]:
    tax = _given(through, "tax", day)
    yield from _identities(tax, day)
    rows: list[Json] = _section(tax, "days")["rows"]
    revenue = [row["revenue_cents"] for row in rows if row["revenue_class"] == "banking" and row["tables"]]
    if revenue and revenue != [final]:
        yield f"{day}: the tax is of {revenue}, seen {final}"
    if not revenue and final:
        yield f"{day}: there is no revenue, seen {final}"
    counted = [row["counted_cents"] for row in rows if row["revenue_class"] == "banking"]
    taxes = through.place.law.taxes
    for line in _section(tax, "layers")["rows"]:
        if line["amount_cents"] is None:
            continue
        if revenue and "banking" in taxes[line["layer"]].classes.on(day).value and [line["base_cents"]] != counted:
            yield f"{day}: layer {line['layer']} is of {line['base_cents']}, the revenue counted is {counted}"
        owed = Fraction(line["rate"].removesuffix("%")) * line["base_cents"] / (100 if "%" in line["rate"] else 1)
        if abs(owed - line["amount_cents"]) >= 1:
            yield f"{day}: layer {line['layer']} of {line['base_cents']} is {line['amount_cents']}"


def require_all(through: Through, day: date) -> None:
    """Ask for every report that there is of a day. Raises: AssertionError where one cannot be given."""
    for name, report in sorted(REPORTS.items()):
        if "day" in report.periods:
            through.report(name, day)


def _given(through: Through, name: str, day: date) -> Json:
    report = through.report(name, day)
    assert report is not None, f"{day}: there is no {name}"
    return report


def _section(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    [section] = [one for one in report["content"]["sections"] if one["name"] == name]
    found: Mapping[str, Any] = section
    return found
