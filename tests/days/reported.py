"""Compare what reports say of a gaming day of a table with what the reference has seen."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from services.reporting.reports import REPORTS
from tests.days.comparing import Seen, figures_seen
from tests.days.telling import NAME
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
    shifts = {shift: line for (of, shift), line in seen.reference.lines.items() if of == day}
    figures = {shift: Counter(figures_seen(line)) for shift, line in shifts.items()}
    of_shifts = {
        shift: _expected(found, shifts[shift].missing and _said(seen, shifts[shift].missing), shifts[shift].win())
        for shift, found in figures.items()
    }
    lacks = seen.lacks(day)
    whole = Counter[str]()
    for found in figures.values():
        whole.update(found)
    for name in ("opener_cents", "closer_cents"):
        whole[name] -= whole["handed_over_cents"]
    won = sum(line.win() for line in shifts.values())
    of_day = _expected(whole, lacks and _said(seen, lacks), won)
    nobody_opened = any(what == "opener" for what, *_ in lacks)
    master = through.report("master-game", day)
    if master is None:
        if any(of_day.values()):
            yield f"{day}: there is no report, seen {of_day}"
        return
    yield from _rows(master, day, "shifts", "shift", of_shifts, exact=not nobody_opened)
    yield from _rows(master, day, "tables", "table", {NAME: of_day}, exact=not nobody_opened)
    yield from _identities(master, day)
    yield from _summary(through, day, of_day, of_shifts)
    yield from _tax(through, day, of_day)


def _said(seen: Seen, lacks: set[Any]) -> str:
    """Return what is missing as a report says it."""
    zone = seen.reference.clock.zone
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
    report: Mapping[str, Any], day: date, section: str, key: str, expected: Mapping[str, Any], *, exact: bool
) -> Iterator[str]:
    found = {row[key]: row for row in _section(report, section)["rows"]}
    for name in sorted({*found, *expected}):
        row, wanted = found.get(name, {}), expected.get(name, {})
        if not (any(wanted.values()) or any(row.get(one) for one in _FIGURES) or row.get("missing")):
            continue
        said = {one: row.get(one) for one in wanted or _expected({}, "", 0)}
        if not exact:
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


def _summary(through: Through, day: date, of_day: Mapping[str, Any], shifts: Mapping[str, Any]) -> Iterator[str]:
    summary = _given(through, "drop-and-win", day)
    yield from _identities(summary, day)
    wins = {row["shift"]: row["win_cents"] for row in _section(summary, "shifts")["rows"]}
    for shift, row in shifts.items():
        if any(row.values()) and wins.get(shift) != row["win_cents"]:
            yield f"{day} {shift}: drop-and-win says {wins.get(shift)}, seen {row['win_cents']}"
    for section in ("tables", "games", "pits"):
        for row in _section(summary, section)["rows"]:
            if row["missing"] in ("counts", f"{NAME}: counts") and not any(of_day.values()):
                continue
            if row["win_cents"] != of_day["win_cents"]:
                yield f"{day}: drop-and-win says {row['win_cents']} of {section}, seen {of_day['win_cents']}"
            if of_day["win_cents"] is not None and (row["drop_cents"] or 0) != of_day["drop_cents"]:
                yield f"{day}: drop-and-win says {row['drop_cents']} of {section}, seen {of_day['drop_cents']}"


def _tax(through: Through, day: date, of_day: Mapping[str, Any]) -> Iterator[str]:
    tax = _given(through, "tax", day)
    yield from _identities(tax, day)
    rows: list[Json] = _section(tax, "days")["rows"]
    final = of_day["final_win_cents"]
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
