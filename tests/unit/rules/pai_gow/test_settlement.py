"""Pai Gow Poker settled: hands reset by the house way, banks, payout limits, meters, surrender under both texts."""

from typing import Any, Final

import pytest

from shared.rules import Line, Refused, Settlement, parse_round, parse_submission, settle

PENNSYLVANIA: Final = "pa-645a-2011"
RHODE_ISLAND: Final = "ri-pai-gow"
Document = dict[str, Any]

QUEENS: Final = {"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]}
KINGS: Final = ("Ac Jd Kd 9c 2d 6h Ks", "Ac Jd")
ACES: Final = ("Ah Jk Kc Qd 5h 4h 2s", "Kc Qd")
JACKS: Final = ("Jc Jh 8c 5s 4s 3s 2c", "8c 5s")
FOUR_SIXES: Final = ("6s 6c 6d 6h 2s 3d 7h", "7h 3d")
STRAIGHT_FLUSH: Final = ("4c 5c 9c 6c Tc 7c 8c", "5c 4c")


def seat(number: int, hand: tuple[str, str], player: str | None = None, /, **wagers: int) -> Document:
    """A seat document with its cards and its low hand."""
    cards, low = hand
    return {
        "seat": number,
        "player": player or f"p{number}",
        "wagers": wagers,
        "cards": cards.split(),
        "low": low.split(),
    }


def settled(
    *seats: Document,
    regulation: str = PENNSYLVANIA,
    options: Document | None = None,
    wagers: Document | None = None,
    limit: int | None = None,
    **round_: Any,
) -> Settlement:
    """Settle a round against a pair of queens, unless the round says otherwise."""
    submission = parse_submission({"options": options or {}, "wagers": wagers or {}, "payout_limit": limit})
    document = {"seats": list(seats), "dealer": QUEENS} | round_
    return settle(regulation, parse_round(regulation, document), submission)


def lines(settlement: Settlement, wager: str) -> list[Line]:
    """The lines of one wager."""
    return [line for line in settlement.lines if line.wager == wager]


class TestHouseWay:
    """A dealer's hand that was set differently from the house way is reset and reported."""

    FRONT: Final = {"cards": QUEENS["cards"], "low": ["9d", "7s"]}

    @pytest.mark.parametrize(
        ("regulation", "paragraph"),
        [(PENNSYLVANIA, "§ 645a.14(i)"), (RHODE_ISLAND, "R.I. Table Game Rules § 6(n)(9)")],
    )
    def test_a_dealers_hand_set_otherwise_is_reset(self, regulation: str, paragraph: str) -> None:
        """With nine-seven low the player would win both hands against ace-eight high; reset, ace-ten wins one back."""
        hand = ("Kd Ks Td 8d 4c 3c 2h", "Td 8d")
        options = {"house_way": "standard"}
        result = settled(seat(2, hand, pai_gow_poker=1000), regulation=regulation, options=options, dealer=self.FRONT)
        assert ["push"] == [line.outcome for line in result.lines]
        (notice,) = result.notices
        assert ("hand_reset", 0, paragraph) == (notice.code, notice.seat, notice.paragraph)
        assert "low hand 9d 7s reset to Ts Ad by the house way" == notice.detail

    def test_without_a_house_way_the_setting_stands(self) -> None:
        """A submission that holds none cannot say that the dealer was wrong."""
        hand = ("Kd Ks Td 8d 4c 3c 2h", "Td 8d")
        result = settled(seat(2, hand, pai_gow_poker=1000), dealer=self.FRONT)
        assert (["win"], ()) == ([line.outcome for line in result.lines], result.notices)

    def test_a_hand_set_by_the_house_way_is_no_exception(self) -> None:
        """Other suits of the same ranks are the same setting."""
        dealer = {"cards": ["Qs", "Qd", "7s", "7h", "2c", "3c", "4c"], "low": ["7s", "7h"]}
        result = settled(seat(2, KINGS, pai_gow_poker=1000), options={"house_way": "standard"}, dealer=dealer)
        assert () == result.notices

    def test_a_fouled_hand_of_the_dealer_is_reset(self) -> None:
        """With a house way the round can be completed though the low hand was above the high hand, or of three."""
        for low in (["Qs", "Qc"], ["Ad", "Ts", "9d"]):
            result = settled(
                seat(2, KINGS, pai_gow_poker=1000), options={"house_way": "standard"}, dealer=QUEENS | {"low": low}
            )
            assert ["win"] == [line.outcome for line in result.lines]
            assert [f"low hand {' '.join(low)} reset to Ts Ad by the house way"] == [
                notice.detail for notice in result.notices
            ]

    def test_a_co_banks_hand_follows_the_house_way_and_a_banks_own_does_not(self) -> None:
        """The dealer sets a co-bank's hand; a bank chooses, unless the hand is not set correctly."""
        options = {"banking": True, "co_banking": True, "house_way": "standard"}
        bank = seat(4, (KINGS[0], "9c 6h"))
        player = seat(2, ("Td Tc 9s 8s 7c 4h 3c", "9s 8s"), pai_gow_poker=1000)
        own = settled(bank, player, options=options, bank={"seat": 4}, dealer={})
        shared = settled(bank, player, options=options, bank={"seat": 4, "co": True}, dealer={})
        assert () == own.notices
        assert ["push"] == [line.outcome for line in lines(own, "pai_gow_poker")]
        assert [("hand_reset", 4, "§ 645a.12(i)")] == [
            (notice.code, notice.seat, notice.paragraph) for notice in shared.notices
        ]
        assert ["lose"] == [line.outcome for line in lines(shared, "pai_gow_poker")]
        fouled = settled(seat(4, (KINGS[0], "Kd Ks")), player, options=options, bank={"seat": 4}, dealer={})
        assert ["low hand Kd Ks reset to Jd Ac by the house way"] == [notice.detail for notice in fouled.notices]


class TestBank:
    """Who pays whom where a player banks."""

    def test_the_lines_show_who_pays(self) -> None:
        """Every wager against the bank is paid by it, and nothing of it by the house."""
        result = settled(
            seat(1, JACKS, pai_gow_poker=2000),
            seat(3, KINGS),
            seat(5, ("Ah Kc Th 8d 6d 5d 3d", "Kc Th"), pai_gow_poker=500),
            options={"banking": True},
            bank={"seat": 3, "dealer_wager": 700},
        )
        assert {("pai_gow_poker", "bank"), ("dealer_wager", "bank"), ("bank", "house")} == {
            (line.wager, line.paid_by) for line in result.lines
        }
        (bank,) = lines(result, "bank")
        assert (3200, 160, 3200 - 160) == (bank.payout, bank.vigorish, result.bank_net)
        assert (-2500, -700 + 160) == (result.players_net, result.house_net)

    @pytest.mark.parametrize(("outcome", "code"), [("surrender", None), ("lose", "abandoned")])
    def test_a_surrendered_or_abandoned_wager_goes_to_the_center(self, outcome: str, code: str | None) -> None:
        """The bank wins it, less its vigorish."""
        given = seat(1, ACES, pai_gow_poker=2000) | {"surrendered": code is None}
        result = settled(
            given,
            seat(3, KINGS),
            options={"banking": True},
            bank={"seat": 3},
            irregularities=[{"code": code, "seat": 1}] if code else [],
        )
        assert [(outcome, "bank")] == [(line.outcome, line.paid_by) for line in lines(result, "pai_gow_poker")]
        assert 1900 == result.bank_net

    def test_optional_wagers_lost_against_nobody_are_the_houses(self) -> None:
        """Abandoned bonus wagers do not reach the center of the table."""
        result = settled(
            seat(1, JACKS, pai_gow_poker=2000, fortune_bonus=300),
            seat(3, KINGS),
            options={"banking": True},
            wagers={"fortune_bonus": {"paytable": "A"}},
            bank={"seat": 3},
            irregularities=[{"code": "abandoned", "seat": 1}],
        )
        assert (2000 - 100, 300 + 100) == (result.bank_net, result.house_net)

    def test_the_dealers_wager_goes_back_when_the_round_is_stopped(self) -> None:
        """It is void, and no bank line says a result."""
        result = settled(
            seat(1, JACKS, pai_gow_poker=2000),
            seat(3, KINGS),
            options={"banking": True},
            bank={"seat": 3, "dealer_wager": 700},
            irregularities=[{"code": "dealer_card_exposed"}],
        )
        assert [(0, "dealer_wager", "void", 700), (1, "pai_gow_poker", "void", 2000)] == [
            (line.seat, line.wager, line.outcome, line.stake_returned) for line in result.lines
        ]

    def test_banked_rounds_pay_one_to_one_in_rhode_island(self) -> None:
        """Whatever the casino pays itself, the center holds no more."""
        result = settled(
            seat(1, ACES, pai_gow_poker=2000),
            seat(3, JACKS),
            regulation=RHODE_ISLAND,
            options={"banking": True, "main_payout": "2 to 1"},
            bank={"seat": 3},
        )
        (won,) = lines(result, "pai_gow_poker")
        assert (2000, 100, "bank") == (won.payout, won.vigorish, won.paid_by)
        assert [("lose", 2000)] == [(line.outcome, line.stake) for line in lines(result, "bank")]

    def test_the_vigorish_of_the_bank_is_rounded_too(self) -> None:
        """5% of $6.00 is 30 cents, taken as 50."""
        result = settled(
            seat(1, JACKS, pai_gow_poker=600),
            seat(3, KINGS),
            options={"banking": True, "vigorish_rounding": "quarter_up"},
            bank={"seat": 3},
        )
        assert [50] == [line.vigorish for line in lines(result, "bank")]

    def test_halves_of_an_odd_shortage(self) -> None:
        """The co-bank pays half, the house the cent that cannot be halved."""
        result = settled(
            seat(1, ACES, pai_gow_poker=2001),
            seat(3, JACKS),
            options={"banking": True, "co_banking": True},
            bank={"seat": 3, "co": True},
        )
        (bank,) = lines(result, "bank")
        assert ("lose", 1000, 1001) == (bank.outcome, bank.stake, bank.house_share)
        assert (-1000, -1001 + 100) == (result.bank_net, result.house_net)


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


def test_a_way_that_fails_names_the_hand() -> None:
    """A licensee's rule that leaves a lower high hand is refused when it decides."""
    rules = "\n".join(
        [
            "five aces and pair: pair",
            "five aces: two of the five",
            "four and three: two of the three",
            "four and pair: pair",
            "four of a kind: two of the four",
            "two threes: two of the three",
            "three and two pair: pair",
            "full house: pair",
            "three of a kind: two highest singles",
            "three pair: pair",
            "two pair: low pair",
            "pair: pair",
            "no pair: second and third single",
        ]
    )
    with pytest.raises(Refused, match="rule 'pair: pair' sets no correct hands"):
        settled(seat(2, KINGS, pai_gow_poker=1000), options={"house_way": rules})
