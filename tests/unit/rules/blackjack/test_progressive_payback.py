"""The progressives that depend on how the Blackjack Wager is played, beside rounds that are dealt and settled."""

from collections import Counter
from fractions import Fraction
from math import comb, sqrt
from random import Random
from typing import Any

import pytest

from shared.rules import Refused, catalogue, compile_rules, game_of, parse_round, parse_submission
from shared.rules.blackjack.play import terms_of
from shared.rules.blackjack.strategy_card import strategy_card
from shared.rules.paybacks import paybacks
from shared.rules.progressive import Progressive
from shared.rules.submission import select
from tests.support.nightly import sampled
from tests.unit.rules.blackjack.playing import Round, Table, total

REGULATION = "pa-633a-2024"
SEED = 20_261_128
BAD_BEAT, STRAIGHT_JACK = "bad_beat_progressive", "straight_jack_progressive"
METER = {"rate": "0.2", "reset": 500_000}
RANKS = "A23456789TJQKA"
SIDE_BY_SIDE = {frozenset(RANKS[low:high]) for low in range(len(RANKS)) for high in range(low + 2, low + 7)}
TO_ONE = {2: 3, 3: 15, 4: 50}


def document(decks: int, bad_beat: Any = None, **options: Any) -> dict[str, Any]:
    """Return a submission with both wagers."""
    wagers = {BAD_BEAT: {"meter": METER, **(bad_beat or {})}, STRAIGHT_JACK: {"meter": METER}}
    return {"decks": decks, "options": options, "wagers": wagers}


def counted(wager: str, decks: int, bad_beat: Any = None, **options: Any) -> Progressive:
    """Return what a wager comes to by its meter."""
    selection = select(catalogue(REGULATION), parse_submission(document(decks, bad_beat, **options)))
    return game_of(REGULATION).progressive(selection, wager)


def beaten(played: Round, *, any_20: bool) -> int:
    """Return what a cent on the Bad Beat brings back without its meter, done the obvious way."""
    if not any(total(hand.cards)[0] == 20 and not hand.surrendered for hand in played.hands):
        return 0
    if total(played.dealer)[0] != 21:
        return int(any_20)
    return {2: 10, 3: 25, 4: 50, 5: 100, 6: 1000}[len(played.dealer)]


def straight(played: Round) -> int:
    """Return how long the straight of a hand is that was not split: so many first cards lie side by side."""
    [cards] = played.dealt if len(played.hands) > 1 else [played.hands[0].cards]
    length = 0
    for number in range(2, len(cards) + 1):
        ranks = frozenset(card[0] for card in cards[:number])
        if ranks not in SIDE_BY_SIDE or len(ranks) < number or total(cards[:number])[0] > 21:
            break
        length = number
    return length


@pytest.mark.parametrize(
    ("decks", "options"), [(1, {"resplits": 2}), (6, {"resplits": 2}), (2, {"resplits": 1, "dealt_from_hand": True})]
)
def test_rounds_that_are_settled_win_as_often_as_counted(decks: int, options: Any) -> None:
    """The settlement pays what the obvious way says, and hits come within four standard errors of the counts."""
    submission = document(decks, {"any_20": True}, **options)
    rules, parsed = compile_rules(REGULATION, parse_submission(submission)), parse_submission(submission)
    selection = select(catalogue(REGULATION), parsed)
    terms = terms_of(selection, selection.offers["blackjack"])
    table = Table(Random(SEED), decks, strategy_card(decks, terms), terms.resplits, terms.from_hand)
    found: Counter[tuple[str, str]] = Counter()
    rounds = 2_000
    for _ in range(rounds):
        played = table.play()
        record = played.record(100) | {"meters": {BAD_BEAT: 500_000, STRAIGHT_JACK: 500_000}}
        record["seats"][0]["wagers"] |= {BAD_BEAT: 100, STRAIGHT_JACK: 100}
        lines = {line.wager: line for line in rules.settle(parse_round(REGULATION, record)).lines}
        bad_beat, jack = lines[BAD_BEAT], lines[STRAIGHT_JACK]
        assert 100 * beaten(played, any_20=True) == bad_beat.payout, played
        length = straight(played)
        assert 100 * TO_ONE.get(length, -1) == jack.net, (played, length)
        found.update((name, lines[name].category or "") for name in (BAD_BEAT, STRAIGHT_JACK))
    for wager in (BAD_BEAT, STRAIGHT_JACK):
        for hit in counted(wager, decks, {"any_20": True}, **options).hits:
            chance = float(hit.probability)
            allowed = 4 * sqrt(rounds * chance) + 1
            assert abs(found[wager, hit.category] - rounds * chance) < allowed, (hit.category, found)


@pytest.mark.parametrize("decks", [1, 6])
def test_two_card_straights_are_counted_by_hand(decks: int) -> None:
    """Thirteen neighbors among the ranks, the ace at both ends; whatever follows, no straight gets shorter."""
    found = counted(STRAIGHT_JACK, decks)
    cards = 4 * decks
    assert Fraction(13 * cards**2, comb(13 * cards, 2)) == sum(hit.probability for hit in found.hits)


@sampled(1)
@pytest.mark.parametrize(
    ("decks", "wager", "fixed", "break_even"),
    [
        (1, BAD_BEAT, "48.21%", 24_068_027),
        (6, BAD_BEAT, "49.19%", 13_432_613),
        (8, BAD_BEAT, "49.26%", 13_086_815),
        (1, STRAIGHT_JACK, "77.51%", 49_321_254),
        (6, STRAIGHT_JACK, "75.37%", 75_529_608),
        (8, STRAIGHT_JACK, "75.30%", 76_971_365),
    ],
)
def test_the_payback_as_documented(decks: int, wager: str, fixed: str, break_even: int) -> None:
    """A change of any decision or row shows here; at that reading all is paid back, a cent below it is not."""
    found = counted(wager, decks, resplits=2)
    assert (fixed, break_even) == (f"{float(found.fixed):.2%}", found.break_even_cents)
    assert found.at(break_even).payback >= 1 > found.at(break_even - 1).payback


def test_bonuses_add_their_chance() -> None:
    """20 for 1 where either of two different cards is the selected one of 52, and 5 for 1 for one of seven seats."""
    plain = counted(BAD_BEAT, 6, resplits=2)
    bonuses = counted(BAD_BEAT, 6, {"magic_card": True, "lucky_player": True}, resplits=2)
    twins = Fraction(5, 311)
    seats = catalogue(REGULATION).seats.most
    assert plain.fixed + 20 * (2 - twins) / 52 + Fraction(5, seats) == bonuses.fixed
    assert plain.by_meter_cent == bonuses.by_meter_cent


def test_blackjack_switch_has_the_reason() -> None:
    """Two hands are played together there; the other wagers of the table are counted all the same."""
    submission = parse_submission(document(6, switch=True))
    found = {one.offer.name: one for one in paybacks(REGULATION, submission)}
    for wager in (BAD_BEAT, STRAIGHT_JACK):
        assert found[wager].play is None
        assert "at Blackjack Switch" in (found[wager].reason or "")
    assert found["blackjack"].play is not None
    with pytest.raises(Refused, match="no meter of"):
        list(paybacks(REGULATION, submission, {BAD_BEAT: 100}))
