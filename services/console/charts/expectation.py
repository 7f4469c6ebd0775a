"""Chart of win against expectation with control bands, by table, dealer or wager; from the report `statistics`."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from services.console.charts.amounts import dollar_axis, in_dollars, words
from services.console.charts.bands import SAID, Standing, banded, standing_of
from services.console.charts.chart import (
    Chart,
    ChartColumn,
    Row,
    columns_of,
    drawn_of,
    empty_chart,
    period_of,
    section_of,
)
from services.console.money import dollars
from services.console.words import counted, say

By = Literal["table", "dealer", "wager"]

_COLUMNS: Final = columns_of(
    "charts.expectation.columns",
    wagers="count",
    handle_cents="cents",
    win_cents="cents",
    expected_cents="cents",
    difference_cents="cents",
    deviation_cents="cents",
    z="number",
    alarms="count",
    said="text",
)
_KNOWN: Final[tuple[Standing, ...]] = ("as expected", "beyond 2", "beyond 3", "alarm")


def win_against_expectation(document: Mapping[str, Any], by: By) -> Chart:
    """Return a chart of win minus expected win for each table, dealer or wager: alarms first, then by absolute z-score.

    `document` is the report `statistics` as JSON. The report's z-score refers to the payout; the win's z-score has the
    opposite sign.
    """
    name, title = f"win-by-{by}", say(f"charts.expectation.title.{by}")
    columns = (ChartColumn("label", say(f"charts.expectation.columns.{by}")), *_COLUMNS)
    alarms = section_of(document, "alarms")
    found = [_row(one, by, alarms) for one in section_of(document, f"{by}s")]
    rows = sorted((row for row in found if row["wagers"] or row["handle_cents"]), key=_rank)
    if not rows:
        why = say(f"charts.expectation.empty.{by}", period=period_of(document))
        return empty_chart(name, title, columns, why)
    drawn, note = drawn_of(rows, f"charts.expectation.left_out.{by}")
    axis = dollar_axis(say("charts.expectation.axis"), signed=True)
    spec = banded([_drawn(row) for row in drawn], note, axis=axis, scale={"zero": True}, known=_KNOWN)
    return Chart(name, title, _caption(by, document), _alt(title, rows, document), columns, tuple(rows), spec, note)


def _row(one: Mapping[str, Any], by: By, alarms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    keys = ("game", "wager") if by == "wager" else (by,)
    alarmed = sum(all(alarm[key] == one[key] for key in keys) for alarm in alarms)
    z = None if one["z_score"] is None else -float(one["z_score"])
    difference = -one["difference_cents"]
    # Without variance any difference is impossible, so that its distance is infinite.
    distance = z if z is not None or not difference else float("inf")
    return {
        "label": " · ".join(words(str(one[key])) if by == "wager" else str(one[key]) for key in keys),
        "wagers": one["wagers"],
        "handle_cents": one["handle_cents"],
        "win_cents": one["handle_cents"] - one["payout_cents"],
        "expected_cents": one["handle_cents"] - one["expected_cents"],
        "difference_cents": difference,
        "deviation_cents": one["deviation_cents"],
        "z": None if z is None else f"{z:+.2f}",
        "alarms": alarmed,
        "said": SAID[standing_of(distance, alarmed=alarmed > 0)],
    }


def _rank(row: Row) -> tuple[bool, float, str]:
    """Return the sort key of a row: alarms first, then by absolute z-score, then by name."""
    z = float("inf") if row["z"] is None and row["difference_cents"] else abs(float(row["z"] or 0))
    return (not row["alarms"], -z, row["label"])


def _drawn(row: Row) -> Row:
    deviation = in_dollars(row["deviation_cents"])
    ends = {
        f"{end}_{number}": sign * number * deviation for number in (2, 3) for end, sign in (("low", -1), ("high", 1))
    }
    return {
        "label": row["label"],
        "actual": in_dollars(row["difference_cents"]),
        "expected": 0,
        "said": row["said"],
        **ends,
    }


def _caption(by: By, document: Mapping[str, Any]) -> str:
    each = say(f"charts.expectation.each.{by}")
    return say("charts.expectation.caption", each=each, period=period_of(document))


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any]) -> str:
    numbers = {said: sum(row["said"] == said for row in rows) for said in SAID.values()}
    standings = [
        say("charts.expectation.counted", count=f"{number:,}", standing=said)
        for said, number in numbers.items()
        if number
    ]
    first = rows[0]
    return say(
        "charts.expectation.alt",
        title=title,
        period=period_of(document),
        rows=counted("charts.row", len(rows)),
        standings="; ".join(standings),
        farthest=first["label"],
        win=dollars(first["win_cents"]),
        expected=dollars(first["expected_cents"]),
        z=first["z"] or say("charts.expectation.no_z"),
    )
