"""A rules submission selects from the catalogue."""

from fractions import Fraction
from typing import Any

import pytest

from shared.rules import Refused, catalogue, compile_rules, parse_submission, validate_submission
from shared.rules.submission import Selection, select

NEW, OLD = "pa-633a-2024", "pa-633a-2011"
METER = {"rate": "0.20", "reset": 500000}


def selection(document: dict[str, Any], regulation: str = NEW) -> Selection:
    """Resolve a submission document."""
    return select(catalogue(regulation), parse_submission(document))


def test_defaults_are_filled_in() -> None:
    """What the submission does not state has the default of the catalogue."""
    options = selection({"decks": 6}).options
    assert {
        "switch": False,
        "dealt_from_hand": False,
        "even_money": False,
        "resplits": 0,
        "chip_unit": 1,
        "adjacent_boxes": None,
    } == options
    house_money = selection({"decks": 6, "wagers": {"house_money": {}}}).offers["house_money"]
    assert {"portion": Fraction(1)} == house_money.options


def test_main_wager_and_insurance_are_always_offered() -> None:
    """They need no entry in the submission."""
    assert {"blackjack", "insurance"} == set(selection({"decks": 1}).offers)


@pytest.mark.parametrize(
    ("decks", "selected", "paragraph"),
    [
        (1, "A", "§ 633a.13(g)(1)"),
        (1, None, "§ 633a.13(g)(1)"),
        (2, "B", "§ 633a.13(g)(2)"),
        (4, "C", "§ 633a.13(g)(3)"),
        (8, "D", "§ 633a.13(g)(3)"),
    ],
)
def test_a_paytable_is_selected_for_the_decks(decks: int, selected: str | None, paragraph: str) -> None:
    """Bet the Set 21 has a paytable for one, two, and four or more decks; a single choice need not be named."""
    entry = {} if selected is None else {"paytable": selected}
    offer = selection({"decks": decks, "wagers": {"bet_the_set_21": entry}}).offers["bet_the_set_21"]
    assert paragraph == offer.paytable.paragraph


@pytest.mark.parametrize(("decks", "paragraph"), [(6, "§ 633a.13(d)(1)"), (8, "§ 633a.13(d)(2)")])
def test_a_paytable_without_a_choice_follows_the_decks(decks: int, paragraph: str) -> None:
    """Match-the-Dealer has one paytable for six and one for eight decks."""
    offer = selection({"decks": decks, "wagers": {"match_the_dealer": {}}}).offers["match_the_dealer"]
    assert paragraph == offer.paytable.paragraph


@pytest.mark.parametrize(
    ("document", "message", "paragraph"),
    [
        ({}, "'decks' is missing", "§ 633a.3(a)"),
        ({"options": {"hit_soft_17": True}}, "option 'hit_soft_17' does not exist", "§ 633a.6(e)"),
        ({"options": {"switch": 1}}, "option 'switch' 1: must be true or false", "§ 633a.12(a)"),
        ({"options": {"resplits": -1}}, "option 'resplits' -1: at least 0", "§ 633a.11(c)"),
        ({"options": {"resplits": True}}, "option 'resplits' True: must be a whole number", "§ 633a.11(c)"),
        ({"options": {"resplits": "2"}}, "option 'resplits' '2': must be a whole number", "§ 633a.11(c)"),
        ({"options": {"chip_unit": 0}}, "option 'chip_unit' 0: at least 1", "§ 633a.8(b)"),
        ({"options": {"adjacent_boxes": 8}}, "option 'adjacent_boxes' 8: at most 7", "§ 633a.6(f)"),
        ({"options": {"dealt_from_hand": True}}, "allows 2 decks at most, not 6", "§ 633a.12(b)(1)"),
        ({"payout_limit": 2499999}, "'payout_limit' 2499999 is below the least limit 2500000", "§ 633a.13(o)"),
        ({"wagers": {"perfect_pairs": {}}}, "wager 'perfect_pairs' is not an optional wager", "§ 633a.6(e)"),
        ({"wagers": {"blackjack": {}}}, "wager 'blackjack' is not an optional wager", "§ 633a.6(e)"),
        ({"wagers": {"insurance": {}}}, "wager 'insurance' is not an optional wager", "§ 633a.6(e)"),
        ({"wagers": {"super_match": {}}}, "needs option 'switch'", "§ 633a.6(e)(7)"),
        ({"wagers": {"royal_match_21": {}}}, "'paytable' is missing; select one of C, D, E", "§ 633a.13(f)(2)"),
        ({"wagers": {"royal_match_21": {"paytable": "F"}}}, "has no paytable 'F'; there are: A, B", "§ 633a.13(f)(1)"),
        ({"wagers": {"royal_match_21": {"paytable": "B"}}}, "paytable B is for 1 deck, not for 6", "§ 633a.13(f)(1)"),
        ({"wagers": {"kings_bounty": {"paytable": "A"}}}, "has no paytable 'A'; there are: none", "§ 633a.13(h)"),
        ({"wagers": {"kings_bounty": {"magic_card": True}}}, "option 'magic_card' does not exist", "§ 633a.6(e)(6)"),
        ({"wagers": {"kings_bounty": {"meter": METER}}}, "has no progressive meter", "§ 633a.6(e)(6)"),
        ({"wagers": {"three_card_poker": {}}}, "select one of A, B", "§ 633a.13(k)"),
        ({"wagers": {"bet_the_set_21": {"paytable": "B"}}}, "paytable B is for 2 decks", "§ 633a.13(g)(2)"),
        ({"wagers": {"bad_beat_progressive": {}}}, "'meter' with its rate and reset", "§ 633a.13(j)(2)"),
        (
            {"wagers": {"bad_beat_progressive": {"meter": METER | {"reset": 499999}}}},
            "'reset' 499999 is below the least reset amount 500000",
            "§ 633a.13(j)(2)",
        ),
        (
            {"wagers": {"hit_and_run_progressive": {"meter": METER | {"reset": 99999}}}},
            "below the least reset amount 100000",
            "§ 633a.13(l)(2)",
        ),
        (
            {"wagers": {"straight_jack_progressive": {"meter": METER | {"reset": 499999}}}},
            "below the least reset amount 500000",
            "§ 633a.13(m)(2)",
        ),
        (
            {"wagers": {"hit_and_run_progressive": {"meter": METER | {"reserve_rate": "0.1"}}}},
            "'reserve_rate' '0.1'",
            "§ 633a.13(l)(2)",
        ),
        (
            {"wagers": {"bad_beat_progressive": {"meter": METER, "any_20": "yes"}}},
            "option 'any_20' 'yes': must be true or false",
            "§ 633a.7(o)(1)(i)",
        ),
        ({"wagers": {"house_money": {"portion": "0"}}}, "option 'portion' '0': must be", "§ 633a.7(g)(10)(ii)(A)"),
        ({"wagers": {"house_money": {"portion": "1.5"}}}, "option 'portion' '1.5'", "§ 633a.7(g)(10)(ii)(A)"),
        ({"wagers": {"house_money": {"portion": "½"}}}, "option 'portion' '½'", "§ 633a.7(g)(10)(ii)(A)"),
        ({"wagers": {"house_money": {"portion": "0."}}}, "option 'portion' '0.'", "§ 633a.7(g)(10)(ii)(A)"),
        ({"wagers": {"house_money": {"portion": 1}}}, "option 'portion' 1", "§ 633a.7(g)(10)(ii)(A)"),
    ],
)
def test_what_the_text_does_not_allow_is_refused(document: dict[str, Any], message: str, paragraph: str) -> None:
    """The refusal names the value and the paragraph, and what there is to select."""
    decks = {} if document == {} else {"decks": 6}
    with pytest.raises(Refused) as refusal:
        validate_submission(NEW, parse_submission(decks | document))
    assert message in str(refusal.value)
    assert paragraph == refusal.value.paragraph


@pytest.mark.parametrize(
    "document",
    [
        {"options": {"even_money": True}},
        {"wagers": {"house_money": {}}},
        {"wagers": {"three_card_poker": {"paytable": "A"}}},
        {"wagers": {"hit_and_run_progressive": {"meter": METER}}},
    ],
)
def test_the_text_of_2011_knows_less(document: dict[str, Any]) -> None:
    """What came later can be selected in 2024 only."""
    submission = parse_submission({"decks": 6} | document)
    validate_submission(NEW, submission)
    with pytest.raises(Refused, match=r"§ 633a\.6\(e\)"):
        validate_submission(OLD, submission)


def test_an_unknown_regulation_is_refused() -> None:
    """The message says which there are."""
    with pytest.raises(Refused, match="'pa-000' is not known; known are pa-633a-2011, pa-633a-2024"):
        compile_rules("pa-000", parse_submission({"decks": 6}))


def test_a_payout_limit_of_the_least_amount_is_allowed() -> None:
    """$25,000 is enough, also in the paragraph of 2011."""
    assert selection({"decks": 6, "payout_limit": 2500000}).payout_limit == 2500000
    with pytest.raises(Refused, match=r"§ 633a\.13\(j\)"):
        selection({"decks": 6, "payout_limit": 2499999}, OLD)
