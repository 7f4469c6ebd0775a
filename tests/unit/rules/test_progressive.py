"""A wager with a progressive meter: its payback by the reading, where it breaks even, and over the long run."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, isclose
from typing import Any

import pytest
from phevaluator import evaluate_cards

from shared.cards import RANKS, SUITS
from shared.cards.ranking.pai_gow import Formed
from shared.counting.five_cards import ROWS, count_five_cards
from shared.rules import Refused, catalogue, game_of, parse_submission, play
from shared.rules.holdem import progressive_payback
from shared.rules.pai_gow.progressive_payback import hand_type_counts
from shared.rules.paybacks import paybacks
from shared.rules.progressive import MeterHit, Progressive
from shared.rules.record import Meter
from shared.rules.set_hands.payback import seven_card_counts
from shared.rules.submission import select

METER = {"rate": "0.2", "reset": 1_000_000}
DECK = [rank + suit for rank in RANKS for suit in SUITS]
PUBLISHED = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
}
"""How many of the 2,598,960 hands of five cards there are of each kind."""
LAST = (1, 10, 166, 322, 1599, 1609, 2467)
"""The last rank of each of these in the other evaluator, which calls the best hand 1."""


def counted(regulation: str, wager: str, **submission: Any) -> Progressive:
    """Return what the wager comes to by its meter."""
    selection = select(catalogue(regulation), parse_submission(submission))
    return game_of(regulation).progressive(selection, wager)


def holdem(pays_on: str, wager: str, **options: Any) -> Progressive:
    """Return a progressive of Texas Hold 'Em Bonus Poker."""
    return counted("pa-647a", wager, options={"ante_pays_on": pays_on}, wagers={wager: {"meter": METER, **options}})


EVERY = {
    "hit_and_run_progressive": cache(
        lambda: counted(
            "pa-633a-2024", "hit_and_run_progressive", decks=6, wagers={"hit_and_run_progressive": {"meter": METER}}
        )
    ),
    "holdem-progressive_payout": cache(lambda: holdem("flush", "progressive_payout")),
    "five_card_hand_bonus": cache(lambda: holdem("straight", "five_card_hand_bonus")),
    "pai-gow-progressive_payout": cache(
        lambda: counted("pa-645a-2011", "progressive_payout", wagers={"progressive_payout": {"meter": METER}})
    ),
    "progressive_bonus": cache(
        lambda: counted("pa-687a", "progressive_bonus", wagers={"progressive_bonus": {"paytable": "2", "meter": METER}})
    ),
    **{
        f"face-up-progressive_payout-{name}": cache(
            lambda name=name: counted(
                "pa-688a", "progressive_payout", wagers={"progressive_payout": {"paytable": name}}
            )
        )
        for name in "1234567"
    },
}
"""What counts each, once and when a test asks for it."""


@pytest.fixture(params=EVERY)
def wager(request: pytest.FixtureRequest) -> Progressive:
    """Every wager with a meter."""
    return EVERY[request.param]()


def test_all_is_paid_back_from_the_break_even_reading_on(wager: Progressive) -> None:
    """A cent less on the meter, and the house still keeps something; the payback is a line over the readings."""
    even = wager.break_even_cents
    assert even is not None
    assert wager.at(even).payback >= 1 > wager.at(even - 1).payback
    assert wager.fixed == wager.at(0).payback
    reset = wager.at(wager.reset_cents).payback
    assert reset == wager.fixed + wager.by_meter_cent * wager.reset_cents


def test_the_long_run_is_what_the_meter_settles_at(wager: Progressive) -> None:
    """The mean of what the meter shows when a hand is paid is where one more round leaves it the same."""
    rate, reset = float(wager.meter.rate) * wager.stake_cents, float(wager.reset_cents)
    shares = [(float(hit.probability), float(hit.meter)) for hit in wager.hits if hit.meter]
    mean = reset
    for _ in range(60):  # the shown mean after a contribution, by secant steps of the linear map of one round
        mean = mean + (_round(mean, rate, reset, shares) - mean) / sum(p * m for p, m in shares)
    assert isclose(float(wager.at(0).payback) + mean * float(wager.by_meter_cent), float(wager.in_the_long_run or 0))


def _round(shown: float, rate: float, reset: float, shares: list[tuple[float, float]]) -> float:
    """Return the mean after a hand was paid at `shown` and the next wager has added to the meter."""
    left = shown * (1 - sum(chance for chance, _ in shares))
    for chance, share in shares:
        left += chance * (reset if share == 1 else shown * (1 - share))
    return left + rate


def test_fixed_amounts_off_the_meter_leave_the_long_run_to_its_readings() -> None:
    """Rhode Island deducts some: what the house adds then depends on how low the meter gets."""
    wager = counted(
        "ri-pai-gow",
        "progressive_payout",
        wagers={"progressive_payout": {"paytable": "one_dollar", "meter": {"rate": "0.21", "reset": 1_000_000}}},
    )
    assert wager.in_the_long_run is None
    assert Fraction(29_586_884, comb(53, 7)) == sum(hit.probability for hit in wager.hits)


def test_hand_types_are_what_seven_cards_form() -> None:
    """Whatever a pair leaves beside it, hands form at all what the counts for other wagers say."""
    formed: Counter[int] = Counter()
    for kind, hands in hand_type_counts().items():
        formed[kind.anything] += hands
    natural = int(Formed.natural_royal_flush)
    others = {kind: hands for kind, hands in formed.items() if kind != natural}
    counted: Counter[int] = Counter()
    for seven, hands in seven_card_counts().items():
        counted[seven.formed] += hands
    assert comb(53, 7) == formed.total()
    without = {kind: hands for kind, hands in counted.items() if not kind & natural}
    assert without == {kind: hands for kind, hands in others.items() if not kind & natural}


def test_pai_gow_pokers_progressive_is_the_published_one() -> None:
    """The published frequencies of what the text pays, at a meter of $5,000."""
    wager = EVERY["pai-gow-progressive_payout"]()
    pays = {228: 5_000, 1_128: 500, 26_092: 500, 184_644: 100, 307_472: 75, 4_188_528: 4}
    published = Fraction(sum(hands * dollars for hands, dollars in pays.items()), comb(53, 7))
    assert published == wager.at(500_000).payback


def test_five_cards_make_the_rows_as_often_as_published() -> None:
    """Two cards and the Flop are ten ways to deal each hand of five."""
    counts = zip(*progressive_payback.five_cards().values(), strict=True)
    assert {name: 10 * hands for name, hands in PUBLISHED.items()} == {
        name: sum(ways) for name, ways in zip(progressive_payback.ROWS, counts, strict=True)
    }
    assert ROWS == progressive_payback.ROWS


@pytest.mark.parametrize("hole", [("Ah", "Kh"), ("7c", "7d"), ("7c", "2d")])
def test_a_hand_makes_the_rows_that_another_evaluator_finds(hole: tuple[str, str]) -> None:
    """All 19,600 flops, times the hands of the same kind."""
    found = dict.fromkeys(PUBLISHED, 0)
    for flop in combinations([card for card in DECK if card not in hole], 3):
        rank = evaluate_cards(*hole, *flop)
        if rank <= LAST[-1]:
            found[next(name for name, last in zip(PUBLISHED, LAST, strict=True) if rank <= last)] += 1
    kind = hole[0][0] + hole[1][0]
    name, ways = (kind, 6) if kind == "77" else (f"{kind}s", 4) if kind == "AK" else (f"{kind}o", 12)
    expected = dict(zip(progressive_payback.ROWS, progressive_payback.five_cards()[name], strict=True))
    assert {row: ways * hands for row, hands in found.items()} == expected


def test_a_part_of_the_flops_is_counted_again() -> None:
    """Four suits of five ranks: all their hands of three of a kind and better, ten ways each."""
    cards = [card for card in DECK if card[0] in "AKQJT"]
    counts = count_five_cards(cards)  # type: ignore[arg-type]
    made: dict[str, int] = dict.fromkeys(ROWS, 0)
    for five in combinations(cards, 5):
        rank = evaluate_cards(*five)
        if rank <= LAST[-1]:
            made[next(name for name, last in zip(PUBLISHED, LAST, strict=True) if rank <= last)] += 10
    assert made == {row: sum(ways[place] for ways in counts.values()) for place, row in enumerate(ROWS)}


def test_a_folded_hand_has_no_progressive_payout() -> None:
    """Paybacks of the hands that are played; the Five Card Hand Bonus of folded hands counts."""
    everyone = Fraction(sum(PUBLISHED.values()), comb(52, 5))
    assert everyone == holdem("straight", "five_card_hand_bonus").at(0).hit_frequency + Fraction(
        PUBLISHED["straight"] + PUBLISHED["three_of_a_kind"], comb(52, 5)
    ) + Fraction(40, comb(52, 5))
    straight, flush = (holdem(on, "progressive_payout") for on in ("straight", "flush"))
    assert everyone > sum(hit.probability for hit in straight.hits) > sum(hit.probability for hit in flush.hits)


def test_bonuses_of_the_five_card_hand_are_paid_beside_its_rows() -> None:
    """20 times the chance that one of five cards is the Magic Card, 5 times that of one of seven positions."""
    bare = holdem("straight", "five_card_hand_bonus")
    both = holdem("straight", "five_card_hand_bonus", magic_card=True, lucky_bonus=True)
    assert both.fixed == bare.fixed + 20 * Fraction(5, 52) + 5 * Fraction(1, 7)
    assert both.by_meter_cent == bare.by_meter_cent
    assert sum(chance for _, chance in both.at(0).ends) == 1


@pytest.mark.parametrize("decks", [1, 6])
def test_the_dealers_hands_are_those_of_every_card_drawn(decks: int) -> None:
    """Thirteen ranks instead of ten values, and totals counted with hard and soft aces as one draws."""
    left = dict.fromkeys(RANKS, 4 * decks)
    chances: dict[str, float] = {}

    def draw(number: int, hard: int, ace: bool, chance: float) -> None:
        best = hard + 10 if ace and hard <= 11 else hard
        if number > 1 and best >= 17:
            name = "blackjack" if number == 2 and best == 21 else str(min(number, 8))
            chances[name] = chances.get(name, 0.0) + chance
            return
        cards = sum(left.values())
        for rank, copies in left.items():
            if copies:
                left[rank] -= 1
                points = 1 if rank == "A" else 10 if rank in "TJQK" else int(rank)
                draw(number + 1, hard + points, ace or rank == "A", chance * copies / cards)
                left[rank] += 1

    draw(0, 0, False, 1.0)
    pays = {"blackjack": 4, "5": 8, "6": 25, "7": 200}
    wager = counted(
        "pa-633a-2024",
        "hit_and_run_progressive",
        decks=decks,
        wagers={"hit_and_run_progressive": {"meter": METER}},
    )
    assert isclose(sum(chances[name] * odds for name, odds in pays.items()), float(wager.fixed), rel_tol=1e-9)
    assert isclose(chances["8"] / 100, float(wager.by_meter_cent), rel_tol=1e-9)


def test_a_wager_is_played_at_its_reset_amount_or_at_a_reading() -> None:
    """The play of a progressive is at its reset; `paybacks` takes what meters show, and refuses what has none."""
    submission = parse_submission({"wagers": {"progressive_payout": {"meter": METER}}})
    wager = counted("pa-645a-2011", "progressive_payout", wagers={"progressive_payout": {"meter": METER}})
    assert wager.at(1_000_000) == play("pa-645a-2011", "progressive_payout", submission)
    found = {one.offer.name: one for one in paybacks("pa-645a-2011", submission, {"progressive_payout": 7_000_000})}
    assert wager.at(7_000_000) == found["progressive_payout"].play
    assert wager.break_even_cents == found["progressive_payout"].as_document()["progressive"]["break_even_cents"]
    with pytest.raises(Refused, match="no meter of 'bonus' is counted; there are: progressive_payout"):
        list(paybacks("pa-645a-2011", submission, {"bonus": 1}))


def test_a_wager_whose_meter_pays_nothing_never_breaks_even() -> None:
    """No reading makes up for it; a fixed part of more than everything breaks even at nothing."""
    hit = MeterHit("pair", Fraction(1), Fraction(0), False, Fraction(1, 2))
    never = Progressive("one", "as it is", 100, Meter(rate="0.1", reset=100), (hit,))
    always = Progressive("one", "as it is", 100, never.meter, (hit._replace(back=Fraction(3), meter=Fraction(1)),))
    assert [None, 0] == [never.break_even_cents, always.break_even_cents]
