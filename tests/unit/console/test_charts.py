"""Charts: figures counted again by hand, pictures that fetch and run nothing, and a worker that may die."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest

from services.console import gallery
from services.console.charts import (
    Chart,
    NotDrawn,
    Renderer,
    TooManyWaiting,
    drop_by_hour,
    hits_against_expectation,
    meter_history,
    pace_by_hour,
    what_if_cumulative,
    what_if_difference,
    win_against_expectation,
)
from services.console.charts.render import render
from services.console.gallery import Gallery
from services.console.sessions import Session
from shared.runtime.http.access import Caller, token_hash

EVIL = "</text><script>alert(1)</script>"
DAY = "2026-11-22"


def report(**sections: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a report of a gaming day as JSON."""
    listed = [{"name": name, "rows": rows} for name, rows in sections.items()]
    return {"first_day": DAY, "last_day": DAY, "content": {"sections": listed}}


def statistics() -> Chart:
    """Return the chart of three tables: one as expected, one beyond three deviations, one whose alarm rang."""
    rows = [
        {"table": name, "wagers": 100, "handle_cents": 10_000, "payout_cents": paid, "expected_cents": 9_900}
        | {"difference_cents": paid - 9_900, "deviation_cents": 500, "z_score": z}
        for name, paid, z in (("BJ-01", 9_950, "0.1"), ("BJ-02", 12_000, "4.2"), (EVIL, 9_900, "0.0"))
    ]
    return win_against_expectation(report(tables=rows, alarms=[{"table": EVIL}]), "table")


def hits() -> Chart:
    """Return the chart of a row under two versions of the rules, and of one without a probability."""
    parts = [
        {"game": "blackjack", "wager": "royal_match", "category": row, "wagers": wagers, "hits": hit, "probability": p}
        for row, wagers, hit, p in (("royal", 600, 4, "1/100"), ("royal", 400, 1, "1/400"), ("suited", 10, 2, None))
    ]
    return hits_against_expectation(report(hits=parts), "royal_match")


def what_if() -> dict[str, Any]:
    """Return a what-if of two days."""

    def won(recorded: int, other: int) -> dict[str, Any]:
        names = {"recorded": recorded, "other": other, "difference": other - recorded}
        return {name: {"win_cents": cents, "handle_cents": 5_000} for name, cents in names.items()}

    return {
        "game": "blackjack",
        "property": "riverside",
        "first": DAY,
        "last": "2026-11-23",
        "rounds": 2,
        "refused": {},
        "by_wager": [{"wager": "blackjack", **won(100, 90)}, {"wager": EVIL, **won(-50, 200)}],
        "by_gaming_day": [{"gaming_day": "2026-11-23", **won(30, 270)}, {"gaming_day": DAY, **won(20, 20)}],
        "total": won(50, 290),
    }


def hours() -> Chart:
    """Return the chart of two hours with an empty one between them."""
    rows = [
        {
            "hour": f"{DAY}T{hour}:00:00+00:00",
            "sales": 2,
            "sold_for_currency_cents": cash,
            "checks_issued_cents": checks,
        }
        | {"sold_cents": cash + checks}
        for hour, cash, checks in ((18, 2_500, 0), (20, 10_000, 5_000))
    ]
    return drop_by_hour(report(hours=rows), "America/New_York")


def history(number: int = 3) -> Chart:
    """Return the chart of a meter that rises by a dollar, and pays at last."""
    begun = datetime(2026, 11, 22, 18, tzinfo=UTC)
    moved = [
        {"at": (begun + timedelta(minutes=one)).isoformat(), "kind": "round", "table": "BJ-01"}
        | {"movement": {"pool": EVIL, "number": one, "award_cents": 0, "shown_cents": 10_000 + 100 * one}}
        for one in range(1, number + 1)
    ]
    moved[-1]["movement"] |= {"award_cents": 10_000, "shown_cents": 500}  # type: ignore[operator]
    return meter_history(list(reversed(moved)), "America/New_York")


def pace() -> Chart:
    """Return the heat map of two tables over midnight."""
    rows = [
        {"table": table, "game": "blackjack", "hour": hour, "rounds": 50, "rounds_per_hour": "61.50"}
        | {"seats_per_round": "2.10", "wager_cents": 2_500, "handle_per_hour_cents": cents}
        for table, hour, cents in (("BJ-01", "23:00", 100_050), ("BJ-01", "00:00", 50_000), (EVIL, "00:00", None))
    ]
    return pace_by_hour(report(hours=rows), "handle_per_hour_cents")


def all_charts() -> Iterator[Chart]:
    """Yield one chart of each kind."""
    yield from (statistics(), hits(), hours(), pace(), history())
    yield from (what_if_difference(what_if()), what_if_cumulative(what_if()))


def test_figures_are_those_that_follow_from_the_documents() -> None:
    """Signs, sums and deviations, each counted here by itself."""
    tables = {row["label"]: row for row in statistics().rows}
    assert [EVIL, "BJ-02", "BJ-01"] == list(tables), "alarms come first, then the largest z"
    assert (-2_000, 100, "-4.20") == tuple(tables["BJ-02"][name] for name in ("win_cents", "expected_cents", "z"))
    rows = {row["label"]: row for row in hits().rows}
    expected, variance = 600 * 0.01 + 400 * 0.0025, 600 * 0.01 * 0.99 + 400 * 0.0025 * 0.9975
    assert (1_000, 5, f"{expected:.2f}", f"{variance**0.5:.2f}", f"{(5 - expected) / variance**0.5:+.2f}") == tuple(
        rows["royal"][name] for name in ("wagers", "hits", "expected", "deviation", "z")
    )
    assert (2, None) == (rows["suited"]["hits"], rows["suited"]["expected"])
    assert [250, -10] == [row["difference_cents"] for row in what_if_difference(what_if()).rows]
    assert [(DAY, 0), ("2026-11-23", 240)] == [
        (row["gaming_day"], row["sum_cents"]) for row in what_if_cumulative(what_if()).rows
    ]
    drawn = [(one["clock"][11:16], one["dollars"]) for one in hours().spec["data"]["values"]]
    assert [("13:00", 25.0), ("14:00", 0.0), ("15:00", 100.0)] == drawn[::2]
    assert ["23:00", "00:00"] == pace().spec["encoding"]["x"]["sort"]
    assert [(1_000.5, "1,000"), (500.0, "500"), (0.0, "0")] == [
        (one["value"], one["shown"]) for one in pace().spec["data"]["values"]
    ]
    assert [10_100, 10_200, 500] == [row["shown_cents"] for row in history().rows]


def test_a_meter_is_drawn_in_the_order_in_which_it_was_moved() -> None:
    """A round that comes late moves the meter when it comes: the sign never falls without an award."""
    moved = [
        {"at": f"2026-11-22T18:0{minute}:00+00:00", "kind": "round", "table": "BJ-01"}
        | {"movement": {"pool": "major", "number": number, "award_cents": 0, "shown_cents": 100 * number}}
        for number, minute in ((1, 1), (2, 5), (3, 2), (4, 6))
    ]
    chart = meter_history(moved, "America/New_York")
    drawn = [(one["at"][14:16], one["dollars"]) for one in chart.spec["data"]["values"]]
    assert [("01", 1.0), ("05", 2.0), ("05", 3.0), ("06", 4.0)] == drawn
    assert "18:02" == chart.rows[2]["at"][11:16]


def test_the_table_has_all_that_the_picture_leaves_out() -> None:
    """A picture has so many points at most; the table behind it has every row, and each column of it a value."""
    long = history(1_000)
    assert (1_000, True) == (len(long.rows), len(long.spec["data"]["values"]) <= 400)
    assert long.note is not None
    for chart in all_charts():
        assert all({column.name for column in chart.columns} <= row.keys() for row in chart.rows), chart.name


def test_pictures_fetch_and_run_nothing() -> None:
    """Each is SVG of texts and shapes: no script, no link, no style from elsewhere; names are text."""
    for chart in all_charts():
        picture = render(chart, "light")
        root = ElementTree.fromstring(picture)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names.isdisjoint({"script", "foreignObject", "image", "a", "iframe", "use"}), (chart.name, names)
        for element in root.iter():
            for name, value in element.attrib.items():
                assert not name.rpartition("}")[2].lower().startswith(("on", "href")), (chart.name, name)
                assert "http" not in value.replace("http://www.w3.org", ""), (chart.name, value)
        assert picture != render(chart, "dark")


def test_a_worker_that_was_killed_is_replaced() -> None:
    """The picture on which it died is refused or drawn, and the next is drawn by another process."""

    async def drawn() -> bytes:
        renderer = Renderer()
        await renderer.svg(hours(), "light")
        assert renderer._worker is not None
        renderer._worker.kill()
        with suppress(NotDrawn):
            await renderer.svg(hits(), "light")
        picture = await renderer.svg(history(), "light")
        await renderer.close()
        return picture

    assert render(history(), "light") == asyncio.run(drawn())


def test_more_pictures_than_are_waited_for_are_refused() -> None:
    """The same picture is waited for once; one more of others is refused, and asked for again it is drawn."""

    async def asked() -> list[object]:
        renderer = Renderer(waiting_max=1)
        waiting = [renderer.svg(chart, "light") for chart in (hours(), hours(), hits())]
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        answers.append(await renderer.svg(hits(), "light"))
        await renderer.close()
        return [type(one) for one in answers]

    assert [bytes, bytes, TooManyWaiting, bytes] == asyncio.run(asked())


def session_of(person: str) -> Session:
    """Return a session of a person."""
    now, caller = datetime.now(UTC), Caller(person=person, token_sha256=token_hash(person))
    return Session(caller=caller, token="t", token_ends=now, refresh_token=None, id_token="", begun_at=now, seen_at=now)


class Still(Renderer):
    """Draws nothing: the picture is the title."""

    async def svg(self, chart: Chart, theme: str) -> bytes:
        """Return the title, whatever the theme."""
        del theme
        return chart.title.encode()


def test_a_chart_is_seen_by_the_session_to_which_it_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address says nothing to another session; the charts that were shown longest ago give way."""
    monkeypatch.setattr(gallery, "_KEPT_MAX", 2)
    shown, ann, bob = Gallery(Still()), session_of("ann"), session_of("bob")
    keys = [one.light.split("/")[2] for one in shown.hang(ann, hours(), hits())]
    assert hours().title.encode() == asyncio.run(shown.picture(ann, keys[0], "light"))
    assert asyncio.run(shown.picture(bob, keys[0], "light")) is None
    shown.hang(ann, history())
    found = [asyncio.run(shown.picture(ann, key, "light")) for key in keys]
    assert [None, hits().title.encode()] == found
