"""Check whether an event from outside is plausible: times near its receipt, sequence near the previous one. Pure.

Every service applies this check to events from outside before its handler.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal

from shared.contracts.envelope import Contract, Event, property_of
from shared.contracts.properties import Plausibility
from shared.contracts.property_snapshot import PropertyLookup
from shared.journal.streams import Stream
from shared.rules.errors import Refused

PlausibilityLimit = Literal["ahead_minutes_max", "age_days_max", "sequence_jump_max"]
"""The property's limits that are checked here, by the names of their fields in the property document."""

_NO_LIMITS_OF_ITS_OWN: Final = Plausibility()
_DAYS_APART: Final = timedelta(days=2)
"""How far a gaming day may differ from the UTC date of a moment, because of time zones and the pit's tolerance."""

_CALENDAR_BEGINS: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Implausible(Refused):
    """An event exceeds the plausibility limit `limit` of its property."""

    def __init__(self, limit: PlausibilityLimit, reason: str) -> None:
        super().__init__(f"not plausible: {reason} ({limit!r})")
        self.limit: PlausibilityLimit = limit


class PlausibilityCheck:
    """Checks events against the limits in the property version that is in effect at their receipt."""

    def __init__(self, places: PropertyLookup | None) -> None:
        self._places = places

    def require(
        self, event: Event[Any], stream: Stream, received_at: datetime, stands_since: datetime | None
    ) -> str | None:
        """Return why an event with a free stream position should be flagged, or None if it should not be.

        `received_at` is when the event was received. `stands_since` is the moment of the recorded event that
        this event voids or corrects, if any. Raises: Implausible.
        """
        place = None
        if self._places is not None and (name := property_of(event.source)) is not None:
            place = self._places(name, received_at)
        limits = _NO_LIMITS_OF_ITS_OWN if place is None else place.document.plausibility
        self._require_near(event, stream, limits)
        latest = received_at + timedelta(minutes=limits.ahead_minutes_max)
        earliest = received_at - timedelta(days=limits.age_days_max)
        if stands_since is not None:
            earliest = min(earliest, stands_since)
        # A gaming day is out of range only if it is certainly so, whatever the time zone.
        last_day, first_day = (latest + _DAYS_APART).date(), (earliest - _DAYS_APART).date()
        late = None
        for name, said in _moments(event):
            is_moment = isinstance(said, datetime)
            if said > (latest if is_moment else last_day):
                reason = f"{name!r} {said} is more than {limits.ahead_minutes_max} minutes after its receipt"
                raise Implausible("ahead_minutes_max", reason)
            if said < (earliest if is_moment else first_day):
                late = late or f"{name!r} {said} is more than {limits.age_days_max} days before its receipt"
                flagged = place is not None and place.document.late_events == "flag"
                if not flagged or said < (_CALENDAR_BEGINS if is_moment else (_CALENDAR_BEGINS - _DAYS_APART).date()):
                    raise Implausible("age_days_max", late)
        return late

    def _require_near(self, event: Event[Any], stream: Stream, limits: Plausibility) -> None:
        missing = event.sequence - stream.last - 1
        if missing > limits.sequence_jump_max:
            raise Implausible(
                "sequence_jump_max",
                f"'sequence' {event.sequence} would leave out {missing} events after {stream.last}, the last of "
                f"{event.source}; at most {limits.sequence_jump_max} may be missing",
            )


def _moments(event: Event[Any]) -> Iterator[tuple[str, date]]:
    """Yield each moment and gaming day in an event, including nested parts, with the name of its field."""
    yield "time", event.time
    yield from _moments_in(event.data)


def _moments_in(said: Any) -> Iterator[tuple[str, date]]:
    for name, value in vars(said).items() if isinstance(said, Contract) else ():
        if isinstance(value, date):  # a datetime is a date, too
            yield name, value
        elif isinstance(value, Contract):
            yield from _moments_in(value)
