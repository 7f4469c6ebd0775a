"""Commands about the locations of the cage: transfers in two steps by two people, and counts that two people verify."""

from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.nothing import IsEmpty, fields_to_record
from services.table_inventory.domain.locations import (
    CageCountDocument,
    CageTransferDocument,
    Last,
    There,
    judged,
    over_short,
    require_held,
    require_not_retired,
    transferred,
    why_not_passed,
)
from services.table_inventory.domain.locations_in_use import (
    HasDrawer,
    location_in_use,
    location_to_empty,
    require_cashier,
    require_receiver,
)
from services.table_inventory.queries.locations import (
    books_of,
    find_count,
    find_transfer,
    last_count,
    may_hold,
    waiting_count,
    what_is_there,
    who_has,
)
from services.table_inventory.tables import cage_counts, cage_transfers, properties
from shared.contracts.cage_locations import (
    OUTSIDE,
    Book,
    CageCount,
    CageCountEntered,
    CageCountRejected,
    CageCountVerified,
    CageTransferIssued,
    CageTransferReceived,
    CageTransferReturned,
    HeldContents,
)
from shared.contracts.envelope import Name, Person
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import CAGE_COUNT, CAGE_TRANSFER, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class IssueCageTransfer(Command):
    """Issue a transfer at the cage.

    Money, chips or paper pass from one location to another, or between a location and a party outside the cage, and are
    in transit until another person receives them. Chips come into service from the `manufacturer`, and leave it to
    `destruction`. A location cannot give more than it holds according to its books.
    """

    property: Name
    giver: Annotated[Name, Field(description="the giving location or outside party")]
    receiver: Annotated[Name, Field(description="the receiving location or outside party")]
    contents: Annotated[HeldContents, Field(min_length=1, description="by kind and denomination")]


class Desk(NamedTuple):
    """The state for issuing a transfer: the properties, and the property's last transfer number.

    Of the giver, `there` is its contents by its books, `may_hold` is true if it may hold something, and `counted` is
    true if it was ever counted.
    """

    places: Places
    last: int
    there: There
    may_hold: bool
    counted: bool


async def _issuing(connection: AsyncConnection, command: IssueCageTransfer) -> Desk:
    """Return the state for issuing a transfer.

    The lock on the command shard prevents a concurrent command from transferring the same pieces.
    """
    return Desk(
        await known_places(connection, properties),
        await last_number(connection, cage_transfers, "transfer", property=command.property),
        await what_is_there(connection, command.property, command.giver),
        bool(await may_hold(connection, command.property, [command.giver])),
        await last_count(connection, command.property, command.giver) is not None,
    )


@COMMANDS.handles(IssueCageTransfer, load=_issuing)
def issue(command: IssueCageTransfer, desk: Desk, now: Now) -> Accepted:
    """Issue a transfer under the next number."""
    place = place_for_command(desk.places.place, command.property, now.at)
    day = place.gaming_day(now.at)
    giver = None
    if command.giver not in OUTSIDE:
        giver = location_to_empty(place, command.giver, day, may_hold=desk.may_hold, counted=desk.counted)
    if command.receiver not in OUTSIDE:
        location_in_use(place, command.receiver, day)
    if (why := why_not_passed(command.giver, command.receiver, command.contents)) is not None:
        raise Rejected(Reason.NOT_ALLOWED, why)
    require_held(place, command.contents)
    require_not_retired(place, command.giver, command.contents, day)
    if command.giver not in OUTSIDE:
        desk.there.require(command.giver, None if giver is None else giver.kind, command.contents)
    issued = {"transfer": desk.last + 1, "issued_by": now.by, "issued_at": now.at}
    fact = CageTransferIssued(**dict(command), **issued, gaming_day=day)
    answer = CageTransferDocument(**dict(fact))
    return Accepted(recording=FactWithPostings(fact=fact, postings=transferred(fact)), answer=answer)


class _OfTransfer(Command):
    property: Name
    transfer: Number


class ReceiveCageTransfer(_OfTransfer, Approving):
    """Receive a transfer as it was issued.

    The person who issued it cannot receive it. If something is missing, return the transfer.
    """


class ReturnCageTransfer(_OfTransfer):
    """Return a transfer to its giver.

    The person who issued it cannot return it. The contents in transit go back to the giver.
    """

    reason: Text


class Transfer(NamedTuple):
    """A transfer that is to be received or returned, and the properties."""

    issued: CageTransferDocument
    places: Places

    def ended(self, model: type[Any], now: Now, **said: Any) -> Accepted:
        """Record the receipt or return that ends the transfer.

        `model` is the type of the fact, and `said` has the fields that this step adds to the transfer's.
        """
        place = place_for_command(self.places.place, self.issued.property, now.at)
        of_day = {**fields_of(self.issued, CageTransferIssued), "gaming_day": place.gaming_day(now.at)}
        fact = model(**of_day, **said)
        changed = {**said, "gaming_day": fact.gaming_day, "status": model.KIND.name.rpartition(".")[2]}
        answer = self.issued.model_copy(update=changed)
        return Accepted(recording=FactWithPostings(fact=fact, postings=transferred(fact)), answer=answer)

    @property
    def approval(self) -> Approval:
        """Return the approval step of the transfer, with its current decision."""
        name = f"transfer {self.issued.transfer} at the cage of {self.issued.property}"
        decision = {"issued": Decision.ASKED, "received": Decision.APPROVED, "returned": Decision.RETURNED}
        return Approval(CAGE_TRANSFER, name, self.issued.issued_by, decision[self.issued.status])


async def _transfer(connection: AsyncConnection, command: _OfTransfer) -> Transfer:
    found = await find_transfer(connection, command.property, command.transfer)
    return Transfer(found, await known_places(connection, properties))


@COMMANDS.handles(ReceiveCageTransfer, load=_transfer, subject=first_loaded)
def receive(command: ReceiveCageTransfer, transfer: Transfer, now: Now) -> Accepted:
    """Receive a transfer."""
    transfer.approval.approve(now.by)
    place = place_for_command(transfer.places.place, command.property, now.at)
    day = place.gaming_day(now.at)
    require_receiver(place, transfer.issued, day)
    require_not_retired(place, transfer.issued.giver, transfer.issued.contents, day)
    return transfer.ended(CageTransferReceived, now, received_by=now.by, received_at=now.at)


@COMMANDS.handles(ReturnCageTransfer, load=_transfer)
def give_back(command: ReturnCageTransfer, transfer: Transfer, now: Now) -> Accepted:
    """Return a transfer to its giver.

    The issuer cannot return it, because one person alone could then take money out of a drawer and put it back
    unnoticed.
    """
    transfer.approval.reject()
    if same_person(now.by, transfer.issued.issued_by):
        detail = f"{now.by} issued transfer {transfer.issued.transfer}: somebody else must receive or return it"
        raise Rejected(Reason.SAME_PERSON, detail)
    said = {"returned_by": now.by, "returned_at": now.at, "return_reason": command.reason}
    return transfer.ended(CageTransferReturned, now, **said)


class EnterCageCount(Command):
    """Enter a count of a location of the cage.

    List everything at the location by kind and denomination. Another person counts the location too, and verifies the
    count. Neither of them sees the expected amount before that.
    """

    property: Name
    location: Annotated[Name, Field(description="`cage`, or one of the property's `cage_locations`")]
    contents: Annotated[HeldContents, Field(description="by kind and denomination; for checks, the amount of each")]
    cashier: Annotated[
        Person,
        Field(description="the person responsible for an overage or shortage; for a drawer, its current cashier"),
    ]
    next_cashier: Annotated[
        Person | None,
        Field(description="for a drawer, the cashier who takes it over with the counted contents, if it changes hands"),
    ] = None
    is_empty: IsEmpty = False


class Counting(NamedTuple):
    """The state for entering a count: the properties and the property's last count number.

    Of the location, `waiting` is the number of an unverified count, `book` is its book, `has` is the drawer's cashier,
    and `may_hold` is true if it may hold something.
    """

    places: Places
    last: int
    waiting: int | None
    book: Book
    has: HasDrawer | None
    may_hold: bool


async def _counting(connection: AsyncConnection, command: EnterCageCount) -> Counting:
    place = command.property, command.location
    return Counting(
        await known_places(connection, properties),
        await last_number(connection, cage_counts, "count", property=command.property),
        await waiting_count(connection, *place),
        (await books_of(connection, command.property)).get(command.location, {}),
        (await who_has(connection, command.property, location=command.location)).get(command.location),
        bool(await may_hold(connection, command.property, [command.location])),
    )


@COMMANDS.handles(EnterCageCount, load=_counting)
def enter(command: EnterCageCount, state: Counting, now: Now) -> Accepted:
    """Enter a count under the next number."""
    place = place_for_command(state.places.place, command.property, now.at)
    day = place.gaming_day(now.at)
    counted = state.has is not None
    location = location_to_empty(place, command.location, day, may_hold=state.may_hold, counted=counted)
    require_cashier(place, location, state.has, command.cashier, command.next_cashier)
    require_held(place, command.contents)
    if state.waiting is not None:
        detail = f"count {state.waiting} of {command.location} waits to be verified: verify or reject it"
        raise Rejected(Reason.CONTRADICTS, detail)
    entered = {"count": state.last + 1, "book": state.book, "counted_by": now.by, "counted_at": now.at}
    fact = CageCountEntered(**fields_to_record(command), **entered, gaming_day=day)
    return Accepted(recording=FactWithPostings(fact=fact), answer=CageCountDocument(**dict(fact)))


class _OfCount(Command):
    property: Name
    count: Number


class VerifyCageCount(_OfCount, Approving):
    """Verify a count, after another person has counted the same contents.

    The overage or shortage is posted, and must have a reason. The cashier named in the count is responsible for it.
    """

    reason: Annotated[Text | None, Field(description="the reason for the overage or shortage")] = None


class RejectCageCount(_OfCount):
    """Reject a count.

    The person who counted cannot reject it. The location is counted again.
    """

    reason: Text


class CountOfLocation(NamedTuple):
    """A count to be verified or rejected: the count as entered, and the location's book at the time of entry.

    `last` is the location's last verified count.
    """

    entered: CageCountDocument
    book: Book
    last: Last | None
    places: Places

    @property
    def fact(self) -> CageCount:
        """Return the count as it was entered."""
        said = {name: value for name, value in self.entered if name in CageCountEntered.model_fields}
        return CageCountEntered(**said, book=self.book)

    @property
    def approval(self) -> Approval:
        """Return the approval step of the count, with its current decision."""
        name = f"count {self.entered.count} of {self.entered.location}"
        decision = {"entered": Decision.ASKED, "verified": Decision.APPROVED, "rejected": Decision.REJECTED}
        return Approval(CAGE_COUNT, name, self.entered.counted_by, decision[self.entered.status])


async def _count(connection: AsyncConnection, command: _OfCount) -> CountOfLocation:
    entered, book = await find_count(connection, command.property, command.count)
    last = await last_count(connection, command.property, entered.location)
    return CountOfLocation(entered, book, last, await known_places(connection, properties))


@COMMANDS.handles(VerifyCageCount, load=_count, subject=first_loaded)
def verify(command: VerifyCageCount, state: CountOfLocation, now: Now) -> Accepted:
    """Verify a count and post its overage or shortage. The difference is shown only afterwards."""
    state.approval.approve(now.by)
    count, figures = state.fact, judged(state.fact, state.last)
    if figures["over_short_cents"] and command.reason is None:
        detail = f"count {count.count} of {count.location} is not what the ledger expects"
        raise Rejected(Reason.TOO_EARLY, f"{detail}: count it again, or say in 'reason' why")
    place = place_for_command(state.places.place, count.property, count.counted_at)
    location = place.cage_locations_on(count.gaming_day).get(count.location)
    said = {
        **figures,
        "imprest_cents": None if location is None else location.imprest_cents,
        "over_short_reason": command.reason if figures["over_short_cents"] else None,
        "verified_by": now.by,
        "verified_at": now.at,
    }
    fact = CageCountVerified(**dict(count), **said)
    answer = state.entered.model_copy(update={**said, "status": "verified"})
    return Accepted(recording=FactWithPostings(fact=fact, postings=over_short(fact)), answer=answer)


@COMMANDS.handles(RejectCageCount, load=_count)
def reject(command: RejectCageCount, state: CountOfLocation, now: Now) -> Accepted:
    """Reject a count.

    The person who counted cannot reject it, because that person could hide a shortage by counting again until the sum
    fits.
    """
    state.approval.reject()
    if same_person(now.by, state.entered.counted_by):
        detail = f"{now.by} counted {state.approval.name}: somebody else must verify or reject it"
        raise Rejected(Reason.SAME_PERSON, detail)
    said = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": command.reason}
    fact = CageCountRejected(**dict(state.fact), **said)
    answer = state.entered.model_copy(update={**said, "status": "rejected"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)
