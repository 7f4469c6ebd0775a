"""Collection of counter checks: write-offs, and recoveries of written-off amounts. Pure; cents."""

from services.table_inventory.domain.checks import CounterCheck
from services.table_inventory.domain.entered import EnteredDocument
from shared.contracts.check_collection import CheckWriteOffEntered
from shared.contracts.money import amount
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account, Posting


class CheckWriteOff(CheckWriteOffEntered, EnteredDocument):
    """A write-off of a counter check with its status, and the amount recovered since."""

    recovered_cents: int = 0

    @property
    def label(self) -> str:
        """Return the write-off's name for messages."""
        return f"write-off {self.check_write_off} of counter check {self.serial}"

    def require_left_on(self, check: CounterCheck) -> None:
        """Raise Rejected if part of the amount to be written off was paid meanwhile."""
        if self.cents > check.left_cents:
            detail = (
                f"{self.label} is of {amount(self.cents)}, and {amount(check.left_cents)} are still owed on the check"
            )
            raise Rejected(Reason.CONTRADICTS, f"{detail}: reject it, and have what is still owed entered")

    def recovered_with(self, cents: int) -> int:
        """Return the total after recovering `cents` more. Raises: Rejected if it exceeds the written-off amount."""
        if self.status != "approved":
            raise Rejected(Reason.TOO_EARLY, f"{self.label} is {self.status}: nothing of it is recovered")
        if self.recovered_cents + cents > self.cents:
            left = self.cents - self.recovered_cents
            raise Rejected(Reason.CONTRADICTS, f"{self.label} has {amount(left)} to be recovered, not {amount(cents)}")
        return self.recovered_cents + cents


def written_off(property_name: str, cents: int) -> tuple[Posting, ...]:
    """Return the postings of a write-off, which reduce the amount owed without a payment; in cents."""
    return (
        Posting(Account(property_name, "", "", "checks_written_off"), cents),
        Posting(Account(property_name, "", "", "checks_redeemed"), -cents),
    )
