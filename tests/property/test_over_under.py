"""Over/Under rounds that are really dealt from six decks, with random decisions, settle; broken copies never do."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final

from hypothesis import assume, given

from tests.property.breaks import FULL_HANDS, Break, put
from tests.property.dealing import DECK, Dealt, Document, likely
from tests.property.games import MANY, SEEDS, GameSuite

REGULATION: Final = "pa-686a"
SIDES: Final = ("over_23", "under_18")


def both_sides(round_: Document, dealt: Dealt) -> bool:
    """Wager on the other side too."""
    del dealt
    wagers = round_["seats"][0]["wagers"]
    wagers |= dict.fromkeys(SIDES, wagers["ante"])
    return True


def side_of_another_amount(round_: Document, dealt: Dealt) -> bool:
    """Wager a cent more on the chosen side than the Ante."""
    del dealt
    wagers = round_["seats"][0]["wagers"]
    chosen = [side for side in SIDES if side in wagers]
    wagers |= {side: wagers[side] + 1 for side in chosen}
    return bool(chosen)


def no_decision(round_: Document, dealt: Dealt) -> bool:
    """Leave it open whether the player chose or surrendered."""
    del dealt
    seat = round_["seats"][0]
    seat["wagers"] = {wager: cents for wager, cents in seat["wagers"].items() if wager not in SIDES}
    seat["surrendered"] = False
    return len(seat["cards"]) == 3


def surrendered_too(round_: Document, dealt: Dealt) -> bool:
    """Let a player who chose a side surrender as well."""
    del dealt
    seat = round_["seats"][0]
    seat["surrendered"] = True
    return not seat["wagers"].keys().isdisjoint(SIDES)


def too_many_copies(round_: Document, dealt: Dealt) -> bool:
    """Deal whole hands of one card, more of it than six decks hold."""
    del dealt
    for seat in round_["seats"]:
        seat["cards"] = ["Kh"] * len(seat["cards"])
    return sum(len(seat["cards"]) for seat in round_["seats"]) > 6


class TestOverUnder(GameSuite):
    """Over/Under: each hand is compared with two totals."""

    further_wager_loses = False
    own_breaks: ClassVar[Mapping[str, Break]] = {
        **FULL_HANDS,
        "both sides": both_sides,
        "a side of another amount": side_of_another_amount,
        "no decision": no_decision,
        "surrendered too": surrendered_too,
        "too many copies of a card": too_many_copies,
        "a joker": put("seats.0.cards.0", "Jk"),
        "no wagers": put("seats.0.wagers", {}),
    }

    def deal(self, chance: Random) -> Dealt:
        """Deal to some of six seats; now and then a hand is passed over or called dead."""
        shoe = DECK * 6
        seats: list[Document] = []
        irregularities: list[Document] = []
        for number in chance.sample(range(1, 7), chance.randint(1, 6)):
            ante = chance.randint(1, 10**6)
            seat: Document = {"seat": number, "player": f"p{number}", "wagers": {"ante": ante}}
            decision = chance.choice([*SIDES, "surrendered", "passed over"])
            if decision in SIDES:
                seat["wagers"][decision] = ante
            elif decision == "surrendered":
                seat["surrendered"] = True
            if likely(chance, 60):
                seat["wagers"]["bonus"] = chance.randint(1, 10**6)
            dead = decision == "passed over" or likely(chance, 10)
            seat["cards"] = [shoe.pop(chance.randrange(len(shoe))) for _ in range(1 if dead else 3)]
            if dead:
                irregularities.append({"code": "hand_dead", "seat": number})
            seats.append(seat)
        if likely(chance, 20):
            irregularities.append({"code": "cards_face_up", "count": chance.randint(1, 5)})
        submission = {"wagers": {"bonus": {}}, "options": {"adjacent_boxes": 2}}
        return Dealt(REGULATION, submission, {"seats": seats, "irregularities": irregularities})

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add a Bonus Wager, which wins or loses."""
        seat = next((seat for seat in dealt.seats if "bonus" not in seat["wagers"]), None)
        if seat is None:
            return None
        seat["wagers"]["bonus"] = cents
        return seat["seat"], "bonus"

    @MANY
    @given(SEEDS)
    def test_the_wagers_on_a_dead_hand_go_back(self, seed: int) -> None:
        """They and no others are void."""
        dealt = self.dealt(seed)
        dead = {entry["seat"] for entry in dealt.irregularities if entry["code"] == "hand_dead"}
        for line in dealt.settle().lines:
            assert (line.seat in dead) == (line.outcome == "void")

    @MANY
    @given(SEEDS)
    def test_a_total_further_out_never_earns_less(self, seed: int) -> None:
        """A higher total never hurts an Over 23 Wager, a lower one never an Under 18 Wager."""
        dealt = self.dealt(seed)
        playing = [seat for seat in dealt.seats if len(seat["cards"]) == 3 and not seat.get("surrendered")]
        assume(playing)
        seat = playing[0]
        side = next(side for side in SIDES if side in seat["wagers"])
        before = {line.wager: line.net for line in dealt.settle().lines if line.seat == seat["seat"]}
        seat["cards"][0] = "As" if side == "over_23" else "2s"
        assume(sum(entry["cards"].count(seat["cards"][0]) for entry in dealt.seats) <= 6)
        after = {line.wager: line.net for line in dealt.settle().lines if line.seat == seat["seat"]}
        assert after["ante"] >= before["ante"]
        assert after[side] >= before[side]
