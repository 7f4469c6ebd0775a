"""Chart of each paytable row's hits against the exact expectation; from the report `side-bets`."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from services.console.charts.amounts import words
from services.console.charts.bands import SAID, Standing, banded, standing_of
from services.console.charts.chart import Chart, columns_of, drawn_of, empty_chart, period_of, section_of
from services.console.words import counted, say

_NAME: Final = "hits-by-row"
_COLUMNS: Final = columns_of(
    "charts.hits.columns",
    label="text",
    wagers="count",
    hits="count",
    expected="number",
    deviation="number",
    z="number",
    said="text",
)
_KNOWN: Final[tuple[Standing, ...]] = ("as expected", "beyond 2", "beyond 3")
_TICKS: Final = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def hits_against_expectation(document: Mapping[str, Any], wager: str, *, game: str | None = None) -> Chart:
    """Return a chart with the actual and the exactly expected number of hits of each row of a wager's paytable.

    `document` is the report `side-bets` as JSON. The figures are summed over the versions of the rules submission and,
    without `game`, over all games that offer the wager.
    """
    title = say("charts.hits.title", wager=words(wager))
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for one in section_of(document, "hits"):
        if one["wager"] == wager and game in (None, one["game"]) and one["wagers"]:
            rows.setdefault(one["category"], []).append(one)
    found = sorted((_row(row, parts) for row, parts in rows.items()), key=_rank)
    if not found:
        why = say("charts.hits.empty", wager=words(wager), period=period_of(document))
        return empty_chart(_NAME, title, _COLUMNS, why)
    drawn, note = drawn_of(found, "charts.hits.left_out")
    values = [_drawn(row) for row in drawn]
    most = max(float(row.get("high_3", row["actual"])) for row in values)
    most = max(most, *(row["actual"] for row in values), 1) * 1.1
    axis = {"title": say("charts.hits.axis"), "values": [one for one in _TICKS if one <= most]}
    scale = {"type": "symlog", "constant": 1, "domain": [0, most]}
    spec = banded(values, note, axis=axis, scale=scale, known=_KNOWN)
    return Chart(
        _NAME, title, _caption(wager, document), _alt(title, found, document), _COLUMNS, tuple(found), spec, note
    )


def _row(row: str, parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a paytable row summed over versions, with expected hits if every version has an exact probability."""
    listed = list(parts)
    hits, wagers = sum(one["hits"] for one in listed), sum(one["wagers"] for one in listed)
    exact = [(one["wagers"], Fraction(one["probability"])) for one in listed if one["probability"] is not None]
    said = {"label": words(row), "wagers": wagers, "hits": hits}
    if len(exact) < len(listed):
        return {**said, "expected": None, "deviation": None, "z": None, "said": SAID["as expected"]}
    expected = sum((number * chance for number, chance in exact), Fraction(0))
    variance = sum((number * chance * (1 - chance) for number, chance in exact), Fraction(0))
    deviation = sqrt(variance)
    z = float(hits - expected) / deviation if deviation else None
    distance = z if z is not None or hits == expected else float("inf")
    return {
        **said,
        "expected": f"{float(expected):.2f}",
        "deviation": f"{deviation:.2f}",
        "z": None if z is None else f"{z:+.2f}",
        "said": SAID[standing_of(distance)],
    }


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _rank(row: Mapping[str, Any]) -> tuple[float, str]:
    """Return the sort key of a row, by which the row with the most expected hits comes first."""
    return (-float(row["hits"] if row["expected"] is None else row["expected"]), row["label"])


def _drawn(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"label": row["label"], "actual": row["hits"], "said": row["said"]}
    expected, deviation = _number(row["expected"]), _number(row["deviation"])
    if expected is None or deviation is None:
        return found
    ends = {f"low_{number}": max(expected - number * deviation, 0.0) for number in (2, 3)}
    ends |= {f"high_{number}": expected + number * deviation for number in (2, 3)}
    return found | {"expected": expected, **ends}


def _caption(wager: str, document: Mapping[str, Any]) -> str:
    return say("charts.hits.caption", wager=words(wager), period=period_of(document))


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any]) -> str:
    beyond = [
        counted("charts.hits.beyond", row["hits"], row=row["label"], expected=row["expected"])
        for row in rows
        if row["said"] != SAID["as expected"]
    ]
    return say(
        "charts.hits.alt_beyond" if beyond else "charts.hits.alt",
        title=title,
        period=period_of(document),
        rows=counted("charts.row", len(rows)),
        beyond=", ".join(beyond),
    )
