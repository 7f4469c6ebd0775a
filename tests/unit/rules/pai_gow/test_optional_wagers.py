"""Payout limits of Pai Gow Poker, and what the cards of a hand are worth to its wagers, under both texts."""

import pytest

from tests.support.pai_gow import FOUR_SIXES, PENNSYLVANIA, RHODE_ISLAND, STRAIGHT_FLUSH, lines, seat, settled


class TestPayoutLimit:
    """Pennsylvania limits one hand, Rhode Island one player's bonuses in a round."""

    def test_one_hand_uses_it_up_in_the_order_of_the_text(self) -> None:
        """Fortune Bonus, Emperor's Treasure, Insurance, Progressive: $80,000 leave $20,000 of $100,000."""
        result = settled(
            seat(3, STRAIGHT_FLUSH, pai_gow_poker=1000, fortune_bonus=1000, emperors_treasure=1000),
            wagers={"fortune_bonus": {"paytable": "A"}, "emperors_treasure": {"paytable": "A"}},
            limit=10_000_000,
        )
        (fortune,), (emperor,) = lines(result, "fortune_bonus"), lines(result, "emperors_treasure")
        assert (8_000_000, "§ 645a.13(b)") == (fortune.payout, fortune.paragraph)
        assert (2_000_000, "§ 645a.13(f)", 1000) == (emperor.payout, emperor.paragraph, emperor.stake_returned)

    def test_two_areas_are_two_hands_in_pennsylvania(self) -> None:
        """Each is paid up to the limit."""
        result = settled(
            seat(3, STRAIGHT_FLUSH, "p1", pai_gow_poker=1000, fortune_bonus=1000),
            seat(4, ("2h 3h 4h 5h 6h 7h 8h", "3h 2h"), "p1", pai_gow_poker=1000, fortune_bonus=1000),
            wagers={"fortune_bonus": {"paytable": "A"}},
            options={"adjacent_boxes": 2},
            limit=5_000_000,
            dealer={"cards": ["Qs", "7s", "3s", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
        )
        assert [5_000_000, 5_000_000] == [line.payout for line in lines(result, "fortune_bonus")]

    def test_both_areas_of_a_player_share_it_in_rhode_island(self) -> None:
        """The seat at the dealer's right takes $40,000, the other gets its stake back and nothing more."""
        result = settled(
            seat(3, STRAIGHT_FLUSH, "p1", pai_gow_poker=1000, bonus=1000),
            seat(4, ("2h 3h 4h 5h 6h 7h 8h", "3h 2h"), "p1", pai_gow_poker=1000, bonus=1000),
            regulation=RHODE_ISLAND,
            wagers={"bonus": {}},
            options={"adjacent_boxes": 2},
            limit=4_000_000,
            dealer={"cards": ["Qs", "7s", "3s", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
        )
        assert [(4, 4_000_000, 1000), (3, 0, 1000)] == [
            (line.seat, line.payout, line.stake_returned) for line in lines(result, "bonus")
        ]

    def test_small_hands_are_paid_before_premium_hands_in_rhode_island(self) -> None:
        """A full house takes the limit before the four-of-a-kind of the same player's other area."""
        result = settled(
            seat(3, ("Kc Kd Kh 4s 4d 9h 8s", "9h 8s"), "p1", pai_gow_poker=1000, bonus=100_000_000),
            seat(4, FOUR_SIXES, "p1", pai_gow_poker=1000, bonus=100),
            regulation=RHODE_ISLAND,
            wagers={"bonus": {}},
            options={"adjacent_boxes": 2},
            limit=4_000_000,
        )
        assert [(3, 4_000_000), (4, 0)] == [(line.seat, line.payout) for line in lines(result, "bonus")]

    def test_what_it_withholds_of_the_meter_stays_there(self) -> None:
        """A limit of $50,000 on a meter of $60,000.28; after all of it the meter shows the reset amount at least."""
        progressive = {"progressive_payout": {"meter": {"rate": "0.28", "reset": 200_000}}}
        result = settled(
            seat(3, STRAIGHT_FLUSH, pai_gow_poker=1000, progressive_payout=100),
            wagers=progressive,
            limit=5_000_000,
            meters={"progressive_payout": 6_000_000},
        )
        (won,) = lines(result, "progressive_payout")
        assert (5_000_000, 5_000_000) == (won.payout, won.from_meter)
        assert {"progressive_payout": 1_000_028} == result.meters
        nearly = settled(
            seat(3, STRAIGHT_FLUSH, pai_gow_poker=1000, progressive_payout=100),
            wagers=progressive,
            limit=5_000_000,
            meters={"progressive_payout": 5_000_000},
        )
        assert {"progressive_payout": 200_000} == nearly.meters

    def test_it_cuts_fixed_payouts_of_the_progressive(self) -> None:
        """75 for 1 on $1,000 is $75,000."""
        result = settled(
            seat(3, FOUR_SIXES, pai_gow_poker=1000, progressive_payout=100_000),
            wagers={"progressive_payout": {"meter": {"rate": "0", "reset": 200_000}}},
            limit=5_000_000,
            meters={"progressive_payout": 6_000_000},
        )
        assert [(5_000_000, 0)] == [(line.payout, line.from_meter) for line in lines(result, "progressive_payout")]


class TestSevenCards:
    """The bonus wagers on all seven cards."""

    def test_an_ace_low_seven_card_straight_flush(self) -> None:
        """A-2-3-4-5-6-7 of a suit is one of eight sequences; 5-6-7-Q-K-A-2 is none."""
        low = settled(
            seat(3, ("Ac 2c 3c 4c 5c 6c 7c", "3c 2c"), pai_gow_poker=1000, fortune_bonus=100),
            wagers={"fortune_bonus": {"paytable": "D"}},
            dealer={"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
        )
        around = settled(
            seat(3, ("Ac 2c Qd Kc 5c 6c 7c", "Qd 2c"), pai_gow_poker=1000, fortune_bonus=100),
            wagers={"fortune_bonus": {"paytable": "D"}},
            dealer={"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
        )
        assert ["seven_card_straight_flush"] == [line.category for line in lines(low, "fortune_bonus")]
        assert ["flush"] == [line.category for line in lines(around, "fortune_bonus")]

    def test_each_bonus_pays_its_own_envy(self) -> None:
        """A player with both Qualifying Wagers is paid by both paytables."""
        result = settled(
            seat(1, ("Ac Jd Kd 9c 2d 8h Ks", "Ac Jd"), pai_gow_poker=1000, fortune_bonus=500, emperors_treasure=500),
            seat(3, FOUR_SIXES, pai_gow_poker=1000),
            wagers={"fortune_bonus": {"paytable": "A"}, "emperors_treasure": {"paytable": "C"}},
        )
        assert [(1, 500, "§ 645a.13(b)"), (1, 600, "§ 645a.13(c)")] == [
            (line.seat, line.payout, line.paragraph) for line in lines(result, "envy_bonus")
        ]

    def test_rhode_island_pays_envy_by_a_schedule_of_its_own(self) -> None:
        """The bonus wager is paid under (s)(1), what others' hands earn under (s)(2)."""
        result = settled(
            seat(1, FOUR_SIXES, pai_gow_poker=1000, bonus=500),
            seat(3, ("9s 9c 9h 5s 2c 4h 9d", "5s 4h"), pai_gow_poker=1000, bonus=500),
            regulation=RHODE_ISLAND,
            wagers={"bonus": {}},
            dealer={"cards": ["Qs", "7s", "3h", "Kd", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
        )
        paid = {(line.wager, line.paragraph) for line in result.lines if line.wager in ("bonus", "envy_bonus")}
        rules = "R.I. Table Game Rules § 6(s)"
        assert {("bonus", f"{rules}(1)"), ("envy_bonus", f"{rules}(2)")} == paid

    def test_a_voided_hand_earns_nobody_an_envy_bonus(self) -> None:
        """Neither for others nor, with its Qualifying Wager returned, for its player."""
        bet = {"pai_gow_poker": 1000, "fortune_bonus": 500}
        four_nines = ("9s 9c 9h 5s 2c 4h 9d", "5s 4h")
        result = settled(
            seat(1, FOUR_SIXES, **bet) | {"voided": True, "low": []},
            seat(3, four_nines, **bet),
            wagers={"fortune_bonus": {"paytable": "A"}},
            dealer={"cards": ["Qs", "7s", "3h", "Kd", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]},
            irregularities=[{"code": "player_card_exposed", "seat": 1}],
        )
        assert [] == lines(result, "envy_bonus")

    @pytest.mark.parametrize("wager", ["fortune_bonus", "bonus"])
    def test_the_bank_takes_part_in_envy_bonuses(self, wager: str) -> None:
        """Its hand counts for others, and its Qualifying Wager earns for the hands of others."""
        regulation = PENNSYLVANIA if wager == "fortune_bonus" else RHODE_ISLAND
        four_nines = ("9s 9c 9h 5s 2c 4h 9d", "5s 4h")
        result = settled(
            seat(1, FOUR_SIXES, **{wager: 500}),
            seat(3, four_nines, pai_gow_poker=1000, **{wager: 500}),
            regulation=regulation,
            wagers={wager: {"paytable": "A"} if wager == "fortune_bonus" else {}},
            options={"banking": True},
            bank={"seat": 1},
            dealer={},
        )
        assert [(3, 500), (1, 500)] == [(line.seat, line.payout) for line in lines(result, "envy_bonus")]
