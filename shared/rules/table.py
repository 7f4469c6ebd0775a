"""What a round of any game must hold to at its table: seats, boxes, wagers offered, meters, irregularities."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from shared.rules.catalogue import Catalogue, IrregularityRule
from shared.rules.errors import Refused
from shared.rules.record import Irregularity


class SeatRecord(Protocol):
    """The part of a seat's record that every game has."""

    @property
    def seat(self) -> int:
        """The number of the betting position."""

    @property
    def player(self) -> str:
        """Who holds it."""

    @property
    def wagers(self) -> Mapping[Any, int]:
        """Cents by wager type."""


@dataclass(frozen=True, slots=True)
class Table:
    """What the regulation and the rules submission say about the table.

    `boxes` is how many adjacent boxes one player may hold (None: the submission does not say), `required` the wagers
    that every seat makes, `offered` all that may be made, `meters` the names of the progressive meters.
    """

    catalogue: Catalogue
    boxes: int | None
    required: tuple[str, ...]
    offered: frozenset[str]
    meters: frozenset[str] = frozenset()

    def check_seats(self, seats: Sequence[SeatRecord]) -> None:
        """Raise `Refused` for seats that a table does not have, seats named twice, boxes that are not adjacent, and
        wagers that are missing or not offered."""
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
                    raise self._missing(seat, wager)
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

    def _not_offered(self, seat: SeatRecord) -> Refused:
        wager = next(name for name in seat.wagers if name not in self.offered)
        known = self.catalogue.wagers.get(wager)
        why = f"{self.catalogue.id} has no such wager" if known is None else "the rules submission does not offer it"
        return Refused(
            f"wager '{wager}' {seat.wagers[wager]}: {why}",
            seat=seat.seat,
            paragraph=self.catalogue.offered if known is None else known.paragraph,
        )

    def _missing(self, seat: SeatRecord, wager: str) -> Refused:
        entry = self.catalogue.wagers[wager]
        return Refused(
            f"the {entry.title} is missing beside {', '.join(seat.wagers) or 'no other wager'}",
            seat=seat.seat,
            paragraph=entry.paragraph,
        )

    def check_meters(self, seats: Sequence[SeatRecord], meters: Mapping[str, int]) -> None:
        """Raise `Refused` for a meter that no offered wager has, and for a wager whose meter is missing."""
        paragraph = self.catalogue.record["meters"]
        for name, cents in meters.items():
            if name not in self.meters:
                raise Refused(f"meter '{name}' {cents}: no offered wager has it", paragraph=paragraph)
        for seat in seats:
            for wager in seat.wagers:
                if wager in self.meters and wager not in meters:
                    raise Refused(
                        f"meter '{wager}' is missing: 'meters' must say what it showed before the round",
                        seat=seat.seat,
                        paragraph=paragraph,
                    )

    def rule_of(self, irregularity: Irregularity, seats: Container[int]) -> IrregularityRule:
        """What the regulation makes of an irregularity; `seats` are the numbers of the seats that wagered.

        Raises `Refused` for one that the game does not have, or whose fields cannot be.
        """
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
        return rule


def _misstated(irregularity: Irregularity, rule: IrregularityRule, seats: Container[int]) -> str | None:
    """What is wrong with the fields of an irregularity; None where nothing is."""
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
