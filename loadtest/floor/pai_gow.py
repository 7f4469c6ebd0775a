"""Simulates Pai Gow Poker in Pennsylvania and Rhode Island, banked by the house or by a player.

Players set their hands by the house way, as the dealer would advise. The simulation shares no code with settlement,
which must accept every simulated round.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final, cast

from loadtest.floor.deck import DeckTable
from loadtest.floor.game import FloorGame
from loadtest.floor.players import PROGRESSIVE_CENTS, SIDE_BET_CENTS, Player
from loadtest.floor.set_hands import (
    DEALER,
    SEATS,
    SetHand,
    Setting,
    deal,
    generated,
    shake,
    starting_position,
)
from shared.cards import Card, standard_deck
from shared.rules import Submission, catalogue
from shared.rules.pai_gow import Bank, PaiGowRound, PaiGowSeat
from shared.rules.pai_gow.record import MAIN, STARTING_POSITION, Pick, WagerType
from shared.rules.set_hands.record import SetDealer
from shared.rules.submission import select

PENNSYLVANIA: Final = "pa-645a-2011"
RHODE_ISLAND: Final = "ri-pai-gow"

BANKS: Final = "banks"
CO_BANKS: Final = "banks with the house"
SURRENDERS: Final = "surrenders"
_HABITS: Final = {BANKS: 0.1, CO_BANKS: 0.3, SURRENDERS: 0.1}
"""The share of players who have each habit.

A player who banks shares the bank with the house if co-banking is offered and the player has the second habit.
"""

BANKS_WHEN_OFFERED: Final = 0.5
"""The probability that a player with the habit of banking accepts the bank when it is offered."""
WANTS_NO_DEALER_WAGER: Final = 0.25
"""The probability that a bank directs the dealer to place no wager; for half the amount, half this probability."""
SURRENDERS_LOSING_HANDS: Final = 0.5
"""The probability that a player with the habit surrenders a hand that the opposing hands beat."""
PICKS_TWO_NUMBERS: Final = 0.3
"""The probability that the starting position wager is placed on two numbers."""

CLASSIC: Final = "pai-gow"
EMPERORS: Final = "pai-gow-emperors"
_PENNSYLVANIA_OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    CLASSIC: {
        "options": {"vigorish_rounding": "quarter_up", "banking": True, "co_banking": True, "house_way": "standard"},
        "wagers": {
            "fortune_bonus": {"paytable": "A"},
            "pai_gow_insurance": {"paytable": "A"},
            "progressive_payout": {"meter": {"rate": "0.25", "reset": 500_000}},
        },
    },
    EMPERORS: {
        "options": {"house_way": "standard"},
        "wagers": {"emperors_treasure": {"paytable": "C"}, "pai_gow_insurance": {"paytable": "B"}},
        "payout_limit": 10_000_000,
    },
}
_RHODE_ISLAND_OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "pai-gow-rhode-island": {
        "options": {
            "main_payout": "1 to 1",
            "vigorish_rounding": "quarter_up",
            "banking": True,
            "co_banking": True,
            "starting_position_odds": "6",
            "house_way": "standard",
        },
        "wagers": {
            "bonus": {},
            "progressive_payout": {"paytable": "five_dollar", "meter": {"rate": "0.27", "reset": 1_000_000}},
            "starting_position": {},
        },
    },
}


class PaiGowTable(DeckTable[Card]):
    """A table of Pai Gow Poker, with the history that determines who is offered the bank next."""

    def __init__(self, regulation: str, submission: Submission, chance: Random) -> None:
        selection = select(catalogue(regulation), submission)
        self.side_bets = {name: _amounts(name, selection.offers[name].paytable.stake) for name in submission.wagers}
        super().__init__(standard_deck(jokers=1), chance)
        self._generator = STARTING_POSITION in submission.wagers
        self._barred = {name for name, wager in selection.catalogue.wagers.items() if wager.bars_surrender}
        self._setting = Setting.of(regulation, submission)
        self._banking = selection.options["banking"] is True
        self._co_banking = selection.options["co_banking"] is True
        self._against_dealer: dict[str, int] = {}
        """Each player's wager against the dealer in the last round that no player banked, in cents."""
        self._banked_last: str | None = None
        self._offered_first: int | None = None

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> PaiGowRound:
        """Play one round for players in seat order."""
        chance = self._chance
        bank = self._offer_bank(players)
        drawn = generated(chance) if self._generator else shake(chance)
        start = starting_position(drawn, first=DEALER if bank is None else bank.seat)
        hands = deal(self._cards, start, stacks=self._generator)
        dealers = self._setting.set(hands[DEALER])
        against = dealers if bank is None else self._setting.set(hands[bank.seat])
        seats = []
        for player in players:
            if bank is not None and player.seat == bank.seat:
                seats.append(self._bank_seat(player, against))
            else:
                seats.append(self._seat(player, self._setting.set(hands[player.seat]), against))
        plays = bank is None or bank.dealer_wager > 0
        if bank is None:
            self._against_dealer = {player.name: player.wager for player in players}
        return PaiGowRound(
            seats=tuple(seats),
            # A dealer without an opponent collects the cards unseen.
            dealer=SetDealer(cards=dealers.cards, low=dealers.low) if plays else SetDealer(),
            bank=bank,
            starting_position=drawn,
            meters=dict(meters),
        )

    def _offer_bank(self, players: Sequence[Player]) -> Bank | None:
        """Offer the bank counterclockwise from the dealer's far right, § 645a.12(c), R.I. § 6(m)(3).

        No player may bank in the first round, twice in a row, or without a wager against the dealer in the last round
        that no player banked, § 645a.12(b) to (d). A player alone at the table declines.
        """
        last, self._banked_last = self._banked_last, None
        first, self._offered_first = self._offered_first or SEATS, None
        if not self._banking or len(players) < 2:
            return None
        chance = self._chance
        in_turn = sorted(players, key=lambda player: (player.seat > first, -player.seat))
        may = [player for player in in_turn if player.name != last and player.name in self._against_dealer]
        for turn, player in enumerate(may):
            if BANKS in player.habits and chance.random() < BANKS_WHEN_OFFERED:
                self._banked_last = player.name
                # If the first player in turn took the bank, the next round's offer begins with the next player.
                self._offered_first = None if turn else player.seat - 1
                co = self._co_banking and CO_BANKS in player.habits
                return Bank(seat=player.seat, co=co, dealer_wager=0 if co else self._dealer_wager(player))
        return None

    def _dealer_wager(self, bank: Player) -> int:
        """Return the dealer's wager against a bank, in cents: the bank's last wager, half of it, or 0, § 645a.12(g)."""
        wished = self._chance.random()
        if wished < WANTS_NO_DEALER_WAGER:
            return 0
        last = self._against_dealer[bank.name]
        return last // 2 if wished < WANTS_NO_DEALER_WAGER * 1.5 else last

    def _bank_seat(self, player: Player, hand: SetHand) -> PaiGowSeat:
        """Return the bank's seat, with only optional wagers, but not the wager on the starting position."""
        wagers = player.side_wagers(self._chance)
        wagers.pop(STARTING_POSITION, None)
        return PaiGowSeat(
            seat=player.seat,
            player=player.name,
            wagers=cast("dict[WagerType, int]", wagers),
            picks={},
            cards=hand.cards,
            low=hand.low,
        )

    def _seat(self, player: Player, hand: SetHand, against: SetHand) -> PaiGowSeat:
        chance = self._chance
        wagers = {MAIN: player.wager} | player.side_wagers(chance)
        picks: dict[Pick, int] = {}
        if STARTING_POSITION in wagers:
            numbers = chance.sample(range(1, 8), 1 + (chance.random() < PICKS_TWO_NUMBERS))
            picks = dict.fromkeys(numbers, wagers[STARTING_POSITION])
            wagers[STARTING_POSITION] = sum(picks.values())
        surrendered = (
            SURRENDERS in player.habits
            and hand.is_below(against)
            and self._barred.isdisjoint(wagers)
            and chance.random() < SURRENDERS_LOSING_HANDS
        )
        return PaiGowSeat(
            seat=player.seat,
            player=player.name,
            wagers=cast("dict[WagerType, int]", wagers),
            picks=picks,
            cards=hand.cards,
            low=hand.low,
            surrendered=surrendered,
        )


def _amounts(wager: str, stake: int | None) -> Sequence[int]:
    """Return the amounts, in cents, that players wager on a side bet: only `stake` if its paytable fixes the amount."""
    if stake is not None:
        return (stake,)
    return PROGRESSIVE_CENTS if wager == "progressive_payout" else SIDE_BET_CENTS


PAI_GOW: Final = FloorGame(
    code="PG",
    regulation=PENNSYLVANIA,
    offers=_PENNSYLVANIA_OFFERS,
    seats=SEATS,
    open_table=partial(PaiGowTable, PENNSYLVANIA),
    habits=_HABITS,
)

RHODE_ISLAND_PAI_GOW: Final = FloorGame(
    code="RP",
    regulation=RHODE_ISLAND,
    offers=_RHODE_ISLAND_OFFERS,
    seats=SEATS,
    open_table=partial(PaiGowTable, RHODE_ISLAND),
    habits=_HABITS,
)
