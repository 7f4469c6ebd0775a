"""Facts about patrons' credit lines in the table-inventory ledger: limits, prepared counter checks. In cents."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, DocumentNumber, Name, Patron, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.rounds import Cents
from shared.contracts.topics import INVENTORY

CreditLineChange = Literal["limit", "temporary", "reinstatement"]
"""The requested change: a credit limit, a temporary increase of it, or the end of a suspension."""

SuspendedFor = Literal["patron_request", "exclusion", "creditworthiness", "returned_check"]
"""Why a patron's credit is suspended: patron's request, exclusion, creditworthiness, or a returned check."""

LimitCents = Annotated[int, Field(strict=True, ge=0, le=10**12)]


class CreditLineTerms(Contract):
    """The terms of a credit line: its limit, any temporary limit (through the gaming day `until`), any suspension."""

    limit_cents: LimitCents
    temporary_cents: LimitCents | None = None
    until: date | None = None
    suspended_for: SuspendedFor | None = None

    def on(self, day: date) -> "CreditLineTerms":
        """Return the terms on a gaming day, without a temporary limit that has ended by then."""
        if self.until is None or day <= self.until:
            return self
        return self.model_copy(update={"temporary_cents": None, "until": None})

    def limit_on(self, day: date) -> int:
        """Return the limit on a gaming day: the temporary one while it lasts, if it is higher.

        >>> terms = CreditLineTerms(limit_cents=500, temporary_cents=800, until=date(2026, 11, 20))
        >>> terms.limit_on(date(2026, 11, 20)), terms.limit_on(date(2026, 11, 21))
        (800, 500)
        """
        return max(self.limit_cents, self.on(day).temporary_cents or 0)


class OfCreditLine(Fact):
    """A fact about the credit line of a patron at a property."""

    property: Name
    patron: Patron


class CreditLineAsked(Contract):
    """A requested change to a credit line: the limit after approval. A temporary limit lasts through `until`."""

    change: CreditLineChange
    limit_cents: Cents
    until: Annotated[date | None, Field(description="the last gaming day of a temporary increase")] = None
    reason: Reason

    @model_validator(mode="after")
    def _ends(self) -> "CreditLineAsked":
        if (self.change == "temporary") != (self.until is not None):
            raise ValueError("a temporary increase has its last gaming day, 'until'; no other change has one")
        return self


@fact("credit_line.requested", INVENTORY, stream=DESK)
class CreditLineRequested(OfCreditLine, CreditLineAsked):
    """A change to a patron's credit line was requested; requests are numbered by property."""

    request: Number
    requested_by: Person
    requested_at: AwareDatetime


@fact("credit_line.verified", INVENTORY, stream=DESK)
class CreditLineVerified(OfCreditLine):
    """A request was verified; `verification` describes the checks: identity, bank, other casinos, exclusion lists."""

    request: Number
    verification: Reason
    verified_by: Person
    verified_at: AwareDatetime


@fact("credit_line.approved", INVENTORY, stream=DESK)
class CreditLineApproved(OfCreditLine, AsShown):
    """A person, the last one in `approved_by`, approved a change to a patron's credit line.

    The change takes effect at `granted_at`, when it has the number of `approvals` that the property requires; `terms`
    are the patron's terms from then on. Both fields are missing until then.
    """

    request: Number
    approvals: Number
    approved_by: Annotated[tuple[Person, ...], Field(min_length=1, max_length=10)]
    approved_at: AwareDatetime
    granted_at: AwareDatetime | None = None
    terms: CreditLineTerms | None = None


@fact("credit_line.declined", INVENTORY, stream=DESK)
class CreditLineDeclined(OfCreditLine):
    """A requested change to a patron's credit line was declined."""

    request: Number
    decline_reason: Reason
    declined_by: Person
    declined_at: AwareDatetime


class CreditLineCut(OfCreditLine):
    """A patron's credit line was reduced or suspended immediately, by one person; `terms` apply from then on."""

    terms: CreditLineTerms
    reason: Reason
    by: Person
    at: AwareDatetime


@fact("credit_line.reduced", INVENTORY, stream=DESK)
class CreditLineReduced(CreditLineCut):
    """A patron's credit limit was reduced; a temporary increase ended with it."""

    before_cents: LimitCents


@fact("credit_line.suspended", INVENTORY, stream=DESK)
class CreditLineSuspended(CreditLineCut):
    """A patron's credit line was suspended: no counter check is prepared until it is reinstated."""


class CheckOnLine(OfCreditLine):
    """A counter check for a patron at a table, on a gaming day and in a shift."""

    serial: DocumentNumber
    table: Name
    gaming_day: date
    shift: Name
    cents: Cents


@fact("counter_check.prepared", INVENTORY, stream=DESK)
class CheckPrepared(CheckOnLine):
    """A counter check was prepared against a patron's credit line, and is on its way to the table.

    `limit_cents` is the limit at that time, and `outstanding_cents` the amount that the patron owed before this check.
    """

    limit_cents: LimitCents
    outstanding_cents: LimitCents
    prepared_by: Person
    prepared_at: AwareDatetime


@fact("counter_check.preparation_voided", INVENTORY, stream=DESK)
class PreparationVoided(CheckOnLine, AsShown):
    """A prepared counter check that no table issued was voided by a different person from the one who prepared it."""

    reason: Reason
    prepared_by: Person
    voided_by: Person
    voided_at: AwareDatetime
