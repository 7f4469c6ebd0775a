"""Pai Gow Poker settled: hands reset by the house way, and banks, under both texts."""

from typing import Final

import pytest

from shared.rules import Refused
from tests.support.pai_gow import ACES, JACKS, KINGS, PENNSYLVANIA, QUEENS, RHODE_ISLAND, lines, seat, settled


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
