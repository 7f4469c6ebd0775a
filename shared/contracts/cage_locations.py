"""Facts about the contents of cage locations: transfers and counts. Amounts are cents.

A location is `cage`, which every property has, or one of the `cage_locations` of its document: a drawer, a bank, the
vault. A transfer has a location as giver, receiver or both; the other party may be outside the cage (`Outside`).
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from shared.contracts.approvals import AsShown
from shared.contracts.chips import PieceKind
from shared.contracts.envelope import Contract, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number, SignedCents
from shared.contracts.money import denomination, dollars
from shared.contracts.rounds import Cents
from shared.contracts.topics import INVENTORY

CAGE: Final = "cage"
"""The location that every property has. Fills, credits and patrons' money belong to it unless they name another one."""

HeldKind = Literal[
    "currency", "chips", "foreign_chips", "checks", "promotional_chips", "non_negotiable_chips", "coupons"
]  # fmt: skip
"""The kinds of items held at the cage. Foreign chips are another property's; checks are all paper that a bank pays."""

WITHOUT_VALUE: Final[frozenset[HeldKind]] = frozenset({"promotional_chips", "non_negotiable_chips", "coupons"})
"""Kinds of items that are counted but have no cash value: sums of money exclude them."""

Outside = Literal["manufacturer", "destruction", "bank", "count_room", "accounts", "other_property", "promotions"]
"""Parties outside the cage that give items to it or take items from it.

They are the manufacturer of chips, and the destruction of chips; the bank; the count room, which delivers the drop; the
windows of the wagering accounts; another property, with which chips are exchanged; and the department that hands out
promotional chips and coupons.
"""


class Exchanges(NamedTuple):
    """The kinds of items that an outside party may give to the cage, and take from it."""

    gives: frozenset[HeldKind]
    takes: frozenset[HeldKind]


_CHIPS: Final[frozenset[HeldKind]] = frozenset({"chips", "promotional_chips", "non_negotiable_chips"})
_CASH: Final[frozenset[HeldKind]] = frozenset({"currency", "checks"})
_OF_CHIPS: Final = _CHIPS | {"foreign_chips"}

OUTSIDE: Final[Mapping[str, Exchanges]] = {
    "manufacturer": Exchanges(_CHIPS, frozenset()),
    "destruction": Exchanges(frozenset(), _CHIPS | {"coupons"}),
    "bank": Exchanges(_CASH, _CASH),
    "count_room": Exchanges(_CASH | _CHIPS | {"foreign_chips", "coupons"}, frozenset()),
    "accounts": Exchanges(_CASH, _CASH),
    "other_property": Exchanges(_CASH | {"chips"}, frozenset({"foreign_chips"})),
    "promotions": Exchanges(WITHOUT_VALUE, WITHOUT_VALUE),
}
"""Outside party -> the kinds of items that may pass between it and the cage."""


class HeldPieces(Contract):
    """Items of one kind and denomination: `count` items of `cents` each; for checks, `cents` is the amount.

    Chips of every kind have a `piece`, by default a chip. The property's own chips have a `chip_set` if the property
    names its chip sets; foreign chips have their `issuer`.
    """

    kind: HeldKind
    cents: Cents
    count: Annotated[int, Field(strict=True, ge=1, le=10**7)]
    piece: Annotated[PieceKind | None, Field(description="of chips; a chip if none is given")] = None
    chip_set: Name | None = None
    issuer: Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_chips(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("piece") is None and given.get("kind") in _OF_CHIPS:
            return {**given, "piece": "chip"}
        return given

    @model_validator(mode="after")
    def _suits_its_kind(self) -> Self:
        if self.kind == "currency":
            denomination(self.cents)
        if self.piece is not None and self.kind not in _OF_CHIPS:
            raise ValueError(f"{self.kind} have no 'piece': only chips are chips, coins or plaques")
        return self

    @model_validator(mode="after")
    def _says_whose(self) -> Self:
        if (self.kind == "foreign_chips") != (self.issuer is not None):
            raise ValueError("foreign_chips have an 'issuer', the property whose they are, and nothing else has one")
        if self.chip_set is not None and self.kind != "chips":
            raise ValueError(f"{self.kind} have no 'chip_set': the chip sets are those of the property's own chips")
        return self

    @property
    def of(self) -> tuple[str, str, str, str, int]:
        """Return the key by which items are counted together: kind, chip set, issuer, piece, cents each."""
        return (self.kind, self.chip_set or "", self.issuer or "", self.piece or "", self.cents)


def _each_once(contents: tuple[HeldPieces, ...]) -> tuple[HeldPieces, ...]:
    seen: set[tuple[str, str, str, str, int]] = set()
    for pieces in contents:
        if pieces.of in seen:
            raise ValueError(f"the {pieces.kind} of {pieces.cents} cents are listed twice; list each kind once")
        seen.add(pieces.of)
    return contents


def held_words(kind: HeldKind, cents: int, count: int) -> str:
    """Return pieces of one denomination in words.

    >>> held_words("currency", 100_00, 50), held_words("foreign_chips", 5_00, 1), held_words("checks", 80_00, 2)
    ('50 x 100.00 in currency', '1 foreign chip of 5.00', '2 checks of 80.00')
    """
    if kind == "currency":
        return f"{count} x {dollars(cents)} in currency"
    what = kind.replace("_", " ")
    return f"{count} {what if count != 1 else what.removesuffix('s')} of {dollars(cents)}"


HeldContents = Annotated[tuple[HeldPieces, ...], Field(max_length=500), AfterValidator(_each_once)]
"""The contents of a location or a transfer; each kind and denomination is listed once."""


def money_of(contents: Iterable[HeldPieces]) -> int:
    """Return the value of contents, in cents, without items that have no cash value (`WITHOUT_VALUE`)."""
    return sum(pieces.cents * pieces.count for pieces in contents if pieces.kind not in WITHOUT_VALUE)


class CageTransfer(Fact):
    """A step of a transfer from a `giver` to a `receiver`, on a gaming day; one of them may be outside the cage."""

    property: Name
    gaming_day: date
    transfer: Number
    giver: Name
    receiver: Name
    contents: Annotated[HeldContents, Field(min_length=1)]
    issued_by: Person
    issued_at: AwareDatetime


@fact("cage_transfer.issued", INVENTORY, moves_money=True, stream=DESK)
class CageTransferIssued(CageTransfer):
    """The contents of a transfer left the giver and are in transit; another person must receive them."""


@fact("cage_transfer.received", INVENTORY, moves_money=True, stream=DESK)
class CageTransferReceived(CageTransfer, AsShown):
    """The receiver counted and accepted the contents of a transfer."""

    received_by: Person
    received_at: AwareDatetime


@fact("cage_transfer.returned", INVENTORY, moves_money=True, stream=DESK)
class CageTransferReturned(CageTransfer):
    """The contents of a transfer in transit went back to the giver."""

    returned_by: Person
    returned_at: AwareDatetime
    return_reason: Reason


HeldCause = Literal[
    "brought_forward", "received", "issued", "from_tables", "to_tables", "from_patrons", "to_patrons", "over_short"
]  # fmt: skip
"""The cause of a change to a location's money; outgoing amounts are negative."""

Book = dict[HeldCause, SignedCents]
"""The money that came into a location (negative: went out), as cents by cause."""


class CageCount(Fact):
    """A count of the whole contents of a location. The `cashier` is accountable for any over or short.

    A cashier keeps a drawer from one verified count to the next. If the count names a `next_cashier`, that person takes
    over the drawer with the counted contents.

    `book` is the ledger's record of the location at the moment of the count: all money that ever came in and went out,
    by cause.
    """

    property: Name
    gaming_day: date
    count: Number
    location: Name
    contents: HeldContents
    cashier: Person
    next_cashier: Person | None = None
    book: Book
    counted_by: Person
    counted_at: AwareDatetime


@fact("cage_count.entered", INVENTORY, stream=DESK)
class CageCountEntered(CageCount):
    """A location was counted; another person must count it too and verify the count."""


@fact("cage_count.verified", INVENTORY, moves_money=True, stream=DESK)
class CageCountVerified(CageCount, AsShown):
    """A count was verified, and the over (negative: short) posted. The first count of a location opens its books.

    `before_cents` is the amount of the previous count, or None at the first count. `flows` is the money that came in
    and went out since then, by cause; `over_short_cents` = `counted_cents` - `before_cents` - the sum of the flows, and
    0 at a first count.
    """

    verified_by: Person
    verified_at: AwareDatetime
    before_cents: SignedCents | None = None
    flows: Book
    counted_cents: SignedCents
    over_short_cents: SignedCents
    imprest_cents: SignedCents | None = None
    over_short_reason: Reason | None = None


@fact("cage_count.rejected", INVENTORY, stream=DESK)
class CageCountRejected(CageCount):
    """A count was rejected: the location is counted again."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
