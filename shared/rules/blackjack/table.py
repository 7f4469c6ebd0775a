"""Checks of the round as a whole: seats, boxes, wagers offered, irregularities, decks, meters."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.cards import StandardCard
from shared.rules.blackjack.record import BlackjackRound, BlackjackSeat
from shared.rules.catalogue import Catalogue, IrregularityRule
from shared.rules.errors import Refused
from shared.rules.record import Irregularity


@dataclass(frozen=True, slots=True)
class DeadHands:
    """Which hands were called dead: the paragraph by seat, and whether the whole round stopped."""

    by_seat: Mapping[int, str]
    called: frozenset[int]
    """The seats whose hand was called dead on its own."""
    stopped: str | None
    """The paragraph under which all hands were called dead; None where the round was played to its end."""


NO_DEAD_HANDS = DeadHands(by_seat={}, called=frozenset(), stopped=None)


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the regulation and the rules submission say about the table."""

    catalogue: Catalogue
    decks: int
    boxes: int | None
    """How many adjacent boxes one player may hold; None where the submission does not say."""
    offered: frozenset[str]
    meters: frozenset[str]

    def check_seats(self, seats: Sequence[BlackjackSeat]) -> None:
        """Raise `Refused` for seats that a table does not have, seats named twice, and boxes that are not adjacent."""
        places = self.catalogue.seats
        boxes: dict[str, list[int]] = {}
        taken: set[int] = set()
        for seat in seats:
            number = seat.seat
            if number > places.most:
                raise Refused(
                    f"a table has {places.most} betting positions at most", seat=number, paragraph=places.paragraph
                )
            if number in taken:
                raise Refused("the record holds this seat twice", seat=number, paragraph=places.paragraph)
            taken.add(number)
            if seat.player in boxes:
                boxes[seat.player].append(number)
            else:
                boxes[seat.player] = [number]
        if len(boxes) < len(seats):
            self._check_boxes(boxes)

    def _check_boxes(self, boxes: Mapping[str, list[int]]) -> None:
        paragraph = self.catalogue.options["adjacent_boxes"].paragraph
        for player, numbers in boxes.items():
            numbers.sort()
            for one, other in pairwise(numbers):
                if other != one + 1:
                    raise Refused(
                        f"player {player!r} holds boxes {one} and {other}, which are not adjacent",
                        seat=other,
                        paragraph=paragraph,
                    )
            if self.boxes is not None and len(numbers) > self.boxes:
                raise Refused(
                    f"player {player!r} holds {len(numbers)} boxes; the rules submission allows {self.boxes}",
                    seat=numbers[-1],
                    paragraph=paragraph,
                )

    def refuse_wagers(self, seat: BlackjackSeat) -> Refused:
        """Why the wagers of this seat, one of which is not offered or which lack the Blackjack Wager, are refused."""
        for wager, cents in seat.wagers.items():
            if wager not in self.catalogue.wagers:
                return Refused(
                    f"wager '{wager}' {cents}: {self.catalogue.id} has no such wager",
                    seat=seat.seat,
                    paragraph=self.catalogue.offered,
                )
            if wager not in self.offered:
                return Refused(
                    f"wager '{wager}' {cents}: the rules submission does not offer it",
                    seat=seat.seat,
                    paragraph=self.catalogue.offered,
                )
        return Refused(
            f"the Blackjack Wager is missing beside {', '.join(seat.wagers) or 'no other wager'}",
            seat=seat.seat,
            paragraph=self.catalogue.wagers["blackjack"].paragraph,
        )

    def dead_hands(self, round_: BlackjackRound, *, no_cards_dealt: str) -> DeadHands:
        """What the irregularities of the round call dead; raises `Refused` for one that Blackjack does not have.

        A dead hand without cards is dead under the paragraph `no_cards_dealt`.
        """
        if not round_.irregularities:
            return NO_DEAD_HANDS
        seats = {seat.seat: seat for seat in round_.seats}
        by_seat: dict[int, str] = {}
        called: set[int] = set()
        stopped = None
        for irregularity in round_.irregularities:
            code, number = irregularity.code, irregularity.seat
            rule = self.catalogue.irregularities.get(code)
            if rule is None:
                raise Refused(
                    f"irregularity '{code}' does not exist in this game; there are: "
                    + ", ".join(self.catalogue.irregularities),
                    seat=number,
                    paragraph=self.catalogue.record["irregularities"],
                )
            why = _misstated(irregularity, rule, seats)
            if why is not None:
                raise Refused(f"irregularity '{code}' {why}", seat=number, paragraph=rule.paragraph)
            if rule.effect == "dead_hand":
                assert number is not None
                called.add(number)
                by_seat[number] = rule.paragraph if seats[number].dealt else no_cards_dealt
            elif rule.effect == "dead_round":
                stopped = rule.paragraph
        if stopped is not None:
            by_seat = {number: by_seat.get(number, stopped) for number in seats}
        return DeadHands(by_seat=by_seat, called=frozenset(called), stopped=stopped)

    def check_cards(self, round_: BlackjackRound) -> None:
        """Raise `Refused` where a card appears more often than the decks hold it."""
        cards: list[StandardCard] = list(round_.dealer.cards)
        for seat in round_.seats:
            for hand in seat.hands:
                cards.extend(hand.cards)
            if not seat.hands:
                cards.extend(_dealt_cards(seat))
        counts = Counter(cards)
        if max(counts.values(), default=0) <= self.decks:
            return
        card, count = counts.most_common(1)[0]
        held = [seat.seat for seat in round_.seats if any(card in hand.cards for hand in seat.hands)]
        raise Refused(
            f"{card} appears {count} times; {self.decks} deck{'s hold' if self.decks > 1 else ' holds'} it "
            f"{self.decks} time{'s' if self.decks > 1 else ''}",
            seat=max(held) if held else None,
            paragraph=self.catalogue.record["cards"],
        )

    def check_meters(self, round_: BlackjackRound) -> None:
        """Raise `Refused` for a meter that no offered wager has, and for a wager whose meter is missing."""
        paragraph = self.catalogue.record["meters"]
        for name, cents in round_.meters.items():
            if name not in self.meters:
                raise Refused(f"meter '{name}' {cents}: no offered wager has it", paragraph=paragraph)
        for seat in round_.seats:
            for wager in seat.wagers:
                if wager in self.meters and wager not in round_.meters:
                    raise Refused(
                        f"meter '{wager}' is missing: 'meters' must say what it showed before the round",
                        seat=seat.seat,
                        paragraph=paragraph,
                    )


def _misstated(irregularity: Irregularity, rule: IrregularityRule, seats: Container[int]) -> str | None:
    """What is wrong with the fields of an irregularity; None where nothing is."""
    number = irregularity.seat
    if not rule.counts_cards and (irregularity.count, irregularity.after_initial_deal) != (None, None):
        return "has no 'count' and no 'after_initial_deal'"
    if number is None:
        return "must name the 'seat'" if rule.seat == "required" else None
    if rule.seat == "none":
        return "names no seat"
    return None if number in seats else "names a seat where nobody wagered"


def _dealt_cards(seat: BlackjackSeat) -> list[StandardCard]:
    cards: list[StandardCard] = []
    for item in seat.dealt:
        if isinstance(item, str):
            cards.append(item)
        else:
            cards.extend(item)
    return cards
