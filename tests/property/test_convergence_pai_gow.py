"""Over a long run the Pai Gow games of the floor pay back what counting says, wager by wager.

Full tables play `ROUNDS` rounds with a fixed seed. Rows that are won often enough are compared by what they return: the
deviations of all rounds together, which have a mean of nothing, lie within `WIDE` of their standard errors. Rows that
are too rare for that, jackpots among them, must not come more often than a Poisson count does with the probability
`RARELY`. The main wager has no counted payback; as both sides set their hands by the house way, each is above the other
as often.
A sound simulator fails a check of this file with about one seed in 3,000.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import comb, exp, sqrt
from random import Random
from typing import Final, Literal, NamedTuple

import pytest

from loadtest.face_up import ENVY, FACE_UP_PAI_GOW
from loadtest.game import AnyRound, FloorGame
from loadtest.pai_gow import BANKS, CLASSIC, CO_BANKS, PAI_GOW, RHODE_ISLAND_PAI_GOW
from loadtest.players import MAKES_A_SIDE_BET, Player
from loadtest.set_hands import SetHand
from shared.cards import Card
from shared.cards.ranking.pai_gow import HighHands, card_set, formed, low_rank, top_value
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules import Line, Settlement, catalogue, compile_rules, parse_submission, payback
from shared.rules.face_up_pai_gow.ace_high_counts import ace_high_counts
from shared.rules.face_up_pai_gow.payback import progressive_at_reset
from shared.rules.face_up_pai_gow.record import FaceUpRound
from shared.rules.pai_gow.bonuses import INSURANCE, bonus, insurance
from shared.rules.pai_gow.progressive import HandTypes
from shared.rules.pai_gow.record import MAIN
from shared.rules.paytable import rows_by_category
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.submission import Offer, Selection, select

SEED: Final = 645_688
ROUNDS: Final = 6_000
WIDE: Final = 4.5
"""Standard errors: a normal sum lies beyond with a probability of 7 in a million."""
RARELY: Final = 1e-6
OFTEN: Final = 30
"""A row that is expected so many times or more is compared by what it returns."""
SHARP: Final = 0.15
"""A deviation of this share of what was staked is always seen."""
SHARP_TOGETHER: Final = 0.25
"""The same where all players win and lose together."""

SEATS: Final = 6
HANDS: Final = comb(53, 7)
STAKE: Final = 1000
PROGRESSIVE_STAKE: Final = 100
PUBLISHED: Final = {"win": 0.2855, "push": 0.4147, "lose": 0.2998}
"""How the main wager ends where both sides follow the house way of one casino, as analysts simulated it."""
OTHER_HOUSE_WAY: Final = 0.025

GAMES: Final = {offer: game for game in (PAI_GOW, RHODE_ISLAND_PAI_GOW, FACE_UP_PAI_GOW) for offer in game.offers}
SIDE_BETS: Final = [(offer, wager) for offer, game in GAMES.items() for wager in game.offers[offer]["wagers"]]
AGAINST_A_HIDDEN_HAND: Final = [offer for offer, game in GAMES.items() if game is not FACE_UP_PAI_GOW]
BONUSES: Final = ("fortune_bonus", "emperors_treasure", "bonus")
PROGRESSIVE: Final = "progressive_payout"
(RHODE_ISLANDS,) = RHODE_ISLAND_PAI_GOW.offers
RANKING: Final = HighHands()
WITH_ENVY: Final = [
    (offer, wager) for offer, wager in SIDE_BETS if wager in BONUSES or (offer, wager) == (ENVY, PROGRESSIVE)
]


class Chance(NamedTuple):
    """How likely a row is, and what it returns of a stake of one: without the meter, the share of it, Envy in cents."""

    probability: Fraction
    returns: Fraction
    meter: Fraction
    envy: int


Exact = Mapping[str, Chance]
"""The rows of a wager, by the category or else the outcome of their lines."""


@dataclass
class Tally:
    """What happened on one wager: cents staked, lines by row, and the deviation of what came back, by round."""

    exact: Exact
    compared: float
    staked: int = 0
    lines: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    deviation: float = 0.0
    squares: float = 0.0

    def add(self, lines: list[Line]) -> None:
        """Count the lines of one round."""
        back = staked = 0
        for line in lines:
            row = _row_of(line)
            staked += line.stake
            if row in self.exact:
                self.hits[row] += 1
                if is_common(self.exact[row]):
                    back += line.payout + line.stake_returned
        self.staked += staked
        self.lines += len(lines)
        self.count(back - self.compared * staked)

    def count(self, deviation: float) -> None:
        """Count the deviation of one round."""
        self.deviation += deviation
        self.squares += deviation**2

    @property
    def standard_errors(self) -> float:
        """The deviation in its standard errors."""
        return self.deviation / sqrt(self.squares)


@dataclass
class Run:
    """A long run of one table: its wagers, Envy Bonuses, and how the main wagers ended."""

    tallies: dict[str, Tally]
    envy: dict[str, Tally]
    exchanged: Tally
    outcomes: Counter[str]


def is_common(row: Chance) -> bool:
    """Whether a row comes often enough to be compared by what it returns; a share of the meter never does."""
    expected = row.probability * ROUNDS * SEATS * Fraction(MAKES_A_SIDE_BET)
    return row.meter == 0 and expected >= OFTEN


def _row_of(line: Line) -> str:
    return line.category or line.outcome


class Seven(NamedTuple):
    """What counting must know of seven cards: what they form, also with a fully wild joker, and Rhode Island's type."""

    formed: int
    with_wild_joker: int
    top: int
    hand_type: str | None


@cache
def counts() -> Counter[Seven]:
    """All seven-card hands."""
    types = HandTypes(selection(RHODE_ISLANDS).offers[PROGRESSIVE])

    def seven(cards: tuple[Card, ...]) -> Seven:
        hand = card_set(cards)
        flags = formed(hand)
        rows = types.rows(hand, flags)
        wild = formed(hand, wild_joker=True)
        return Seven(flags, wild, top_value(hand), rows[0].category if rows else None)

    return count_seven_cards(seven)


def selection(offer: str) -> Selection:
    """What an offer of the floor selects."""
    return select(catalogue(GAMES[offer].regulation), parse_submission(GAMES[offer].offers[offer]))


def exact(offer: str, wager: str) -> Exact:
    """How likely each row of a wager is, by counting."""
    selected = selection(offer)
    offered = selected.offers[wager]
    if wager == "starting_position":
        ratio = selected.options["starting_position_odds"]
        assert isinstance(ratio, Fraction)
        return {"win": Chance(Fraction(1, 7), ratio + 1, Fraction(0), 0)}
    ways = _of_two_hands() if wager == "ace_high_bonus" else _of_seven_cards(GAMES[offer], offered)
    return {
        category: Chance(ways[category], row.odds.ratio + row.odds.stake_returned, row.meter, row.envy)
        for category, row in rows_by_category(offered).items()
    }


def _of_two_hands() -> Mapping[str, Fraction]:
    """The probability of each row of the Ace High Bonus Wager."""
    found = ace_high_counts()
    return {
        "both_dealer_and_player_ace_high": Fraction(found.both, found.all_pairs),
        "only_dealer_ace_high_with_joker": Fraction(found.only_dealer_with_joker, found.all_pairs),
        "only_dealer_ace_high_no_joker": Fraction(found.only_dealer_no_joker, found.all_pairs),
    }


def _of_seven_cards(game: FloorGame, offer: Offer) -> Mapping[str, Fraction]:
    """The probability of each row of a wager on a player's seven cards."""
    found: Counter[str] = Counter()
    rows = None
    if offer.name in BONUSES and game is not FACE_UP_PAI_GOW:
        rows = bonus(offer).rows
    elif offer.name in BONUSES or (offer.name == PROGRESSIVE and game is not RHODE_ISLAND_PAI_GOW):
        rows = BonusRows(offer)
    for seven, hands in counts().items():
        category = seven.hand_type
        if rows is not None:
            row = rows[seven.with_wild_joker if offer.paytable.wild_joker else seven.formed]
            category = None if row is None else row.category
        elif offer.name == INSURANCE:
            category = None if seven.formed else insurance(offer).rows[seven.top].category
        if category is not None:
            found[category] += hands
    return {category: Fraction(hands, HANDS) for category, hands in found.items()}


@cache
def run(offer: str) -> Run:
    """Play a full table for a long time, banks among its players where that is allowed."""
    game, selected = GAMES[offer], selection(offer)
    submission = parse_submission(game.offers[offer])
    rules = compile_rules(game.regulation, submission)
    table = game.open_table(submission, Random(f"{SEED}/{offer}"))
    players = [
        Player(
            name=f"p{seat}",
            account=f"a{seat}",
            seat=seat,
            wager=2500,
            side_bets={name: stake(selected.offers[name]) for name in submission.wagers},
            habits=frozenset([BANKS, CO_BANKS] if seat % 2 else [BANKS]),
        )
        for seat in range(1, SEATS + 1)
    ]
    meters = {name: offered.meter.reset for name, offered in selected.offers.items() if offered.meter is not None}
    rows = {wager: exact(offer, wager) for wager in submission.wagers}
    result = Run(
        tallies={wager: Tally(found, _together(found, "returns")) for wager, found in rows.items()},
        envy={
            wager: Tally(found, _together(found, "envy"))
            for wager, found in rows.items()
            if any(row.envy for row in found.values())
        },
        exchanged=Tally({}, 0),
        outcomes=Counter(),
    )
    main = next(name for name, wager in selected.catalogue.wagers.items() if wager.offered == "required")
    for _ in range(ROUNDS):
        record = table.play(players, meters)
        settlement = rules.settle(record)
        meters = dict(settlement.meters)
        for wager, tally in result.tallies.items():
            tally.add([line for line in settlement.lines if line.wager == wager])
        for wager, tally in result.envy.items():
            _count_envy(tally, wager, selected.offers[wager].paytable.paragraph, record, settlement)
        result.outcomes.update(line.outcome for line in settlement.lines if line.wager == main)
        result.exchanged.count(_above(record) if isinstance(record, FaceUpRound) else _won(settlement, selected))
    return result


def stake(offer: Offer) -> int:
    """What every player lays on a side bet, cents."""
    return offer.paytable.stake or (PROGRESSIVE_STAKE if offer.meter else STAKE)


def _together(rows: Exact, what: Literal["returns", "envy"]) -> float:
    """What the common rows return, or what they earn others, on average."""
    return float(sum(row.probability * getattr(row, what) for row in rows.values() if is_common(row)))


def _count_envy(tally: Tally, wager: str, paragraph: str, record: AnyRound, settlement: Settlement) -> None:
    """Count what the Qualifying Wagers of a round earned: each by the hand of every other player."""
    paid = sum(
        line.payout
        for line in settlement.lines
        if line.wager == "envy_bonus" and line.paragraph == paragraph and is_common(tally.exact[_row_of(line)])
    )
    earners = sum(wager in seat.wagers for seat in record.seats)
    tally.count(paid - tally.compared * earners * (len(record.seats) - 1))


def _won(settlement: Settlement, selected: Selection) -> int:
    """How many more main wagers won than lost with both hands below the dealer's or the bank's."""
    both_lower = selected.catalogue.paragraphs["both_lower"]
    ended = [line for line in settlement.lines if line.wager == MAIN]
    return sum((line.outcome == "win") - (line.paragraph == both_lower) for line in ended)


def _above(record: FaceUpRound) -> int:
    """How many more hands are above the dealer's than are below, also where an Ace High Pai Gow ties with them all."""
    dealer = _set_hand(record.dealer.cards, record.dealer.low)
    hands = [_set_hand(seat.cards, seat.low) for seat in record.seats]
    return sum(hand.is_above(dealer) - dealer.is_above(hand) for hand in hands)


def _set_hand(cards: tuple[Card, ...], low: tuple[Card, ...]) -> SetHand:
    seven, below = card_set(cards), card_set(low)
    return SetHand(cards, low, RANKING.rank(seven ^ below), low_rank(below))


def at_reset(offer: str, wager: str) -> Fraction:
    """What the rows of a wager return together, with a meter at its reset amount."""
    offered = selection(offer).offers[wager]
    meter = Fraction(offered.meter.reset, stake(offered)) if offered.meter else Fraction(0)
    return sum(
        (row.probability * (row.returns + row.meter * meter) for row in exact(offer, wager).values()), Fraction()
    )


@pytest.mark.parametrize(("offer", "wager"), [(offer, wager) for offer, wager in SIDE_BETS if wager != PROGRESSIVE])
def test_the_rows_come_to_the_exact_payback(offer: str, wager: str) -> None:
    """What is measured here row by row is together the documented payback."""
    game = GAMES[offer]
    assert payback(game.regulation, wager, parse_submission(game.offers[offer])) == at_reset(offer, wager)


@pytest.mark.parametrize("offer", FACE_UP_PAI_GOW.offers)
def test_the_rows_of_face_up_progressives_come_to_the_payback_at_reset(offer: str) -> None:
    """With the meter at its seed."""
    assert progressive_at_reset(selection(offer)) == at_reset(offer, PROGRESSIVE)


def test_the_rows_of_pennsylvanias_progressive_come_to_the_payback_at_reset() -> None:
    """The published frequencies of what the text pays, a Royal Match as a royal flush, a dollar for each chance."""
    meter = 5_000
    pays = {228: meter, 1_128: meter // 10, 26_092: 500, 184_644: 100, 307_472: 75, 4_188_528: 4}
    assert Fraction(sum(hands * dollars for hands, dollars in pays.items()), HANDS) == at_reset(CLASSIC, PROGRESSIVE)


def test_rhode_islands_hand_types_are_the_published_hands_together() -> None:
    """Everything from three-of-a-kind on wins, whichever way the two hands are formed."""
    winning = sum((row.probability for row in exact(RHODE_ISLANDS, PROGRESSIVE).values()), Fraction())
    assert Fraction(29_586_884, HANDS) == winning


@pytest.mark.parametrize(("offer", "wager"), SIDE_BETS)
def test_a_side_bet_pays_back_what_counting_says(offer: str, wager: str) -> None:
    """What common rows return of all that was staked is near what they return exactly, and would be seen otherwise."""
    tally = run(offer).tallies[wager]
    assert abs(tally.standard_errors) < WIDE, f"{tally.deviation / tally.staked:+.4f} of the stakes"
    assert WIDE * sqrt(tally.squares) / tally.staked < (SHARP_TOGETHER if wager == "ace_high_bonus" else SHARP)


@pytest.mark.parametrize(("offer", "wager"), SIDE_BETS)
def test_rare_hands_are_rare(offer: str, wager: str) -> None:
    """Jackpots and other rows that a run of this length hardly sees do not come more often than they should."""
    tally = run(offer).tallies[wager]
    rare = {name: row for name, row in tally.exact.items() if not is_common(row)}
    expected = float(sum(row.probability for row in rare.values())) * tally.lines
    assert at_least(sum(tally.hits[name] for name in rare), expected) > RARELY


def at_least(hits: int, expected: float) -> float:
    """The probability of so many or more in a Poisson count."""
    below, term = 0.0, exp(-expected)
    for number in range(hits):
        below += term
        term *= expected / (number + 1)
    return 1 - below


@pytest.mark.parametrize(("offer", "wager"), WITH_ENVY)
def test_envy_bonuses_come_as_often_as_the_hands_of_others(offer: str, wager: str) -> None:
    """Each Qualifying Wager earns what the rows of every other hand at the table are worth."""
    assert abs(run(offer).envy[wager].standard_errors) < WIDE


@pytest.mark.parametrize("offer", GAMES)
def test_both_sides_are_above_the_other_as_often(offer: str) -> None:
    """Hands that are dealt from one deck and set in one way can be exchanged: the dealer gains by copies alone."""
    assert abs(run(offer).exchanged.standard_errors) < WIDE


@pytest.mark.parametrize("offer", AGAINST_A_HIDDEN_HAND)
def test_the_main_wager_ends_as_analysts_found(offer: str) -> None:
    """Wins, ties and losses have the published shares, as near as another house way lets them be."""
    outcomes = run(offer).outcomes
    shares = {outcome: outcomes[outcome] / outcomes.total() for outcome in PUBLISHED}
    assert pytest.approx(PUBLISHED, abs=OTHER_HOUSE_WAY) == shares
