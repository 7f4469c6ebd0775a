"""Refusals name seat, value and paragraph."""

import pickle
from typing import Any

import pytest

from shared.rules import Refused, parse_cases, parse_round, parse_submission

REGULATION = "pa-633a-2024"


def document(**changes: Any) -> dict[str, Any]:
    """Return a round document of one seat, with fields of the seat changed."""
    seat = {
        "seat": 3,
        "player": "p3",
        "wagers": {"blackjack": 1000},
        "dealt": ["Th", "9d"],
        "hands": [{"cards": ["Th", "9d"]}],
    }
    return {"seats": [seat | changes], "dealer": {"cards": ["7h", "Td"]}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"note": 1}, "seat 3: unknown field 'seats.0.note' (§ 633a.6(a))"),
        ({"wagers": {"blackjack": -5}}, "seat 3: 'seats.0.wagers.blackjack' -5: input should be greater than 0"),
        ({"wagers": {"blackjack": 0}}, "seat 3: 'seats.0.wagers.blackjack' 0: input should be greater than 0"),
        ({"wagers": {"blackjack": 10**13}}, "less than or equal to 1000000000000 (§ 633a.6(a))"),
        (
            {"wagers": {"blackjack": 10.5}},
            "seat 3: 'seats.0.wagers.blackjack' 10.5: write a whole number",
        ),
        (
            {"wagers": {"blackjack": 10.0}},
            "seat 3: 'seats.0.wagers.blackjack' 10.0: write a whole number",
        ),
        (
            {"wagers": {"blackjack": True}},
            "seat 3: 'seats.0.wagers.blackjack' True: write a whole number",
        ),
        (
            {"wagers": {"blackjack": "10"}},
            "seat 3: 'seats.0.wagers.blackjack' '10': write a whole number",
        ),
        ({"wagers": {"perfect_pairs": 5}}, "seat 3: 'seats.0.wagers.perfect_pairs' does not know 'perfect_pairs'"),
        (
            {"dealt": ["Th", "1d"]},
            "seat 3: 'seats.0.dealt.1' does not know '1d': a name such as",
        ),
        (
            {"dealt": [["Th", "9d"], ["As", "Jk"]]},
            "seat 3: 'seats.0.dealt.1.1' does not know 'Jk': a name such as",
        ),
        ({"hands": [{"cards": ["Th", 9]}]}, "seat 3: 'seats.0.hands.0.cards.1' does not know 9: a name such as"),
        ({"hands": [{"cards": ["Th"] * 23}]}, "should have at most 22 items"),
        ({"hands": [{}]}, "seat 3: field 'seats.0.hands.0.cards' is missing (§ 633a.3(a))"),
        ({"seat": 0}, "seat 0: 'seats.0.seat' 0: input should be greater than or equal to 1 (§ 633a.2(a))"),
        ({"seat": "3"}, "'seats.0.seat' '3': write a whole number"),
        ({"player": ""}, "seat 3: 'seats.0.player' '': string should have at least 1 character"),
        ({"house_money_added": -1}, "seat 3: 'seats.0.house_money_added' -1: input should be greater than or equal"),
    ],
)
def test_a_wrong_form_is_refused_with_seat_field_value_and_paragraph(changes: dict[str, Any], message: str) -> None:
    """The message says where, what and which paragraph."""
    with pytest.raises(Refused) as refusal:
        parse_round(REGULATION, document(**changes))
    assert message in str(refusal.value)
    assert (": write " in message) == (refusal.value.paragraph is None), "what has the wrong form breaks no rule"


@pytest.mark.parametrize("raw", [[], None, "round", 5, {"seats": None}, {"seats": {}}, {"seats": [5], "dealer": {}}])
def test_a_document_of_another_kind_is_refused(raw: Any) -> None:
    """Whatever arrives in place of a round record is refused, never an accident."""
    with pytest.raises(Refused):
        parse_round(REGULATION, raw)


def test_a_long_value_is_cut() -> None:
    """A message stays readable whatever somebody put into a field."""
    with pytest.raises(Refused) as refusal:
        parse_round(REGULATION, document(player=["x" * 5000]))
    assert len(str(refusal.value)) < 200


def test_a_number_without_end_is_refused() -> None:
    """Python cannot even write a number of 5,000 digits; it is refused like any other that is too large."""
    with pytest.raises(Refused, match=r"blackjack' an int too long to show: input should be less than"):
        parse_round(REGULATION, document(wagers={"blackjack": 10**5000}))


def test_the_parts_of_a_refusal() -> None:
    """Seat and paragraph are left out of the text where there are none."""
    assert str(Refused("wrong")) == "wrong"
    assert str(Refused("wrong", seat=2)) == "seat 2: wrong"
    assert str(Refused("wrong", seat=2, paragraph="§ 1")) == "seat 2: wrong (§ 1)"


def test_a_refusal_survives_a_process_boundary() -> None:
    """It can be pickled with all its parts."""
    copy = pickle.loads(pickle.dumps(Refused("wrong", seat=2, paragraph="§ 1")))
    assert ("wrong", 2, "§ 1") == (copy.reason, copy.seat, copy.paragraph)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"decks": "6"}, "'decks' '6'"),
        ({"decks": 6, "deck": 1}, "unknown field 'deck'"),
        ({"decks": 6, "wagers": {"x": {"meter": {"rate": 0.2, "reset": 1}}}}, "'wagers.x.meter.rate' 0.2"),
        ({"decks": 6, "wagers": {"x": {"meter": {"rate": "1.2", "reset": 1}}}}, "'wagers.x.meter.rate' '1.2'"),
        ({"decks": 6, "wagers": {"x": {"meter": {"rate": "0.2"}}}}, "field 'wagers.x.meter.reset' is missing"),
        ({"decks": 6, "payout_limit": -1}, "'payout_limit' -1"),
    ],
)
def test_a_submission_of_a_wrong_form_is_refused(raw: dict[str, Any], message: str) -> None:
    """The field and the value are named."""
    with pytest.raises(Refused) as refusal:
        parse_submission(raw)
    assert message in str(refusal.value)


def test_a_case_file_of_a_wrong_form_is_refused() -> None:
    """A case that expects an unknown field is a mistake in the case, and is said so."""
    case = {"id": "x", "regulation": REGULATION, "round": {}, "expect": [{"seat": 1, "wager": "blackjack", "pay": 1}]}
    with pytest.raises(Refused, match="unknown field"):
        parse_cases([case])
    with pytest.raises(Refused, match="'round' is missing"):
        parse_cases({"id": "x", "regulation": REGULATION})
