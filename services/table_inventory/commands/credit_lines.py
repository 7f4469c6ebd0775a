"""Commands about patrons' credit lines: request, verify and decide on changes; reduce or suspend a line at once."""

from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.credit_lines import (
    CreditLine,
    CreditLineRequest,
    granted,
    require_approver,
    require_short,
    rules_of,
    tier_of,
)
from services.table_inventory.queries.credit_lines import find_credit_line, find_credit_line_request
from services.table_inventory.tables import credit_line_requests, properties
from shared.contracts.credit_lines import (
    CreditLineApproved,
    CreditLineAsked,
    CreditLineDeclined,
    CreditLineReduced,
    CreditLineRequested,
    CreditLineSuspended,
    CreditLineTerms,
    CreditLineVerified,
    LimitCents,
    SuspendedFor,
)
from shared.contracts.envelope import Name, Patron
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot, place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class RequestCreditLine(CreditLineAsked, Command):
    """Request a change to a patron's credit line.

    The change is a new credit limit, a temporary increase of the limit, or the reinstatement of a suspended line. Other
    people must approve it; the property's rules determine how many, depending on the amount.
    """

    property: Name
    patron: Annotated[Patron, Field(description="the patron, by reference")]


class Requesting(NamedTuple):
    """The properties, the patron's credit line, and the property's last request number."""

    places: Places
    line: CreditLine
    last: int


async def _requesting(connection: AsyncConnection, command: RequestCreditLine) -> Requesting:
    return Requesting(
        await known_places(connection, properties),
        await find_credit_line(connection, command.property, command.patron),
        await last_number(connection, credit_line_requests, "request", property=command.property),
    )


@COMMANDS.handles(RequestCreditLine, load=_requesting)
def request(command: RequestCreditLine, state: Requesting, now: Now) -> Accepted:
    """Record the request under the next number, if it would change the patron's terms."""
    place = place_for_command(state.places.place, command.property, now.at)
    day = place.gaming_day(now.at)
    tier_of(place, command.limit_cents)
    require_short(command, day, rules_of(place))
    fact = CreditLineRequested(**dict(command), request=state.last + 1, requested_by=now.by, requested_at=now.at)
    found = CreditLineRequest(**dict(fact))
    granted(found, state.line.terms, day)
    return Accepted(recording=FactWithPostings(fact=fact), answer=found)


class _OfRequest(Command):
    property: Name
    request: Number


class VerifyCreditLine(_OfRequest):
    """Record the verification of a requested change to a credit line.

    It covers the patron's identity, bank and debts elsewhere, and the lists of excluded persons.
    """

    verification: Annotated[Text, Field(description="what was verified, with whom, and the references")]


class ApproveCreditLine(_OfRequest, Approving):
    """Approve a change to a patron's credit line.

    Those who requested and verified it cannot approve it. The change takes effect once it has all approvals that the
    property requires for the amount.
    """


class DeclineCreditLine(_OfRequest):
    """Decline a change to a patron's credit line."""

    reason: Text


class Deciding(NamedTuple):
    """A request, the patron's credit line, and the properties."""

    request: CreditLineRequest
    line: CreditLine
    places: Places

    def place(self, now: Now) -> PropertySnapshot:
        """Return the property at the moment of the decision. Raises: Rejected without an approved version of it."""
        return place_for_command(self.places.place, self.request.property, now.at)


async def _deciding(connection: AsyncConnection, command: _OfRequest) -> Deciding:
    """Return a request. Raises: Rejected if it does not exist."""
    found = await find_credit_line_request(connection, command.property, command.request)
    line = await find_credit_line(connection, command.property, found.patron)
    return Deciding(found, line, await known_places(connection, properties))


def _of(found: CreditLineRequest) -> dict[str, object]:
    return {"property": found.property, "patron": found.patron, "request": found.request}


@COMMANDS.handles(VerifyCreditLine, load=_deciding)
def verify(command: VerifyCreditLine, state: Deciding, now: Now) -> Accepted:
    """Record the verification, once."""
    found, place = state.request, state.place(now)
    found.require_open()
    state.line.require_unchanged_since(found, place)
    if found.verified_by is not None:
        raise Rejected(Reason.ALREADY_DECIDED, f"{found.verified_by} verified {found.label} already")
    verified = {"verification": command.verification, "verified_by": now.by, "verified_at": now.at}
    fact = CreditLineVerified(**_of(found), **verified)
    answer = found.model_copy(update={**verified, "status": "verified"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


@COMMANDS.handles(ApproveCreditLine, load=_deciding, subject=first_loaded)
def approve(command: ApproveCreditLine, state: Deciding, now: Now) -> Accepted:
    """Record the approval. The last approval that the tier requires also changes the patron's terms."""
    del command
    found, place = state.request, state.place(now)
    found.require_open()
    state.line.require_unchanged_since(found, place)
    if found.verified_by is None:
        raise Rejected(Reason.TOO_EARLY, f"{found.label} is not verified yet")
    tier = tier_of(place, found.limit_cents)
    require_approver(found, now.by, tier, place)
    approved_by = (*found.approved_by, now.by)
    said = {"approvals": tier.approvals, "approved_by": approved_by, "approved_at": now.at}
    terms = granted(found, state.line.terms, place.gaming_day(now.at))
    if len(approved_by) < tier.approvals:
        fact = CreditLineApproved(**_of(found), **said)
        return Accepted(recording=FactWithPostings(fact=fact), answer=found.model_copy(update=said))
    fact = CreditLineApproved(**_of(found), **said, granted_at=now.at, terms=terms)
    answer = found.model_copy(update={**said, "granted_at": now.at, "status": "approved", "terms": terms})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


@COMMANDS.handles(DeclineCreditLine, load=_deciding)
def decline(command: DeclineCreditLine, state: Deciding, now: Now) -> Accepted:
    """Decline the request. The patron's terms do not change."""
    found = state.request
    found.require_open()
    declined = {"decline_reason": command.reason, "declined_by": now.by, "declined_at": now.at}
    fact = CreditLineDeclined(**_of(found), **declined)
    answer = found.model_copy(update={**declined, "status": "declined"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


class ReduceCreditLine(Command):
    """Reduce a patron's credit limit.

    The reduction takes effect at once, and ends any temporary increase.
    """

    property: Name
    patron: Patron
    limit_cents: Annotated[LimitCents, Field(description="the limit from now on, below the one in effect")]
    reason: Text


class SuspendCreditLine(Command):
    """Suspend a patron's credit line.

    No counter check can be prepared until several people have approved its reinstatement.
    """

    property: Name
    patron: Patron
    suspended_for: SuspendedFor
    reason: Text


async def _cutting(
    connection: AsyncConnection, command: ReduceCreditLine | SuspendCreditLine
) -> tuple[CreditLine, Places]:
    line = await find_credit_line(connection, command.property, command.patron)
    return line, await known_places(connection, properties)


@COMMANDS.handles(ReduceCreditLine, load=_cutting)
def reduce(command: ReduceCreditLine, state: tuple[CreditLine, Places], now: Now) -> Accepted:
    """Reduce the limit. The new limit must be below the limit in effect on the current gaming day."""
    line, places = state
    place = place_for_command(places.place, command.property, now.at)
    terms, before = line.require_terms(), line.limit_on(place.gaming_day(now.at))
    if command.limit_cents >= before or command.limit_cents > terms.limit_cents:
        detail = f"{amount(command.limit_cents)} are no reduction of {amount(before)}"
        raise Rejected(Reason.NOT_ALLOWED, f"{detail}: a higher limit is requested, and approved")
    after = CreditLineTerms(limit_cents=command.limit_cents, suspended_for=terms.suspended_for)
    who = {"property": command.property, "patron": command.patron, "reason": command.reason}
    fact = CreditLineReduced(**who, terms=after, before_cents=before, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)


@COMMANDS.handles(SuspendCreditLine, load=_cutting)
def suspend(command: SuspendCreditLine, state: tuple[CreditLine, Places], now: Now) -> Accepted:
    """Suspend the line. A patron without a limit cannot use one until the line is reinstated."""
    line, places = state
    rules_of(place_for_command(places.place, command.property, now.at))
    terms = line.terms or CreditLineTerms(limit_cents=0)
    if terms.suspended_for is not None:
        detail = f"the credit line of patron {command.patron} is suspended already ({terms.suspended_for})"
        raise Rejected(Reason.ALREADY_DECIDED, detail)
    after = terms.model_copy(update={"suspended_for": command.suspended_for})
    who = {"property": command.property, "patron": command.patron, "reason": command.reason}
    fact = CreditLineSuspended(**who, terms=after, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)
