"""What single wagers of Face Up Pai Gow come to, and where the settlement says so."""

from typing import Any, Final

import pytest

from shared.rules import Line, Settlement, parse_round, parse_submission, settle

REGULATION: Final = "pa-688a"
MAIN: Final = "face_up_pai_gow_poker"
KINGS: Final[dict[str, Any]] = {"cards": ["Ac", "Jd", "Kd", "9c", "2d", "6h", "Ks"], "low": ["Ac", "Jd"]}
QUEENS: Final[dict[str, Any]] = {"cards": ["Qs", "7s", "3h", "9d", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]}
ACE_HIGH: Final[dict[str, Any]] = {"cards": ["As", "Jh", "9h", "7d", "5c", "Qd", "2s"], "low": ["Qd", "Jh"]}
FOURS: Final = ["4d", "4h", "4s", "4c", "8s", "Tc", "3c"]


def seat(number: int, cards: str | list[str], low: str = "", **fields: Any) -> dict[str, Any]:
    """Return a seat document; wagers beside the main wager as `bets`."""
    held = cards.split() if isinstance(cards, str) else cards
    wagers = {MAIN: 1000} | fields.pop("bets", {})
    return {"seat": number, "player": f"p{number}", "wagers": wagers, "cards": held, "low": low.split()} | fields


def settled(
    seats: list[dict[str, Any]], dealer: dict[str, Any] = QUEENS, *, meter: int | None = None, **more: Any
) -> Settlement:
    """Settle seats against a dealer; offered wagers as keywords with their paytables."""
    irregularities = more.pop("irregularities", [])
    options = more.pop("options", {})
    offered = {wager: {"paytable": paytable} for wager, paytable in more.items()}
    round_ = {"seats": seats, "dealer": dealer, "irregularities": irregularities}
    if meter is not None:
        round_["meters"] = {"progressive_payout": meter}
    submission = parse_submission({"wagers": offered, "options": options})
    return settle(REGULATION, parse_round(REGULATION, round_), submission)


def lines(settlement: Settlement, wager: str) -> dict[int, Line]:
    """Return the lines of one wager by seat."""
    return {line.seat: line for line in settlement.lines if line.wager == wager}


@pytest.mark.parametrize(
    ("cards", "low", "outcome", "paragraph"),
    [
        ("Ac Jd Kd 9c 2d 6h Ks", "Ac Jd", "win", "§ 688a.11(f)(3)"),
        ("Kc Jd 8d 8c 2d 6h 3s", "Kc Jd", "lose", "§ 688a.11(f)(1)(i)"),
        ("Ac Td Qd Qh 2d 6h 5s", "Ac Td", "lose", "§ 688a.11(f)(1)(ii)"),
        ("Ac Td Jd Jh 2d 6h 5s", "Ac Td", "lose", "§ 688a.11(f)(1)(ii)"),
        ("Ac Jd Kd 9c 2d 6h Ks", "Kd Ks", "lose", "§ 688a.11(f)(1)(iii)"),
        ("Ac Jd Kd 9c 2d 6h Ks", "Ac Jd Kd", "lose", "§ 688a.11(f)(1)(iv)"),
        ("Ac 9c Kd Kh 2d 6h 5s", "Ac 9c", "push", "§ 688a.11(f)(2)(i)"),
        ("Ac Td Kd Kh 2d 6h 5s", "Ac Td", "push", "§ 688a.11(f)(2)(i)"),
        ("Ac Kd Jd Jh 2d 6h 5s", "Ac Kd", "push", "§ 688a.11(f)(2)(ii)"),
    ],
)
def test_hands_are_compared_as_the_text_says(cards: str, low: str, outcome: str, paragraph: str) -> None:
    """Queens with ace-ten low: higher, lower, copied and fouled hands, each under its own paragraph."""
    line = lines(settled([seat(2, cards, low)]), MAIN)[2]
    assert (outcome, paragraph) == (line.outcome, line.paragraph)
    assert {"win": 1000, "lose": -1000, "push": 0}[outcome] == line.net


@pytest.mark.parametrize("low", ["Ac Jd", "Kd Ks", "Ac Jd 9c", "6h 2d"])
def test_an_ace_high_dealer_returns_every_compared_hand(low: str) -> None:
    """Winners, losers and fouled hands tie alike."""
    line = lines(settled([seat(2, KINGS["cards"], low)], ACE_HIGH), MAIN)[2]
    assert ("push", 1000, "§ 688a.11(f)(2)(iii)") == (line.outcome, line.stake_returned, line.paragraph)


def test_a_surrendered_wager_is_gone_even_against_an_ace_high_dealer() -> None:
    """It was collected when the surrender was announced."""
    line = lines(settled([seat(2, KINGS["cards"], surrendered=True)], ACE_HIGH), MAIN)[2]
    assert ("surrender", -1000, "§ 688a.11(d)") == (line.outcome, line.net, line.paragraph)


@pytest.mark.parametrize(
    ("low", "outcome", "notices"),
    [
        ("Ad Ts", "win", []),
        ("Ts 3h", "win", [("hand_reset", 0, "§ 688a.13(h)")]),
        ("Qs Qc", "win", [("hand_reset", 0, "§ 688a.13(h)")]),
    ],
)
def test_the_dealers_hand_is_reset_by_the_house_way(low: str, outcome: str, notices: list[Any]) -> None:
    """A pair of queens goes high with the two highest other cards low, however the dealer set it; reports see it."""
    dealer = QUEENS | {"low": low.split()}
    settlement = settled([seat(2, KINGS["cards"], "Ac Jd")], dealer, options={"house_way": "standard"})
    assert outcome == lines(settlement, MAIN)[2].outcome
    assert notices == [(notice.code, notice.seat, notice.paragraph) for notice in settlement.notices]


def test_nobody_is_paid_for_the_other_hand_of_the_same_player() -> None:
    """Two areas of one player are two hands, but neither is another player's."""
    one = seat(2, KINGS["cards"], "Ac Jd", bets={"fortune_bonus": 500}, player="a")
    other = seat(3, FOURS, "Tc 8s", bets={"fortune_bonus": 500}, player="a")
    alone = seat(5, "5d 5h 9s 7c 7h Jc Td", "7c 7h", bets={"fortune_bonus": 500})
    settlement = settled([one, other, alone], options={"adjacent_boxes": 2}, fortune_bonus="1")
    assert {5: 500} == {seat: line.payout for seat, line in lines(settlement, "envy_bonus").items()}


@pytest.mark.parametrize(("stake", "envy"), [(499, None), (500, 500), (501, 500)])
def test_a_qualifying_wager_is_five_dollars(stake: int, envy: int | None) -> None:
    """Four of a kind at another seat pays $5 for a Fortune Bonus Wager of $5 or more."""
    seats = [seat(2, KINGS["cards"], "Ac Jd", bets={"fortune_bonus": stake}), seat(4, FOURS, "Tc 8s")]
    line = lines(settled(seats, fortune_bonus="1"), "envy_bonus").get(2)
    assert envy == (None if line is None else line.payout)


@pytest.mark.parametrize(
    ("fate", "irregularities", "earns"),
    [
        ({"surrendered": True}, [], True),
        ({}, [{"code": "abandoned", "seat": 4}], True),
        ({"voided": True, "low": []}, [{"code": "player_card_exposed", "seat": 4}], False),
        ({}, [{"code": "player_card_exposed", "seat": 4}], True),
    ],
)
def test_hands_that_earn_others_an_envy_bonus(
    fate: dict[str, Any], irregularities: list[dict[str, Any]], *, earns: bool
) -> None:
    """A surrendered hand and one whose player left do, a voided one does not."""
    seats = [seat(2, KINGS["cards"], "Ac Jd", bets={"fortune_bonus": 500}), seat(4, FOURS, "Tc 8s") | fate]
    assert earns == bool(lines(settled(seats, irregularities=irregularities, fortune_bonus="1"), "envy_bonus"))


def test_the_player_who_left_loses_all_and_earns_no_envy_bonus() -> None:
    """His Progressive Payout Wager still adds to the meter."""
    bets = {"fortune_bonus": 500, "progressive_payout": 500}
    seats = [seat(2, KINGS["cards"], bets=bets), seat(4, FOURS, "Tc 8s")]
    left = [{"code": "abandoned", "seat": 2}]
    settlement = settled(seats, irregularities=left, meter=1000, fortune_bonus="1", progressive_payout="4")
    own = [line for line in settlement.lines if line.seat == 2]
    assert {MAIN: -1000, "fortune_bonus": -500, "progressive_payout": -500} == {line.wager: line.net for line in own}
    assert {"§ 688a.7(b)"} == {line.paragraph for line in own}
    assert {"progressive_payout": 1005} == settlement.meters


def test_a_voided_hand_adds_nothing_to_the_meter() -> None:
    """Its wagers go back, the Progressive Payout Wager too."""
    seats = [seat(2, KINGS["cards"], bets={"progressive_payout": 100}, voided=True)]
    exposed = [{"code": "player_card_exposed", "seat": 2}]
    settlement = settled(seats, irregularities=exposed, meter=1000, progressive_payout="1")
    assert {"void"} == {line.outcome for line in settlement.lines}
    assert ({"progressive_payout": 1000}, ()) == (settlement.meters, settlement.contributions)


def test_the_second_winner_of_all_the_meter_gets_the_seed() -> None:
    """Seats are paid one after another: the higher number takes what the meter shows, the lower what it then shows."""
    hands = {2: "9h 8h 7h 6h 5h 4h 3h", 5: "9d 8d 7d 6d 5d 4d 3d"}
    seats = [
        seat(number, cards, " ".join(cards.split()[-2:]), bets={"progressive_payout": 100})
        for number, cards in hands.items()
    ]
    dealer = {"cards": ["Qs", "7s", "3s", "9c", "Ts", "Ad", "Qc"], "low": ["Ad", "Ts"]}
    settlement = settled(seats, dealer, meter=250_001, progressive_payout="3")
    paid = {seat: line.from_meter for seat, line in lines(settlement, "progressive_payout").items()}
    assert {5: 250_001 + 58, 2: 200_000} == paid
    assert {"progressive_payout": 200_000} == settlement.meters
    assert {"progressive_payout": 400_000} == settlement.meter_resets


@pytest.mark.parametrize(
    ("paytable", "cards", "category"),
    [
        ("1", "Kd Kh Ks Jk 9c 4s 7d", None),
        ("2", "Kd Kh Ks Jk 9c 4s 7d", "four_of_a_kind"),
        ("5", "Kd Kh Jd Jh Jk 4s 7d", "full_house"),
        ("6", "Kd Kh Jd Jh Jk 4s 7d", None),
        ("7", "Kd Kh Ks Kc Jk 4s 7d", "five_of_a_kind"),
        ("3", "Kd Kh Ks Kc Jk 4s 7d", "four_of_a_kind"),
        ("2", "Ad Ah As Ac Jk 4s 7d", "five_of_a_kind"),
        ("5", "Ad Ah As Ac Jk 4s 7d", "five_aces"),
        ("4", "Ad Ah As Ac Jk 4s 7d", "five_aces"),
        ("4", "Kd Kh Ks Jk 9c 4s 7d", "three_of_a_kind"),
        ("2", "Jh Th 9h 8h 7h Jk 5h", "seven_card_wild_straight_flush"),
        ("2", "Jh Th 9h 8h 7h 6h 5h", "seven_card_natural_straight_flush"),
        ("2", "Kh Qh Jh Th Jk 2c 3d", "royal_flush"),
        ("6", "Jh Th 9h 8h 7h Jk 5h", "seven_card_straight_flush"),
        ("4", "Jh Th 9h 8h 7h Jk 5h", "seven_card_straight_flush_with_joker"),
        ("4", "Ah 2h 3h 4h 5h 6h 7h", "seven_card_straight_flush"),
        ("4", "Kh Qh Jh Th Jk Kc Qc", "royal_flush_and_royal_match"),
        ("4", "Ah Kh Qh Jh Th Ac Kc", "royal_flush"),
        ("1", "Kh Qh Jh Th Jk Kc Qc", "royal_flush"),
        ("4", "Kh Jk 9h 6h 2h Kc Qc", "flush"),
        ("4", "Kh Jk Jd Td Qc 2c 3c", "straight"),
        ("4", "Kh Jk Kd Td 8c 2c 3c", None),
    ],
)
def test_the_joker_of_each_progressive_paytable(paytable: str, cards: str, category: str | None) -> None:
    """Fully wild in paytables 2, 5, 6 and 7; elsewhere an ace, or what completes a straight or a flush."""
    stake = 500 if paytable == "4" else 100
    held = cards.split()
    dealer = {"cards": ["5s", "5c", "2d", "6s", "9s", "Ts", "3s"], "low": ["Ts", "9s"]}
    one = seat(3, held, " ".join(held[-2:]), bets={"progressive_payout": stake})
    line = lines(settled([one], dealer, meter=10**6, progressive_payout=paytable), "progressive_payout")[3]
    assert category == line.category
    assert ("lose" if category is None else "win") == line.outcome
    assert (stake if paytable == "4" and category else 0) == line.stake_returned
