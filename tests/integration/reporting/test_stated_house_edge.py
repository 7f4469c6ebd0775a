"""The licensee's own house edge: filed by one, approved by another, and in theoretical win where nothing is counted."""

import json
from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from shared.rules.set_hands.house_way import named_ways
from tests.integration.reporting import test_ratings as ratings
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.published import published
from tests.support.registry import Registry, a_registry
from tests.support.reporting import Books, names, rows_of, total_of
from tests.support.services import settled_database
from tests.unit.reporting.entries import NOON, total

GAME, WAGER = "pai-gow-poker", "pai_gow_poker"
EARLIER = "2026-11-19"
SOURCE = "GLI report MO-337 of 2026-10-02"
OWN_WAY = named_ways()["standard"].replace("two pair, single K or higher: two highest singles\n", "")
STATED = {"wager": WAGER, "house_edge_percent": "2.715", "source": SOURCE}


@pytest.fixture
def registry(databases: Databases) -> Iterator[Registry]:
    """The registry on a database of its own, a week before the rounds."""
    url = settled_database(databases, "paytable-registry")
    with a_registry(url, NOON - timedelta(days=7)) as registry:
        registry.open("riverside", tables={"PG-01": {"positions": 6}})
        yield registry
    databases.drop(url)


def wanted(days: float, *edges: dict[str, str], way: str = OWN_WAY, **selected: Any) -> dict[str, Any]:
    """Pai Gow Poker so many days after the first gaming day, by a house way that nobody sampled."""
    rules = {"property": "riverside", "game": GAME, "regulation": "pa-645a-2011", "tables": ["PG-01"]}
    begins = (NOON - timedelta(days=1, hours=6) + timedelta(days=days)).isoformat()
    stated = {"stated_house_edges": list(edges)} if edges else {}
    return {**rules, "effective_from": begins, "submission": {"options": {"house_way": way}} | selected, **stated}


def approve(registry: Registry, books: Books, version: int) -> dict[str, Any]:
    """Approve a version as somebody else, and let reporting read that; return what rounds name."""
    path = f"/submissions/riverside/{GAME}/{version}"
    assert_problem(registry.send(f"{path}/approve", person="ann"), 403, "ann filed version")
    approved = registry.send(f"{path}/approve", person="bob")
    assert 200 == approved.status_code, approved.text
    [entry] = [one for one in registry.entries() if one.draft.kind == "submission.approved"][version - 1 :]
    data = json.loads(entry.draft.data)
    event = published("submission.approved", data, service="paytable-registry", sequence=version, at=NOON)
    books.desk.feed("submissions", event)
    return {"version": version, "hash": approved.json()["hash"]}


def test_it_is_in_theoretical_win_from_the_gaming_day_on_from_which_it_was_filed(
    registry: Registry, books: Books
) -> None:
    """The day before, the wager is listed as one without; then with the value, its source and its share."""
    assert 201 == registry.send("/submissions", wanted(0)).status_code
    before = approve(registry, books, 1)
    assert 201 == registry.send("/submissions", wanted(1, STATED)).status_code
    after = approve(registry, books, 2)
    books.publish(
        books.posted(
            1, "PG-01", [total(WAGER, handle=60_000)], game=GAME, submission=before, gaming_day=EARLIER, round_id="r-1"
        ),
        books.posted(2, "PG-01", [total(WAGER, handle=30_001, payout=1_000)], game=GAME, submission=after),
    )
    figures = ("theoretical_win_cents", "theoretical_error_cents", "without_house_edge", "stated_house_edge")
    own = f"{GAME}/{WAGER} 2.715%: {SOURCE}"
    week = books.report("drop-and-win", "&period=week")
    [day] = rows_of(books.report("drop-and-win"), "games")
    [both] = rows_of(week, "games")
    theory = round(30_001 * Fraction("0.02715"))
    assert (theory, 0, None, f"{own} (100.00%)") == names(day, *figures)
    assert (theory, 0, f"{GAME}/{WAGER} (66.67%)", f"{own} (33.33%)") == names(both, *figures)
    assert names(both, *figures) == names(total_of(week, "games"), *figures)
    [first, second] = sorted(rows_of(week, "house_edges"), key=lambda row: row["version"])
    of_edge = ("house_edge_percent", "counted", "stated_percent", "source")
    assert (None, None, None, None) == names(first, *of_edge)
    assert ("2.72", "stated", "2.715", SOURCE) == names(second, *of_edge)
    assert "house way" in first["reason"] == second["reason"]
    explained = books.explain("drop-and-win", f"games/{GAME}/theoretical_win_cents", "&period=week")
    assert [Fraction("0.02715")] == [Fraction(one["factor"]) for one in explained["entries"]]
    for report, section in (("side-bets", "wagers"), ("pace", "tables")):
        [row] = [one for one in rows_of(books.report(report), section) if one["game"] == GAME]
        assert f"{own} (100.00%)" == row["stated_house_edge"], report
    assert f"{own} (100.00%)" in books.get(books.path("side-bets", "&as=csv")).text


def test_a_patrons_theoretical_win_names_it_too(registry: Registry, books: Books) -> None:
    """Of what was wagered from accounts, with its source."""
    registry.send("/submissions", wanted(0, STATED))
    under = approve(registry, books, 1)
    ratings.open_accounts(books, ("ga-1", "p-1"))
    ratings.play(books, 1, 5, ("ga-1", 0, 0), submission=under, main=80_000, main_wager=WAGER, game=GAME, table="PG-01")
    found = ratings.report(books, "patron-play")
    for section in ("patrons", "wagers"):
        [row] = rows_of(found, section)
        assert (round(80_000 * Fraction("0.02715")), f"{WAGER} 2.715%: {SOURCE} (100.00%)") == names(
            row, "theoretical_win_cents", "stated_house_edge"
        )


@pytest.mark.parametrize("name", ["pai_gow_poker", "progressive_payout"])
def test_it_is_refused_beside_a_value_that_the_registry_counts(registry: Registry, name: str) -> None:
    """Sampled and exact: the registry's own counts, and the licensee's payback may be compared with it."""
    meter = {"progressive_payout": {"meter": {"rate": "0.2", "reset": 500_000}}}
    edge = {"wager": name, "house_edge_percent": "2.7", "source": SOURCE}
    document = wanted(0, edge, way="standard", wagers=meter)
    refused = registry.send("/submissions", document)
    assert_problem(refused, 422, f"the registry counts the house edge of '{name}' itself")
    assert ["/stated_house_edges/0/wager"] == [one["pointer"] for one in refused.json()["problems"]]
    drafted = registry.send("/submissions/drafts", document)
    assert 201 == drafted.status_code, drafted.text
    filed = registry.send(f"{drafted.headers['location']}/file")
    assert_problem(filed, 422, f"the registry counts the house edge of '{name}' itself")


def test_what_is_stated_of_no_wager_twice_or_above_all_is_refused(registry: Registry) -> None:
    """All of it at once, each with its place."""
    edges = (STATED, STATED, STATED | {"wager": "roulette"}, STATED | {"house_edge_percent": "100.1"})
    refused = registry.send("/submissions", wanted(0, *edges))
    assert_problem(refused, 422, "'roulette' is not offered; there are: pai_gow_poker")
    found = {one["pointer"] for one in refused.json()["problems"]}
    assert {
        "/stated_house_edges/1/wager",
        "/stated_house_edges/2/wager",
        "/stated_house_edges/3/wager",
        "/stated_house_edges/3/house_edge_percent",
    } == found


def test_who_approves_sees_it_beside_the_reason_why_nothing_is_counted(registry: Registry) -> None:
    """With its source; and what it changes against the version before is told."""
    registry.send("/submissions", wanted(0))
    registry.send("/submissions", wanted(1, STATED))
    path = f"/submissions/riverside/{GAME}"
    [wager] = registry.get(f"{path}/2/paybacks").json()["wagers"]
    assert (STATED, True) == (wager["stated_house_edge"], "house way" in wager["reason"])
    changes = registry.get(f"{path}/1/diff/2").json()["changes"]
    assert f"stated house edge of {WAGER}: none to 2.715% ({SOURCE})" in changes
