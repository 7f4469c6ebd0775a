"""Counter checks at the cage: issued, paid and outstanding amounts. Pure; cents."""

from collections.abc import Iterable, Set
from datetime import date
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel

from shared.contracts.cage import PaidIn
from shared.contracts.moments import EnteredLate
from shared.contracts.money import amount
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account, Posting
from shared.runtime.commands.approval_subject import ApprovalSubject

RETURNABLE: Final[Set[PaidIn]] = {"deposit", "check"}
"""The means of payment that a bank may return unpaid: a deposited counter check, and the payer's own check."""


class CounterCheck(BaseModel):
    """A counter check: its issuance or the checks that it replaced, and the outstanding amount in cents.

    `table` is the table that issued it. A check that replaced others has no table, and its `first_issued_at` is the
    earliest issuance of the replaced checks. `drawer` is the patron who owes it, by reference, if known. `is_returned`:
    a payment by deposit or by the payer's own check came back unpaid from the bank.
    """

    property: str
    serial: str
    table: str | None
    drawer: str | None = None
    issued_at: AwareDatetime
    first_issued_at: AwareDatetime
    issued_cents: int
    left_cents: int
    is_returned: bool = False

    def require_left(self, cents: int = 1, verb: str = "paid") -> None:
        """Raise Rejected unless at least `cents` are outstanding; `verb` names the action in the message."""
        if not self.left_cents:
            raise Rejected(Reason.ALREADY_DECIDED, f"nothing is owed on counter check {self.serial} any more")
        if cents > self.left_cents:
            detail = f"counter check {self.serial} has {amount(self.left_cents)} left"
            raise Rejected(Reason.CONTRADICTS, f"{detail}: {amount(cents)} of it cannot be {verb}")

    def require_not_returned(self) -> None:
        """Raise Rejected for a check that came back unpaid, because a replacement would hide that."""
        if self.is_returned:
            detail = f"counter check {self.serial} came back unpaid: it is paid or collected, not replaced"
            raise Rejected(Reason.NOT_ALLOWED, detail)


def drawer_of(checks: Iterable[CounterCheck], given: str | None) -> str | None:
    """Return the patron who owes a check that replaces others: their common drawer, or `given` if none is known.

    Raises: Rejected if the checks have different drawers, or a drawer other than `given`.
    """
    known = {one.drawer: one.serial for one in checks if one.drawer is not None}
    if len(known) > 1:
        owed = " and ".join(f"{serial} by {drawer}" for drawer, serial in sorted(known.items()))
        raise Rejected(Reason.CONTRADICTS, f"counter checks of different patrons are not consolidated: {owed}")
    for drawer, serial in known.items():
        if given not in (None, drawer):
            raise Rejected(Reason.CONTRADICTS, f"counter check {serial} is owed by {drawer}, not by {given}")
        return drawer
    return given


class Redemption(EnteredLate, ApprovalSubject):
    """A payment on a counter check; `undone` is set once it has been voided, returned unpaid or cleared.

    A payment on a check that was written off is a recovery of `check_write_off`.
    """

    property: str
    step: int
    serial: str
    table: str | None = None
    drawer: str | None = None
    on_behalf_of: tuple[str, ...] | None = None
    cents: int
    paid_in: PaidIn
    by: str
    at: AwareDatetime
    gaming_day: date
    shift: str
    check_write_off: int | None = None
    undone: Literal["voided", "returned", "cleared"] | None = None

    def label(self) -> str:
        """Return the payment's name for messages."""
        what = "redemption" if self.check_write_off is None else "recovery"
        return f"{what} {self.step} of counter check {self.serial}"

    def require_standing(self) -> None:
        """Raise Rejected if the payment was already voided, returned or cleared."""
        if self.undone is not None:
            what = {"voided": "is void", "returned": "came back unpaid", "cleared": "is cleared"}[self.undone]
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.label()} {what} already")

    def require_returnable(self) -> None:
        """Raise Rejected unless the payment may still be returned by a bank."""
        self.require_standing()
        if self.paid_in not in RETURNABLE:
            detail = f"{self.label()} was paid in {self.paid_in}: no bank returns that"
            raise Rejected(Reason.NOT_ALLOWED, f"{detail}; one that was entered by mistake is voided")


def paid(property_name: str, paid_in: PaidIn, cents: int, *, recovered: bool = False) -> tuple[Posting, ...]:
    """Return the postings of a payment of `cents` on counter checks; `cents` is negative for a void or a return.

    `recovered`: the payment recovers an amount that was written off.
    """
    return (
        Posting(Account(property_name, "", paid_in, "check_payments"), cents),
        Posting(Account(property_name, "", "", "checks_recovered" if recovered else "checks_redeemed"), -cents),
    )
