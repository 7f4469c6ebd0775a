"""Cases of statistical alarms: owner and conclusion. Only reporting knows the alarms themselves."""

from pydantic import AwareDatetime

from shared.contracts.alarms import AlarmOwned
from shared.runtime.commands.approval_subject import ApprovalSubject


class AlarmCase(AlarmOwned, ApprovalSubject):
    """The owner of an alarm, and the conclusion, if any."""

    conclusion: str | None = None
    resolved_at: AwareDatetime | None = None
