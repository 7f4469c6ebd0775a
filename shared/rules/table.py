"""Checks of a round of any game at its table: seats, positions, wagers, decks, meters, irregularities."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.cards import Card
from shared.rules.catalogue import Catalogue, IrregularityRule
from shared.rules.errors import Refused
from shared.rules.record import Irregularity, Seat
from shared.rules.submission import Selection


@dataclass(frozen=True, slots=True)
class Table:
    """A table's terms under the regulation and the rules submission, by which rounds are checked.

    `decks` is the number of decks in play. `boxes` is the number of adjacent boxes that one player may hold (None: the
    submission does not limit it). `required` are the wagers that every seat must make, and `offered` all wagers that
    may be made. `entries` has the catalogue entry of each wager, and `meters` the meter of each offered wager with a
    meter.
    """

    catalogue: Catalogue
    decks: int
    boxes: int | None
    required: tuple[str, ...]
    offered: frozenset[str]
    entries: Mapping[str, str]
    meters: Mapping[str, str]

    @classmethod
    def of(
        cls,
        selection: Selection,
        *,
        decks: int = 1,
        required: tuple[str, ...] | None = None,
        on_several_hands: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Table":
        """Return the table of a selection.

        `required` replaces the wagers that the catalogue requires of every seat. `on_several_hands` maps an entry of
        the catalogue to its wagers, if players may make it on several hands.
        """
        catalogue, split = selection.catalogue, on_several_hands or {}
        boxes = selection.options.get("adjacent_boxes")
        assert boxes is None or isinstance(boxes, int)
        entries = {wager: name for name in catalogue.wagers for wager in split.get(name, (name,))}
        offers = {wager: selection.offers[name] for wager, name in entries.items() if name in selection.offers}
        if required is None:
            required = tuple(name for name, entry in catalogue.wagers.items() if entry.offered == "required")
        return cls(
            catalogue=catalogue,
            decks=decks,
            boxes=boxes,
            required=required,
            offered=frozenset(offers),
            entries=entries,
            meters={wager: offer.name for wager, offer in offers.items() if offer.meter is not None},
        )

    def check_seats(self, seats: Sequence[Seat]) -> None:
        """Raise `Refused` for seats or wagers that are impossible.

        Impossible are unknown seats, seats named twice, boxes of a player that are not adjacent, and wagers that are
        missing or not offered.
        """
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
            boxes.setdefault(seat.player, []).append(number)
            wagers = seat.wagers
            if not wagers.keys() <= self.offered:
                raise self._not_offered(seat)
            for wager in self.required:
                if wager not in wagers:
                    raise self.missing(seat, wager)
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

    def _not_offered(self, seat: Seat) -> Refused:
        wager = next(name for name in seat.wagers if name not in self.offered)
        if wager in self.entries:
            why = "the rules submission does not offer it"
            paragraph = self.catalogue.wagers[self.entries[wager]].paragraph
        else:
            why, paragraph = f"{self.catalogue.id} has no such wager", self.catalogue.offered
        return Refused(f"wager '{wager}' {seat.wagers[wager]}: {why}", seat=seat.seat, paragraph=paragraph)

    def missing(self, seat: Seat, wager: str) -> Refused:
        """Return the refusal for a seat without a wager that it must make."""
        entry = self.catalogue.wagers[wager]
        return Refused(
            f"the {entry.title} is missing beside {', '.join(seat.wagers) or 'no other wager'}",
            seat=seat.seat,
            paragraph=entry.paragraph,
        )

    def check_cards(self, hands: Iterable[tuple[int | None, Sequence[Card]]]) -> None:
        """Raise `Refused` if a card occurs more often than the decks contain it.

        `hands` are pairs of a seat and its cards; the seat is None for other cards, such as the dealer's. The refusal
        names the highest seat that has the card.
        """
        hands = tuple(hands)
        together: list[Card] = []
        for _, cards in hands:
            together += cards
        if len(set(together)) == len(together):
            return
        ((card, count),) = Counter(together).most_common(1)
        if count <= self.decks:
            return
        held = [seat for seat, cards in hands if card in cards and seat is not None]
        times = "the deck holds it once" if self.decks == 1 else f"{self.decks} decks hold it {self.decks} times"
        raise Refused(
            f"{card} appears {count} times; {times}",
            seat=max(held, default=None),
            paragraph=self.catalogue.record["cards"],
        )

    def check_meters(self, seats: Sequence[Seat], meters: Mapping[str, int]) -> None:
        """Raise `Refused` for a meter that no offered wager has, or a wager whose meter is missing."""
        paragraph = self.catalogue.record["meters"]
        for name, cents in meters.items():
            if name not in self.meters.values():
                raise Refused(f"meter '{name}' {cents}: no offered wager has it", paragraph=paragraph)
        for seat in seats:
            for wager in seat.wagers:
                meter = self.meters.get(wager)
                if meter is not None and meter not in meters:
                    raise Refused(
                        f"meter '{meter}' is missing: 'meters' must say what it showed before the round",
                        seat=seat.seat,
                        paragraph=paragraph,
                    )

    def in_effect(
        self, irregularities: Iterable[Irregularity], seats: Container[int], *, positions: Container[int] = ()
    ) -> Iterator[tuple[Irregularity, IrregularityRule]]:
        """Yield the irregularities that have an effect, each with its rule in the catalogue.

        Cards that lay face up are counted together; they have an effect once their number reaches the rule's
        `from_cards`. `seats` are the numbers of the seats with wagers; an irregularity whose seat is optional may also
        name one of `positions`. Raise `Refused` for an irregularity that is unknown to the game, or whose fields are
        impossible.
        """
        face_up = 0
        for irregularity in irregularities:
            rule = self._rule_of(irregularity, seats, positions)
            if rule.from_cards is not None:
                face_up += irregularity.count or 0
                if face_up < rule.from_cards:
                    continue
            yield irregularity, rule

    def _rule_of(
        self, irregularity: Irregularity, seats: Container[int], positions: Container[int]
    ) -> IrregularityRule:
        code, number = irregularity.code, irregularity.seat
        rule = self.catalogue.irregularities.get(code)
        if rule is None:
            raise Refused(
                f"irregularity '{code}' does not exist in this game; there are: "
                + ", ".join(self.catalogue.irregularities),
                seat=number,
                paragraph=self.catalogue.record["irregularities"],
            )
        why = _misstated(irregularity, rule, positions if rule.seat == "optional" and positions else seats)
        if why is not None:
            raise Refused(f"irregularity '{code}' {why}", seat=number, paragraph=rule.paragraph)
        return rule


def _misstated(irregularity: Irregularity, rule: IrregularityRule, seats: Container[int]) -> str | None:
    """Return what is wrong with the fields of an irregularity, or None."""
    number = irregularity.seat
    if not rule.counts_cards and (irregularity.count, irregularity.after_initial_deal) != (None, None):
        return "has no 'count' and no 'after_initial_deal'"
    if rule.from_cards is not None and irregularity.count is None:
        return "must say the 'count' of cards: its consequence depends on it"
    if number is None:
        return "must name the 'seat'" if rule.seat == "required" else None
    if rule.seat == "none":
        return "names no seat"
    return None if number in seats else "names a seat where nobody wagered"
