"""Cases of statistical alarms: owner and conclusion. The alarms themselves are known to reporting only."""

from pydantic import AwareDatetime

from shared.contracts.alarms import AlarmOwned
from shared.runtime.commands.approval_subject import ApprovalSubject


class AlarmCase(AlarmOwned, ApprovalSubject):
    """The owner of an alarm, and the conclusion, once there is one."""

    conclusion: str | None = None
    resolved_at: AwareDatetime | None = None
