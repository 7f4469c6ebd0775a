"""Play in chips of rated patrons: a signed device of the table ties a seat to a patron, and its wagers are counted."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any

import pytest

from shared.contracts.ratings import RatingStated
from tests.integration.reporting.test_ratings import CLERK, RULES, at, edge, open_accounts, report, say
from tests.integration.reporting.tied_day import ACCOUNTS, Day, Said, Wager, reader_of, with_readers
from tests.support.reporting import Books, names, rows_of
from tests.support.services import query
from tests.unit.reporting.entries import DAY, total

SIDE = "royal_match_21"
NEXT_DAY = "2026-11-21"


@pytest.fixture(autouse=True)
def _readers(books: Books) -> None:
    """Cards are read at two tables, not at the third."""
    books.desk.feed("properties", with_readers())
    open_accounts(books, *ACCOUNTS.items())


@pytest.fixture
def under(books: Books) -> dict[str, Any]:
    """The rules submission of all rounds."""
    return books.submit(**RULES)


def chips(table: str, seat: int, stake: int, payout: int = 0) -> Wager:
    """A wager in chips."""
    return Wager(table, seat, stake, payout, None)


def money(wagers: Sequence[Wager], sign: int = 1, **more: Any) -> dict[str, Any]:
    """The lines and account credits of a round with these wagers on the side bet; `more` replaces fields of lines."""
    lines, funded = [], []
    for one in wagers:
        said = {"seat": one.seat, "wager": SIDE, "outcome": "win" if one.payout else "lose", "stake": one.stake}
        back = one.stake if one.payout else 0
        lines.append(said | {"payout": one.payout, "stake_returned": back, "from_meter": 0, "paid_by": "house"} | more)
        if one.account is not None:
            credit = {"account": one.account, "seat": one.seat, "wager": SIDE, "staked_cents": sign * one.stake}
            funded.append(credit | {"credited_cents": sign * (one.payout + back)})
    return {"lines": lines, "account_credits": funded}


def totals(wagers: Sequence[Wager]) -> list[dict[str, Any]]:
    """The totals of a round with these wagers."""
    back = sum(one.payout + (one.stake if one.payout else 0) for one in wagers)
    funded = sum(one.stake for one in wagers if one.account is not None)
    return [total(SIDE, handle=sum(one.stake for one in wagers), payout=back) | {"account_staked_cents": funded}]


def play(
    books: Books, number: int, moment: datetime, under: dict[str, Any], *wagers: Wager, day: str = DAY, **more: Any
) -> None:
    """A round with these wagers."""
    when: dict[str, Any] = {"closed_at": moment.isoformat(), "gaming_day": day, "submission": under}
    books.publish(books.posted(number, wagers[0].table, totals(wagers), **when, **money(wagers, **more)))


def take_back(
    books: Books, number: int, moment: datetime, under: dict[str, Any], *wagers: Wager, round_id: str
) -> None:
    """A round with these wagers is reversed."""
    when = {"closed_at": moment.isoformat(), "submission": under}
    books.publish(
        books.reversed(number, wagers[0].table, totals(wagers), round_id=round_id, **when, **money(wagers, sign=-1))
    )


def state(books: Books, stated: Sequence[RatingStated]) -> None:
    """Let reporting read what is stated."""
    for fact in stated:
        say(books, "rating.stated", fact.model_dump(mode="json", exclude_none=True))


def rate(
    said: Said, name: str, patron: str, begins: float, ends: float, *, key: str | None, table: str = "BJ-01", seat: int
) -> None:
    """A patron is rated in a seat, from one minute to another."""
    said.say("opened", at(begins), name, table, key, patron=patron, seat=seat, average_bet_cents=50_00)
    said.say("closed", at(ends), name, table, key)


def sessions(books: Books, more: str = "") -> dict[str, dict[str, Any]]:
    """The ratings of the report, by name."""
    return {row["rating"]: row for row in rows_of(report(books, "ratings-against-rounds", more), "sessions")}


def patrons(books: Books, more: str = "") -> dict[str, dict[str, Any]]:
    """The patrons of the report, by reference."""
    return {row["patron"]: row for row in rows_of(report(books, "ratings-against-rounds", more), "patrons")}


@pytest.mark.parametrize("seed", range(6))
def test_a_patrons_theoretical_win_is_the_sum_over_wagers_of_stake_and_exact_edge(
    books: Books, under: dict[str, Any], seed: int
) -> None:
    """To the cent on random days: readers, systems and people open, move, pause and close ratings at several seats."""
    exact = edge().house_edge
    assert exact is not None
    chance = Random(seed)
    day = Day(chance)
    day.play(240)
    assert day.rated
    assert any(one.account is None for listed in day.rated.values() for one in listed), "somebody played in chips"
    number, gone = 0, set()
    for moment, wagers in day.rounds:
        number += 1
        play(books, number, moment, under, *wagers)
        if chance.random() < 0.1:
            gone.add(id(wagers[0]))
            taken_back = number
            number += 1
            take_back(books, number, moment, under, *wagers, round_id=f"r-{taken_back}")
    undone = {id(one) for _, wagers in day.rounds if id(wagers[0]) in gone for one in wagers}
    state(books, day.said.stated())
    found = patrons(books)
    for patron in {*day.rated, *day.unrated}:
        rated, unrated = (
            [one for one in listed.get(patron, ()) if id(one) not in undone] for listed in (day.rated, day.unrated)
        )
        handle, back = sum(one.stake for one in rated), sum(one.payout + one.stake for one in rated if one.payout)
        columns = ("handle_cents", "win_cents", "unrated_handle_cents")
        assert (handle, handle - back, sum(one.stake for one in unrated)) == names(found[patron], *columns)
        if rated:
            assert round(sum(one.stake * exact for one in rated)) == found[patron]["theoretical_win_cents"]
        if unrated:
            assert round(sum(one.stake * exact for one in unrated)) == found[patron]["unrated_win_cents"]
    of_sessions: dict[str, int] = defaultdict(int)
    for row in sessions(books).values():
        of_sessions[row["patron"]] += row["handle_cents"]
    assert {patron: row["handle_cents"] for patron, row in found.items() if row["ratings"]} == of_sessions


def test_all_that_is_wagered_in_a_tied_seat_is_the_patrons_and_says_how_it_is_tied(
    books: Books, under: dict[str, Any]
) -> None:
    """Chips and the patron's account, once; another one's account stays its owner's. Rounds may come after ratings."""
    said = Said()
    rate(said, "R-1", "p-1", 10, 60, key=reader_of("BJ-01"), seat=3)
    rate(said, "R-2", "p-3", 10, 60, key=reader_of("BJ-01"), seat=2)
    rate(said, "R-3", "p-2", 90, 99, key=None, seat=5)
    state(books, said.stated())
    play(books, 1, at(20), under, Wager("BJ-01", 3, 1_00, 0, "ga-1"), chips("BJ-01", 2, 7_00))
    play(books, 2, at(30), under, chips("BJ-01", 3, 20_00), Wager("BJ-01", 1, 5_00, 0, "ga-1"))
    play(books, 3, at(40), under, Wager("BJ-01", 3, 300_00, 0, "ga-2"))
    play(books, 4, at(95), under, Wager("BJ-01", 5, 9_00, 0, "ga-2"))
    play(books, 5, at(60), under, chips("BJ-01", 3, 4_000_00, 1_00))
    play(books, 6, at(10), under, chips("BJ-01", 3, 50_000_00))
    columns = ("rounds", "handle_cents", "tied_by")
    by_rating, by_patron = sessions(books), patrons(books)
    assert (3, 4_026_00, "both") == names(by_rating["R-1"], *columns) == names(by_patron["p-1"], *columns)
    assert 4_026_00 - 4_001_00 == by_rating["R-1"]["win_cents"]
    assert (1, 7_00, "seat") == names(by_rating["R-2"], *columns)
    assert (1, 9_00, "account") == names(by_rating["R-3"], *columns)
    assert 300_00 == by_patron["p-2"]["unrated_handle_cents"]
    cell = "&cell=sessions/R-1/theoretical_win_cents"
    entries = books.get(books.path("ratings-against-rounds/entries", cell), person=CLERK).json()["entries"]
    assert [1, 2, 5] == sorted(one["seq"] for one in entries)
    keys = [row["tied_by"] for row in rows_of(report(books, "ratings"), "spans")]
    assert [reader_of("BJ-01"), None, reader_of("BJ-01")] == keys


@pytest.mark.parametrize("key", [None, "casino-management"])
def test_what_no_device_of_the_table_signed_ties_nothing(books: Books, under: dict[str, Any], key: str | None) -> None:
    """The word of a person, also one that a system passes on: the chips of the seat are of nobody, as elsewhere."""
    said = Said()
    rate(said, "R-1", "p-1", 0, 60, key=key, seat=3)
    said.say("opened", at(0), "R-2", "BJ-01", key, patron="p-3", seat=4)
    said.say("moved", at(5), "R-2", "BJ-01", reader_of("BJ-01"), seat=5)
    said.say("closed", at(60), "R-2", "BJ-01", reader_of("BJ-01"))
    state(books, said.stated())
    play(books, 1, at(20), under, chips("BJ-01", 3, 1_00), chips("BJ-01", 5, 2_00))
    play(books, 2, at(30), under, chips("BJ-03", 3, 4_00))
    found = sessions(books)
    assert {(0, None)} == {names(row, "handle_cents", "tied_by") for row in found.values()}
    assert {0} == {row["unrated_handle_cents"] for row in patrons(books).values()}


def test_the_later_tie_of_a_seat_holds_from_its_moment_and_is_named(books: Books, under: dict[str, Any]) -> None:
    """Also where the earlier rating has a new average bet after it; it does not come back when the later one ends."""
    said, key = Said(), reader_of("BJ-01")
    said.say("opened", at(0), "R-1", "BJ-01", key, patron="p-1", seat=3, average_bet_cents=50_00)
    rate(said, "R-2", "p-3", 30, 60, key=key, seat=3)
    said.say("bet", at(40), "R-1", "BJ-01", key, average_bet_cents=80_00)
    said.say("closed", at(90), "R-1", "BJ-01", key)
    state(books, said.stated())
    for number, (minute, stake) in enumerate(((20, 1_00), (30, 20_00), (35, 300_00), (50, 4_000_00), (70, 50_000_00))):
        play(books, number + 1, at(minute), under, chips("BJ-01", 3, stake))
    found = sessions(books)
    assert (21_00, "R-2") == names(found["R-1"], "handle_cents", "seat_taken_by")
    assert (4_300_00, None) == names(found["R-2"], "handle_cents", "seat_taken_by")


def test_a_player_of_two_seats_has_the_play_of_those_that_are_named(books: Books, under: dict[str, Any]) -> None:
    """One rating has the one seat; with a rating in each, every wager counts once."""
    said, key = Said(), reader_of("BJ-01")
    rate(said, "R-1", "p-1", 0, 30, key=key, seat=1)
    rate(said, "R-2", "p-1", 40, 60, key=key, seat=1)
    rate(said, "R-3", "p-1", 40, 60, key=key, seat=2)
    state(books, said.stated())
    play(books, 1, at(10), under, chips("BJ-01", 1, 1_00), chips("BJ-01", 2, 20_00))
    both = (Wager("BJ-01", 1, 300_00, 0, "ga-1"), Wager("BJ-01", 2, 4_000_00, 0, "ga-1"))
    play(books, 2, at(50), under, *both, Wager("BJ-01", 3, 50_000_00, 0, "ga-1"))
    found = sessions(books)
    assert [1_00, 300_00, 54_000_00] == [found[name]["handle_cents"] for name in ("R-1", "R-2", "R-3")]
    assert (54_301_00, "both") == names(patrons(books)["p-1"], "handle_cents", "tied_by")


def test_a_round_that_is_corrected_counts_as_it_is_now_and_the_lines_of_a_bank_do_not(
    books: Books, under: dict[str, Any]
) -> None:
    """Nor those of a void wager; and a round that is taken back is none."""
    said = Said()
    rate(said, "R-1", "p-1", 0, 60, key=reader_of("BJ-02"), table="BJ-02", seat=3)
    state(books, said.stated())
    play(books, 1, at(10), under, chips("BJ-02", 3, 1_00))
    take_back(books, 2, at(10), under, chips("BJ-02", 3, 1_00), round_id="r-1")
    assert (0, 0, None) == names(sessions(books)["R-1"], "rounds", "handle_cents", "tied_by")
    right: dict[str, Any] = {"round_id": "r-1", "revision": 2, "closed_at": at(10).isoformat(), "submission": under}
    wagers = [chips("BJ-02", 3, 20_00)]
    books.publish(books.posted(3, "BJ-02", totals(wagers), **right, **money(wagers)))
    play(books, 4, at(20), under, chips("BJ-02", 3, 300_00), paid_by="bank")
    play(books, 5, at(30), under, chips("BJ-02", 3, 4_000_00), outcome="void")
    assert (1, 20_00) == names(sessions(books)["R-1"], "rounds", "handle_cents")


def test_a_rating_that_goes_on_into_the_next_day_holds_its_seat_there(books: Books, under: dict[str, Any]) -> None:
    """Until the tie of another day's rating; the next day's report has what is that one's."""
    said, key = Said(), reader_of("BJ-01")
    rate(said, "R-1", "p-1", 0, 1200, key=key, seat=3)
    state(books, said.stated())
    later = Said()
    rate(later, "R-2", "p-3", 1180, 1190, key=key, seat=3)
    state(books, later.stated(NEXT_DAY))
    for number, (minute, stake) in enumerate(((1170, 1_00), (1185, 20_00), (1195, 300_00)), start=1):
        play(books, number, at(minute), under, chips("BJ-01", 3, stake), day=NEXT_DAY)
    play(books, 4, at(1175), under, Wager("BJ-01", 1, 4_000_00, 0, "ga-1"), day=NEXT_DAY)
    assert (4_001_00, "R-2") == names(sessions(books)["R-1"], "handle_cents", "seat_taken_by")
    path = f"/reports/ratings-against-rounds?property=riverside&gaming_day={NEXT_DAY}"
    answer = books.get(path, person=CLERK).json()
    assert [("R-2", 20_00)] == [names(row, "rating", "handle_cents") for row in rows_of(answer, "sessions")]
    assert ["p-3"] == [row["patron"] for row in rows_of(answer, "patrons")], (
        "p-1 played in the rating of the day before"
    )


def test_wagers_in_chips_are_kept_where_a_device_signs_ratings_and_nowhere_else(
    books: Books, under: dict[str, Any], url: str
) -> None:
    """A casino without readers keeps nothing more of its rounds; an account's wager is kept everywhere."""
    for number, table in enumerate(("BJ-01", "BJ-03"), start=1):
        play(books, number, at(number), under, chips(table, 1, 1_00), Wager(table, 2, 2_00, 0, "ga-1"))
    rows = query(url, "SELECT table_name, seat, account, funded_cents FROM reporting.seat_wagers ORDER BY 1, 2")
    assert [("BJ-01", 1, None, 0), ("BJ-01", 2, "ga-1", 2_00), ("BJ-03", 2, "ga-1", 2_00)] == [
        tuple(row) for row in rows
    ]
