"""A patron's credit line: its terms, the outstanding amount, and who may approve or use it. Pure; cents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.credit_lines import CreditLineAsked, CreditLineRequested, CreditLineTerms
from shared.contracts.envelope import DocumentNumber, Name, Patron, Person
from shared.contracts.money import amount
from shared.contracts.people import same_person
from shared.contracts.properties import CreditLineRules, CreditLineTier
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.approval_subject import ApprovalSubject

RequestStatus = Literal["requested", "verified", "approved", "declined"]


class CreditLineRequest(CreditLineRequested, ApprovalSubject):
    """A requested change to a credit line, with its verification and decision.

    It is `approved` once it has all required approvals. `terms` are the line's current terms, as shown to an approver;
    lists omit them.
    """

    terms: CreditLineTerms | None = None
    status: RequestStatus = "requested"
    verification: str | None = None
    verified_by: Person | None = None
    verified_at: AwareDatetime | None = None
    approvals: int | None = None
    approved_by: tuple[Person, ...] = ()
    approved_at: AwareDatetime | None = None
    granted_at: AwareDatetime | None = None
    declined_by: Person | None = None
    declined_at: AwareDatetime | None = None
    decline_reason: str | None = None

    def require_open(self) -> None:
        """Raise Rejected if the request is approved or declined."""
        if self.status in ("approved", "declined"):
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.label} was {self.status} already")

    @property
    def label(self) -> str:
        """Return the request's name for messages."""
        return f"credit line request {self.request} at {self.property}"


class PatronCheck(ApprovalSubject):
    """A counter check that a patron owes.

    `left_cents` are still owed. `uncleared_cents` were paid, but a bank may still return the payment.
    `written_off_cents` were written off as uncollectible, less amounts that were recovered and have cleared. `table` is
    None for a check that replaced others. A `prepared` check has not been issued at its table yet.
    """

    property: Name
    serial: DocumentNumber
    patron: Patron
    table: Name | None = None
    status: Literal["prepared", "issued", "void"]
    gaming_day: date | None = None
    shift: Name | None = None
    cents: int
    left_cents: int
    uncleared_cents: int = 0
    is_returned: bool = False
    written_off_cents: int = 0
    prepared_by: Person | None = None
    prepared_at: AwareDatetime | None = None
    voided_by: Person | None = None


@dataclass(frozen=True, slots=True)
class CreditLine:
    """A patron's credit line: the terms (None if no limit was ever approved), and the counter checks that are owed."""

    property_name: str
    patron: str
    terms: CreditLineTerms | None
    checks: Sequence[PatronCheck] = ()
    changed_at: datetime | None = None

    @property
    def outstanding_cents(self) -> int:
        """Return the outstanding cents: owed on prepared and issued checks, or paid but still returnable by a bank."""
        return sum(one.left_cents + one.uncleared_cents for one in self.checks)

    def limit_on(self, day: date) -> int:
        """Return the limit on a gaming day in cents; 0 without terms."""
        return 0 if self.terms is None else self.terms.limit_on(day)

    def require_terms(self) -> CreditLineTerms:
        """Return the terms. Raises: Rejected if no limit was ever approved."""
        if self.terms is None:
            raise Rejected(Reason.NOT_FOUND, f"patron {self.patron} has no credit line at {self.property_name}")
        return self.terms

    def why_stopped(self) -> str | None:
        """Return the reason why the patron gets no credit regardless of the limit, or None.

        A patron gets no credit while the line is suspended. A returned check and a written-off amount also stop credit
        until they are paid and the payment has cleared.
        """
        who = f"patron {self.patron} at {self.property_name}"
        if self.terms is not None and self.terms.suspended_for is not None:
            said = self.terms.suspended_for.replace("_", " ")
            return f"the credit line of {who} is suspended ({said}): have it reinstated"
        returned = sorted(one.serial for one in self.checks if one.is_returned and one.left_cents + one.uncleared_cents)
        if returned:
            return f"counter check {', '.join(returned)} of {who} came back unpaid: no credit until it is paid"
        if (lost := sum(one.written_off_cents for one in self.checks)) > 0:
            return f"{amount(lost)} of {who} are written off: no credit until they are paid, by the bank, too"
        return None

    def require_unchanged_since(self, request: "CreditLineRequest", place: PropertySnapshot) -> None:
        """Raise Rejected if the line has been changed since a change was requested.

        A request is invalid after another change, because the people who requested, verified or approved it did not
        know of that change.
        """
        if self.changed_at is not None and self.changed_at > request.requested_at:
            raise Rejected(
                Reason.CONTRADICTS,
                f"the credit line of patron {self.patron} was changed at {place.clock_text(self.changed_at)}, after "
                f"{request.label}: decline that, and have it requested anew",
            )

    def require_available(self, cents: int, day: date) -> None:
        """Check that a counter check of `cents` may be prepared on a gaming day.

        Raises: Rejected if the patron gets no credit, or if `cents` exceed the available credit; the error then gives
        the figures.
        """
        terms = self.require_terms()
        who = f"patron {self.patron} at {self.property_name}"
        if (why := self.why_stopped()) is not None:
            raise Rejected(Reason.NOT_ALLOWED, why)
        limit, owed = terms.limit_on(day), self.outstanding_cents
        if cents > limit - owed:
            raise Rejected(
                Reason.LIMIT_EXCEEDED,
                f"{amount(cents)} are above the available credit of {who}: {amount(max(limit - owed, 0))}, a limit of "
                f"{amount(limit)} on {day} less {amount(owed)} outstanding",
            )


class CreditLineStanding(ApprovalSubject):
    """A credit line on a gaming day: terms, limit, outstanding and available cents, and the checks owed."""

    property: Name
    patron: Patron
    terms: CreditLineTerms | None = None
    gaming_day: date
    limit_cents: int
    outstanding_cents: int
    available_cents: int
    stopped: str | None = None
    checks: tuple[PatronCheck, ...] = ()

    @classmethod
    def of(cls, line: CreditLine, day: date) -> "CreditLineStanding":
        """Return the credit line on a gaming day. If credit is stopped, `stopped` is the reason and 0 is available."""
        limit, owed, stopped = line.limit_on(day), line.outstanding_cents, line.why_stopped()
        return cls(
            property=line.property_name,
            patron=line.patron,
            terms=line.terms,
            gaming_day=day,
            limit_cents=limit,
            outstanding_cents=owed,
            available_cents=0 if stopped else max(limit - owed, 0),
            stopped=stopped,
            checks=tuple(line.checks),
        )


def rules_of(place: PropertySnapshot) -> CreditLineRules:
    """Return the property's credit-line rules. Raises: Rejected if it has none."""
    if place.document.credit_lines is None:
        detail = (
            f"{place.document.property} gives no credit: file a version of the property with rules of 'credit_lines'"
        )
        raise Rejected(Reason.NOT_ALLOWED, detail)
    return place.document.credit_lines


def tier_of(place: PropertySnapshot, limit_cents: int) -> CreditLineTier:
    """Return the approval tier of a credit limit. Raises: Rejected above the property's last tier."""
    rules = rules_of(place)
    tier = rules.tier(limit_cents)
    if tier is None:
        most = rules.tiers[-1].limit_cents_max
        raise Rejected(Reason.NOT_ALLOWED, f"nobody at {place.document.property} approves a limit above {amount(most)}")
    return tier


def require_approver(request: CreditLineRequest, by: str, tier: CreditLineTier, place: PropertySnapshot) -> None:
    """Check that a person may approve a request.

    Raises: Rejected if the person took part in the request already, or has none of the tier's roles.
    """
    took_part = [("requested", request.requested_by), ("verified", request.verified_by)]
    for did, person in (*took_part, *(("approved", one) for one in request.approved_by)):
        if same_person(by, person):
            raise Rejected(Reason.SAME_PERSON, f"{by} {did} {request.label}: somebody else must approve it")
    roles = {role for one in place.document.people if same_person(one.person, by) for role in one.roles}
    if not roles & set(tier.roles):
        raise Rejected(
            Reason.NOT_ALLOWED,
            f"{by} does not approve limits up to {amount(tier.limit_cents_max)} at {request.property}: that is for "
            f"{', '.join(tier.roles)}, as its 'people' have them",
        )


def require_apart(requests: Iterable[CreditLineRequest], by: str, at: datetime, place: PropertySnapshot) -> None:
    """Check that the preparer of a counter check took no recent part in changing the patron's credit line.

    `requests` are all requests for the patron. Raises: Rejected if the person requested, verified or approved one that
    was granted within the last `apart_days`.
    """
    rules = rules_of(place)
    since = at - timedelta(days=rules.apart_days)
    for request in requests:
        if request.granted_at is None or request.granted_at < since:
            continue
        if any(same_person(by, one) for one in (request.requested_by, request.verified_by, *request.approved_by)):
            raise Rejected(
                Reason.SAME_PERSON,
                f"{by} took part in {request.label}, granted at {place.clock_text(request.granted_at)}: for "
                f"{rules.apart_days} days somebody else prepares counter checks of this patron",
            )


def require_short(request: CreditLineAsked, day: date, rules: CreditLineRules) -> None:
    """Raise Rejected if a temporary increase requested on a gaming day is longer than permitted."""
    last = day + timedelta(days=rules.temporary_days)
    if request.until is not None and request.until > last:
        detail = f"a temporary increase ends within {rules.temporary_days} days ('temporary_days' of the property)"
        raise Rejected(Reason.NOT_ALLOWED, f"{detail}: by {last}, not on {request.until}")


def granted(request: CreditLineRequest, terms: CreditLineTerms | None, day: date) -> CreditLineTerms:
    """Return a patron's terms after a request is granted on a gaming day.

    Raises: Rejected if the terms would not change, or the increase has already ended.
    """
    before = None if terms is None else terms.on(day)
    after = _granted(request, before, day)
    if after == before:
        detail = f"patron {request.patron} has a limit of {amount(before.limit_on(day))} already, on the same terms"
        raise Rejected(Reason.NOT_ALLOWED, f"{detail}: the request changes nothing")
    return after


def _granted(request: CreditLineRequest, terms: CreditLineTerms | None, day: date) -> CreditLineTerms:
    match request.change:
        case "limit":
            kept = None if terms is None else terms.suspended_for
            return CreditLineTerms(limit_cents=request.limit_cents, suspended_for=kept)
        case "temporary":
            assert request.until is not None, "a temporary increase ends"
            if request.until < day:
                raise Rejected(Reason.TOO_LATE, f"gaming day {request.until} has ended")
            if terms is None:
                raise Rejected(Reason.TOO_EARLY, f"patron {request.patron} has no limit to be increased")
            if request.limit_cents <= terms.limit_cents:
                detail = f"{amount(request.limit_cents)} are no increase of the limit of {amount(terms.limit_cents)}"
                raise Rejected(Reason.NOT_ALLOWED, f"{detail}: the request changes nothing")
            return terms.model_copy(update={"temporary_cents": request.limit_cents, "until": request.until})
        case "reinstatement":
            if terms is None or terms.suspended_for is None:
                raise Rejected(Reason.TOO_EARLY, f"the credit line of patron {request.patron} is not suspended")
            return CreditLineTerms(limit_cents=request.limit_cents)
