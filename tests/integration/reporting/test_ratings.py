"""Reports of ratings on a real database: each with its parts, and beside the rounds of the same tables and times."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from services.reporting.domain.house_edges import HouseEdge, edges_of
from services.reporting.ingest.progress import PROGRESS
from services.reporting.schedule import deliver_sealed, wanted_reports
from shared.contracts.reports import percent_of
from shared.contracts.submissions import SubmissionApproved
from shared.journal.signed_note import Signer
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of
from tests.support.rounds import submission
from tests.unit.reporting.entries import DAY, NOON, total

SIGNER: Final = Signer.generate("pitledger/reporting")
CLERK: Final = "cage.lou"
RULES: Final[dict[str, Any]] = {"wagers": {"royal_match_21": {"paytable": "D"}}}
_SEQUENCES: Final = count(1)
_SEEDS: Final = range(2)


def at(minutes: float) -> datetime:
    """A moment so many minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def say(books: Books, kind: str, data: dict[str, Any], *, minutes: float = 0) -> None:
    """Let it read an entry of the ratings, which was recorded so long after noon."""
    event = published(kind, data, service="table-inventory", sequence=next(_SEQUENCES), at=at(minutes), shard=5)
    books.desk.feed("ratings", event)


def span(
    begins: float, ends: float, table: str = "BJ-01", bet: int = 50_00, *, counted: bool = False
) -> dict[str, Any]:
    """A span of 60 rounds an hour, or as many decisions as the property states of a counted table, at 1.25 %."""
    hours = Fraction(int(ends - begins), 60)
    decisions: dict[str, Any] = {"basis": "rounds", "number": str(60 * hours), "rounds": int(60 * hours)}
    if counted:
        decisions = {"basis": "stated", "number": str(60 * hours), "an_hour": 60, "source": "own study"}
    return {
        "table": table,
        "game": "blackjack",
        "begins": at(begins).isoformat(),
        "ends": at(ends).isoformat(),
        "average_bet_cents": bet,
        "decisions": decisions,
        "edge": {"basis": "stated", "house_edge": "1/80", "source": "own study"},
        "theoretical_win_cents": str(bet * 60 * hours / 80),
    }


def rating(name: str, *spans: dict[str, Any], patron: str = "p-7", revision: int = 1, **more: Any) -> dict[str, Any]:
    """The statement of a closed rating with these spans."""
    won = sum((Fraction(one["theoretical_win_cents"]) for one in spans), Fraction(0))
    return {
        "property": "riverside",
        "rating": name,
        "revision": revision,
        "gaming_day": DAY,
        "patron": patron,
        "table": spans[-1]["table"],
        "opened_at": spans[0]["begins"],
        "closed_at": spans[-1]["ends"],
        "seconds": 60,
        "average_bet_cents": spans[0]["average_bet_cents"],
        "theoretical_win_cents": round(won),
        "spans": list(spans),
    } | more


def report(books: Books, name: str, more: str = "") -> dict[str, Any]:
    """A report about the day, as somebody reads it who may read of patrons."""
    assert 403 == books.get(books.path(name, more)).status_code
    answer = books.get(books.path(name, more), person=CLERK)
    assert 200 == answer.status_code, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_closed_rating_stands_with_every_part_and_its_last_revision(books: Books) -> None:
    """What was taken back is in no report, nor what is of another table that was asked for."""
    say(books, "rating.stated", rating("pit-1", span(0, 60), span(60, 90, "BJ-02", counted=True), buy_in_cents=500_00))
    say(books, "rating.stated", rating("pit-2", span(30, 60, "BJ-03"), problems=["outside"]))
    say(books, "rating.stated", rating("pit-3", span(0, 60), patron="p-8"))
    gone = {"property": "riverside", "rating": "pit-3", "revision": 2, "gaming_day": DAY, "patron": "p-8"}
    say(books, "rating.stated", gone)
    say(books, "rating.stated", rating("pit-2", span(30, 90, "BJ-03"), revision=2))
    found = report(books, "ratings")
    figures = ("rating", "tables", "theoretical_win_cents", "buy_in_cents", "problems", "rated_too")
    assert [
        ("pit-1", "BJ-01, BJ-02", 56_25, 500_00, None, "pit-2"),
        ("pit-2", "BJ-03", 37_50, 0, None, "pit-1"),
    ] == [names(row, *figures) for row in rows_of(found, "ratings")]
    parts = ("rating", "span", "decisions", "an_hour", "house_edge", "house_edge_percent", "theoretical_win", "source")
    assert ("pit-1", 2, "30", 60, "1/80", "1.25", "1875", "own study") == names(rows_of(found, "spans")[1], *parts)
    [only] = rows_of(report(books, "ratings", "&table=BJ-02"), "ratings")
    assert "pit-1" == only["rating"]
    entries = books.get(books.path("ratings/entries", "&cell=ratings/pit-2/theoretical_win_cents"), person=CLERK)
    assert ["table-inventory"] == [one["service"] for one in entries.json()["entries"]]


def opening(name: str, patron: str, minutes: float) -> dict[str, Any]:
    """The opening of a rating at the desk."""
    place = {"property": "riverside", "table": "BJ-01", "rating": name, "gaming_day": DAY, "by": "floor.fay"}
    said = {"event": "rating.opened", "step": "desk/1", "at": at(minutes).isoformat(), "values": {"patron": patron}}
    return place | said


def test_a_rating_that_nobody_closed_is_listed_until_somebody_does(books: Books) -> None:
    """A closing that did not happen leaves it open; an opening that did not is none."""
    for number, name in enumerate(("pit-1", "pit-2", "pit-3", "pit-4")):
        say(books, "rating.recorded", opening(name, "p-7", number))
    later = opening("pit-2", "p-7", 9) | {"event": "rating.closed", "step": "desk/2", "values": {}}
    say(books, "rating.recorded", later)
    say(books, "rating.recorded", later | {"rating": "pit-3"})
    void = {"event": "rating.amended", "step": "desk/3", "amends": "desk/2", "reason": "another patron", "values": None}
    say(books, "rating.recorded", opening("pit-3", "p-7", 10) | void)
    say(books, "rating.recorded", opening("pit-4", "p-7", 10) | void | {"amends": "desk/1"})
    assert ["pit-1", "pit-3"] == [row["rating"] for row in rows_of(report(books, "ratings"), "open")]


def test_what_nobody_closed_stands_as_amended_and_moved(books: Books) -> None:
    """Who plays where now, and since when; a table that is asked for is that one."""
    say(books, "rating.recorded", opening("pit-1", "p-7", 0))
    said: dict[str, Any] = {"patron": "p-8", "table": "BJ-02", "at": at(-30).isoformat()}
    amended = {"event": "rating.amended", "step": "desk/2", "amends": "desk/1", "reason": "another", "values": said}
    figures = ("rating", "patron", "table", "opened_at", "by")
    say(books, "rating.recorded", opening("pit-1", "p-7", 10) | amended)
    [row] = rows_of(report(books, "ratings"), "open")
    assert ("pit-1", "p-8", "BJ-02", at(-30).isoformat(), "floor.fay") == names(row, *figures)
    moved = {"event": "rating.moved", "step": "desk/3", "table": "BJ-03", "values": {"seat": 1}}
    say(books, "rating.recorded", opening("pit-1", "p-8", 20) | moved)
    [row] = rows_of(report(books, "ratings"), "open")
    assert ("pit-1", "p-8", "BJ-03", at(-30).isoformat(), "floor.fay") == names(row, *figures)
    for table, found in (("BJ-01", []), ("BJ-02", []), ("BJ-03", ["pit-1"])):
        assert found == [row["rating"] for row in rows_of(report(books, "ratings", f"&table={table}"), "open")]


def test_a_closing_whose_void_was_overruled_stands(books: Books) -> None:
    """A system takes back no supervisor's word: the rating is in one section, not in both."""
    said = {"rating": "R-1", "values": {}}
    say(books, "rating.recorded", opening("R-1", "p-9", 0) | {"step": "BJ-01/1"})
    closed = {"event": "rating.closed", "step": "BJ-01/2"}
    say(books, "rating.recorded", opening("R-1", "p-9", 30) | said | closed)
    word: dict[str, Any] = {"event": "rating.amended", "amends": "BJ-01/2", "reason": "said wrongly"}
    right = {"step": "desk/1", "by": "floor.sup", "values": {"at": at(25).isoformat()}}
    say(books, "rating.recorded", opening("R-1", "p-9", 40) | word | right)
    void = {"step": "BJ-01/3", "by": "casino-management", "values": None}
    say(books, "rating.recorded", opening("R-1", "p-9", 50) | word | void)
    say(books, "rating.stated", rating("R-1", span(0, 25), patron="p-9", problems=["overruled"]))
    found = report(books, "ratings")
    assert (["R-1"], []) == tuple([row["rating"] for row in rows_of(found, name)] for name in ("ratings", "open"))


def test_a_rating_that_changes_after_the_seal_restates_the_reports_of_ratings_alone(
    books: Books, tmp_path: Path
) -> None:
    """With the step that did it, who said it and why; it moves no money, so the day's other reports stay final."""

    def deliver() -> int:
        wanted = wanted_reports("ratings:csv,master-game:csv")
        context = replace(books.desk.context, behind=lambda: {("ratings", 0): 0.0})
        books.desk.client.run(PROGRESS.note(context))
        return books.desk.client.run(deliver_sealed(context, str(tmp_path), wanted, SIGNER))

    say(books, "rating.stated", rating("pit-1", span(0, 60)))
    for status in ("preliminary", "final"):
        books.close(status, seconds=600)
    assert ("final", 1) == names(report(books, "ratings"), "stage", "version")
    assert [1, 0] == [deliver(), deliver()]
    right = opening("pit-1", "p-7", 180) | {"event": "rating.amended", "step": "desk/3", "amends": "desk/2"}
    right |= {"values": {"at": at(30).isoformat()}, "reason": "left earlier", "by": "floor.sup"}
    say(books, "rating.recorded", right | {"gaming_day": "2026-11-21"}, minutes=30)
    say(books, "rating.stated", rating("pit-1", span(0, 30), revision=2), minutes=31)
    for name in ("ratings", "ratings-against-rounds"):
        found = report(books, name)
        assert ("restated", 2) == names(found, "stage", "version")
        assert [
            (2, "rating.recorded", "floor.sup", "left earlier"),
            (2, "rating.stated", "", ""),
        ] == [names(row, "version", "kind", "who", "why") for row in rows_of(found, "restatements")]
    assert ("final", 1) == names(books.report("master-game"), "stage", "version")
    assert [] == [one for one in books.exceptions() if one["kind"] == "restated"]
    assert [1, 0] == [deliver(), deliver()]
    assert {"ratings-v1", "ratings-v2", "master-game-v1"} == {
        path.name.partition("-2026")[0] for path in (tmp_path / "riverside" / DAY).iterdir()
    }


def test_a_rating_that_contradicts_itself_since_it_was_closed_is_listed_with_why(books: Books) -> None:
    """Not silently gone: it was amended to before the property existed, say."""
    say(books, "rating.recorded", opening("pit-1", "p-7", 0))
    later = opening("pit-1", "p-7", 9) | {"event": "rating.closed", "step": "desk/2", "values": {}}
    say(books, "rating.recorded", later)
    say(books, "rating.stated", rating("pit-1", span(0, 9)))
    back = {"property": "riverside", "rating": "pit-1", "revision": 2, "gaming_day": DAY, "patron": "p-7"}
    say(books, "rating.stated", back | {"problems": ["no_property"]})
    found = report(books, "ratings")
    assert [] == rows_of(found, "ratings")
    assert [("pit-1", "p-7", "no_property")] == [
        names(row, "rating", "patron", "problems") for row in rows_of(found, "open")
    ]


def play(
    books: Books,
    number: int,
    minutes: float,
    *staked: tuple[str, int, int],
    main: int = 0,
    main_wager: str = "blackjack",
    **where: Any,
) -> None:
    """A round in which accounts wagered on the side bet: (account, stake, payout); the first also lost `main`."""
    lines: list[dict[str, Any]] = []
    funded: list[dict[str, Any]] = []
    for seat, (account, stake, payout) in enumerate(staked, start=1):
        for wager, cents, won in (("royal_match_21", stake, payout), (main_wager, main if seat == 1 else 0, 0)):
            if not cents:
                continue
            back = cents if won else 0
            said = {"seat": seat, "wager": wager, "outcome": "win" if won else "lose", "stake": cents, "payout": won}
            lines.append(said | {"stake_returned": back, "from_meter": 0, "paid_by": "house"})
            credit = {"account": account, "seat": seat, "wager": wager, "staked_cents": cents}
            funded.append(credit | {"credited_cents": won + back})
    totals = []
    for wager in dict.fromkeys(line["wager"] for line in lines):
        of = [line for line in lines if line["wager"] == wager]
        handle, paid = (sum(line[name] for line in of) for name in ("stake", "payout"))
        back = sum(line["stake_returned"] for line in of)
        totals.append(total(wager, handle=handle, payout=paid + back) | {"account_staked_cents": handle})
    more = {"lines": lines, "account_credits": funded, "closed_at": at(minutes).isoformat()} | where
    table = more.pop("table", "BJ-01")
    books.publish(books.posted(number, table, totals, **more))


def open_accounts(books: Books, *accounts: tuple[str, str]) -> None:
    """Open accounts, each of a patron."""
    for number, (account, patron) in enumerate(accounts, start=1):
        said = {"property": "riverside", "by": "cage.ann", "account": account, "table": "BJ-01", "patron": patron}
        opened = published("account.opened", said, service="wagering-accounts", sequence=number, at=NOON)
        books.desk.feed("accounts", opened)


def edge(wager: str = "royal_match_21") -> HouseEdge:
    """The exact edge of the side bet, or that of another wager, counted here."""
    data = submission(1, property="riverside", version=1, submission={"decks": 6} | RULES)["data"]
    [found] = [one for one in edges_of(SubmissionApproved.model_validate(data)) if one.wager == wager]
    return found


def random_day(chance: Random) -> Iterator[tuple[float, str, str, int]]:
    """Rounds of a day: minute, table, patron, stake."""
    for _ in range(12):
        patron = chance.choice(("p-1", "p-2"))
        yield chance.uniform(0, 120), chance.choice(("BJ-01", "BJ-02")), patron, chance.randrange(100, 90_000)


def test_the_theoretical_win_of_rounds_is_the_sum_over_wagers_of_stake_and_exact_edge(books: Books) -> None:
    """To the cent on random days, within each rating's tables and times, and outside; the rest is difference."""
    under = books.submit(**RULES)
    exact = edge().house_edge
    assert exact is not None
    open_accounts(books, ("ga-1", "p-1"), ("ga-2", "p-2"))
    spans = {
        "pit-1": ("p-1", [span(10, 40), span(50, 90, "BJ-02")]),
        "pit-2": ("p-1", [span(95, 110)]),
        "pit-3": ("p-2", [span(0, 100, "BJ-02")]),
    }
    for name, (patron, listed) in spans.items():
        say(books, "rating.stated", rating(name, *listed, patron=patron))
    rated: dict[str, int] = dict.fromkeys(spans, 0)
    unrated = {"p-1": 0, "p-2": 0}
    number = 0
    for seed in _SEEDS:
        for minute, table, patron, stake in random_day(Random(seed)):
            number += 1
            account = {"p-1": "ga-1", "p-2": "ga-2"}[patron]
            play(books, number, minute, (account, stake, 0), table=table, submission=under)
            covering = [
                name
                for name, (whose, listed) in spans.items()
                if whose == patron
                and any(
                    one["table"] == table and one["begins"] < at(minute).isoformat() <= one["ends"] for one in listed
                )
            ]
            for name in covering:
                rated[name] += stake
            unrated[patron] += 0 if covering else stake
    found = report(books, "ratings-against-rounds")
    sessions = {row["rating"]: row for row in rows_of(found, "sessions")}
    for name, handle in rated.items():
        row, theoretical = sessions[name], round(handle * exact)
        assert (handle, theoretical) == names(row, "handle_cents", "theoretical_win_cents")
        assert row["rated_win_cents"] - theoretical == row["difference_cents"]
    patrons = {row["patron"]: row for row in rows_of(found, "patrons")}
    for patron, handle in unrated.items():
        assert (handle, round(handle * exact)) == names(patrons[patron], "unrated_handle_cents", "unrated_win_cents")
    both = round((rated["pit-1"] + rated["pit-2"]) * exact)
    assert (2, both) == names(patrons["p-1"], "ratings", "theoretical_win_cents")
    entries = books.get(books.path("ratings-against-rounds/entries", "&cell=sessions/pit-3/handle_cents"), person=CLERK)
    assert {"round-settlement"} == {one["service"] for one in entries.json()["entries"]}


def test_the_theoretical_win_of_a_main_wager_is_that_of_its_best_play(books: Books) -> None:
    """Counted by a model, with its error; what deviates by chance is known of the exact wagers alone."""
    under = books.submit(**RULES)
    main, exact = edge("blackjack"), edge().house_edge
    assert main.house_edge is not None
    assert exact is not None
    open_accounts(books, ("ga-1", "p-1"))
    say(books, "rating.stated", rating("pit-1", span(0, 60), patron="p-1"))
    play(books, 1, 5, ("ga-1", 70_000, 0), submission=under, main=80_000_000)
    [session] = rows_of(report(books, "ratings-against-rounds"), "sessions")
    theoretical = round(80_000_000 * main.house_edge + 70_000 * exact)
    assert (theoretical, round(80_000_000 * main.standard_error), None, "0.00", None) == names(
        session,
        *("theoretical_win_cents", "theoretical_error_cents", "without_house_edge", "without_edge_percent"),
        "deviation_cents",
    )
    assert session["rated_win_cents"] - theoretical == session["difference_cents"]


def test_a_wager_without_a_house_edge_is_named_with_its_share_of_the_handle(books: Books) -> None:
    """On random days of a side bet with a wager that nobody counted: the rest is exact to the cent."""
    under, uncounted = books.submit(**RULES), {"main_wager": "unheard_of"}
    exact = edge().house_edge
    assert exact is not None
    open_accounts(books, ("ga-1", "p-1"), ("ga-2", "p-2"))
    say(books, "rating.stated", rating("pit-1", span(0, 60), patron="p-1"))
    main = side = unrated_main = unrated_side = 0
    for number, seed in enumerate(range(8), start=1):
        chance = Random(seed)
        minute, stakes = chance.uniform(0, 120), (chance.randrange(500, 90_000), chance.randrange(100, 9_000))
        play(books, number, minute, ("ga-1", stakes[1], 0), submission=under, main=stakes[0], **uncounted)
        if at(minute) <= at(60):
            main, side = main + stakes[0], side + stakes[1]
        else:
            unrated_main, unrated_side = unrated_main + stakes[0], unrated_side + stakes[1]
    assert min(main, side, unrated_main, unrated_side) > 0
    play(books, 9, 130, ("ga-2", 0, 0), submission=under, main=700, **uncounted)
    found = report(books, "ratings-against-rounds")
    [session] = rows_of(found, "sessions")
    columns = ("theoretical_win_cents", "without_house_edge", "without_edge_percent", "difference_cents")
    share = percent_of(main, main + side)
    assert (main + side, round(side * exact), f"unheard_of ({share}%)", share, None) == names(
        session, "handle_cents", *columns
    )
    patrons = {row["patron"]: row for row in rows_of(found, "patrons")}
    not_rated = ("unrated_handle_cents", "unrated_win_cents", "unrated_without_edge_percent")
    share = percent_of(unrated_main, unrated_main + unrated_side)
    assert (unrated_main + unrated_side, round(unrated_side * exact), share) == names(patrons["p-1"], *not_rated)
    assert (700, None, "100.00") == names(patrons["p-2"], *not_rated)


def test_play_of_a_patron_who_is_rated_twice_is_of_the_rating_that_began_last(books: Books) -> None:
    """Also behind a border of gaming days, at which the play of both is cut."""
    under = books.submit(**RULES)
    open_accounts(books, ("ga-1", "p-1"))
    say(books, "rating.stated", rating("pit-9", span(0, 60), span(60, 120), patron="p-1"))
    say(books, "rating.stated", rating("pit-2", span(30, 60), span(60, 90), patron="p-1"))
    for number, minutes in enumerate((10, 40, 70, 100), start=1):
        play(books, number, minutes, ("ga-1", 10**number, 0), submission=under)
    found = rows_of(report(books, "ratings-against-rounds"), "sessions")
    assert {"pit-9": 10_010, "pit-2": 1_100} == {row["rating"]: row["handle_cents"] for row in found}


def test_a_rating_at_a_counted_table_stands_without_settled_figures(books: Books) -> None:
    """It was not compared with nothing; one that was there in part has what was settled, and no difference."""
    under = books.submit(**RULES)
    open_accounts(books, ("ga-1", "p-1"))
    counted = span(0, 60, "CR-01", counted=True)
    say(books, "rating.stated", rating("pit-1", counted, patron="p-0"))
    say(books, "rating.stated", rating("pit-2", counted, span(60, 90), patron="p-1"))
    say(books, "rating.stated", rating("pit-3", span(100, 130), patron="p-1"))
    play(books, 1, 70, ("ga-1", 100_00, 0), submission=under)
    play(books, 2, 110, ("ga-1", 100_00, 0), submission=under)
    found = report(books, "ratings-against-rounds")
    settled = ("rounds", "handle_cents", "bet_cents", "win_cents", "theoretical_win_cents", "theoretical_error_cents")
    cells = ("rated_win_cents", *settled, "deviation_cents", "difference_cents")
    rows = {row["rating"]: row for row in rows_of(found, "sessions")}
    patrons = {row["patron"]: row for row in rows_of(found, "patrons")}
    assert (37_50, *[None] * 8) == names(rows["pit-1"], *cells) == names(patrons["p-0"], *cells)
    won = round(100_00 * (edge().house_edge or 0))
    columns = ("rated_win_cents", "handle_cents", "theoretical_win_cents", "difference_cents")
    assert (56_25, 100_00, won, None) == names(rows["pit-2"], *columns)
    assert (18_75, 100_00, won, 18_75 - won) == names(rows["pit-3"], *columns)
    assert (75_00, 200_00, round(200_00 * (edge().house_edge or 0)), None) == names(patrons["p-1"], *columns)


def test_a_rating_that_goes_on_after_the_end_of_the_day_has_the_rounds_of_the_next_one(books: Books) -> None:
    """They are in the time of the rating; what is played outside of it then is of the next day's report."""
    under = books.submit(**RULES)
    open_accounts(books, ("ga-1", "p-1"))
    say(books, "rating.stated", rating("pit-1", span(0, 1200), patron="p-1"))
    play(books, 1, 10, ("ga-1", 100, 0), submission=under)
    play(books, 2, 1190, ("ga-1", 700, 0), submission=under, gaming_day="2026-11-21")
    play(books, 3, 1210, ("ga-1", 9_000, 0), submission=under, gaming_day="2026-11-21")
    found = report(books, "ratings-against-rounds")
    [session], [patron] = rows_of(found, "sessions"), rows_of(found, "patrons")
    assert (800, 2, 400) == names(session, "handle_cents", "rounds", "bet_cents")
    assert (800, 0) == names(patron, "handle_cents", "unrated_handle_cents")
