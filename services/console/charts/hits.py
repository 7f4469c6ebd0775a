"""Hits of each row of a paytable against exact expectation; from the report on side bets."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from services.console.charts.amounts import plural, words
from services.console.charts.bands import SAID, Standing, banded, standing_of
from services.console.charts.chart import Chart, ChartColumn, drawn_of, empty_chart, period_of, section_of

_NAME: Final = "hits-by-row"
_COLUMNS: Final = (
    ChartColumn("label", "Row"),
    ChartColumn("wagers", "Wagers", "count"),
    ChartColumn("hits", "Hits", "count"),
    ChartColumn("expected", "Expected hits", "number"),
    ChartColumn("deviation", "Standard deviation", "number"),
    ChartColumn("z", "z", "number"),
    ChartColumn("said", "Standing"),
)
_KNOWN: Final[tuple[Standing, ...]] = ("as expected", "beyond 2", "beyond 3")
_TICKS: Final = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def hits_against_expectation(document: Mapping[str, Any], wager: str, *, game: str | None = None) -> Chart:
    """Return how often each row of a wager's paytable was hit, beside how often exact counting expects it.

    `document` is the report `side-bets` as JSON; several versions of the rules submission are added up. Without `game`,
    the wager is that of all games that have it.
    """
    title = f"Hits by paytable row of {words(wager)}"
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for one in section_of(document, "hits"):
        if one["wager"] == wager and game in (None, one["game"]) and one["wagers"]:
            rows.setdefault(one["category"], []).append(one)
    found = sorted((_row(row, parts) for row, parts in rows.items()), key=_rank)
    if not found:
        why = f"Nobody wagered on {words(wager)} on {period_of(document)}: there are no hits to compare."
        return empty_chart(_NAME, title, _COLUMNS, why)
    drawn, note = drawn_of(found, "rows", "that are expected most often")
    values = [_drawn(row) for row in drawn]
    most = max(float(row.get("high_3", row["actual"])) for row in values)
    most = max(most, *(row["actual"] for row in values), 1) * 1.1
    axis = {"title": "hits (logarithmic)", "values": [one for one in _TICKS if one <= most]}
    scale = {"type": "symlog", "constant": 1, "domain": [0, most]}
    spec = banded(values, note, axis=axis, scale=scale, known=_KNOWN)
    return Chart(
        _NAME, title, _caption(wager, document), _alt(title, found, document), _COLUMNS, tuple(found), spec, note
    )


def _row(row: str, parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a row, of all versions under which it was there; one without an exact probability has hits alone."""
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
    """Return the place of a row: what is expected most often comes first, as paytables are read from the other end."""
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
    return (
        f"How often each row of {words(wager)} was hit on {period_of(document)}, and how often exact counting expects "
        "it of so many wagers (the line). The bands are 2 and 3 standard deviations on either side. Wagers of a round "
        "share its cards, and where few hits are expected, some more than the band has are no rarity."
    )


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any]) -> str:
    beyond = [row for row in rows if row["said"] != SAID["as expected"]]
    listed = ", ".join(
        f"{row['label']} with {row['hits']:,} hits where {row['expected']} were expected" for row in beyond
    )
    first = f"{title}, {period_of(document)}: {plural(len(rows), 'row')}. "
    return first + (f"Beyond 2 standard deviations: {listed}." if beyond else "None is beyond 2 standard deviations.")
