"""Counter checks on hand at the cage: what was issued, paid, and is still owed. Amounts are cents."""

from dataclasses import dataclass
from datetime import date

from pydantic import AwareDatetime, BaseModel

from shared.contracts.cage import PaidIn
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account, Posting


class CounterCheck(BaseModel):
    """A counter check: what it was issued for, or replaced others with, and what is still owed on it.

    `table` is that of its issuance; one that replaced others has none.
    """

    property: str
    serial: str
    table: str | None
    issued_at: AwareDatetime
    issued_cents: int
    left_cents: int

    def require_left(self, cents: int = 1) -> None:
        """Raise Rejected unless so much is owed on it."""
        if not self.left_cents:
            raise Rejected(Reason.ALREADY_DECIDED, f"nothing is owed on counter check {self.serial} any more")
        if cents > self.left_cents:
            detail = f"counter check {self.serial} has {self.left_cents} cents left; {cents} cannot be paid of it"
            raise Rejected(Reason.CONTRADICTS, detail)


@dataclass(frozen=True, slots=True)
class Redemption:
    """A redemption as it was entered; `is_void` says that somebody has voided it."""

    serial: str
    table: str | None
    drawer: str | None
    cents: int
    paid_in: PaidIn
    by: str
    gaming_day: date
    shift: str
    is_void: bool


def paid(property_name: str, paid_in: PaidIn, cents: int) -> tuple[Posting, ...]:
    """Return the postings of cents that are paid of counter checks; below zero: of a payment that is void."""
    return (
        Posting(Account(property_name, "", paid_in, "check_payments"), cents),
        Posting(Account(property_name, "", "", "checks_redeemed"), -cents),
    )
