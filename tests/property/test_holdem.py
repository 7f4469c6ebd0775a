"""Hold 'Em rounds dealt from a real deck with random decisions settle; broken copies of them never do."""

import copy
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Final

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.property.breaks import FULL_HANDS, METERED, Break, put, wager_of
from tests.property.dealing import DECK, Dealt, Document, likely, some
from tests.property.games import MANY, SEEDS, GameSuite
from tests.support.obvious_ranking import CATEGORIES, best_standing, standing

SHORT: Final = [card for card in DECK if card[0] in "AKQJT9" and card[1] in "sh"] + (
    ["Ad", "Ac", "Kd", "9d", "9c", "8s", "7s", "6s", "2s", "2c"]
)
"""Cards of few ranks and suits, which make hands that win and tie often."""
MAIN: Final = ("ante", "flop", "turn", "river")
ON_PLAYER: Final = "five_card_hand_bonus_player"
ON_DEALER: Final = "five_card_hand_bonus_dealer"
WAGERS: Final[Document] = {
    "texas_holdem_bonus": {"paytable": "A"},
    "progressive_payout": {"meter": {"rate": "0.07", "reset": 1000000}},
    "five_card_hand_bonus": {"meter": {"rate": "0.13", "reset": 1200000}, "magic_card": True, "lucky_bonus": True},
}
METERS: Final = {"progressive_payout": 1700003, "five_card_hand_bonus": 1900009}
PAYOUT_LIMIT: Final = 5_000_000


def fields(**values: Any) -> Break:
    """Return a break that puts other fields into the round."""

    def change(round_: Document, dealt: Dealt) -> bool:
        del dealt
        round_ |= values
        return True

    return change


def flop_wager_is_lost(round_: Document, dealt: Dealt) -> bool:
    """Take every wager but the Ante of a player who stayed away."""
    del dealt
    seat = next((seat for seat in round_["seats"] if not seat["folded"]), None)
    if seat is not None:
        seat["wagers"] = {"ante": seat["wagers"]["ante"]}
    return seat is not None


def player_folds_and_stays(round_: Document, dealt: Dealt) -> bool:
    """Let a player with a Flop Wager fold."""
    del dealt
    seat = next((seat for seat in round_["seats"] if not seat["folded"]), None)
    if seat is not None:
        seat["folded"] = True
    return seat is not None


def ante_is_lost(round_: Document, dealt: Dealt) -> bool:
    """Take the Ante Wager of a player away."""
    del dealt, round_["seats"][0]["wagers"]["ante"]
    return True


def card_is_dealt_twice(round_: Document, dealt: Dealt) -> bool:
    """Lay the dealer's first card on the layout too."""
    del dealt
    round_["community"][0] = round_["dealer"]["cards"][0]
    return True


def community_card_too_few(round_: Document, dealt: Dealt) -> bool:
    """Take the last community card away."""
    del dealt, round_["community"][-1]
    return True


def dealer_is_missing(round_: Document, dealt: Dealt) -> bool:
    """Forget the dealer's cards."""
    del dealt, round_["dealer"]
    return True


def one_player_holds_two_positions(round_: Document, dealt: Dealt) -> bool:
    """Give the first and the last seat to one player."""
    del dealt
    round_["seats"][-1]["player"] = round_["seats"][0]["player"]
    return len(round_["seats"]) > 1


def hands(dealt: Dealt) -> dict[int, list[str]]:
    """Return two cards and the Flop by seat, 0 for the dealer."""
    flop = dealt.round["community"][:3]
    cards = {seat["seat"]: [*seat["cards"], *flop] for seat in dealt.seats}
    return cards | {0: [*dealt.round["dealer"]["cards"], *flop]}


def jackpot(shows: int, category: str, reset: int, *, among: int = 1) -> int:
    """Return what a meter shows after a royal flush took all of it, or a straight flush a tenth in equal parts."""
    if category == "straight_flush":
        return shows - shows // 10 // among * among
    return reset if category == "royal_flush" else shows


class TestHoldem(GameSuite):
    """Texas Hold 'Em Bonus Poker."""

    own_breaks: ClassVar[Mapping[str, Break]] = {
        **FULL_HANDS,
        **METERED,
        "flop of a cent more": wager_of("flop", 1),
        "turn of a cent less": wager_of("turn", -1),
        "river of a cent more": wager_of("river", 1),
        "progressive of a cent more": wager_of("progressive_payout", 1),
        "Flop Wager is lost": flop_wager_is_lost,
        "player folds and stays": player_folds_and_stays,
        "Ante Wager is lost": ante_is_lost,
        "card is dealt twice": card_is_dealt_twice,
        "community card too few": community_card_too_few,
        "dealer is missing": dealer_is_missing,
        "dealer has one card": fields(dealer={"cards": ["2c"]}),
        "one player holds two positions": one_player_holds_two_positions,
        "joker": put("seats.0.cards", ["Jk", "2c"]),
        "lucky position 7": fields(lucky_position=7),
        "abandoned by nobody": fields(irregularities=[{"code": "abandoned"}]),
    }

    def deal(self, chance: Random, offered: Document | None = None) -> Dealt:
        """Deal to some of six seats: every player folds or stays by chance, checks or wagers on."""
        if offered is None:
            offered = {name: dict(WAGERS[name]) for name in some(chance, WAGERS)}
        numbers = chance.sample(range(1, 7), chance.randint(1, 6))
        (dealer, *pairs), community = self.cards(chance, len(numbers) + 1)
        seats = [self.seat(chance, number, pair, offered) for number, pair in zip(numbers, pairs, strict=True)]
        round_: Document = {
            "seats": seats,
            "dealer": {"cards": dealer},
            "community": community[:3] if all(seat["folded"] for seat in seats) else community,
            "meters": {name: cents for name, cents in METERS.items() if name in offered},
        }
        if "five_card_hand_bonus" in offered:
            round_["magic_card"] = chance.choice(DECK)
            round_["lucky_position"] = chance.choice([*range(1, 7), "dealer"])
        options = {"ante_pays_on": chance.choice(["straight", "flush"])}
        return Dealt("pa-647a", {"options": options, "wagers": offered}, round_)

    def cards(self, chance: Random, hands: int) -> tuple[list[list[str]], list[str]]:
        """Return two cards for so many hands, and five community cards; now and then a Flop that makes jackpots."""
        deck = chance.sample(cards := DECK if likely(chance, 50) else SHORT, len(cards))
        flop, pairs = [deck.pop() for _ in range(3)], []
        if likely(chance, 30):
            flop, pairs = ["Qs", "Js", "Ts"], [["As", "Ks"], ["9s", "8s"]][:hands]
            deck = [card for card in deck if all(card not in cards for cards in (flop, *pairs))]
        pairs += [[deck.pop(), deck.pop()] for _ in range(hands - len(pairs))]
        chance.shuffle(pairs)
        return pairs, [*flop, deck.pop(), deck.pop()]

    def seat(self, chance: Random, number: int, cards: list[str], offered: Document) -> Document:
        """Return a player with cards, wagers and decisions."""
        ante, folded = chance.randint(1, 60000) * 25, likely(chance, 20)
        wagers = {"ante": ante}
        if not folded:
            wagers |= {"flop": 2 * ante} | {wager: ante for wager in ("turn", "river") if likely(chance, 50)}
        if "texas_holdem_bonus" in offered and likely(chance, 60):
            wagers["texas_holdem_bonus"] = chance.randint(1, 20000)
        if "progressive_payout" in offered and likely(chance, 60):
            wagers["progressive_payout"] = chance.choice([100, 500])
        if "five_card_hand_bonus" in offered:
            wagers |= {wager: chance.randint(1, 500) for wager in (ON_PLAYER, ON_DEALER) if likely(chance, 50)}
        return {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": cards, "folded": folded}

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add a Bonus Wager on two cards that no paytable pays."""
        dealt.submission["wagers"].setdefault("texas_holdem_bonus", {"paytable": "B"})
        for seat in dealt.seats:
            ranks = {card[0] for card in seat["cards"]}
            pays = len(ranks) == 1 or ("A" in ranks and ranks & set("KQJ"))
            if "texas_holdem_bonus" not in seat["wagers"] and not pays:
                seat["wagers"]["texas_holdem_bonus"] = cents
                return seat["seat"], "texas_holdem_bonus"
        return None

    @MANY
    @given(SEEDS)
    def test_hands_are_compared_as_the_text_says(self, seed: int) -> None:
        """The best five of seven decide the four wagers; the Ante is only returned below the threshold."""
        dealt = self.dealt(seed)
        settled = {(line.seat, line.wager): line for line in dealt.settle().lines}
        community = dealt.round["community"]
        dealer = best_standing([*dealt.round["dealer"]["cards"], *community])
        threshold = CATEGORIES.index(dealt.submission["options"]["ante_pays_on"])
        for seat in dealt.seats:
            own = best_standing([*seat["cards"], *community])
            left = PAYOUT_LIMIT
            for wager in [wager for wager in MAIN if wager in seat["wagers"]]:
                stake = seat["wagers"][wager]
                if seat["folded"] or own < dealer:
                    expected = -stake
                elif own == dealer or (wager == "ante" and own[0] < threshold):
                    expected = 0
                else:
                    expected = min(stake, left)
                    left -= expected
                assert expected == settled[seat["seat"], wager].net

    @MANY
    @given(SEEDS)
    def test_the_flop_decides_progressive_and_five_card_wagers(self, seed: int) -> None:
        """Two cards and the Flop, looked up in the paytables by a second opinion on hands."""
        dealt = self.dealt(seed)
        settled = dealt.settle()
        category = {number: CATEGORIES[standing(cards)[0]] for number, cards in hands(dealt).items()}
        progressive = {"four_of_a_kind": 300, "full_house": 50, "flush": 40, "straight": 30, "three_of_a_kind": 9}
        five_card = {"four_of_a_kind": 500, "full_house": 100, "flush": 50}
        envy = {"royal_flush": 1000, "straight_flush": 300}
        for seat in dealt.seats:
            number, wagers = seat["seat"], seat["wagers"]
            own = {line.wager: line for line in settled.lines if line.seat == number and line.wager in wagers}
            bets = [
                ("progressive_payout", progressive, number),
                (ON_PLAYER, five_card, number),
                (ON_DEALER, five_card, 0),
            ]
            for wager, table, hand in [bet for bet in bets if bet[0] in wagers]:
                won = own[wager].payout - own[wager].from_meter
                lost = wager == "progressive_payout" and seat["folded"]
                assert (0 if lost else table.get(category[hand], 0) * wagers[wager]) == won
                assert (category[hand] in envy and not lost) == (own[wager].from_meter > 0)
            envied = sum(line.payout for line in settled.lines if (line.seat, line.wager) == (number, "envy_bonus"))
            others = sum(envy.get(name, 0) for other, name in category.items() if other not in (0, number))
            assert wagers.get("progressive_payout", 0) * others == envied

    @MANY
    @given(SEEDS)
    def test_meters_are_paid_seat_by_seat_from_the_dealers_far_right(self, seed: int) -> None:
        """After all contributions: own hands in settlement order, the dealer's hand once for all who wagered on it."""
        dealt = self.dealt(seed)
        seats = sorted(dealt.seats, key=lambda seat: int(seat["seat"]), reverse=True)
        category = {number: CATEGORIES[standing(cards)[0]] for number, cards in hands(dealt).items()}
        on_dealer = [seat["seat"] for seat in seats if ON_DEALER in seat["wagers"]]
        staked = {
            "progressive_payout": [seat["wagers"].get("progressive_payout", 0) for seat in seats],
            "five_card_hand_bonus": [
                seat["wagers"].get(wager, 0) for seat in seats for wager in (ON_PLAYER, ON_DEALER)
            ],
        }
        percent = {"progressive_payout": 7, "five_card_hand_bonus": 13}
        shows = {
            name: cents + sum(staked[name]) * percent[name] // 100 for name, cents in dealt.round["meters"].items()
        }
        for seat in seats:
            wagers, own = seat["wagers"], category[seat["seat"]]
            if "progressive_payout" in wagers and not seat["folded"]:
                shows["progressive_payout"] = jackpot(shows["progressive_payout"], own, 1000000)
            if ON_PLAYER in wagers:
                shows["five_card_hand_bonus"] = jackpot(shows["five_card_hand_bonus"], own, 1200000)
            if on_dealer and seat["seat"] == on_dealer[0]:
                left = jackpot(shows["five_card_hand_bonus"], category[0], 1200000, among=len(on_dealer))
                shows["five_card_hand_bonus"] = left
        assert shows == dealt.settle().meters

    @MANY
    @given(SEEDS)
    def test_without_a_jackpot_a_seat_is_settled_as_if_it_were_alone(self, seed: int) -> None:
        """Other players matter only for meters and Envy Bonuses; everything else depends on the own cards."""
        dealt = self.dealt(seed)
        settled = dealt.settle()
        assume(not any(line.from_meter for line in settled.lines))
        assume(not all(seat["folded"] for seat in dealt.seats))
        for seat in dealt.seats:
            community = dealt.round["community"][: 3 if seat["folded"] else 5]
            alone = copy.deepcopy(dealt.round) | {"seats": [seat], "community": community}
            own = [line for line in settled.lines if line.seat == seat["seat"] and line.wager != "envy_bonus"]
            assert own == list(dealt.settle(alone).lines)

    @MANY
    @given(SEEDS)
    def test_a_better_hand_never_earns_less_on_the_same_wagers(self, seed: int) -> None:
        """Of two players with the same four wagers against the same dealer, the one with the higher hand earns no
        less."""
        dealt = self.deal(Random(seed), {})
        assume(len(dealt.seats) > 1 and len(dealt.round["community"]) == 5)
        for seat in dealt.seats:
            seat |= {"folded": False, "wagers": {"ante": 500, "flop": 1000, "turn": 500, "river": 500}}
        earned = dict.fromkeys((seat["seat"] for seat in dealt.seats), 0)
        for line in dealt.settle().lines:
            earned[line.seat] += line.net
        community = dealt.round["community"]
        by_hand = sorted(dealt.seats, key=lambda seat: best_standing([*seat["cards"], *community]))
        nets = [earned[seat["seat"]] for seat in by_hand]
        assert sorted(nets) == nets

    @MANY
    @given(SEEDS, st.sampled_from(["misdeal", "shoe_malfunction", "deck_count_wrong", "dealer_card_exposed"]))
    def test_a_void_round_returns_everything_but_a_bonus_that_is_settled(self, seed: int, code: str) -> None:
        """Only the Texas Hold 'Em Bonus Wager may move money, and only after an exposed dealer's card."""
        dealt = self.dealt(seed)
        before = {(line.seat, line.wager): line for line in dealt.settle().lines}
        settled = dealt.settle(dealt.round | {"irregularities": [{"code": code}]})
        assert settled.meters_before == settled.meters
        for line in settled.lines:
            if line.wager == "texas_holdem_bonus" and code == "dealer_card_exposed":
                played = before[line.seat, line.wager]
                assert (played.category, played.outcome) == (line.category, line.outcome)
                assert played.payout <= line.payout <= PAYOUT_LIMIT
            else:
                assert ("void", line.stake, 0) == (line.outcome, line.stake_returned, line.net)

    @MANY
    @given(SEEDS)
    def test_a_player_who_left_loses_every_wager(self, seed: int) -> None:
        """And the others are settled as before, but for what the jackpots are shared among."""
        dealt = self.dealt(seed)
        leaver = dealt.seats[0]
        before = dealt.settle()
        settled = dealt.settle(dealt.round | {"irregularities": [{"code": "abandoned", "seat": leaver["seat"]}]})
        own = [line for line in settled.lines if line.seat == leaver["seat"]]
        assert leaver["wagers"] == {line.wager: -line.net for line in own}
        if not any(line.from_meter for line in (*before.lines, *settled.lines)):
            others = [line for line in before.lines if line.seat != leaver["seat"]]
            assert others == [line for line in settled.lines if line.seat != leaver["seat"]]
