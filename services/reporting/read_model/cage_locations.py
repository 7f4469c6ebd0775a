"""Measures of the cage's locations, and the last counts of the locations. Pure except for the query; cents.

The parentheses after a measure name its item, the subject of its amounts.

- `outside_cents` (outside party): the value received from an outside party, less the value that the party received.
- `cage_transit_cents` (the transfer's number): the value in transit.
- `chips_in_service`, `chips_in_transit` (`OwnChips`): numbers of pieces of the property's own chips.
- `boxes_money_cents`: the currency and the rake that the count room found in boxes.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Self

from sqlalchemy import text

from services.reporting.read_model.measures import Amount, adds
from services.reporting.read_model.reading import Books, Listed
from shared.contracts.cage_locations import (
    OUTSIDE,
    CageTransfer,
    CageTransferIssued,
    CageTransferReceived,
    CageTransferReturned,
    HeldPieces,
    money_of,
)
from shared.contracts.counts import CountConcluded


class OwnChips(NamedTuple):
    """A kind of the property's own chips: chip set (empty if it has no name), type of piece, and denomination (cents).

    >>> OwnChips.of_item(OwnChips("house", "chip", 500).item)
    OwnChips(chip_set='house', piece='chip', cents=500)
    """

    chip_set: str
    piece: str
    cents: int

    @classmethod
    def of(cls, pieces: HeldPieces) -> Self:
        """Return the kind of chips for pieces that were counted or moved."""
        return cls(pieces.chip_set or "", pieces.piece or "", pieces.cents)

    @classmethod
    def of_item(cls, item: str) -> Self:
        """Return the kind of chips encoded in the item of an amount."""
        chip_set, piece, cents = item.split(" ")
        return cls(chip_set, piece, int(cents))

    @property
    def item(self) -> str:
        """Return the kind of chips as a text, which is the `item` of an amount."""
        return f"{self.chip_set} {self.piece} {self.cents}"


@adds(CageTransferIssued)
def issued(fact: CageTransferIssued) -> Iterator[Amount]:
    """Yield the value and the chips of a sent transfer, which are now in transit."""
    yield from _transit(fact, 1)


@adds(CageTransferReturned)
def returned(fact: CageTransferReturned) -> Iterator[Amount]:
    """Yield the value and the chips of a returned transfer, which are no longer in transit."""
    yield from _transit(fact, -1)


@adds(CageTransferReceived)
def received(fact: CageTransferReceived) -> Iterator[Amount]:
    """Yield the end of a received transfer's transit, and the value and chips exchanged with an outside party."""
    yield from _transit(fact, -1)
    for name, sign in ((fact.giver, 1), (fact.receiver, -1)):
        if name in OUTSIDE:
            yield Amount("outside_cents", sign * money_of(fact.contents), item=name)
    sign = (fact.giver == "manufacturer") - (fact.receiver == "destruction")
    for pieces in _own(fact):
        yield Amount("chips_in_service", sign * pieces.count, item=OwnChips.of(pieces).item)


def _transit(fact: CageTransfer, sign: int) -> Iterator[Amount]:
    yield Amount("cage_transit_cents", sign * money_of(fact.contents), item=str(fact.transfer))
    if fact.giver != "manufacturer":
        for pieces in _own(fact):
            yield Amount("chips_in_transit", sign * pieces.count, item=OwnChips.of(pieces).item)


def _own(fact: CageTransfer) -> list[HeldPieces]:
    return [pieces for pieces in fact.contents if pieces.kind == "chips"]


@adds(CountConcluded)
def counted(fact: CountConcluded) -> Iterator[Amount]:
    """Yield the money that the count room found in each box: currency, and the rake of a non-banking table."""
    for box in fact.boxes:
        cents = box.currency_cents + (box.rake_cents or 0)
        yield Amount("boxes_money_cents", cents, box.table, box.shift, gaming_day=box.gaming_day)


_LAST: Final = text("""
    SELECT DISTINCT ON (data ->> 'location')
           service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM reporting.facts
    WHERE property = :property AND kind = 'cage_count.verified' AND gaming_day <= :last AND recorded_at <= :known_at
    ORDER BY data ->> 'location', CAST(data ->> 'count' AS bigint) DESC""")


async def last_counts(books: Books) -> list[Listed]:
    """Return each location's last verified count up to the last queried gaming day, keyed by location."""
    return [Listed.of(row) for row in await books.read(_LAST, last=books.question.last)]
