"""Parse moments on the command line."""

from datetime import datetime

from services.cli.exits import UsageWrong


def moment_of(option: str, text: str) -> datetime:
    """Return an option's value as a time with UTC offset. Raises: UsageWrong."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageWrong(f"{option} {text!r}: give it as 2026-11-20T23:59:00-05:00") from None
    if moment.tzinfo is None:
        raise UsageWrong(f"{option} {text!r} has no zone: write 2026-11-20T23:59:00-05:00, or Z at the end for UTC")
    return moment
