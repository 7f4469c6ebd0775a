"""Movements of currency, for tests."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from services.reporting.domain.federal.currency import CashMovement

DAY = date(2026, 11, 20)
_NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)


def paid(dollars: int, *, day: int = 0, minutes: int = 0, **changes: Any) -> CashMovement:
    """What a patron paid in at the cage, so many gaming days and minutes after noon of November 20, 2026."""
    moment = _NOON + timedelta(days=day, minutes=minutes)
    said: dict[str, Any] = {
        "patron": "p-1",
        "property": "riverside",
        "gaming_day": DAY + timedelta(days=day),
        "moment": moment,
        "direction": "in",
        "kind": "buy-in",
        "department": "cage",
        "place": "cage-1",
        "reference": f"{moment.isoformat()} {dollars}",
    }
    return CashMovement(**said | changes, cents=dollars * 100)
