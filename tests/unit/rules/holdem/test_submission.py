"""What a licensee may select for Texas Hold 'Em Bonus Poker."""

import copy
from typing import Any

import pytest

from shared.rules import Refused, catalogue, parse_submission, validate_submission
from shared.rules.submission import select

METER = {"rate": "0.1", "reset": 1000000}
LEGAL: dict[str, Any] = {
    "options": {"ante_pays_on": "flush"},
    "wagers": {
        "texas_holdem_bonus": {"paytable": "B"},
        "progressive_payout": {"meter": METER},
        "five_card_hand_bonus": {"magic_card": True, "meter": METER},
    },
}


def changed(wager: str, **terms: Any) -> dict[str, Any]:
    """Return the legal submission with other terms of one wager."""
    submission = copy.deepcopy(LEGAL)
    submission["wagers"][wager] = {name: value for name, value in terms.items() if value is not None}
    return submission


def test_what_is_left_out_has_its_default() -> None:
    """$50,000 is the payout limit where none is filed; bonuses are offered where they are selected."""
    selection = select(catalogue("pa-647a"), parse_submission(LEGAL))
    assert 5000000 == selection.payout_limit
    assert {"magic_card": True, "lucky_bonus": False} == selection.offers["five_card_hand_bonus"].options
    assert {"ante", "flop", "turn", "river", *LEGAL["wagers"]} == set(selection.offers)


@pytest.mark.parametrize("limit", [5000000, 10050000])
def test_a_limit_from_50000_dollars_may_be_filed(limit: int) -> None:
    """The greater of $50,000 and what the minimum wagers could win is accepted as filed."""
    assert limit == select(catalogue("pa-647a"), parse_submission(LEGAL | {"payout_limit": limit})).payout_limit


@pytest.mark.parametrize(
    ("submission", "reason", "paragraph"),
    [
        (LEGAL | {"options": {}}, "'ante_pays_on' is missing: select straight or flush", "§ 647a.2(b)(9)(i)"),
        (LEGAL | {"options": {"ante_pays_on": "pair"}}, "'ante_pays_on' 'pair'", "§ 647a.2(b)(9)(i)"),
        (LEGAL | {"options": {"ante_pays_on": "straight", "banking": True}}, "'banking' does not exist", "§ 647a.7(d)"),
        (LEGAL | {"payout_limit": 4999999}, "'payout_limit' 4999999 is below", "§ 647a.12(c)"),
        (LEGAL | {"decks": 3}, "'decks' 3", "§ 647a.3(b)"),
        (LEGAL | {"wagers": {"trips_bonus": {}}}, "'trips_bonus' is not an optional wager", "§ 647a.7(d)"),
        (LEGAL | {"wagers": {"five_card_hand_bonus_dealer": {"meter": METER}}}, "not an optional", "§ 647a.7(d)"),
        (changed("texas_holdem_bonus"), "'paytable' is missing; select one of A, B", "§ 647a.12(b)"),
        (changed("texas_holdem_bonus", paytable="C"), "no paytable 'C'", "§ 647a.12(b)"),
        (changed("texas_holdem_bonus", paytable="A", meter=METER), "no progressive meter", "§ 647a.7(d)(2)"),
        (changed("progressive_payout"), "'meter' with its rate and reset amount is missing", "§ 647a.12(d)(3)"),
        (changed("progressive_payout", meter=METER | {"reset": 999999}), "'reset' 999999", "§ 647a.12(d)(3)"),
        (changed("progressive_payout", meter=METER | {"reserve_rate": "0.1"}), "'reserve_rate'", "§ 647a.12(d)(3)"),
        (changed("progressive_payout", meter=METER, paytable="A"), "no paytable 'A'", "§ 647a.12(d)(1)"),
        (changed("progressive_payout", meter=METER, magic_card=True), "'magic_card' does not exist", "§ 647a.7(d)(3)"),
        (changed("five_card_hand_bonus", magic_card=True), "'meter' with its rate", "§ 647a.12(e)(4)"),
        (changed("five_card_hand_bonus", meter=METER | {"reset": 1}), "'reset' 1 is below", "§ 647a.12(e)(4)"),
        (changed("five_card_hand_bonus", meter=METER, magic_card="yes"), "'magic_card' 'yes'", "§ 647a.12(e)(3)"),
    ],
)
def test_what_the_text_does_not_allow_is_refused(submission: dict[str, Any], reason: str, paragraph: str) -> None:
    """The refusal names the value and the paragraph."""
    with pytest.raises(Refused) as refusal:
        validate_submission("pa-647a", parse_submission(submission))
    assert reason in refusal.value.reason
    assert paragraph == refusal.value.paragraph
