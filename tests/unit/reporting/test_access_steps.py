"""The report of access lists whatever two people decide; a new kind of approval cannot be forgotten."""

from services.reporting.read_model.staff import DECIDING
from services.reporting.reports.access import STEPS
from shared.contracts.approvals import AsShown
from shared.contracts.facts import KINDS

EVERYDAY = {
    "slip.prepared",
    "slip.credit_received",
    "cage_transfer.received",
}
"""What takes another person each time that it is done: reports of their own list it, with the people."""
ELSEWHERE = {
    "quarantine.replay_approved",
    "quarantine.dismissed",
    "quarantine.dismissed_together",
}
"""What is of no gaming day of a property: the report of exceptions has it, with the people."""
CONFIDENTIAL = {"sar.released"}


def test_every_approval_is_listed() -> None:
    """As an approval, with the person who gave it."""
    approvals = {
        kind.name
        for kind in KINDS
        if isinstance(kind.model, type) and issubclass(kind.model, AsShown) and kind.model not in {*STEPS, *DECIDING}
    }
    assert EVERYDAY | ELSEWHERE | CONFIDENTIAL == approvals
