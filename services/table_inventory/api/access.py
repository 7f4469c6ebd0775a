"""Roles of the ledger's routes, and their common parameters."""

from typing import Annotated, Final

from fastapi import Path

from shared.contracts.rejection import Reason
from shared.runtime.http import Day, declare_role, require_role
from shared.runtime.http.roles import READ_REPORTS

REQUEST_SLIPS: Final = declare_role("slips.request", "Request fills and credits.")
PREPARE_SLIPS: Final = declare_role("slips.prepare", "Prepare, receive and void slips, and enter paper slips.")
TRANSACT: Final = declare_role(
    "cage.transact",
    "Redeem and replace counter checks, record what patrons move at the cage, transfer and count what lies there, and "
    "identify winners.",
)
COUNT_BOXES: Final = declare_role("boxes.count", "Open, enter and conclude counts of drop boxes.")
AUDIT_DAYS: Final = declare_role(
    "days.audit",
    "Own and resolve variances, close and audit gaming days, enter adjustments, contests, hours of tips pools, chips "
    "in service and invoices of taxes, and investigate hold.",
)
RESOLVE_ALARMS: Final = declare_role("alarms.resolve", "Own alarms of the statistics, and resolve them.")
APPROVE_DAYS: Final = declare_role(
    "days.audit.approve",
    "Seal gaming days, and decide adjustments, contests, hours of tips pools, chips in service and invoices of taxes.",
)
CHANGE_PIT_EVENTS: Final = declare_role("pit.correct", "Propose to void and to correct events of the pit.")
APPROVE_PIT_CHANGES: Final = declare_role(
    "pit.correct.approve", "Approve or reject changes of pit events that somebody else proposed."
)
REQUEST_CREDIT_LINES: Final = declare_role(
    "creditlines.request",
    "Request and verify changes of credit lines, reduce and suspend them, and enter write-offs of counter checks.",
)
APPROVE_CREDIT_LINES: Final = declare_role(
    "creditlines.approve", "Approve or decline changes of credit lines and write-offs of counter checks."
)
PREPARE_CHECKS: Final = declare_role(
    "checks.prepare", "Prepare counter checks against patrons' credit lines, and void them."
)

RATE: Final = declare_role("ratings.enter", "Rate the play of patrons, by reference, and amend one's own steps.")
AMEND_RATINGS: Final = declare_role("ratings.amend", "Amend steps of ratings that somebody else entered.")

SlipReader = Annotated[str, require_role(READ_REPORTS, REQUEST_SLIPS, PREPARE_SLIPS)]
CageReader = Annotated[str, require_role(READ_REPORTS, TRANSACT)]
CheckReader = Annotated[str, require_role(READ_REPORTS, TRANSACT, REQUEST_CREDIT_LINES, APPROVE_CREDIT_LINES)]
AlarmReader = Annotated[str, require_role(READ_REPORTS, RESOLVE_ALARMS)]
CreditLineReader = Annotated[
    str, require_role(READ_REPORTS, REQUEST_CREDIT_LINES, APPROVE_CREDIT_LINES, PREPARE_CHECKS)
]
CheckWriteOffReader = Annotated[str, require_role(READ_REPORTS, REQUEST_CREDIT_LINES, APPROVE_CREDIT_LINES, TRANSACT)]
CountReader = Annotated[str, require_role(READ_REPORTS, COUNT_BOXES)]
DayReader = Annotated[str, require_role(READ_REPORTS, AUDIT_DAYS, APPROVE_DAYS)]

DayPath = Annotated[Day, Path(description="the gaming day")]
NumberPath = Annotated[int, Path(ge=1, le=2**31 - 1)]

DECIDED: Final = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
"""The rejection reasons of a step that any person with the role may take."""

BY_OTHERS: Final = (*DECIDED, Reason.SAME_PERSON, Reason.TOO_EARLY)
"""The rejection reasons of a step that needs a different person from the earlier steps."""
