"""Checks of a round as a whole: positions, wagers and their amounts, cards, meters, random selections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.rules.catalogue import Catalogue
from shared.rules.errors import Refused
from shared.rules.holdem.interruptions import Interruptions
from shared.rules.holdem.paragraphs import Paragraphs
from shared.rules.holdem.record import HoldemRound, HoldemSeat, WagerType
from shared.rules.table import Table

FIVE_CARD_HAND_BONUS: Final = "five_card_hand_bonus"
ON_PLAYER: Final = "five_card_hand_bonus_player"
ON_DEALER: Final = "five_card_hand_bonus_dealer"
PROGRESSIVE: Final = "progressive_payout"

FLOP_CARDS: Final = 3
_TURN_CARDS: Final = 4
_ALL_COMMUNITY_CARDS: Final = 5
_INITIAL_CARDS: Final = 2
# Wagers that must be a multiple of the Ante Wager, in the order of play.
_MULTIPLES: Final[Mapping[WagerType, int]] = {"flop": 2, "turn": 1, "river": 1}


@dataclass(frozen=True, slots=True)
class HoldemTable:
    """A table's terms under the regulation and the rules submission, by which rounds are checked.

    `progressive_stakes` are the permitted amounts of a Progressive Payout Wager, in cents. `selections` are the record
    fields of the random selections for which the submission offers a bonus.
    """

    table: Table
    progressive_stakes: frozenset[int]
    selections: frozenset[str]
    paragraphs: Paragraphs

    @property
    def _catalogue(self) -> Catalogue:
        return self.table.catalogue

    def check(self, round_: HoldemRound, interrupted: Interruptions) -> None:
        """Raise `Refused` if wagers, cards, meters or random selections of the round are impossible."""
        seats = round_.seats
        for seat in seats:
            self._check_wagers(seat)
        dealer = () if round_.dealer is None else round_.dealer.cards
        self.table.check_cards([(None, round_.community), (None, dealer), *((seat.seat, seat.cards) for seat in seats)])
        if round_.meters or self.table.meters:
            self.table.check_meters(seats, round_.meters)
        self._check_selections(round_)
        if interrupted.void is None:
            self._check_played_out(round_, interrupted)
        elif not interrupted.miscounted:
            self._check_stopped(round_)

    def check_seats(self, seats: Sequence[HoldemSeat]) -> None:
        """Raise `Refused` for unknown seats, a player at two seats, and wagers that are not offered or are missing."""
        if len({seat.player for seat in seats}) < len(seats):
            held: dict[str, int] = {}
            for seat in seats:
                if held.setdefault(seat.player, seat.seat) != seat.seat:
                    raise Refused(
                        f"player {seat.player!r} holds seat {held[seat.player]} too; a player holds one position",
                        seat=seat.seat,
                        paragraph=self.paragraphs.one_position,
                    )
        self.table.check_seats(seats)

    def _check_wagers(self, seat: HoldemSeat) -> None:
        wagers = seat.wagers
        ante = wagers["ante"]
        for wager, times in _MULTIPLES.items():
            cents = wagers.get(wager)
            if cents is None:
                continue
            entry = self._catalogue.wagers[wager]
            if seat.folded:
                why, paragraph = "the player folded", self.paragraphs.fold
            elif "flop" not in wagers:
                why, paragraph = "there is no Flop Wager", entry.paragraph
            elif cents != times * ante:
                why = f"the {entry.title} is {'twice' if times == 2 else 'equal to'} the Ante Wager {ante}"
                paragraph = entry.paragraph
            else:
                continue
            raise Refused(f"'{wager}' {cents}: {why}", seat=seat.seat, paragraph=paragraph)
        stake = wagers.get(PROGRESSIVE)
        if stake is not None and stake not in self.progressive_stakes:
            allowed = " or ".join(str(cents) for cents in sorted(self.progressive_stakes))
            raise Refused(
                f"'{PROGRESSIVE}' {stake}: a Progressive Payout Wager is {allowed} cents",
                seat=seat.seat,
                paragraph=self._catalogue.wagers[PROGRESSIVE].envy_bonuses[0].paragraph,
            )

    def _check_selections(self, round_: HoldemRound) -> None:
        selected = {"magic_card": round_.magic_card, "lucky_position": round_.lucky_position}
        for field, value in selected.items():
            if value is not None and field not in self.selections:
                raise Refused(
                    f"'{field}' {value}: the rules submission does not offer the bonus",
                    paragraph=self.paragraphs.random_selection,
                )
        lucky, places = round_.lucky_position, self._catalogue.seats
        if isinstance(lucky, int) and lucky > places.most:
            raise Refused(
                f"'lucky_position' {lucky}: a table has {places.most} betting positions at most",
                paragraph=places.paragraph,
            )

    def _check_played_out(self, round_: HoldemRound, interrupted: Interruptions) -> None:
        paragraphs, community = self.paragraphs, len(round_.community)
        contested = False
        # A player who folded may have a wager on the flop. After players left, further community cards may be missing.
        fewest = 0 if all(seat.seat in interrupted.abandoned for seat in round_.seats) else FLOP_CARDS
        for seat in round_.seats:
            number, wagers = seat.seat, seat.wagers
            if len(seat.cards) != _INITIAL_CARDS:
                raise self._wrong_number("the hand", len(seat.cards), f"{_INITIAL_CARDS}", seat=number)
            if number in interrupted.abandoned:
                fewest = max(fewest, _TURN_CARDS if "river" in wagers else FLOP_CARDS if "turn" in wagers else 0)
            elif "flop" in wagers:
                contested = True
            elif not seat.folded:
                raise Refused(
                    "the player neither folded nor placed a Flop Wager",
                    seat=number,
                    paragraph=self._catalogue.wagers["flop"].paragraph,
                )
        if round_.dealer is None:
            raise Refused("'dealer' is missing: the dealer's two cards", paragraph=paragraphs.initial_cards)
        if len(round_.dealer.cards) != _INITIAL_CARDS:
            raise self._wrong_number("the dealer's hand", len(round_.dealer.cards), f"{_INITIAL_CARDS}")
        if contested:
            if community != _ALL_COMMUNITY_CARDS:
                raise self._wrong_number("'community'", community, f"{_ALL_COMMUNITY_CARDS}")
            return
        most = _ALL_COMMUNITY_CARDS if interrupted.abandoned else FLOP_CARDS
        if not fewest <= community <= most:
            allowed = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise self._wrong_number("'community' after every player folded or left", community, allowed)

    def _check_stopped(self, round_: HoldemRound) -> None:
        """Raise `Refused` for too many cards; in a stopped round, cards may be missing."""
        community = len(round_.community)
        for seat in round_.seats:
            if len(seat.cards) > _INITIAL_CARDS:
                raise self._wrong_number("the hand", len(seat.cards), f"{_INITIAL_CARDS} at most", seat=seat.seat)
            for wager, needed in (("turn", FLOP_CARDS), ("river", _TURN_CARDS)):
                if wager in seat.wagers and community < needed:
                    raise Refused(
                        f"'{wager}' {seat.wagers[wager]}: with {community} community cards nobody could place it",
                        seat=seat.seat,
                        paragraph=self._catalogue.wagers[wager].paragraph,
                    )
        if round_.dealer is not None and len(round_.dealer.cards) > _INITIAL_CARDS:
            raise self._wrong_number("the dealer's hand", len(round_.dealer.cards), f"{_INITIAL_CARDS} at most")
        if community > _ALL_COMMUNITY_CARDS:
            raise self._wrong_number("'community'", community, f"{_ALL_COMMUNITY_CARDS} at most")

    def _wrong_number(self, what: str, held: int, allowed: str, *, seat: int | None = None) -> Refused:
        return Refused(
            f"{what} holds {held} cards, not {allowed}, and no irregularity 'misdeal' says why",
            seat=seat,
            paragraph=self.paragraphs.wrong_number_of_cards,
        )
