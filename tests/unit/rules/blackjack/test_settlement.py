"""Settlements of Blackjack rounds that the golden cases leave open, each after a reading or a paragraph."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.rules import Line, Settlement, compile_rules, parse_round, parse_submission, payback
from shared.rules.errors import Refused

Settle = Callable[..., Settlement]
Seat = Callable[..., dict[str, Any]]
Find = Callable[..., Line]

METER = {"rate": "0.20", "reset": 500000}
BAD_BEAT = {"bad_beat_progressive": {"meter": METER, "magic_card": True, "lucky_player": True, "any_20": True}}
HIT_AND_RUN = {"hit_and_run_progressive": {"meter": METER}}
STRAIGHT_JACK = {"straight_jack_progressive": {"meter": METER}}


def amounts(line: Line) -> tuple[str, int, int, int]:
    """Return outcome, stake, payout and returned stake of a line."""
    return line.outcome, line.stake, line.payout, line.stake_returned


def test_lines_come_in_settlement_order(settle_documents: Settle, seat: Seat) -> None:
    """From the dealer's far right: the highest seat first (§ 633a.7(r)(2))."""
    settled = settle_documents({"seats": [seat(2, "Th 9d"), seat(7, "Th 8d")], "dealer": {"cards": ["7h", "Td"]}})
    assert [7, 2] == [line.seat for line in settled.lines]


@pytest.mark.parametrize(
    ("dealt", "hands", "dealer", "paragraph"),
    [
        ("Th 9d", None, "7h Td", "§ 633a.13(a)"),
        ("Th 7d", None, "7h Td", "§ 633a.7(q)"),
        ("Th 6d", None, "7h Td", "§ 633a.7(p)"),
        ("Th 6d", [{"cards": ["Th", "6d"], "surrendered": True}], "7h Td", "§ 633a.9(a)(1)"),
        ("Th 6d", [{"cards": ["Th", "6d"], "surrendered": True}], "Kh 7d", "§ 633a.9(a)(2)"),
        ("Th 6d", [{"cards": ["Th", "6d"], "surrendered": True}], "Ah Kd", "§ 633a.9(a)(2)"),
        ("5h 6d", [{"cards": ["5h", "6d", "2c"], "double": 500}], "Ah Kd", "§ 633a.10(b)"),
        ("7h 7d", [{"cards": ["7h", "7d", "7c"]}], "Ah Kd", "§ 633a.7(q)"),
        ("Ah Qd", None, "Ah Kd", "§ 633a.7(q)"),
    ],
)
def test_each_line_names_the_paragraph_that_decides_it(
    settle_documents: Settle, seat: Seat, line: Find, dealt: str, hands: Any, dealer: str, paragraph: str
) -> None:
    """Wins, ties, losses, surrenders and a late Blackjack have paragraphs of their own."""
    settled = settle_documents({"seats": [seat(1, dealt, hands=hands)], "dealer": {"cards": dealer.split()}})
    assert paragraph == line(settled, "blackjack").paragraph


def test_the_first_hand_carries_the_original_wager_against_a_late_blackjack(
    settle_documents: Settle, seat: Seat, line: Find
) -> None:
    """The doubles and the stakes of further hands go back, also of a hand that busted (§ 633a.11(d))."""
    hands = [{"cards": ["8h", "3d", "Tc"], "double": 1000}, "8d Td 9c"]
    settled = settle_documents({"seats": [seat(1, "8h 8d", hands=hands)], "dealer": {"cards": ["Ah", "Kd"]}})
    assert ("lose", 2000, 0, 1000) == amounts(line(settled, "blackjack", hand=1))
    assert ("push", 1000, 0, 1000) == amounts(line(settled, "blackjack", hand=2))


def test_odd_cents_are_dropped(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """3 to 2 on 101 cents are 151; half of 101 cents that comes back is 50."""
    surrendered = [{"cards": ["Th", "6d"], "surrendered": True}]
    seats = [
        seat(1, "Ah Kd", wagers={"blackjack": 101}),
        seat(2, "Th 6d", hands=surrendered, wagers={"blackjack": 101}),
    ]
    settled = settle_documents({"seats": seats, "dealer": {"cards": ["7h", "Td"]}})
    assert ("win", 101, 151, 101) == amounts(line(settled, "blackjack"))
    assert ("surrender", 101, 0, 50) == amounts(line(settled, "blackjack", seat=2))


@pytest.mark.parametrize(
    ("dealt", "payout", "category"),
    [
        ("7h 7d", 1500, "matching_card_of_the_same_suit_and_one_of_a_different_suit"),
        ("7h 7h", 2200, "two_matching_cards_of_the_same_suit"),
        ("7c 7d", 800, "two_matching_cards_of_a_different_suit"),
        ("7c 2d", 400, "matching_card_of_a_different_suit"),
        ("2c 7h", 1100, "matching_card_of_the_same_suit"),
    ],
)
def test_match_the_dealer_pays_each_matching_card_under_one_category(
    settle_documents: Settle, seat: Seat, line: Find, dealt: str, payout: int, category: str
) -> None:
    """11 and 4 to 1 with six decks, added up (§ 633a.7(g)(2))."""
    settled = settle_documents(
        {"seats": [seat(1, dealt, wagers={"match_the_dealer": 100})], "dealer": {"cards": ["7h", "Td"]}},
        {"wagers": {"match_the_dealer": {}}},
    )
    won = line(settled, "match_the_dealer")
    assert (payout, category, "§ 633a.13(d)(1)") == (won.payout, won.category, won.paragraph)


def test_one_limit_for_both_top_hands_together(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """The queens' and the kings' pairs share the limit in proportion to their wagers; part cents are dropped."""
    seats = [
        seat(1, "Qh Qh", wagers={"twenty_point_bonus": 2000}),
        seat(2, "Ks Ks", wagers={"kings_bounty": 1000}),
        seat(3, "Kd Kd", wagers={"kings_bounty": 1000}),
    ]
    settled = settle_documents(
        {"seats": seats, "dealer": {"cards": ["Ah", "Td"]}},
        {"wagers": {"twenty_point_bonus": {}, "kings_bounty": {}}, "payout_limit": 2500000},
    )
    queens, kings = line(settled, "twenty_point_bonus"), line(settled, "kings_bounty", seat=2)
    assert ("win", 2000, 1666666, 2000) == amounts(queens)
    assert ("win", 1000, 833333, 1000) == amounts(kings)
    assert ("win", 1000, 50000, 1000) == amounts(line(settled, "kings_bounty", seat=3))
    assert {"§ 633a.13(o)"} == {queens.paragraph, kings.paragraph}
    assert queens.category == "queen_of_hearts_pair_and_dealer_blackjack"


def test_no_limit_pays_full_odds(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """Without a limit in the rules submission 1,000 to 1 is paid on everything."""
    settled = settle_documents(
        {"seats": [seat(1, "Qh Qh", wagers={"twenty_point_bonus": 9000})], "dealer": {"cards": ["Ah", "Td"]}},
        {"wagers": {"twenty_point_bonus": {}}},
    )
    assert line(settled, "twenty_point_bonus").payout == 9000000


def test_bad_beat_pays_once_for_several_hands_of_20(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """Reading: one payout if any played hand totals 20."""
    document = {
        "seats": [seat(1, "Th Td", hands=["Th Qd", "Td Kc"], wagers={"bad_beat_progressive": 100})],
        "dealer": {"cards": ["6h", "5d", "Tc"]},
        "meters": {"bad_beat_progressive": 600000},
    }
    settled = settle_documents(document, {"wagers": BAD_BEAT})
    assert ("win", 100, 2500, 0) == amounts(line(settled, "bad_beat_progressive"))
    assert line(settled, "bad_beat_progressive").category == "dealer_21_with_three_cards"
    assert settled.meters == {"bad_beat_progressive": 600020}


def test_a_surrendered_20_wins_no_bad_beat(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """The player discontinued play on the hand; the Lucky Player Bonus is paid all the same."""
    surrendered = [{"cards": ["Th", "Td"], "surrendered": True}]
    document = {
        "seats": [seat(1, "Th Td", hands=surrendered, wagers={"bad_beat_progressive": 100})],
        "dealer": {"cards": ["Ah", "Kd"]},
        "meters": {"bad_beat_progressive": 600000},
        "lucky_seat": 1,
    }
    settled = settle_documents(document, {"wagers": BAD_BEAT})
    assert ("lose", 100, 0, 0) == amounts(line(settled, "bad_beat_progressive"))
    assert ("win", 0, 500, 0) == amounts(line(settled, "lucky_player_bonus"))


def test_two_magic_cards_are_paid_once(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """One of the first two cards matches in rank and suit; a second match pays nothing more."""
    document = {
        "seats": [seat(1, "Qh Qh", wagers={"bad_beat_progressive": 100})],
        "dealer": {"cards": ["Th", "9d"]},
        "meters": {"bad_beat_progressive": 600000},
        "magic_card": "Qh",
    }
    settled = settle_documents(document, {"wagers": BAD_BEAT})
    assert line(settled, "magic_card_bonus").payout == 2000


def test_whole_meter_at_the_turn_of_its_first_holder(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """10% before the holders of 100%, then all that is left equally, then 10% of the reset amount (§ 633a.13(m))."""
    straight = {
        7: "5d 6c 4h 3s 2d Ad",
        5: "5d 6c 4h 3s 2d As",
        3: "5h 6s 4d 3c 2h Ac",
        2: "5h 6s 4c 3h 2s As",
    }
    seats = [
        seat(number, " ".join(cards.split()[:2]), hands=[cards], wagers={"straight_jack_progressive": 500})
        for number, cards in straight.items()
    ]
    document = {"seats": seats, "dealer": {"cards": ["Kc", "Td"]}, "meters": {"straight_jack_progressive": 999603}}
    settled = settle_documents(document, {"wagers": STRAIGHT_JACK})
    off_meter = {number: line(settled, "straight_jack_progressive", seat=number).from_meter for number in straight}
    # 999603 + 4 x 100 = 1000003: 100000 to seat 7, 900003 shared by seats 5 and 2, 500000 x 10% to seat 3.
    assert {7: 100000, 5: 450001, 2: 450001, 3: 50000} == off_meter
    assert settled.meters == {"straight_jack_progressive": 450000}
    assert settled.meter_resets == {"straight_jack_progressive": 499999}


@pytest.mark.parametrize(
    ("dealt", "hands", "category"),
    [
        ("Qh Kd", ["Qh Kd"], "two_card_straight"),
        ("Ah 2d", ["Ah 2d 3c"], "three_card_straight"),
        ("2d Ah", ["2d Ah Kc"], "two_card_straight"),
        ("2d 3h", ["2d 3h Ac 4d"], "four_card_straight"),
        ("9h Td", ["9h Td Jc"], "two_card_straight"),
        ("4h 5d", ["4h 5d 5c"], "two_card_straight"),
        ("Jc Td", ["Jc Td", "Td 8s"], "two_card_straight"),
        ("7h 9d", ["7h 9d"], None),
    ],
)
def test_straight_jack_counts_cards_in_sequence(
    settle_documents: Settle, seat: Seat, line: Find, dealt: str, hands: list[str], category: str | None
) -> None:
    """An ace is next to the 2 or to the king; a duplicate, a bust and a split end the count."""
    document = {
        "seats": [seat(1, dealt, hands=hands, wagers={"straight_jack_progressive": 500})],
        "dealer": {"cards": ["Kc", "Td"]},
        "meters": {"straight_jack_progressive": 600000},
    }
    settled = settle_documents(document, {"wagers": STRAIGHT_JACK})
    assert category == line(settled, "straight_jack_progressive").category


def test_a_dead_hand_gives_back_what_is_open(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """What is settled stands, Bad Beat and an open Straight Jack go back, Hit and Run goes on."""
    wagers = {
        "insurance": 500,
        "kings_bounty": 100,
        "bad_beat_progressive": 100,
        "straight_jack_progressive": 100,
        "hit_and_run_progressive": 100,
    }
    document = {
        "seats": [seat(1, "4h 5d", wagers=wagers)],
        "dealer": {"cards": ["Ah", "2d", "Ac", "2h", "3d"]},
        "meters": dict.fromkeys(
            ("bad_beat_progressive", "straight_jack_progressive", "hit_and_run_progressive"), 600000
        ),
        "irregularities": [{"code": "hand_dead", "seat": 1}],
    }
    offered: dict[str, Any] = {"kings_bounty": {}} | BAD_BEAT | STRAIGHT_JACK | HIT_AND_RUN
    settled = settle_documents(document, {"wagers": offered})
    assert {
        "kings_bounty": "lose",
        "insurance": "lose",
        "blackjack": "void",
        "bad_beat_progressive": "void",
        "hit_and_run_progressive": "win",
        "straight_jack_progressive": "void",
    } == {entry.wager: entry.outcome for entry in settled.lines}
    assert {
        "bad_beat_progressive": 600000,
        "straight_jack_progressive": 600000,
        "hit_and_run_progressive": 600020,
    } == settled.meters
    assert line(settled, "blackjack").paragraph == "§ 633a.14(i)"


def test_a_stopped_round_returns_all_that_was_not_settled(settle_documents: Settle, seat: Seat) -> None:
    """Blackjack Wagers with their House Money and the progressives are void; a lost Straight Jack stays lost."""
    doubled = [{"cards": ["5h", "6h", "2c"], "double": 3000}]
    seats = [
        seat(1, "5h 6h", hands=doubled, wagers={"house_money": 500}, house_money_added=2000),
        seat(2, "Th 8d", wagers={"hit_and_run_progressive": 100, "straight_jack_progressive": 100}),
        seat(3, "Th 9d", wagers={"straight_jack_progressive": 100, "bad_beat_progressive": 100}),
    ]
    document = {
        "seats": seats,
        "dealer": {"cards": ["6h", "5d"]},
        "meters": dict.fromkeys(
            ("bad_beat_progressive", "straight_jack_progressive", "hit_and_run_progressive"), 600000
        ),
        "irregularities": [{"code": "card_reader_exposed_hole"}],
        "lucky_seat": 3,
    }
    settled = settle_documents(document, {"wagers": {"house_money": {}} | BAD_BEAT | STRAIGHT_JACK | HIT_AND_RUN})
    assert [
        (3, "blackjack", "void", 1000),
        (3, "bad_beat_progressive", "void", 100),
        (3, "straight_jack_progressive", "void", 100),
        (2, "blackjack", "void", 1000),
        (2, "hit_and_run_progressive", "void", 100),
        (2, "straight_jack_progressive", "lose", 0),
        (1, "house_money", "win", 500),
        (1, "blackjack", "void", 6000),
    ] == [(entry.seat, entry.wager, entry.outcome, entry.stake_returned) for entry in settled.lines]
    assert {"§ 633a.14(j)(1)"} == {entry.paragraph for entry in settled.lines if entry.outcome == "void"}


def test_seats_without_cards_at_switch_have_two_void_wagers(settle_documents: Settle, seat: Seat) -> None:
    """Both equal wagers go back (§ 633a.14(g))."""
    document = {
        "seats": [seat(1, "Th 9d") | {"dealt": [], "hands": []}],
        "dealer": {"cards": ["6h", "5d"]},
        "irregularities": [{"code": "hand_dead", "seat": 1}],
    }
    settled = settle_documents(document, {"options": {"switch": True}})
    assert [(1, "void", 1000, "§ 633a.14(g)"), (2, "void", 1000, "§ 633a.14(g)")] == [
        (entry.hand, entry.outcome, entry.stake_returned, entry.paragraph) for entry in settled.lines
    ]


def test_side_bets_at_switch_look_at_the_first_dealt_hand(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """Reading: the initial two cards are those of the first hand before the switch."""
    first = seat(1, "Kh Qh", hands=["Kh 2c", "9d Qh"], wagers={"royal_match_21": 100})
    document = {
        "seats": [first | {"dealt": [["Kh", "Qh"], ["9d", "2c"]], "switched": True}],
        "dealer": {"cards": ["Kc", "Qc"]},
    }
    offered = {"royal_match_21": {"paytable": "C", "crown_treasure": True}}
    settled = settle_documents(document, {"options": {"switch": True}, "wagers": offered})
    assert line(settled, "royal_match_21").category == "royal_match"
    assert ("win", 0, 100000, 0) == amounts(line(settled, "crown_treasure"))


def test_a_late_blackjack_at_switch_takes_each_original_wager(settle_documents: Settle, seat: Seat, line: Find) -> None:
    """The first hand from each dealt hand carries its wager."""
    hands = ["8s 2c", "8h 9c", {"cards": ["5d", "6d", "Tc"], "double": 1000}]
    first = seat(1, "8s 8h", hands=hands) | {"dealt": [["8s", "8h"], ["5d", "6d"]]}
    settled = settle_documents({"seats": [first], "dealer": {"cards": ["Kh", "Ad"]}}, {"options": {"switch": True}})
    outcomes = [amounts(line(settled, "blackjack", hand=number)) for number in (1, 2, 3)]
    assert [("lose", 1000, 0, 0), ("push", 1000, 0, 1000), ("lose", 2000, 0, 1000)] == outcomes


def test_hands_of_one_value_at_switch_are_completed_from_the_left(
    settle_documents: Settle, seat: Seat, line: Find
) -> None:
    """The second dealt hand begins where a hand begins with one of its own cards (§ 633a.11(b))."""
    hands = ["Ts Ah", "Tc Tc Ac", "Tc Ac", "Ts 9c Kd", "Th 5s"]
    first = seat(1, "Ts Tc", hands=hands) | {"dealt": [["Ts", "Tc"], ["Ts", "Th"]]}
    offered = {"options": {"switch": True, "resplits": 3}}
    settled = settle_documents({"seats": [first], "dealer": {"cards": ["Kh", "Ad"]}}, offered)
    outcomes = [line(settled, "blackjack", hand=number).outcome for number in range(1, 6)]
    assert ["lose", "push", "push", "lose", "push"] == outcomes


def test_a_seat_that_has_split_is_called_dead_with_a_hand_that_busted(
    settle_documents: Settle, seat: Seat, line: Find
) -> None:
    """All that was staked on its hands goes back (§ 633a.14(i))."""
    document = {
        "seats": [seat(1, "8s 8h", hands=["8s Tc 9d", "8h 2c"])],
        "dealer": {"cards": ["6h", "Td"]},
        "irregularities": [{"code": "hand_dead", "seat": 1}],
    }
    settled = settle_documents(document)
    assert [("void", 1000, 0, 1000)] * 2 == [amounts(line(settled, "blackjack", hand=number)) for number in (1, 2)]


def test_a_split_ace_and_ten_cannot_be_doubled(settle_documents: Settle, seat: Seat) -> None:
    """It is 21, which may not draw, and no Blackjack (§ 633a.7(k)(1), § 633a.10(a))."""
    hands = [{"cards": ["As", "Kd", "2c"], "double": 1000}, "Ah 5c"]
    with pytest.raises(Refused, match=r"§ 633a\.7\(k\)\(1\)"):
        settle_documents({"seats": [seat(1, "As Ah", hands=hands)], "dealer": {"cards": ["6h", "Td", "5d"]}})


def test_one_submission_settles_many_rounds(seat: Seat) -> None:
    """Compiled rules keep nothing of a round."""
    rules = compile_rules("pa-633a-2024", parse_submission({"decks": 6, "wagers": HIT_AND_RUN}))
    round_ = parse_round(
        "pa-633a-2024",
        {
            "seats": [seat(1, "Th 9d", wagers={"hit_and_run_progressive": 500})],
            "dealer": {"cards": ["7h", "Td"]},
            "meters": {"hit_and_run_progressive": 100000},
        },
    )
    assert rules.settle(round_) == rules.settle(round_)
    assert rules.settle(round_).meters == {"hit_and_run_progressive": 100100}


def test_payback_needs_an_offered_wager() -> None:
    """What is not offered has no paytable to count."""
    with pytest.raises(Exception, match="wager 'kings_bounty' is not offered; there are: blackjack, insurance"):
        payback("pa-633a-2024", "kings_bounty", parse_submission({"decks": 6}))
