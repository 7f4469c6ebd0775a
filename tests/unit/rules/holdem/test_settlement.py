"""What the golden cases do not show: readings of our own, jackpots that meet, limits in stopped rounds, paragraphs."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.rules import Line, Settlement

Settle = Callable[..., Settlement]
Lines = Callable[[Settlement, int, str], list[Line]]

MAIN = {"ante": 1000, "flop": 2000}
ON_PLAYER, ON_DEALER = "five_card_hand_bonus_player", "five_card_hand_bonus_dealer"


def abandoned(seat: int) -> dict[str, Any]:
    """Return the irregularity of a player who left."""
    return {"code": "abandoned", "seat": seat}


def test_every_line_cites_the_rule_that_decided_it(settle_seats: Settle) -> None:
    """Folded, lost, tied, returned below the threshold, and paid: each under its own paragraph."""
    settled = settle_seats(
        {
            1: ("7c 2d", {"ante": 1000}),
            2: ("Kc Qd", MAIN),
            3: ("Ad 9s", MAIN),
            4: ("Ac Kd", MAIN),
            5: ("5h 4h", MAIN),
        },
        "Ah 3h 2h 8s 6d",
        dealer="As 9c",
    )
    found = {(line.seat, line.wager): (line.outcome, line.paragraph) for line in settled.lines}
    assert {
        (5, "ante"): ("win", "§ 647a.12(a)"),
        (5, "flop"): ("win", "§ 647a.12(a)"),
        (4, "ante"): ("push", "§ 647a.11(h)(2)(ii)"),
        (4, "flop"): ("win", "§ 647a.12(a)"),
        (3, "ante"): ("push", "§ 647a.11(h)(2)(iii)"),
        (3, "flop"): ("push", "§ 647a.11(h)(2)(iii)"),
        (2, "ante"): ("lose", "§ 647a.11(h)(2)(i)"),
        (2, "flop"): ("lose", "§ 647a.11(h)(2)(i)"),
        (1, "ante"): ("lose", "§ 647a.11(b)(2)"),
    } == found
    assert [5, 5, 4, 4, 3, 3, 2, 2, 1] == [line.seat for line in settled.lines]


def test_the_dealers_royal_flush_is_divided_equally_and_the_meter_restored(settle_seats: Settle, lines: Lines) -> None:
    """100% of the meter in equal parts whatever the stakes; what cannot be divided stays on the meter."""
    settled = settle_seats(
        {
            1: ("2c 2d", MAIN | {ON_DEALER: 100}),
            3: ("3c 3d", {"ante": 1000, ON_DEALER: 700}),
            6: ("4c 4d", MAIN | {ON_DEALER: 200}),
        },
        "Qs Js Ts 5h 6d",
        dealer="As Ks",
        meters={"progressive_payout": 0, "five_card_hand_bonus": 2000000},
    )
    paid = [lines(settled, seat, ON_DEALER)[0].from_meter for seat in (6, 3, 1)]
    assert [2000100 // 3] * 3 == paid
    assert {"progressive_payout": 0, "five_card_hand_bonus": 1000000} == settled.meters
    assert {"five_card_hand_bonus": 1000000 - 2000100 % 3} == settled.meter_resets


def test_a_player_is_paid_for_the_own_hand_before_the_dealers(settle_seats: Settle, lines: Lines) -> None:
    """The own royal flush takes the meter; the dealer's straight flush pays a tenth of the reset amount."""
    settled = settle_seats({2: ("As Ks", MAIN | {ON_PLAYER: 100, ON_DEALER: 100})}, "Qs Js Ts 2h 3d", dealer="9s 8s")
    assert 2000020 == lines(settled, 2, ON_PLAYER)[0].from_meter
    assert 100000 == lines(settled, 2, ON_DEALER)[0].from_meter
    assert 900000 == settled.meters["five_card_hand_bonus"]


def test_the_dealers_jackpot_is_fixed_at_the_first_turn(settle_seats: Settle, lines: Lines) -> None:
    """A player paid in between lowers the meter for nobody who shares the dealer's jackpot."""
    settled = settle_seats(
        {
            1: ("2c 2d", MAIN | {ON_DEALER: 100}),
            3: ("As Ks", MAIN | {ON_PLAYER: 100}),
            6: ("4c 4d", MAIN | {ON_DEALER: 100}),
        },
        "Qs Js Ts 5h 6d",
        dealer="9s 8s",
    )
    share = 2000030 // 20
    assert [share, share] == [lines(settled, seat, ON_DEALER)[0].from_meter for seat in (6, 1)]
    assert 2000030 - 2 * share == lines(settled, 3, ON_PLAYER)[0].from_meter
    assert 1000000 == settled.meters["five_card_hand_bonus"]


def test_a_player_who_left_has_no_part_in_the_dealers_jackpot(settle_seats: Settle, lines: Lines) -> None:
    """The jackpot is divided among those who stayed; the wagers of the player who left lose and feed the meters."""
    settled = settle_seats(
        {1: ("2c 2d", MAIN | {ON_DEALER: 100}), 6: ("4c 4d", MAIN | {ON_DEALER: 100})},
        "Qs Js Ts 5h 6d",
        dealer="9s 8s",
        irregularities=[abandoned(6)],
    )
    assert [("lose", "§ 647a.7(b)")] * 3 == [(line.outcome, line.paragraph) for line in settled.lines if line.seat == 6]
    assert 200002 == lines(settled, 1, ON_DEALER)[0].from_meter


def test_an_abandoned_hand_is_envied_but_earns_no_envy_bonus(settle_seats: Settle, lines: Lines) -> None:
    """Only the wagers of the player who left are lost; the others keep what his cards earn them."""
    wagers = MAIN | {"progressive_payout": 100}
    settled = settle_seats(
        {1: ("As Ks", wagers), 2: ("9s 8s", wagers), 3: ("4c 4d", wagers)},
        "Qs Js Ts 5h 6d",
        irregularities=[abandoned(1)],
    )
    assert [] == lines(settled, 1, "envy_bonus")
    assert ["royal_flush"] == [line.category for line in lines(settled, 2, "envy_bonus")]
    assert ["straight_flush", "royal_flush"] == [line.category for line in lines(settled, 3, "envy_bonus")]
    assert "lose" == lines(settled, 1, "progressive_payout")[0].outcome
    assert 2000030 - 200003 == settled.meters["progressive_payout"]


def test_wagers_of_a_player_who_left_come_back_when_the_round_is_void(settle_entry: Settle) -> None:
    """All hands, all wagers: what had been lost before is returned too, and no meter grows."""
    settled = settle_entry({"irregularities": [abandoned(2), {"code": "shoe_malfunction"}]})
    assert {(2, "void", "§ 647a.13(f)"), (5, "void", "§ 647a.13(f)")} == {
        (line.seat, line.outcome, line.paragraph) for line in settled.lines
    }
    assert settled.meters_before == settled.meters


def test_the_bonus_of_a_player_who_left_loses_where_the_others_are_settled(settle_seats: Settle, lines: Lines) -> None:
    """The irregularity leaves Texas Hold 'Em Bonus Wagers standing, and so what became of them."""
    wagers = {"ante": 1000, "texas_holdem_bonus": 500}
    settled = settle_seats(
        {1: ("As Ad", wagers), 3: ("Kc Kd", wagers)},
        "",
        dealer="9s 8s",
        irregularities=[abandoned(1), {"code": "dealer_card_exposed"}],
    )
    assert ("lose", "§ 647a.7(b)") == (
        (lost := lines(settled, 1, "texas_holdem_bonus")[0]).outcome,
        lost.paragraph,
    )
    assert "win" == lines(settled, 3, "texas_holdem_bonus")[0].outcome
    assert ["void", "void"] == [lines(settled, seat, "ante")[0].outcome for seat in (1, 3)]


@pytest.mark.parametrize("board", ["", "Qs Js Ts", "Qs Js Ts 5h", "Qs Js Ts 5h 6d"])
def test_the_only_player_leaves(settle_seats: Settle, lines: Lines, board: str) -> None:
    """Before the Flop Wager: whether the board was dealt all the same or not, the Ante Wager is lost."""
    settled = settle_seats({1: ("As Ks", {"ante": 1000})}, board, irregularities=[abandoned(1)])
    assert [("ante", "lose")] == [(line.wager, line.outcome) for line in settled.lines]


def test_cards_found_face_up_one_by_one_are_added_up(settle_seats: Settle, lines: Lines) -> None:
    """Two finds of one card each are more than one card; with no bonus wager it does not matter when that was."""
    found = {"code": "cards_face_up", "count": 1}
    for finds, outcome in (([found], "win"), ([found, found], "void")):
        settled = settle_seats({1: ("As Ks", MAIN)}, "Qs Js Ts 5h 6d", irregularities=finds)
        assert {outcome} == {line.outcome for line in settled.lines}


def test_returned_wagers_feed_no_meter(settle_entry: Settle) -> None:
    """After a void round the meters show what they showed."""
    settled = settle_entry({"irregularities": [{"code": "misdeal"}]})
    assert settled.meters_before == settled.meters
    assert () == settled.contributions


@pytest.mark.parametrize(
    ("irregularities", "outcome", "paragraph"),
    [
        ([{"code": "dealer_card_exposed"}], "win", "§ 647a.12(b)"),
        ([{"code": "cards_face_up", "count": 2, "after_initial_deal": True}], "win", "§ 647a.12(b)"),
        ([{"code": "misdeal"}], "void", "§ 647a.13(c)"),
        ([{"code": "shoe_malfunction"}], "void", "§ 647a.13(f)"),
        ([{"code": "deck_count_wrong"}], "void", "§ 647a.8(h)"),
        ([{"code": "dealer_card_exposed"}, {"code": "misdeal"}], "void", "§ 647a.13(c)"),
        ([{"code": "misdeal"}, {"code": "dealer_card_exposed"}], "void", "§ 647a.13(c)"),
    ],
)
def test_the_bonus_of_a_void_round_goes_back_unless_the_text_settles_it(
    irregularities: list[dict[str, Any]], outcome: str, paragraph: str, settle_entry: Settle, lines: Lines
) -> None:
    """Ace-king suited is paid after an exposed dealer's card, and returned where any irregularity returns it."""
    settled = settle_entry({"irregularities": irregularities})
    (bonus,) = lines(settled, 2, "texas_holdem_bonus")
    assert (outcome, paragraph) == (bonus.outcome, bonus.paragraph)
    others = [line for line in settled.lines if line.wager != "texas_holdem_bonus"]
    assert {"void"} == {line.outcome for line in others}
    assert sum(line.stake for line in others) == sum(line.stake_returned for line in others)


def test_a_bonus_on_a_hand_that_was_not_complete_goes_back(settle_entry: Settle, lines: Lines) -> None:
    """With one card there is nothing to settle when the dealer's card is exposed."""
    main = {"flop": None, "turn": None, "river": None}
    entry = {"seat_2": {"cards": ["Ah"]}, "wagers_2": main, "dealer": {"cards": ["Js"]}, "community": []}
    settled = settle_entry(entry | {"irregularities": [{"code": "dealer_card_exposed"}]})
    (bonus,) = lines(settled, 2, "texas_holdem_bonus")
    assert ("void", 500, "§ 647a.13(d)") == (bonus.outcome, bonus.stake_returned, bonus.paragraph)


def test_a_dealers_card_that_is_no_ace_settles_ace_ace(settle_entry: Settle, lines: Lines) -> None:
    """One card of the dealer is enough to rule out ace-ace of both."""
    entry = {"seat_2": {"cards": ["Ah", "Ad"]}, "dealer": {"cards": ["Js"]}}
    settled = settle_entry(entry | {"irregularities": [{"code": "dealer_card_exposed"}]})
    assert ["ace_ace"] == [line.category for line in lines(settled, 2, "texas_holdem_bonus")]


def test_the_bonus_of_a_void_round_is_limited_too(settle_entry: Settle, lines: Lines) -> None:
    """25 to 1 on $3,000 would be $75,000."""
    entry = {"wagers_2": {"texas_holdem_bonus": 300000}, "irregularities": [{"code": "dealer_card_exposed"}]}
    (bonus,) = lines(settle_entry(entry), 2, "texas_holdem_bonus")
    assert (5000000, 300000, "§ 647a.12(c)") == (bonus.payout, bonus.stake_returned, bonus.paragraph)


def test_a_hand_at_its_limit_is_paid_nothing_more(settle_seats: Settle, lines: Lines) -> None:
    """After $50,000 on the Flop Wager, later wagers win nothing but go back; the progressive is outside the limit."""
    settled = settle_seats(
        {
            2: (
                "9c 9s",
                {
                    "ante": 2500000,
                    "flop": 5000000,
                    "turn": 2500000,
                    "texas_holdem_bonus": 100,
                    "progressive_payout": 100,
                },
            )
        },
        "9h 8h 7h 4d 4h",
        dealer="Kd Kc",
    )
    payouts = [lines(settled, 2, wager)[0].payout for wager in ("ante", "flop", "turn", "texas_holdem_bonus")]
    assert [2500000, 2500000, 0, 0] == payouts
    assert {"win"} == {line.outcome for line in settled.lines}
    assert 900 == lines(settled, 2, "progressive_payout")[0].payout


def test_a_higher_limit_that_is_filed_holds(settle_seats: Settle, lines: Lines) -> None:
    """The amount of the submission takes the place of $50,000."""
    settled = settle_seats(
        {2: ("9c 9s", {"ante": 3000000, "flop": 6000000})},
        "9h 8h 7h 4d 4h",
        dealer="Kd Kc",
        submission={"payout_limit": 8000000},
    )
    assert [3000000, 5000000] == [lines(settled, 2, wager)[0].payout for wager in ("ante", "flop")]


def test_magic_card_and_lucky_bonus_come_on_top(settle_seats: Settle, lines: Lines) -> None:
    """20 for 1 and 5 for 1 on the wager whose hand or position was selected, won or lost, folded or not."""
    settled = settle_seats(
        {
            1: ("As Ah", {"ante": 1000, ON_PLAYER: 100, ON_DEALER: 200}),
            4: ("2c 3d", MAIN | {ON_PLAYER: 100, ON_DEALER: 300}),
        },
        "Ac Ad Kd 5h 6d",
        dealer="Qs Qd",
        magic_card="As",
        lucky_position=4,
    )
    assert [("magic_card", 2000)] == [(line.category, line.payout) for line in lines(settled, 1, "magic_card_bonus")]
    assert [50000] == [line.payout for line in lines(settled, 1, ON_PLAYER)]
    assert [("lucky_bonus", 500)] == [(line.category, line.payout) for line in lines(settled, 4, "lucky_bonus")]
    [magic], [lucky] = lines(settled, 1, "magic_card_bonus"), lines(settled, 4, "lucky_bonus")
    assert {"§ 647a.12(e)(3)"} == {magic.paragraph, lucky.paragraph}
    assert [] == lines(settled, 4, "magic_card_bonus")
    assert [] == lines(settled, 1, "lucky_bonus")


def test_bonuses_that_are_not_offered_are_not_drawn(settle_seats: Settle) -> None:
    """Without the options the five-card wagers stand alone."""
    offered = {"five_card_hand_bonus": {"meter": {"rate": "0.1", "reset": 1000000}}}
    settled = settle_seats(
        {1: ("As Ah", MAIN | {ON_PLAYER: 100})},
        "Ac Ad Kd 5h 6d",
        submission={"wagers": offered},
        meters={"five_card_hand_bonus": 1},
    )
    assert {"ante", "flop", ON_PLAYER} == {line.wager for line in settled.lines}
