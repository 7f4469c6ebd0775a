"""The money at the locations of the cage, transfers between them, and their counts. Pure; amounts are cents."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Final, Literal, NamedTuple

from pydantic import AwareDatetime

from shared.contracts.cage import CageVoided, RedemptionVoided
from shared.contracts.cage_locations import (
    CAGE,
    OUTSIDE,
    Book,
    CageCount,
    CageCountVerified,
    CageTransfer,
    CageTransferIssued,
    CageTransferReceived,
    CageTransferReturned,
    HeldCause,
    HeldContents,
    HeldPieces,
    held_words,
    money_of,
)
from shared.contracts.check_collection import RecoveryVoided
from shared.contracts.facts import Fact
from shared.contracts.inventory import Number, PitVoided
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account, Posting
from shared.runtime.commands.approval_subject import ApprovalSubject

LOCATION: Final = "location"

_HELD: Final = frozenset({"cage", "cage_money", "patrons_exchange", "contest_money", "withheld_money"})
"""Legs of the money at the cage, including both sides of an exchange with a patron, which have equal value."""


def is_held_at_cage(account: Account) -> bool:
    """Return whether an account, other than the `location` account of `cage`, is part of the money held at `cage`."""
    match account.leg:
        case "check_payments":
            return account.wager != "deposit"  # that lies with the bank
        case leg:
            return leg in _HELD


_VOIDS: Final = (PitVoided, CageVoided, RedemptionVoided, RecoveryVoided)


class LocationKey(NamedTuple):
    """A location of a property's cage."""

    property: str
    location: str


def held(fact: Fact, postings: Iterable[Posting]) -> Iterator[tuple[LocationKey, HeldCause, int]]:
    """Yield the changes that an entry makes to the money of locations: (location, cause, cents)."""
    changes: dict[tuple[LocationKey, bool], int] = {}
    for account, cents in postings:
        if account.leg == LOCATION or is_held_at_cage(account):
            location = account.wager if account.leg == LOCATION else CAGE
            key = LocationKey(account.property, location), account.leg == "cage"
            changes[key] = changes.get(key, 0) + cents
    for (place, with_tables), cents in changes.items():
        if cents:
            yield place, _cause(fact, cents, with_tables=with_tables), cents


def _cause(fact: Fact, cents: int, *, with_tables: bool) -> HeldCause:
    match fact:
        case CageTransfer():
            return "received" if cents > 0 else "issued"
        case CageCountVerified(before_cents=None):
            return "brought_forward"
        case CageCountVerified():
            return "over_short"
    came_in = (cents > 0) is not isinstance(fact, _VOIDS)  # a void has the cause of what it voids
    if with_tables:
        return "from_tables" if came_in else "to_tables"
    return "from_patrons" if came_in else "to_patrons"


def passed(property_name: str, giver: str, receiver: str, cents: int) -> tuple[Posting, ...]:
    """Return the postings of money that a giver passes to a receiver (location or outside party); none for 0 cents."""
    return _between(_end(property_name, receiver), _end(property_name, giver), cents)


def transferred(fact: CageTransferIssued | CageTransferReceived | CageTransferReturned) -> tuple[Posting, ...]:
    """Return the postings of a transfer's step: from the giver into transit, to the receiver, or back to the giver."""
    transit, cents = Account(fact.property, "", "", "cage_transit"), money_of(fact.contents)
    match fact:
        case CageTransferIssued():
            return _between(transit, _end(fact.property, fact.giver), cents)
        case CageTransferReceived():
            return _between(_end(fact.property, fact.receiver), transit, cents)
        case CageTransferReturned():
            return _between(_end(fact.property, fact.giver), transit, cents)


def over_short(fact: CageCountVerified) -> tuple[Posting, ...]:
    """Return the postings of a verified count: the overage or shortage; for a first count, the opening balance."""
    if fact.before_cents is not None:
        contra, cents = "cage_over_short", fact.over_short_cents
    else:
        contra, cents = "cage_brought_forward", fact.counted_cents - sum(fact.book.values())
    location = _location(fact.property, fact.location)
    return _between(location, Account(fact.property, "", fact.location, contra), cents)


def _location(property_name: str, location: str) -> Account:
    return Account(property_name, "", location, LOCATION)


def _end(property_name: str, name: str) -> Account:
    return Account(property_name, "", name, "outside" if name in OUTSIDE else LOCATION)


def _between(debit: Account, credit: Account, cents: int) -> tuple[Posting, ...]:
    return (Posting(debit, cents), Posting(credit, -cents)) if cents else ()


def flows_since(before: Mapping[HeldCause, int], book: Mapping[HeldCause, int]) -> Book:
    """Return the changes between two states of a location's book, in cents by cause, omitting zeros."""
    changes = {cause: cents - before.get(cause, 0) for cause, cents in book.items()}
    return {cause: cents for cause, cents in changes.items() if cents}


def posted(counted_cents: int, book: Mapping[HeldCause, int], *, first: bool) -> Book:
    """Return a location's book after a count is posted, in cents by cause; its sum is `counted_cents`."""
    cause: HeldCause = "brought_forward" if first else "over_short"
    return {**book, cause: book.get(cause, 0) + counted_cents - sum(book.values())}


class Last(NamedTuple):
    """The last verified count of a location: the counted amount, and the location's book after the count was posted."""

    counted_cents: int
    book: Book


def judged(count: CageCount, last: Last | None) -> dict[str, object]:
    """Return a count's figures by field name of its fact: previous and current amount, flows, overage or shortage."""
    counted_cents = money_of(count.contents)
    if last is None:
        return {"flows": flows_since({}, count.book), "counted_cents": counted_cents, "over_short_cents": 0}
    return {
        "before_cents": last.counted_cents,
        "flows": flows_since(last.book, count.book),
        "counted_cents": counted_cents,
        "over_short_cents": counted_cents - sum(count.book.values()),
    }


class CageCountDocument(ApprovalSubject):
    """A count of a location with its status. Fields that reveal the expected amount are None until it is verified."""

    property: str
    count: Number
    gaming_day: date
    location: str
    contents: HeldContents
    cashier: str
    next_cashier: str | None = None
    counted_by: str
    counted_at: AwareDatetime
    status: Literal["entered", "verified", "rejected"] = "entered"
    verified_by: str | None = None
    verified_at: AwareDatetime | None = None
    before_cents: int | None = None
    flows: Book | None = None
    counted_cents: int | None = None
    over_short_cents: int | None = None
    imprest_cents: int | None = None
    over_short_reason: str | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None


class CageTransferDocument(ApprovalSubject):
    """A transfer with its status; `gaming_day` is that of its last step."""

    property: str
    transfer: Number
    gaming_day: date
    giver: str
    receiver: str
    contents: HeldContents
    status: Literal["issued", "received", "returned"] = "issued"
    issued_by: str
    issued_at: AwareDatetime
    received_by: str | None = None
    received_at: AwareDatetime | None = None
    returned_by: str | None = None
    returned_at: AwareDatetime | None = None
    return_reason: str | None = None


def why_not_held(contents: Iterable[HeldPieces], place: PropertySnapshot) -> str | None:
    """Return the reason why these chips do not exist at the property, or None if they do.

    A property without `chip_sets` accepts all chips without a `chip_set`.
    """
    name, sets = place.document.property, place.document.chip_sets
    for one in contents:
        if one.issuer is not None and one.issuer.casefold() == name.casefold():
            return f"foreign_chips of {one.issuer}, which is the property itself: list its own as 'chips'"
        if one.kind != "chips":
            continue
        if sets is None:
            if one.chip_set is not None:
                return f"{name} names no 'chip_sets', so that none is {one.chip_set!r}"
            continue
        found = next((named for named in sets if named.chip_set == one.chip_set), None)
        if found is None or found.kind != one.piece or one.cents not in found.denominations_cents:
            which = "without a 'chip_set'" if one.chip_set is None else f"of the chip set {one.chip_set!r}"
            known = ", ".join(
                f"{named.chip_set} ({named.kind}s of {', '.join(map(amount, named.denominations_cents))})"
                for named in sets
            )
            known = f"{name} has {known} ('chip_sets' of version {place.document.version})"
            return f"a {one.piece} of {amount(one.cents)} {which}: {known}"
    return None


def require_held(place: PropertySnapshot, contents: Iterable[HeldPieces]) -> None:
    """Raise Rejected unless a property has these chips; the error lists the property's chips."""
    if (why := why_not_held(contents, place)) is not None:
        raise Rejected(Reason.NOT_FOUND, f"'contents' has {why}")


def require_not_retired(place: PropertySnapshot, giver: str, contents: Iterable[HeldPieces], day: date) -> None:
    """Raise Rejected if a chip set that is retired on a gaming day is put into service again.

    Only the manufacturer puts chips into service. Retired chips still come from the count room and from other
    properties, and pass between locations until they are destroyed.
    """
    if giver != "manufacturer":
        return
    retired = {one.chip_set: one.retired_on for one in place.document.chip_sets or () if one.is_retired_on(day)}
    for one in contents:
        if one.chip_set in retired:
            detail = f"the chip set {one.chip_set!r} was retired on {retired[one.chip_set]} ('chip_sets' of version"
            why = f"{detail} {place.document.version}): it is not put into service again"
            raise Rejected(Reason.NOT_ALLOWED, why)


def why_not_passed(giver: str, receiver: str, contents: Iterable[HeldPieces]) -> str | None:
    """Return the reason why contents may not pass from the giver to the receiver, or None if they may."""
    if giver == receiver:
        return f"{giver} gives nothing to itself"
    if giver in OUTSIDE and receiver in OUTSIDE:
        return f"{giver} and {receiver} are both outside: what does not pass through the cage is not recorded here"
    kinds = {one.kind for one in contents}
    for name, verb in ((giver, "gives"), (receiver, "takes")):
        if name in OUTSIDE:
            allowed = OUTSIDE[name].gives if verb == "gives" else OUTSIDE[name].takes
            if other := sorted(kinds - allowed):
                return f"{name} {verb} no {', '.join(other)}; it {verb} {', '.join(sorted(allowed)) or 'nothing'}"
    return None


FOR_PATRONS: Final = frozenset({"drawer", "main_bank"})
"""Kinds of locations that, like `cage`, serve patrons; the pieces exchanged with patrons are not recorded."""


class There(NamedTuple):
    """The contents of a location by its books: money in cents, and pieces of its last count and of transfers since.

    `pieces` maps `HeldPieces.of` (kind, chip set, issuer, piece, cents each) to the number of pieces.
    """

    cents: int
    pieces: Mapping[tuple[str, str, str, str, int], int]

    def require(self, location: str, kind: str | None, contents: Iterable[HeldPieces]) -> None:
        """Raise Rejected unless a location of a kind (None for `cage`) has the contents to be given.

        At a location that serves patrons, the total value is compared; at others, the pieces of each kind and
        denomination. The error does not state what the location holds, because the people who count it must not know.
        """
        why = f"{location} does not hold that by its books: count it, if it does"
        if kind is None or kind in FOR_PATRONS:
            if money_of(contents) > self.cents:
                raise Rejected(Reason.CONTRADICTS, why)
            return
        for one in contents:
            if one.count > self.pieces.get(one.of, 0):
                raise Rejected(Reason.CONTRADICTS, f"{held_words(one.kind, one.cents, one.count)}: {why}")
