"""Win against expectation with its control band, by table, dealer or wager; from the report on statistics."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from services.console.charts.amounts import dollar_axis, dollars, in_dollars, plural, words
from services.console.charts.bands import SAID, Standing, banded, standing_of
from services.console.charts.chart import Chart, ChartColumn, Row, drawn_of, empty_chart, period_of, section_of

By = Literal["table", "dealer", "wager"]

_TITLES: Final[Mapping[By, str]] = {
    "table": "Win against expectation by table",
    "dealer": "Win against expectation by dealer",
    "wager": "Win against expectation by wager",
}
_COLUMNS: Final = (
    ChartColumn("wagers", "Wagers", "count"),
    ChartColumn("handle_cents", "Handle", "cents"),
    ChartColumn("win_cents", "Win", "cents"),
    ChartColumn("expected_cents", "Expected win", "cents"),
    ChartColumn("difference_cents", "Win less expected", "cents"),
    ChartColumn("deviation_cents", "Standard deviation", "cents"),
    ChartColumn("z", "z of the win", "number"),
    ChartColumn("alarms", "Alarms", "count"),
    ChartColumn("said", "Standing"),
)
_KNOWN: Final[tuple[Standing, ...]] = ("as expected", "beyond 2", "beyond 3", "alarm")


def win_against_expectation(document: Mapping[str, Any], by: By) -> Chart:
    """Return the win of each table, dealer or wager less what exact counting expects of it, largest z first.

    `document` is the report `statistics` as JSON. Its z is that of the payout; that of the win has the other sign.
    """
    name, title = f"win-by-{by}", _TITLES[by]
    columns = (ChartColumn("label", by.capitalize()), *_COLUMNS)
    alarms = section_of(document, "alarms")
    found = [_row(one, by, alarms) for one in section_of(document, f"{by}s")]
    rows = sorted((row for row in found if row["wagers"] or row["handle_cents"]), key=_rank)
    if not rows:
        why = f"No {by} had wagers with an exact expectation on {period_of(document)}: there is nothing to compare."
        return empty_chart(name, title, columns, why)
    drawn, note = drawn_of(rows, f"{by}s", "farthest from what is expected")
    axis = dollar_axis("win less expected win", signed=True)
    spec = banded([_drawn(row) for row in drawn], note, axis=axis, scale={"zero": True}, known=_KNOWN)
    return Chart(name, title, _caption(by, document), _alt(title, rows, document), columns, tuple(rows), spec, note)


def _row(one: Mapping[str, Any], by: By, alarms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    keys = ("game", "wager") if by == "wager" else (by,)
    alarmed = sum(all(alarm[key] == one[key] for key in keys) for alarm in alarms)
    z = None if one["z_score"] is None else -float(one["z_score"])
    difference = -one["difference_cents"]
    # Without any variance, any difference is one that cannot be.
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
    """Return the place of a row: alarmed ones, then the largest z of either sign, then by name."""
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
    return (
        f"What each {by} won, less what exact counting expects of its wagers, on {period_of(document)}. The bands are "
        "2 and 3 standard deviations wide on either side; by chance alone one of 22 lies beyond the first, one of 370 "
        "beyond the second. A mark to the left: players received more than expected. It says where to look first; it "
        "proves nothing about anybody."
    )


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any]) -> str:
    counted = {said: sum(row["said"] == said for row in rows) for said in SAID.values()}
    first = rows[0]
    return (
        f"{title}, {period_of(document)}: {plural(len(rows), 'row')}; "
        + "; ".join(f"{number:,} {said}" for said, number in counted.items() if number)
        + f". Farthest is {first['label']} with a win of {dollars(first['win_cents'])} where "
        f"{dollars(first['expected_cents'])} was expected, z {first['z'] or 'none'}."
    )
