"""DJ Wild rounds that are really dealt from 53 cards, with random decisions, settle; broken copies never do."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final

from hypothesis import assume, given

from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules import Line, Settlement
from tests.property.breaks import FULL_HANDS, METERED, Break, card_of_the_dealer, put, wager_of
from tests.property.dealing import DECK_WITH_JOKER, Dealt, Document, likely, some
from tests.property.games import MANY, SEEDS, StoppableSuite

STRONG: Final = [
    "As Ks Qs Js Ts",
    "Ah Kh Qh Jh Th",
    "9c 8c 7c 6c 5c",
    "2s 2h 2d 2c Jk",
    "Kd Kc Kh 2s Jk",
    "7h 7d 7s Qd Qs",
    "4h 4d 4c 9s Jd",
    "Ac Kc Qc Jc Jk",
    "9d 6d 4d 3d 2d",
]
"""Hands that chance alone would hardly ever deal."""
MAIN: Final = ("ante", "blind", "raise")
FLAGS: Final = ("folded_hands_win_progressive", "progressive_deuces_wild", "bad_beat_dealer_hand_pays")


def by_wager(settled: Settlement, number: int) -> dict[str, Line]:
    """Return the lines of the stakes of one seat."""
    return {line.wager: line for line in settled.lines if line.seat == number and line.wager != "envy_bonus"}


def spare_card_of_a_hand(round_: Document, dealt: Dealt) -> bool:
    """Lay the spare card into a hand."""
    del dealt
    round_["spare_card"] = round_["seats"][0]["cards"][2]
    return True


def folded_and_raised(round_: Document, dealt: Dealt) -> bool:
    """Let a player who raised fold as well."""
    del dealt
    seat = next((seat for seat in round_["seats"] if "raise" in seat["wagers"]), None)
    if seat is not None:
        seat["folded"] = True
    return seat is not None


def no_decision(round_: Document, dealt: Dealt) -> bool:
    """Leave it open whether the player raised or folded."""
    del dealt
    seat = round_["seats"][0]
    seat["wagers"].pop("raise", None)
    seat["folded"] = False
    return True


def blind_is_missing(round_: Document, dealt: Dealt) -> bool:
    """Take the Blind Wager of a seat away."""
    del dealt, round_["seats"][0]["wagers"]["blind"]
    return True


def dealer_lost_a_card(round_: Document, dealt: Dealt) -> bool:
    """Take the last card of the dealer away."""
    del dealt, round_["dealer"]["cards"][-1]
    return True


class TestDjWild(StoppableSuite):
    """DJ Wild Stud Poker: deuces and the joker are wild."""

    further_wager_loses = False
    own_breaks: ClassVar[Mapping[str, Break]] = {
        **FULL_HANDS,
        **METERED,
        "a card of the dealer": card_of_the_dealer,
        "the spare card of a hand": spare_card_of_a_hand,
        "the dealer lost a card": dealer_lost_a_card,
        "no dealer": put("dealer", {}),
        "one cent more": wager_of("raise", 1),
        "folded and raised": folded_and_raised,
        "no decision": no_decision,
        "the Blind is missing": blind_is_missing,
        "a progressive wager of another amount": wager_of("progressive_bonus", 1),
        "the meter of a wager without one": put("meters", {"trips_bonus": 5}),
    }

    def submission(self, chance: Random) -> Document:
        """Return a rules submission that the text allows."""
        paytable, reset = chance.choice([("1", 200000), ("2", 1000000)])
        meter = {"rate": chance.choice(["0", "0.07", "0.2", "0.333", "1"]), "reset": reset}
        wagers: Document = {
            "progressive_bonus": {"paytable": paytable, "meter": meter},
            "trips_bonus": {"paytable": f"DJWT-0{chance.randint(4, 7)}"},
            "two_way_bad_beat_bonus": {"paytable": f"DJWBB-0{chance.randint(1, 4)}"},
        }
        options: Document = {"adjacent_boxes": 2} | {flag: likely(chance, 50) for flag in FLAGS}
        return {"wagers": {name: wagers[name] for name in some(chance, wagers)}, "options": options}

    def deal(self, chance: Random) -> Dealt:
        """Deal to some of six seats under any paytables and options of the text."""
        submission = self.submission(chance)
        deck = chance.sample(DECK_WITH_JOKER, 53)
        seats = []
        for number in chance.sample(range(1, 7), chance.randint(1, 6)):
            ante, folded = chance.randint(1, 10**6), likely(chance, 30)
            wagers = {"ante": ante, "blind": chance.randint(1, 10**6)} | ({} if folded else {"raise": 2 * ante})
            for name in some(chance, submission["wagers"]):
                wagers[name] = chance.randint(1, 10**6)
                if name == "progressive_bonus":
                    wagers[name] = 100 if submission["wagers"][name]["paytable"] == "1" else 500
            cards = self.hand(chance, deck)
            seats.append({"seat": number, "player": f"p{number}", "wagers": wagers, "cards": cards, "folded": folded})
        round_ = {
            "seats": seats,
            "dealer": {"cards": self.hand(chance, deck)},
            "spare_card": deck.pop(),
            "irregularities": self.went_wrong(chance, seats),
        }
        if "progressive_bonus" in submission["wagers"]:
            round_["meters"] = {"progressive_bonus": chance.randint(0, 10**8)}
        return Dealt("pa-687a", submission, round_)

    def hand(self, chance: Random, deck: list[str]) -> list[str]:
        """Take five cards from the deck, now and then those of a strong hand."""
        planned = chance.choice(STRONG).split()
        if not likely(chance, 30) or not set(planned) <= set(deck):
            planned = deck[-5:]
        for card in planned:
            deck.remove(card)
        return planned

    def went_wrong(self, chance: Random, seats: list[Document]) -> list[Document]:
        """Return the irregularities of the round: mostly none."""
        seat = chance.choice(seats)["seat"]
        codes: list[Document] = [
            {"code": "abandoned", "seat": seat},
            {"code": "dealer_card_exposed"},
            {"code": "player_card_exposed", "seat": seat},
            {"code": "misdeal"},
            {"code": "cards_face_up", "count": chance.randint(1, 3)},
            {"code": "shoe_malfunction"},
            {"code": "deck_count_wrong"},
        ]
        return [chance.choice(codes)] if likely(chance, 30) else []

    def unbroken(self, dealt: Dealt) -> Document:
        """Return the record of a round in which nothing went wrong: a stopped one may lack cards."""
        return super().unbroken(dealt) | {"irregularities": []}

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add a Trips or a Bad Beat Wager, which wins or loses."""
        for seat in dealt.seats:
            for wager, paytable in (("trips_bonus", "DJWT-04"), ("two_way_bad_beat_bonus", "DJWBB-04")):
                if wager not in seat["wagers"]:
                    dealt.submission["wagers"].setdefault(wager, {"paytable": paytable})
                    seat["wagers"][wager] = cents
                    return seat["seat"], wager
        return None

    @MANY
    @given(SEEDS)
    def test_the_higher_hand_never_earns_less_against_the_dealer(self, seed: int) -> None:
        """Of two hands that were raised, the higher one has no worse outcome on Ante, Blind and Raise."""
        dealt = self.dealt(seed)
        assume(not dealt.irregularities)
        order = ["lose", "push", "win"]
        settled = dealt.settle()
        raised = [seat for seat in dealt.seats if not seat["folded"]]
        for one in raised:
            for other in raised:
                if rank_with_wilds(one["cards"]) >= rank_with_wilds(other["cards"]):
                    ours, theirs = by_wager(settled, one["seat"]), by_wager(settled, other["seat"])
                    for wager in MAIN:
                        assert order.index(ours[wager].outcome) >= order.index(theirs[wager].outcome)
                        assert ours[wager].net * theirs[wager].stake >= theirs[wager].net * ours[wager].stake

    @MANY
    @given(SEEDS)
    def test_the_dealer_decides_as_the_ranks_say(self, seed: int) -> None:
        """A raised hand wins, ties or loses by its rank, a folded one has lost; the Bad Beat never pays a tie."""
        dealt = self.dealt(seed)
        assume(not dealt.irregularities)
        settled = dealt.settle()
        dealer = rank_with_wilds(dealt.round["dealer"]["cards"])
        for seat in dealt.seats:
            lines = by_wager(settled, seat["seat"])
            rank = rank_with_wilds(seat["cards"])
            outcome = "lose" if seat["folded"] or rank < dealer else "push" if rank == dealer else "win"
            assert outcome == lines["ante"].outcome
            if "two_way_bad_beat_bonus" in lines and outcome == "push":
                assert lines["two_way_bad_beat_bonus"].outcome == "lose"
            if outcome == "win":
                assert lines["blind"].outcome in ("win", "push")

    @MANY
    @given(SEEDS)
    def test_envy_bonuses_go_to_others_only(self, seed: int) -> None:
        """Each is for a hand that won a share of the meter elsewhere, to a seat with a Progressive Bonus Wager."""
        dealt = self.dealt(seed)
        settled = dealt.settle()
        holders = [
            line.seat
            for line in settled.lines
            if line.wager == "progressive_bonus" and line.category in ("royal_flush", "straight_flush")
        ]
        wagering = {seat["seat"] for seat in dealt.seats if "progressive_bonus" in seat["wagers"]}
        expected = sorted(seat for holder in holders for seat in wagering - dealt.left() - {holder})
        assert expected == sorted(line.seat for line in settled.lines if line.wager == "envy_bonus")
