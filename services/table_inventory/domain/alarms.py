"""Cases of statistical alarms: their owner and conclusion. The alarms themselves are in reporting."""

from pydantic import AwareDatetime

from shared.contracts.alarms import AlarmOwned
from shared.runtime.commands.approval_subject import ApprovalSubject


class AlarmCase(AlarmOwned, ApprovalSubject):
    """The case of an alarm: its owner, and the conclusion once it is resolved."""

    conclusion: str | None = None
    resolved_at: AwareDatetime | None = None
