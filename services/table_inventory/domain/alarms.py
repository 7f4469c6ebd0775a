"""Alarms of the statistics: who looks into one, and what was found. Which alarms there are, reporting alone knows."""

from pydantic import AwareDatetime

from shared.contracts.alarms import AlarmOwned
from shared.runtime.commands.approval_subject import ApprovalSubject


class AlarmCase(AlarmOwned, ApprovalSubject):
    """Who looks into an alarm, and the conclusion, once there is one."""

    conclusion: str | None = None
    resolved_at: AwareDatetime | None = None
