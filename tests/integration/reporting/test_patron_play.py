"""The play of patrons on a real database: wagers from accounts go in, theoretical win by patron comes out."""

from datetime import timedelta
from fractions import Fraction
from random import Random
from typing import Any, Final

from services.reporting.domain.house_edges import HouseEdge, edges_of
from shared.contracts.submissions import SubmissionApproved
from tests.support.published import published
from tests.support.reporting import Books, held, names, rows_of
from tests.support.rounds import submission
from tests.unit.reporting.entries import NOON, total

CLERK: Final = "cage.lou"
_SEEDS: Final = range(3)


def _line(seat: int, wager: str, stake: int, payout: int = 0) -> dict[str, Any]:
    said = {"seat": seat, "wager": wager, "outcome": "win" if payout else "lose", "stake": stake, "payout": payout}
    return said | {"stake_returned": stake if payout else 0, "from_meter": 0, "paid_by": "house"}


def _credits(account: str, *lines: dict[str, Any], sign: int = 1) -> list[dict[str, Any]]:
    """What the wagers of these lines did to an account that funded them."""
    return [
        {
            "account": account,
            "seat": line["seat"],
            "wager": line["wager"],
            "staked_cents": sign * line["stake"],
            "credited_cents": sign * (line["payout"] + line["stake_returned"]),
        }
        for line in lines
        if line["stake"]
    ]


def _totals(*lines: dict[str, Any], funded: int = 0) -> list[dict[str, Any]]:
    wagers = dict.fromkeys(line["wager"] for line in lines)
    found = []
    for wager in wagers:
        of = [line for line in lines if line["wager"] == wager]
        back = sum(line["payout"] + line["stake_returned"] for line in of)
        found.append(total(wager, handle=sum(line["stake"] for line in of), payout=back))
    found[0]["account_staked_cents"] = funded
    return found


def _open(books: Books, account: str, patron: str | None, number: int) -> None:
    opened = {"property": "riverside", "by": "cage.ann", "account": account, "table": "BJ-01", "patron": patron}
    said = {name: value for name, value in opened.items() if value is not None}
    at = NOON + timedelta(seconds=number)
    books.desk.feed("accounts", published("account.opened", said, service="wagering-accounts", sequence=number, at=at))


def _report(books: Books) -> dict[str, Any]:
    answer = books.get(books.path("patron-play"), person=CLERK)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


def test_who_may_not_read_of_persons_reads_nothing(books: Books) -> None:
    """The role of patron reports is asked for."""
    assert 403 == books.get(books.path("patron-play"), person="audit.kim").status_code


def test_the_play_of_a_patron_is_that_of_all_accounts(books: Books) -> None:
    """Two accounts of one patron, one of an unidentified person; chips at the same seat's other wager are of nobody."""
    for number, (account, patron) in enumerate((("ga-1", "p-7"), ("ga-2", "p-7"), ("ga-3", None)), 1):
        _open(books, account, patron, number)
    mine, chips = _line(1, "blackjack", 1_000, 1_000), _line(1, "royal_match_21", 500)
    other, third = _line(2, "blackjack", 3_000), _line(3, "blackjack", 700)
    funded = [*_credits("ga-1", mine), *_credits("ga-2", other), *_credits("ga-3", third)]
    lines = [mine, chips, other, third]
    books.publish(books.posted(1, "BJ-01", _totals(*lines, funded=4_700), lines=lines, account_credits=funded))
    report = _report(books)
    figures = ("patron", "account", "game", "rounds", "stakes", "handle_cents", "payout_cents", "win_cents")
    assert [
        ("p-7", None, "blackjack", 2, 2, 4_000, 2_000, 2_000),
        (None, "ga-3", "blackjack", 1, 1, 700, 0, 700),
    ] == [names(row, *figures) for row in rows_of(report, "patrons")]
    assert {"accounts and rounds": True} == held(report)


def test_what_is_taken_back_was_not_played(books: Books) -> None:
    """A reversed round takes the patron's play with it, bonus lines included."""
    _open(books, "ga-1", "p-7", 1)
    lines = [_line(1, "blackjack", 1_000), _line(1, "bonus", 0, 5_000)]
    books.publish(
        books.posted(
            1,
            "BJ-01",
            _totals(*lines, funded=1_000),
            round_id="r-1",
            lines=lines,
            account_credits=_credits("ga-1", *lines),
        )
    )
    [row] = rows_of(_report(books), "patrons")
    assert (1, 1_000, 5_000, -4_000) == names(row, "stakes", "handle_cents", "payout_cents", "win_cents")
    back = _credits("ga-1", *lines, sign=-1)
    totals = _totals(*lines, funded=1_000)
    books.publish(books.reversed(2, "BJ-01", totals, round_id="r-1", lines=lines, account_credits=back))
    report = _report(books)
    assert [] == rows_of(report, "patrons")
    assert {"accounts and rounds": True} == held(report)


def test_theoretical_win_is_the_sum_over_wagers_of_stake_and_exact_edge(books: Books) -> None:
    """On random days, to the cent, and so is the standard deviation; each counted here by itself."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    edge = _edge("royal_match_21", wagers={"royal_match_21": {"paytable": "D"}})
    assert edge.house_edge is not None
    assert edge.returns is not None
    staked: dict[str, list[int]] = {}
    number = 0
    for patron in ("p-1", "p-2", "p-3"):
        for account in (f"{patron}-a", f"{patron}-b"):
            number += 1
            _open(books, account, patron, number)
    for seed in _SEEDS:
        chance = Random(seed)
        for _ in range(10):
            number += 1
            lines, funded = [], []
            for seat, patron in enumerate(chance.sample(("p-1", "p-2", "p-3"), 2), 1):
                stake = chance.randrange(100, 100_000)
                line = _line(seat, "royal_match_21", stake, chance.choice((0, 0, 0, stake * 5 // 2)))
                staked.setdefault(patron, []).append(stake)
                lines.append(line)
                funded += _credits(f"{patron}-{chance.choice('ab')}", line)
            totals = _totals(*lines, funded=sum(line["stake"] for line in lines))
            books.publish(books.posted(number, "BJ-01", totals, lines=lines, account_credits=funded, submission=under))
    report = _report(books)
    found = {row["patron"]: row for row in rows_of(report, "patrons")}
    assert staked.keys() == found.keys()
    for patron, stakes in staked.items():
        theoretical = sum((Fraction(stake) * edge.house_edge for stake in stakes), Fraction(0))
        variance = sum(stake * stake for stake in stakes) * edge.returns.variance
        assert round(theoretical) == found[patron]["theoretical_win_cents"]
        assert abs(found[patron]["deviation_cents"] - float(variance) ** 0.5) <= 0.5
        assert found[patron]["without_house_edge"] is None
    assert {"accounts and rounds": True} == held(report)


def _edge(wager: str, **selected: Any) -> HouseEdge:
    data = submission(1, property="riverside", version=1, submission={"decks": 6} | selected)["data"]
    [found] = [edge for edge in edges_of(SubmissionApproved.model_validate(data)) if edge.wager == wager]
    return found
