"""Blackjack rounds that are really dealt from a shoe, with random decisions, settle; broken copies of them never do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, Final

from hypothesis import assume, given

from tests.property.breaks import METERED, Break, put
from tests.property.dealing import DECK, RANKS, Dealt, Document, likely, some
from tests.property.games import MANY, SEEDS, GameSuite

NEW: Final = "pa-633a-2024"
METERS: Final = {"bad_beat_progressive": 700001, "hit_and_run_progressive": 120007, "straight_jack_progressive": 600011}
ALWAYS: Final[Document] = {"twenty_point_bonus": {}, "in_between": {}, "kings_bounty": {}}
ONLY_2024: Final[Document] = {
    "house_money": {},
    "three_card_poker": {"paytable": "B"},
    "hit_and_run_progressive": {"meter": {"rate": "0.1", "reset": 100000}},
    "straight_jack_progressive": {"meter": {"rate": "0.25", "reset": 500000}},
    "bad_beat_progressive": {
        "meter": {"rate": "0.07", "reset": 500000},
        "any_20": True,
        "magic_card": True,
        "lucky_player": True,
    },
}


def worth(cards: list[str]) -> int:
    """Return the total of a hand, counted in another way than by the settlement: aces as 1, then one of them as 11."""
    low = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)
    return low + 10 if low <= 11 and any(card[0] == "A" for card in cards) else low


@dataclass
class Table:
    """A dealer, a shoe, and players who decide by chance."""

    chance: Random
    regulation: str
    decks: int
    switch: bool
    options: Document
    offered: Document
    shoe: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shoe = self.chance.sample(DECK * self.decks, 52 * min(self.decks, 3))

    def pair(self) -> list[str]:
        """Return two cards from the shoe; every now and then equal ones, so that there is something to split."""
        first = self.shoe.pop()
        alike = [card for card in self.shoe if card[0] == first[0]]
        if alike and likely(self.chance, 25):
            self.shoe.remove(second := self.chance.choice(alike))
            return [first, second]
        return [first, self.shoe.pop()]

    def deal(self) -> Dealt:
        """Play one round."""
        seats = sorted(self.chance.sample(range(1, 8), self.chance.randint(1, 3 if self.decks == 1 else 7)))
        dealer = self.pair()
        blackjack = worth(dealer) == 21
        acting = not blackjack or bool(self.options.get("dealt_from_hand")) or likely(self.chance, 20)
        documents = [self.seat(number, dealer, acting=acting, blackjack=blackjack) for number in seats]
        if not blackjack and any(self.is_open(seat) for seat in documents):
            while worth(dealer) < 17:
                dealer.append(self.shoe.pop())
        round_: Document = {"seats": documents, "dealer": {"cards": dealer}}
        if self.regulation == NEW:
            round_["meters"] = {name: cents for name, cents in METERS.items() if name in self.offered}
        if "bad_beat_progressive" in self.offered:
            round_ |= {"magic_card": self.chance.choice(self.shoe), "lucky_seat": self.chance.randint(1, 7)}
        return Dealt(
            self.regulation, {"decks": self.decks, "options": self.options, "wagers": dict(self.offered)}, round_
        )

    def is_open(self, seat: Document) -> bool:
        """Return whether the dealer's cards can decide something at the seat."""
        if "hit_and_run_progressive" in seat["wagers"]:
            return True
        for hand in seat["hands"]:
            natural = len(seat["hands"]) == 1 and worth(hand["cards"]) == 21 and len(hand["cards"]) == 2
            paid = hand.get("even_money") or (natural and not self.switch)
            if not (hand.get("surrendered") or paid or worth(hand["cards"]) > 21):
                return True
        return False

    def seat(self, number: int, dealer: list[str], *, acting: bool, blackjack: bool) -> Document:
        """Deal to one seat and play its hands."""
        chance = self.chance
        wager = chance.randint(1, 400) * 25
        wagers = {"blackjack": wager} | {name: chance.randint(1, 99) for name in some(chance, self.offered)}
        if dealer[0][0] == "A" and likely(chance, 30):
            wagers["insurance"] = chance.randint(1, (wager + 1) // 2)
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers}
        if self.switch:
            one, other = self.pair(), self.pair()
            seat |= {"dealt": [one, other], "switched": likely(chance, 40)}
            if seat["switched"]:
                one, other = [one[0], other[1]], [other[0], one[1]]
            hands = [*self.hands(one, wager, acting=acting), *self.hands(other, wager, acting=acting)]
            return seat | {"hands": hands}
        pair = self.pair()
        seat["dealt"] = list(pair)
        natural = worth(pair) == 21
        if natural and self.options.get("even_money") and dealer[0][0] == "A" and "insurance" not in wagers:
            return seat | {"hands": [{"cards": pair, "even_money": True}]}
        added = self.house_money(pair, wagers.get("house_money", 0)) if not blackjack and likely(chance, 50) else 0
        if added:
            seat["house_money_added"] = added
        if not natural and acting and likely(chance, 8):
            return seat | {"hands": [{"cards": pair, "surrendered": True}]}
        hands = self.hands(pair, wager + added, acting=acting and not natural, full_double=bool(added))
        return seat | {"hands": hands}

    def house_money(self, pair: list[str], stake: int) -> int:
        """Return what a House Money wager pays, counted in another way than the settlement does."""
        ranks = "".join(sorted((card[0] for card in pair), key=("A" + RANKS).index))
        suited = pair[0][1] == pair[1][1]
        if ranks[0] == ranks[1]:
            return 3 * stake
        if ranks in ("AK", "KA"):
            return 9 * stake if suited else stake
        if ranks not in "A" + RANKS:
            return 0
        return stake * (1 if not suited else 5 if self.decks == 1 else 4)

    def hands(self, pair: list[str], wager: int, *, acting: bool, full_double: bool = False) -> list[Document]:
        """Play the hands that come from two cards: split, double, draw, stand."""
        if not acting:
            return [{"cards": list(pair)}]
        waiting, played = [list(pair)], []
        splits_left = 1 + self.options.get("resplits", 0)
        while waiting:
            cards = waiting.pop(0)
            if len(cards) == 1:
                cards.append(self.shoe.pop())
            if splits_left and worth([cards[0]]) == worth([cards[1]]) and likely(self.chance, 60):
                splits_left -= 1
                waiting = [[cards[0]], [cards[1]], *waiting]
                continue
            hand: Document = {"cards": cards}
            if worth(cards) < 21 and likely(self.chance, 20):
                hand["double"] = wager if full_double else self.chance.randint(1, wager)
                cards.append(self.shoe.pop())
            else:
                while worth(cards) < 21 and likely(self.chance, 35):
                    cards.append(self.shoe.pop())
            played.append(hand)
        return played


def spare_card(round_: Document, dealt: Dealt) -> str:
    """Return a card that the decks still hold after the round."""
    used = f"{round_['seats']} {round_['dealer']}"
    return next(card for card in DECK if used.count(f"'{card}'") < dealt.submission["decks"])


def dealer_takes_a_card(round_: Document, dealt: Dealt) -> bool:
    """Draw one card more for the dealer."""
    round_["dealer"]["cards"].append(spare_card(round_, dealt))
    return True


def dealer_stops_early(round_: Document, dealt: Dealt) -> bool:
    """Leave out the last card that the dealer drew."""
    del dealt
    return len(round_["dealer"]["cards"]) > 2 and bool(round_["dealer"]["cards"].pop())


def hole_card_is_lost(round_: Document, dealt: Dealt) -> bool:
    """Record the up card only."""
    del dealt, round_["dealer"]["cards"][1:]
    return True


def player_draws_on_21(round_: Document, dealt: Dealt) -> bool:
    """Let a hand of 21 or more take another card."""
    full = [hand for seat in round_["seats"] for hand in seat["hands"] if worth(hand["cards"]) >= 21]
    for hand in full[:1]:
        hand["cards"].append(spare_card(round_, dealt))
    return bool(full)


def another_card_was_dealt(round_: Document, dealt: Dealt) -> bool:
    """Deal a card with which no hand begins."""
    seat = round_["seats"][0]
    target = seat["dealt"][0] if dealt.submission["options"]["switch"] else seat["dealt"]
    begun = {card for hand in seat["hands"] for card in hand["cards"][:2]}
    target[0] = next(card for card in DECK if card[0] != target[0][0] and card not in begun)
    return True


def double_above_the_wager(round_: Document, dealt: Dealt) -> bool:
    """Double a hand with one cent too much."""
    del dealt
    for seat in round_["seats"]:
        for hand in seat["hands"]:
            if hand.get("double"):
                hand["double"] = seat["wagers"]["blackjack"] + seat.get("house_money_added", 0) + 1
                return True
    return False


def insurance_above_half(round_: Document, dealt: Dealt) -> bool:
    """Insure twice the Blackjack Wager."""
    del dealt
    wagers = round_["seats"][0]["wagers"]
    wagers["insurance"] = wagers["blackjack"] * 2
    return True


def house_money_of_one_cent_more(round_: Document, dealt: Dealt) -> bool:
    """Add a cent more than the payout."""
    del dealt
    seat = round_["seats"][-1]
    seat["house_money_added"] = seat.get("house_money_added", 0) + 1
    return True


def too_many_copies(round_: Document, dealt: Dealt) -> bool:
    """Give a low hand more copies of a card than the decks hold, without breaking another rule."""
    for seat in round_["seats"]:
        for hand in seat["hands"]:
            if not hand.get("double") and not hand.get("surrendered") and worth(hand["cards"]) <= 10:
                hand["cards"] += ["As"] * dealt.submission["decks"] + ["As"]
                return True
    return False


def wager_of_another_variation(round_: Document, dealt: Dealt) -> bool:
    """Wager on Super Match where it is not offered."""
    round_["seats"][0]["wagers"]["super_match"] = 5
    return "super_match" not in dealt.submission["wagers"]


class TestBlackjack(GameSuite):
    """Blackjack and Blackjack Switch, under both texts of chapter 633a."""

    own_breaks: ClassVar[Mapping[str, Break]] = {
        **METERED,
        "dealer takes a card": dealer_takes_a_card,
        "dealer stops early": dealer_stops_early,
        "hole card is lost": hole_card_is_lost,
        "player draws on 21": player_draws_on_21,
        "another card was dealt": another_card_was_dealt,
        "double above the wager": double_above_the_wager,
        "insurance above half": insurance_above_half,
        "House Money of one cent more": house_money_of_one_cent_more,
        "too many copies of a card": too_many_copies,
        "wager of another variation": wager_of_another_variation,
        "negative double": put("seats.0.hands.0.double", -1),
        "no hands": put("seats.0.hands", []),
        "no cards": put("seats.0.dealt", []),
        "not a card": put("seats.0.hands.0.cards", ["Th", "Jk"]),
    }

    def deal(self, chance: Random) -> Dealt:
        """Deal under either text from one to eight decks, with any options and wagers of theirs."""
        regulation = chance.choice(["pa-633a-2011", NEW])
        decks = chance.choice([1, 2, 4, 6, 8])
        switch = decks > 1 and likely(chance, 30)
        options: Document = {"switch": switch, "resplits": chance.randint(0, 3)}
        if decks <= 2:
            options["dealt_from_hand"] = likely(chance, 50)
        if regulation == NEW:
            options["even_money"] = likely(chance, 50)
        wagers = ALWAYS | {
            "royal_match_21": {"paytable": "A" if decks == 1 else "D", "crown_treasure": True},
            "bet_the_set_21": {"paytable": {1: "A", 2: "B"}.get(decks, "D")},
        }
        if decks >= 6:
            wagers |= {"match_the_dealer": {}} | ({"super_match": {}} if switch else {})
        if regulation == NEW:
            wagers |= ONLY_2024
        offered = {name: wagers[name] for name in some(chance, wagers)}
        return Table(chance, regulation, decks, switch, options, offered).deal()

    def stakes(self, seat: Document) -> list[tuple[str, int]]:
        """Return the wager on each hand with House Money and double, and the other wagers."""
        others = [(name, cents) for name, cents in seat["wagers"].items() if name != "blackjack"]
        on_hand = seat["wagers"]["blackjack"] + seat.get("house_money_added", 0)
        return [*others, *(("blackjack", on_hand + hand.get("double", 0)) for hand in seat["hands"])]

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add a King's Bounty Wager on two cards that are no 20."""
        if dealt.submission["options"]["switch"]:
            return None
        for seat in dealt.seats:
            if "kings_bounty" not in seat["wagers"] and worth(seat["dealt"]) != 20:
                dealt.submission["wagers"]["kings_bounty"] = {}
                seat["wagers"]["kings_bounty"] = cents
                return seat["seat"], "kings_bounty"
        return None

    @MANY
    @given(SEEDS)
    def test_hands_are_compared_as_the_text_says(self, seed: int) -> None:
        """Without a dealer Blackjack the higher total wins, a total above 21 loses, and a Blackjack is paid 3 to 2."""
        dealt = self.dealt(seed)
        dealer = dealt.round["dealer"]["cards"]
        assume(not dealt.submission["options"]["switch"] and not (worth(dealer) == 21 and len(dealer) == 2))
        settled = {(line.seat, line.hand): line for line in dealt.settle().lines if line.wager == "blackjack"}
        for seat in dealt.seats:
            several = len(seat["hands"]) > 1
            for number, hand in enumerate(seat["hands"], start=1):
                line = settled[seat["seat"], number if several else None]
                own = worth(hand["cards"])
                if hand.get("even_money"):
                    expected = line.stake
                elif hand.get("surrendered"):
                    expected = line.stake // 2 - line.stake
                elif own == 21 and len(hand["cards"]) == 2 and not several:
                    expected = line.stake * 3 // 2
                elif own > 21:
                    expected = -line.stake
                elif worth(dealer) > 21 or own > worth(dealer):
                    expected = line.stake
                else:
                    expected = 0 if own == worth(dealer) else -line.stake
                assert expected == line.net
