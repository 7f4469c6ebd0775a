"""Charts of what-if results: win under another rules submission minus actual win, by wager and by gaming day."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Final

from services.console.charts.amounts import dollar_axis, in_dollars, words
from services.console.charts.chart import WIDTH, Chart, Row, Unit, columns_of, days_of, drawn_of, empty_chart
from services.console.money import dollars
from services.console.words import counted, say

_FIGURES: Final[Mapping[str, Unit]] = {
    "handle_cents": "cents",
    "win_cents": "cents",
    "other_win_cents": "cents",
    "difference_cents": "cents",
}
_BY_WAGER: Final = columns_of("charts.difference.columns", label="text", **_FIGURES)
_BY_DAY: Final = columns_of("charts.difference.columns", gaming_day="day", **_FIGURES, sum_cents="cents")
_MORE, _LESS = say("charts.difference.more"), say("charts.difference.less")
_DAYS_MAX: Final = 400


def what_if_difference(result: Mapping[str, Any]) -> Chart:
    """Return a chart of the difference in win by wager; `result` is the output of `pitledger whatif --json`."""
    name, title = "what-if-by-wager", say("charts.difference.title", game=result["game"])
    rows = sorted((_row({"label": words(one["wager"])}, one) for one in result["by_wager"]), key=_rank)
    if not rows:
        return empty_chart(name, title, _BY_WAGER, _nothing(result))
    drawn, note = drawn_of(rows, "charts.difference.left_out")
    values = [
        {
            "label": row["label"],
            "dollars": in_dollars(row["difference_cents"]),
            "kind": _LESS if row["difference_cents"] < 0 else _MORE,
            "says": _signed(row["difference_cents"]),
        }
        for row in drawn
    ]
    label = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"ticks": False}}
    spec = {
        **({} if note is None else {"title": note}),
        "width": WIDTH,
        "height": {"step": 28},
        "data": {"values": values},
        "encoding": {
            "y": label,
            "x": {
                "field": "dollars",
                "type": "quantitative",
                "axis": dollar_axis(say("charts.difference.axis"), signed=True),
                "scale": {"padding": 70},
            },
        },
        "layer": [
            {
                "mark": {"type": "bar", "style": "solid", "height": {"band": 0.7}},
                "encoding": {
                    "color": {
                        "field": "kind",
                        "type": "nominal",
                        "scale": {"domain": [_MORE, _LESS], "range": "category"},
                        "legend": {"title": None},
                    }
                },
            },
            _amounts("dollars >= 0", "left", 6),
            _amounts("dollars < 0", "right", -6),
        ],
    }
    return Chart(name, title, _caption(result), _alt(title, rows, result), _BY_WAGER, tuple(rows), spec, note)


def what_if_cumulative(result: Mapping[str, Any]) -> Chart:
    """Return a chart of the cumulative difference by day; `result` is the output of `pitledger whatif --json`."""
    name, title = "what-if-by-day", say("charts.difference.title_by_day", game=result["game"])
    days = sorted(result["by_gaming_day"], key=lambda one: str(one["gaming_day"]))
    sums = accumulate(one["difference"]["win_cents"] for one in days)
    rows = [
        _row({"gaming_day": one["gaming_day"]}, one) | {"sum_cents": cents}
        for one, cents in zip(days, sums, strict=True)
    ]
    if not rows:
        return empty_chart(name, title, _BY_DAY, _nothing(result))
    drawn, note = rows, None
    if len(rows) > _DAYS_MAX:
        drawn = rows[-_DAYS_MAX:]
        note = say("charts.difference.left_out_days", drawn=_DAYS_MAX, left=f"{len(rows) - _DAYS_MAX:,}")
    values = [{"day": row["gaming_day"], "dollars": in_dollars(row["sum_cents"])} for row in drawn]
    x = {
        "field": "day",
        "type": "ordinal",
        "sort": None,
        "axis": {"title": None, "labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12},
    }
    y = {
        "field": "dollars",
        "type": "quantitative",
        "axis": {**dollar_axis(say("charts.difference.axis_by_day"), signed=True), "grid": True},
        "scale": {"zero": True},
    }
    spec = {
        **({} if note is None else {"title": note}),
        "width": WIDTH,
        "height": 240,
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "rule", "style": "expected"}, "encoding": {"y": {"datum": 0}}},
            {"mark": {"type": "line", "style": "curve"}, "encoding": {"x": x, "y": y}},
            {"mark": {"type": "point", "style": "dot"}, "encoding": {"x": x, "y": y}},
        ],
    }
    return Chart(name, title, _caption(result), _alt(title, rows, result), _BY_DAY, tuple(rows), spec, note)


def _row(named: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **named,
        "handle_cents": one["recorded"]["handle_cents"],
        "win_cents": one["recorded"]["win_cents"],
        "other_win_cents": one["other"]["win_cents"],
        "difference_cents": one["difference"]["win_cents"],
    }


def _rank(row: Row) -> tuple[int, str]:
    return (-abs(row["difference_cents"]), row["label"])


def _signed(cents: int) -> str:
    return f"+{dollars(cents)}" if cents > 0 else dollars(cents)


def _amounts(which: str, align: str, dx: int) -> dict[str, Any]:
    """Return the amount labels of the positive or negative bars, as a layer: signs must be legible without color."""
    return {
        "transform": [{"filter": f"datum.{which}"}],
        "mark": {"type": "text", "style": "amount", "align": align, "dx": dx},
        "encoding": {"text": {"field": "says", "type": "nominal"}},
    }


def _period(result: Mapping[str, Any]) -> str:
    return days_of(result["first"], result["last"])


def _nothing(result: Mapping[str, Any]) -> str:
    return say("charts.difference.empty", game=result["game"], period=_period(result))


def _caption(result: Mapping[str, Any]) -> str:
    about = {"game": result["game"], "property": result["property"], "period": _period(result)}
    sentences = [counted("charts.difference.caption", result["rounds"], **about)]
    refused = sum(result["refused"].values())
    if refused:
        sentences.append(counted("charts.difference.refused", refused))
    return " ".join(sentences)


def _alt(title: str, rows: list[dict[str, Any]], result: Mapping[str, Any]) -> str:
    total = result["total"]
    return say(
        "charts.difference.alt",
        title=title,
        period=_period(result),
        win=dollars(total["recorded"]["win_cents"]),
        other_win=dollars(total["other"]["win_cents"]),
        difference=_signed(total["difference"]["win_cents"]),
        rows=counted("charts.row", len(rows)),
    )
