"""All that is wrong with a submission as it is filed, at once, each with its place and paragraph."""

from typing import Any

import pytest

from shared.rules import check_submission, compile_rules, parse_submission

NEW = "pa-633a-2024"
BOUNTY = "kings_bounty"
TWENTY = "twenty_point_bonus"


def found(regulation: str, **selected: Any) -> list[tuple[str, str | None]]:
    """The places and paragraphs of what is wrong."""
    return [(one.pointer, one.paragraph) for one in check_submission(regulation, parse_submission(selected))]


def limits(regulation: str, **selected: Any) -> list[str]:
    """What is wrong with the payout limit, in words."""
    findings = check_submission(regulation, parse_submission(selected))
    return [one.detail for one in findings if one.pointer == "/payout_limit"]


def test_everything_that_is_wrong_is_found_at_once() -> None:
    """Decks, options, wagers, paytables, meters and the limit: nobody files nine times to hear of nine mistakes."""
    meter = {"rate": "0.20", "reset": 499999, "reserve_rate": "0.1"}
    assert [
        ("/decks", "§ 633a.3(a)"),
        ("/options/hit_soft_17", "§ 633a.6(e)"),
        ("/options/resplits", "§ 633a.11(c)"),
        ("/payout_limit", "§ 633a.13(o)"),
        ("/wagers/perfect_pairs", "§ 633a.6(e)"),
        ("/wagers/royal_match_21/paytable", "§ 633a.13(f)(1)"),
        ("/wagers/super_match", "§ 633a.6(e)(7)"),
        ("/wagers/bad_beat_progressive/any_20", "§ 633a.7(o)(1)(i)"),
        ("/wagers/bad_beat_progressive/meter/reserve_rate", "§ 633a.13(j)(2)"),
        ("/wagers/bad_beat_progressive/meter/reset", "§ 633a.13(j)(2)"),
    ] == found(
        NEW,
        options={"hit_soft_17": True, "resplits": -1},
        payout_limit=2_499_999,
        wagers={
            "perfect_pairs": {},
            "royal_match_21": {"paytable": "Z"},
            "super_match": {},
            "bad_beat_progressive": {"meter": meter, "any_20": "yes"},
        },
    )


def test_what_depends_on_wrong_decks_is_not_guessed() -> None:
    """A paytable that is right for some number of decks is not wrong for an unknown one."""
    assert [("/decks", "§ 633a.3(a)")] == found(NEW, wagers={"royal_match_21": {"paytable": "C"}})


def test_an_unknown_regulation_is_one_finding() -> None:
    """It names those that there are."""
    [one] = check_submission("xx-1", parse_submission({}))
    assert ("/regulation", True) == (one.pointer, "pa-633a-2024" in one.detail)


@pytest.mark.parametrize(
    ("regulation", "paragraph"),
    [
        ("pa-645a-2011", "§ 645a.11(c)"),
        ("pa-688a", "§ 688a.11(c)"),
        ("ri-pai-gow", "R.I. Table Game Rules § 6(l)(2)"),
    ],
)
def test_a_house_way_is_filed_where_the_text_demands_it(regulation: str, paragraph: str) -> None:
    """Rounds settle without it; a submission without it is not complete."""
    needed = {"main_payout": "1 to 1"} if regulation == "ri-pai-gow" else {}
    assert ("/options/house_way", paragraph) in found(regulation, options=needed)
    compile_rules(regulation, parse_submission({"options": needed}))
    assert [] == found(regulation, options=needed | {"house_way": "standard"})
    assert [("/options/house_way", paragraph)] == found(regulation, options=needed | {"house_way": "pair: low"})


@pytest.mark.parametrize(
    ("decks", "boxes", "most", "won"),
    [
        (2, 7, 10_000, 20_000_000),  # one pair of each card, both of them at most $100
        (6, 1, 10_000, 10_000_000),
        (6, 7, 1_000, 6_000_000),
        (8, 7, 1_000, 7_000_000),
    ],
)
def test_the_least_payout_limit_of_blackjack_is_what_one_patron_could_win(
    decks: int, boxes: int, most: int, won: int
) -> None:
    """At 1000 to 1 on each pair that the decks hold, in the boxes of one patron, § 633a.13(o)."""
    selected = {
        "decks": decks,
        "options": {"adjacent_boxes": boxes},
        "wagers": {BOUNTY: {}, TWENTY: {}},
        "bets": {BOUNTY: {"most": most}, TWENTY: {"most": most}},
    }
    assert [] == limits(NEW, **selected, payout_limit=won)
    [said] = limits(NEW, **selected, payout_limit=won - 1)
    assert f"{won}, what one patron could win in a round when betting the maximum" in said


def test_without_a_payout_limit_or_bets_nothing_is_computed() -> None:
    """The licensee need not limit payouts; and what may be wagered is for the submission to say."""
    wagers: dict[str, Any] = {BOUNTY: {}}
    assert [] == limits(NEW, decks=6, wagers=wagers, bets={BOUNTY: {"most": 10_000_000}})
    assert [] == limits(NEW, decks=6, wagers=wagers, payout_limit=2_500_000)


def test_the_least_payout_limit_of_hands_is_of_the_least_bets() -> None:
    """Every wager of a hand wins its best row, § 645a.13(f), § 647a.12(c)."""
    way = {"house_way": "standard"}
    fortune = {"options": way, "wagers": {"fortune_bonus": {"paytable": "A"}}}
    assert [] == limits("pa-645a-2011", **fortune, bets={"fortune_bonus": {"least": 625}}, payout_limit=5_000_000)
    [said] = limits("pa-645a-2011", **fortune, bets={"fortune_bonus": {"least": 626}}, payout_limit=5_000_000)
    assert "5008000, what one patron could win in a round when betting the minimum" in said
    holdem = {"options": {"ante_pays_on": "flush"}, "wagers": {"texas_holdem_bonus": {"paytable": "A"}}}
    bets = {name: {"least": cents} for name, cents in (("ante", 5000), ("flop", 10000), ("texas_holdem_bonus", 5000))}
    [said] = limits("pa-647a", **holdem, bets=bets)
    assert "5015000" in said, "the limit of the text holds where none is filed"


def test_bets_are_of_wagers_on_offer_and_in_order() -> None:
    """The most is no less than the least, and the least no less than the text allows."""
    assert [("/bets/kings_bounty", "§ 633a.6(e)"), ("/bets/blackjack/most", "§ 633a.6(d)")] == found(
        NEW, decks=6, bets={BOUNTY: {"least": 100}, "blackjack": {"least": 500, "most": 400}}
    )
