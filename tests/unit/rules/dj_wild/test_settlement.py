"""What the cases of the text leave open is settled as the catalogue's readings say."""

from typing import Any

import pytest

from shared.rules import Line, Settlement, parse_round, parse_submission, settle

REGULATION = "pa-687a"
PROGRESSIVE = {"paytable": "1", "meter": {"rate": "0.20", "reset": 200000}}
ROYAL = "As Ks Qs Js Ts"
OTHER_ROYAL = "Ah Kh Qh Jh Th"
STRAIGHT_FLUSH = "9c 8c 7c 6c 5c"
NOTHING = "Kd Jc 9d 6h 3c"
DEALER = "Qd Qc 8h 5d 4h"


def seat(number: int, cards: str, *, player: str | None = None, folded: bool = False, **wagers: int) -> dict[str, Any]:
    """Return a seat with $10 Ante and Blind Wagers, a $1 Progressive Bonus Wager, and a Raise unless it folded."""
    made = {"ante": 1000, "blind": 1000, "progressive_bonus": 100} | ({} if folded else {"raise": 2000}) | wagers
    return {"seat": number, "player": player or f"p{number}", "wagers": made, "cards": cards.split(), "folded": folded}


def play(
    *seats: dict[str, Any],
    dealer: str = DEALER,
    irregularities: tuple[dict[str, Any], ...] = (),
    wagers: dict[str, Any] | None = None,
    meter: int = 250000,
    **options: bool,
) -> Settlement:
    """Settle a round with the Progressive Bonus of paytable 1."""
    submission = parse_submission({"options": options, "wagers": {"progressive_bonus": PROGRESSIVE} | (wagers or {})})
    round_ = {
        "seats": list(seats),
        "dealer": {"cards": dealer.split()},
        "meters": {"progressive_bonus": meter},
        "irregularities": list(irregularities),
        "spare_card": "3d",
    }
    return settle(REGULATION, parse_round(REGULATION, round_), submission)


def found(settlement: Settlement, number: int, wager: str) -> list[Line]:
    """Return the lines of a wager at a seat."""
    return [line for line in settlement.lines if (line.seat, line.wager) == (number, wager)]


def test_the_second_royal_flush_takes_what_the_first_left() -> None:
    """The first in settlement order takes the meter, the second its reset amount; each earns the other Envy."""
    settled = play(seat(2, ROYAL), seat(5, OTHER_ROYAL))
    assert [250040, 200000] == [line.payout for line in settled.lines if line.wager == "progressive_bonus"]
    assert [5, 2] == [line.seat for line in settled.lines if line.wager == "envy_bonus"]
    assert {"progressive_bonus": 200000} == settled.meters
    assert {"progressive_bonus": 400000} == settled.meter_resets


def test_a_straight_flush_after_a_royal_flush_is_paid_from_the_reset_amount() -> None:
    """And before it from the full meter: the order of settlement matters for the meter."""
    after = play(seat(6, ROYAL), seat(1, STRAIGHT_FLUSH))
    before = play(seat(1, ROYAL), seat(6, STRAIGHT_FLUSH))
    assert [250040, 20000] == [line.from_meter for line in after.lines if line.wager == "progressive_bonus"]
    assert [25004, 225036] == [line.from_meter for line in before.lines if line.wager == "progressive_bonus"]


def test_nobody_earns_an_envy_bonus_for_a_hand_of_his_own() -> None:
    """The other box of the player gets none; each box of another player with the wager gets one."""
    settled = play(
        seat(1, ROYAL, player="one"),
        seat(2, NOTHING, player="one"),
        seat(3, "Kc Jd 9h 6s 4c", player="two"),
        seat(4, "Kh Jh 9s 6d 4d", player="two"),
    )
    assert [4, 3] == [line.seat for line in settled.lines if line.wager == "envy_bonus"]
    assert [100000, 100000] == [line.payout for line in settled.lines if line.wager == "envy_bonus"]


@pytest.mark.parametrize(("qualifies", "earned"), [(True, [3]), (False, [])])
def test_a_folded_hand_earns_others_an_envy_bonus_where_it_qualifies(qualifies: bool, earned: list[int]) -> None:
    """Where folded hands do not qualify it takes no part in the progressive."""
    settled = play(seat(1, STRAIGHT_FLUSH, folded=True), seat(3, NOTHING), folded_hands_win_progressive=qualifies)
    assert earned == [line.seat for line in settled.lines if line.wager == "envy_bonus"]
    assert ["win" if qualifies else "lose"] == [line.outcome for line in found(settled, 1, "progressive_bonus")]


def test_a_folded_player_earns_an_envy_bonus_for_the_hand_of_another() -> None:
    """The own wager of the folded hand is lost, what it earns for others' hands is not."""
    settled = play(seat(1, STRAIGHT_FLUSH), seat(3, NOTHING, folded=True))
    assert [3] == [line.seat for line in settled.lines if line.wager == "envy_bonus"]


def test_an_abandoned_hand_takes_no_part_in_the_progressive() -> None:
    """It wins nothing, earns nobody an Envy Bonus and gets none; its wager still adds to the meter."""
    left = ({"code": "abandoned", "seat": 4},)
    settled = play(seat(1, STRAIGHT_FLUSH), seat(4, ROYAL), irregularities=left)
    assert [] == [line for line in settled.lines if line.wager == "envy_bonus"]
    assert {"lose"} == {line.outcome for line in settled.lines if line.seat == 4}
    assert {"§ 687a.7(b)"} == {line.paragraph for line in settled.lines if line.seat == 4}
    assert [25004] == [line.from_meter for line in found(settled, 1, "progressive_bonus")]


def test_a_void_round_leaves_the_meter_alone() -> None:
    """Wagers that go back add nothing."""
    settled = play(seat(1, ROYAL), seat(4, NOTHING), irregularities=({"code": "misdeal"},))
    assert {"progressive_bonus": 250000} == settled.meters
    assert () == settled.contributions
    assert {"void"} == {line.outcome for line in settled.lines}
    assert 0 == settled.players_net


def test_after_a_revealed_card_the_progressive_is_settled_in_full() -> None:
    """Meter, Envy Bonus and the hand of a player who had folded before."""
    settled = play(seat(1, ROYAL, folded=True), seat(4, NOTHING), irregularities=({"code": "dealer_card_exposed"},))
    assert [250040] == [line.from_meter for line in found(settled, 1, "progressive_bonus")]
    assert [100000] == [line.payout for line in found(settled, 4, "envy_bonus")]
    assert ["void", "void"] == [found(settled, 1, wager)[0].outcome for wager in ("ante", "blind")]


def test_one_card_face_up_changes_nothing() -> None:
    """Only more than one voids the round."""
    plain = play(seat(1, ROYAL), seat(4, NOTHING))
    one = play(seat(1, ROYAL), seat(4, NOTHING), irregularities=({"code": "cards_face_up", "count": 1},))
    assert plain == one


@pytest.mark.parametrize(
    ("cards", "spare_makes", "wild"),
    [
        ("2c 2d 2h 2s 9c", "four_of_a_kind", "straight_flush"),
        ("2c 2d 2h 2s Tc", "four_of_a_kind", "royal_flush"),
        ("2c 2d 2h Kc Kd", "full_house", "four_of_a_kind"),
        ("As 2s 3s 4s 5s", "straight_flush", "straight_flush"),
        ("2c 7d 9h Js Kc", None, None),
        ("Kc Kd 2h 2s Jk", None, "four_of_a_kind"),
    ],
)
def test_deuces_for_the_progressive(cards: str, spare_makes: str | None, wild: str | None) -> None:
    """Twos by default; wild where the option says so, then by the best hand on the list, without five of a kind."""
    for option, expected in ((False, spare_makes), (True, wild)):
        settled = play(seat(1, cards), dealer="Qd Qc 8h 5d 4h", progressive_deuces_wild=option)
        assert [expected] == [line.category for line in found(settled, 1, "progressive_bonus")]


@pytest.mark.parametrize(
    ("cards", "dealer", "player_only", "both"),
    [
        ("5c 5d 5h 9s Kd", "6c 6d 6h 9d 4c", "three_of_a_kind", "three_of_a_kind"),
        ("6c 6d 6h 9d 4c", "5c 5d 5h 9s Kd", None, "three_of_a_kind"),
        ("6c 6d 6h 6s 4c", "5c 5d 5h 9s 9d", None, "full_house"),
        ("6c 6d 6h 6s 4c", "5c 5d 9h 9s Kd", None, None),
        ("Ac Ad 9h 9s Kd", "5c 5d 5h 9c Kh", None, None),
        ("9c 8d 7h 6s 5c", "9d 8h 7s 6c 5d", None, None),
        ("2c 2d 2h 2s Jk", "As Ks Qs Js Ts", None, "royal_flush"),
    ],
)
def test_the_bad_beat_pays_the_hand_that_loses(
    cards: str, dealer: str, player_only: str | None, both: str | None
) -> None:
    """The player's alone as the text says, the dealer's too where the option says so; a tie pays neither."""
    offered = {"two_way_bad_beat_bonus": {"paytable": "DJWBB-03"}}
    for option, expected in ((False, player_only), (True, both)):
        settled = play(
            seat(1, cards, two_way_bad_beat_bonus=100),
            dealer=dealer,
            wagers=offered,
            bad_beat_dealer_hand_pays=option,
        )
        (line,) = found(settled, 1, "two_way_bad_beat_bonus")
        assert ("lose" if expected is None else "win", expected) == (line.outcome, line.category)


@pytest.mark.parametrize(
    ("cards", "paytable", "category", "pays"),
    [
        ("2c 2d 2h 2s 9c", "DJWT-04", "five_of_a_kind", 70),
        ("2c 2d 2h 2s Kc", "DJWT-07", "royal_flush", 60),
        ("2c 2d 2h 9s 9c", "DJWT-04", "five_of_a_kind", 70),
        ("2c 2d 2h Js 7h", "DJWT-05", "four_of_a_kind", 6),
        ("2c 2d 9h 9s 9c", "DJWT-06", "five_of_a_kind", 60),
        ("2c 2d 9h 9s 3c", "DJWT-06", "four_of_a_kind", 6),
        ("As 2s 3s 4s 5s", "DJWT-06", "straight_flush", 200),
        ("As 2s 3s 4s Jk", "DJWT-06", "straight_flush", 25),
        ("2c 9c 8c Jc Kc", "DJWT-04", "flush", 25),
        ("2c 9d 8c Jc Kc", "DJWT-04", None, 0),
        ("2c Td 9c Jc Kc", "DJWT-04", "straight", 3),
        ("Kc Kd 7h 7s 2c", "DJWT-04", "full_house", 5),
    ],
)
def test_the_trips_bonus_pays_the_better_column(cards: str, paytable: str, category: str | None, pays: int) -> None:
    """Natural with deuces as twos, or with wild cards, whichever pays more."""
    settled = play(seat(1, cards, trips_bonus=100), wagers={"trips_bonus": {"paytable": paytable}})
    (line,) = found(settled, 1, "trips_bonus")
    assert (category, pays * 100) == (line.category, line.payout)


@pytest.mark.parametrize("code", [None, "misdeal", "dealer_card_exposed"])
def test_lines_stand_in_the_order_of_settlement(code: str | None) -> None:
    """From the highest seat down, each with its Progressive Bonus, Trips and Bad Beat behind the main wagers."""
    offered = {"trips_bonus": {"paytable": "DJWT-04"}, "two_way_bad_beat_bonus": {"paytable": "DJWBB-01"}}
    irregularities = () if code is None else ({"code": code},)
    seats = [
        seat(1, NOTHING, two_way_bad_beat_bonus=500, trips_bonus=500),
        seat(4, STRAIGHT_FLUSH, trips_bonus=500, two_way_bad_beat_bonus=500),
    ]
    settled = play(*seats, wagers=offered, irregularities=irregularities)
    wagers = [line.wager for line in settled.lines if line.wager != "envy_bonus"]
    assert ["ante", "blind", "raise", "progressive_bonus", "trips_bonus", "two_way_bad_beat_bonus"] * 2 == wagers
    assert [4, 1] == list(dict.fromkeys(line.seat for line in settled.lines))
