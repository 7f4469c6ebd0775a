"""What differs between two submissions, in the words in which it is approved."""

from fractions import Fraction
from typing import Any

from shared.rules import catalogue, parse_submission
from shared.rules.comparison import counted_payback, differences
from shared.rules.record import Submission

NEW = "pa-633a-2024"


def told(old: dict[str, Any], new: dict[str, Any], regulation: str = NEW, **more: Any) -> list[str]:
    """What a later submission changes; nothing is counted unless asked for."""
    return differences(regulation, parse_submission(old), parse_submission(new), **{"payback": lambda *_: None, **more})


def test_nothing_differs_from_itself() -> None:
    """Also where a default is written out."""
    assert [] == told({"decks": 6}, {"decks": 6, "options": {"resplits": 0}})


def test_a_paytable_is_told_row_by_row() -> None:
    """What each hand paid before, those that pay as before too, and the payback of both."""
    paybacks = iter((Fraction(9232, 10000), Fraction(92264, 100000)))
    one, other = ({"wagers": {"fortune_bonus": {"paytable": name}}} for name in "AB")
    [line] = told(one, other, "pa-645a-2011", payback=lambda *_: next(paybacks))
    said = line.removeprefix("Fortune Bonus Wager: ").split("; ")
    assert "paytable A to B" == said[0]
    assert "seven card straight flush 5,000 to 1 (Envy Bonus $3,000), was 8,000 to 1 (Envy Bonus $5,000)" == said[1]
    assert "straight 2 to 1, unchanged" in said
    assert "payback 92.32% to 92.26%" == said[-1]


def test_rows_that_come_and_go_are_told() -> None:
    """A hand that one paytable pays and the other does not."""
    [line] = told(
        {"decks": 1, "wagers": {"royal_match_21": {"paytable": "A"}}},
        {"decks": 1, "wagers": {"royal_match_21": {"paytable": "B"}}},
    )
    rows = {row.category for table in catalogue(NEW).wagers["royal_match_21"].paytables[:2] for row in table.rows}
    assert all(row.replace("_", " ") in line for row in rows)


def test_wagers_options_decks_meters_and_limits_are_told() -> None:
    """Each in a line of its own, as the licensee and the patron call it."""
    meter = {"rate": "0.20", "reset": 500000}
    lines = told(
        {"decks": 6, "wagers": {"bad_beat_progressive": {"meter": meter}, "house_money": {}}},
        {
            "decks": 8,
            "options": {"even_money": True},
            "payout_limit": 2_500_000,
            "bets": {"kings_bounty": {"most": 2500}},
            "wagers": {"bad_beat_progressive": {"meter": meter | {"reset": 600000}}, "kings_bounty": {}},
        },
    )
    assert [
        "decks: 6 to 8",
        "option even money: no to yes",
        "payout limit: none to $25,000",
        "King’s Bounty: most wager: none to $25",
        "Bad Beat Progressive: meter's reset: $5,000 to $6,000",
        "House Money: dropped",
        "King’s Bounty: added",
    ] == [line.replace("'s Bounty", "’s Bounty") for line in lines]


def test_a_draft_that_no_catalogue_allows_is_compared_as_it_is_written() -> None:
    """Whoever mends it sees what changed."""
    assert ["decks: none to 6", "royal match 21: paytable: Z to C"] == [
        line.replace("Royal Match 21", "royal match 21")
        for line in told(
            {"wagers": {"royal_match_21": {"paytable": "Z"}}},
            {"decks": 6, "wagers": {"royal_match_21": {"paytable": "C"}}},
        )
    ]


def test_the_payback_is_counted_where_the_cards_decide() -> None:
    """Match-the-Dealer follows the decks; the Blackjack Wager hangs on how hands are played."""
    submission: Submission = parse_submission({"decks": 6, "wagers": {"match_the_dealer": {}}})
    assert Fraction(9, 10) < (counted_payback(NEW, "match_the_dealer", submission) or 0) < 1
    assert counted_payback(NEW, "blackjack", submission) is None
    decks, _, line = told(
        {"decks": 6, "wagers": {"match_the_dealer": {}}},
        {"decks": 8, "wagers": {"match_the_dealer": {}}},
        payback=counted_payback,
    )
    assert "decks: 6 to 8" == decks
    assert "Match-the-Dealer" in line
    assert "; payback 9" in line


def test_a_payback_that_other_decks_change_is_told() -> None:
    """The paytable is the same, and not what comes back."""
    selected: dict[str, Any] = {"wagers": {"twenty_point_bonus": {}}}
    assert [
        "decks: 6 to 8",
        "Insurance Wager: payback 92.60% to 92.53%",
        "Lucky Ladies Twenty Point Bonus: payback 82.36% to 83.27%",
    ] == told({"decks": 6, **selected}, {"decks": 8, **selected}, payback=counted_payback)


def test_another_regulation_is_told_first() -> None:
    """The wagers of both are compared by name."""
    assert "regulation: pa-633a-2011 to pa-633a-2024" == told({"decks": 6}, {"decks": 6}, before="pa-633a-2011")[0]
