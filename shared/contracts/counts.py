"""Facts about counts of drop boxes in the table-inventory ledger. Amounts are cents."""

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field

from shared.contracts.chips import Contents
from shared.contracts.envelope import Contract, Digest, DocumentNumber, Name, Person
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.money import denomination
from shared.contracts.rounds import Cents
from shared.contracts.topics import INVENTORY


@fact("count.opened", INVENTORY, stream=DESK)
class CountOpened(Fact):
    """A count of drop boxes began. Its figures stay secret until it is concluded (58 Pa. Code § 465a.25)."""

    property: Name
    gaming_day: date
    count: Number
    opened_by: Person
    opened_at: AwareDatetime


class BoxRef(Contract):
    """A drop box taken off a table: `exchange` is the sequence of its `box.exchanged` event in the pit stream."""

    table: Name
    exchange: Number


@fact("count.sealed", INVENTORY, stream=DESK)
class CountSealed(Fact, BoxRef):
    """A person counted a box. Only a commitment is public: figures and salt are published when the count concludes.

    `commitment` is the SHA-256, in hexadecimal, of `{"figures": …, "salt": …}` as canonical JSON.
    """

    property: Name
    gaming_day: date
    count: Number
    turn: Number
    commitment: Digest
    counted_by: Person
    counted_at: AwareDatetime


class CurrencyPieces(Contract):
    """A number of notes or coins of one denomination."""

    cents: Annotated[Cents, AfterValidator(denomination)]
    count: Annotated[int, Field(strict=True, ge=1, le=10**7)]


class CheckInBox(Contract):
    """The issuance copy of a counter check in a drop box."""

    serial: DocumentNumber
    cents: Cents


class CouponsInBox(Contract):
    """Coupons of one kind and stated value."""

    coupon: Name
    cents: Cents
    count: Annotated[int, Field(strict=True, ge=1, le=10**6)]


class BoxFigures(Contract):
    """The contents of a box: currency and counter checks are drop; coupons are counted separately (§ 601a.9(c)(3)).

    `rake` is the chips that a non-banking table took from its pots.
    """

    currency: Annotated[tuple[CurrencyPieces, ...], Field(max_length=64)] = ()
    counter_checks: Annotated[tuple[CheckInBox, ...], Field(max_length=1000)] = ()
    coupons: Annotated[tuple[CouponsInBox, ...], Field(max_length=200)] = ()
    rake: Contents = ()


class BoxTurn(Contract):
    """One person's count of a box (a turn), as revealed when the count concludes."""

    turn: Number
    counted_by: Person
    salt: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    figures: BoxFigures


class CountedBox(BoxRef):
    """A counted box: the figures on which two people's independent counts agree, and all turns.

    `rake_cents` is what a non-banking table took from its pots; it is None for a banking table, which has a win
    instead.
    """

    box: Name
    gaming_day: date
    shift: Name
    figures: BoxFigures
    currency_cents: int
    counter_checks_cents: int
    coupons_cents: int
    rake_cents: int | None = None
    turns: tuple[BoxTurn, ...]


@fact("count.concluded", INVENTORY, moves_money=True, stream=DESK)
class CountConcluded(CountOpened):
    """A count was concluded: its figures are revealed and posted."""

    boxes: tuple[CountedBox, ...]
    concluded_by: Person
    concluded_at: AwareDatetime
