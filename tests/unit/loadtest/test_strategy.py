"""The players' decisions: published basic strategy for several decks, dealer standing on all 17s."""

import pytest

from loadtest.floor.strategy import Action, decide, promise
from shared.cards import StandardCard
from tests.support.cards import standard_cards_named


@pytest.mark.parametrize(
    ("cards", "up", "expected"),
    [
        ("8s 8d", "Ah", "split"),
        ("Ts Kd", "6h", "stand"),
        ("5s 5d", "9h", "double"),
        ("9s 9d", "7h", "stand"),
        ("9s 9d", "8h", "split"),
        ("4s 4d", "5h", "split"),
        ("As Ad", "Th", "split"),
        ("Ts 6d", "9h", "surrender"),
        ("Ts 5d", "Th", "surrender"),
        ("Ts 5d", "9h", "hit"),
        ("Ts 2d", "3h", "hit"),
        ("Ts 2d", "4h", "stand"),
        ("6s 5d", "Ah", "hit"),
        ("6s 5d", "Th", "double"),
        ("As 7d", "2h", "stand"),
        ("As 7d", "4h", "double"),
        ("As 7d", "9h", "hit"),
        ("As 6d", "2h", "hit"),
        ("As 2d 4h", "5h", "hit"),
        ("As 3d 4h", "5h", "stand"),
        ("As 6d Th", "7h", "stand"),
    ],
)
def test_decisions_are_those_of_basic_strategy(cards: str, up: StandardCard, expected: Action) -> None:
    """Known hands against known up cards; with three cards nothing can be doubled, split or surrendered."""
    hand = standard_cards_named(cards)
    two = len(hand) == 2
    assert expected == decide(hand, up, may_double=two, may_split=two, may_surrender=two)


def test_what_is_not_allowed_is_played_as_the_next_best() -> None:
    """Without splitting eights are a 16, without surrender a 16 draws, without doubling soft 18 stands."""
    assert "surrender" == decide(["8s", "8d"], "Th", may_double=True, may_split=False, may_surrender=True)
    assert "hit" == decide(["8s", "8d"], "Th", may_double=True, may_split=False, may_surrender=False)
    assert "stand" == decide(["As", "7d"], "4h", may_double=False, may_split=False, may_surrender=False)
    assert "hit" == decide(["6s", "5d"], "4h", may_double=False, may_split=False, may_surrender=False)


def test_a_switch_gives_up_no_dealt_blackjack_for_a_21() -> None:
    """An ace and a ten are worth more as dealt than brought together by a switch."""
    assert promise("As", "Td", dealt=True) > promise("As", "Td", dealt=False)
    assert promise("Ts", "6d", dealt=True) < promise("Ts", "Td", dealt=True)
