"""Facts about what lies where at the cage: transfers between its locations, and counts of them. Cents.

A location is `cage`, which every property has, or one of the `cage_locations` of its document: a drawer, a bank, the
vault. What is transferred comes from a location or goes to one; the other end may be somebody outside (`Outside`).
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
from shared.contracts.money import dollars
from shared.contracts.rounds import Cents
from shared.contracts.topics import INVENTORY

CAGE: Final = "cage"
"""The location that every property has: fills, credits and patrons' money are of it unless they name another."""

HeldKind = Literal[
    "currency", "chips", "foreign_chips", "checks", "promotional_chips", "non_negotiable_chips", "coupons"
]  # fmt: skip
"""What lies at the cage. Foreign chips are another property's; checks are all paper that a bank pays."""

WITHOUT_VALUE: Final[frozenset[HeldKind]] = frozenset({"promotional_chips", "non_negotiable_chips", "coupons"})
"""What is counted and never cash: it is in no sum of money."""

Outside = Literal["manufacturer", "destruction", "bank", "count_room", "accounts", "other_property", "promotions"]
"""Who gives to the cage, or takes from it.

The manufacturer of chips, and their destruction; the bank; the count room with the drop; the windows of the wagering
accounts; another property whose chips are exchanged; and whoever hands out promotional chips and coupons.
"""


class Exchanges(NamedTuple):
    """What somebody outside gives to the cage, and takes from it."""

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
"""What may pass between the cage and each of `Outside`."""


class HeldPieces(Contract):
    """Pieces of one denomination: `count` of them at `cents` each; of a check, its amount.

    Chips of every kind have a `piece`, a chip if none is given. The property's own have a `chip_set` if the property
    names its chip sets, foreign ones their `issuer`.
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
    def _has_pieces(self) -> Self:
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
        """Return what is counted together: kind, chip set, issuer, piece, cents each."""
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
"""What lies at a location, or is transferred, by kind and denomination, each once."""


def money_of(contents: Iterable[HeldPieces]) -> int:
    """Return the value of contents in cents, without what has none."""
    return sum(pieces.cents * pieces.count for pieces in contents if pieces.kind not in WITHOUT_VALUE)


class CageTransfer(Fact):
    """A transfer from a `giver` to a `receiver`: locations, or one of them is outside. It has the day of its step."""

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
    """What is transferred left its giver and is in transit; another person receives it."""


@fact("cage_transfer.received", INVENTORY, moves_money=True, stream=DESK)
class CageTransferReceived(CageTransfer, AsShown):
    """The receiver has counted what was transferred, and has it."""

    received_by: Person
    received_at: AwareDatetime


@fact("cage_transfer.returned", INVENTORY, moves_money=True, stream=DESK)
class CageTransferReturned(CageTransfer):
    """What was in transit went back to its giver."""

    returned_by: Person
    returned_at: AwareDatetime
    return_reason: Reason


HeldCause = Literal[
    "brought_forward", "received", "issued", "from_tables", "to_tables", "from_patrons", "to_patrons", "over_short"
]  # fmt: skip
"""Why the money of a location changes; what goes out is negative."""

Book = dict[HeldCause, SignedCents]
"""Money by cause."""


class CageCount(Fact):
    """A count of all that lies at a location. The `cashier` answers for what is over or short.

    A drawer is with its cashier from one verified count to the next, unless the count names a `next_cashier`, who takes
    the drawer over with what was counted.

    `book` is what the ledger says of the location at the moment of the count: the money that ever came in and went out,
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
    """A location was counted; another person counts it too, and says so."""


@fact("cage_count.verified", INVENTORY, moves_money=True, stream=DESK)
class CageCountVerified(CageCount, AsShown):
    """A count was verified, and what is over (negative: short) posted. The first count of a location begins its books.

    `before_cents` is what was counted there before; None: nothing was. `flows` is what came in and went out since, and
    `over_short_cents` = `counted_cents` - `before_cents` - the sum of the flows; at a first count it is 0.
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
