"""A property at the moment of a command: its gaming day, and the law on accounts. Pure."""

from dataclasses import dataclass
from datetime import date, datetime

from shared.contracts.moments import Happened
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, happened, place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import Accounts


@dataclass(frozen=True, slots=True)
class Today:
    """A property as of a moment, and the gaming day of the moment."""

    place: PropertySnapshot
    gaming_day: date

    @property
    def law(self) -> Accounts:
        """Return the jurisdiction pack's rules on accounts."""
        return self.place.law.accounts

    def require_table(self, name: str) -> None:
        """Raise Rejected if the property does not have a table today."""
        why = self.place.why_no_table(name, self.gaming_day)
        if why is not None:
            raise Rejected(Reason.NOT_FOUND, why)


class Todays:
    """A cache of properties by moment, because the commands of a batch are decided at the same moment."""

    def __init__(self, places: PropertyLookup) -> None:
        self._places = places
        self._known: dict[tuple[str, datetime], Today] = {}

    def moment_of(self, property_name: str, said: Happened, now: datetime) -> datetime:
        """Return the time of an entered action. Raises: Rejected if it is too long ago."""
        return happened(self._places, property_name, said, now)[1]

    def clock_text(self, property_name: str, moment: datetime) -> str:
        """Return a moment as text for messages, in the property's local time, or in UTC if no version is in effect."""
        place = self._places(property_name, moment)
        return moment.isoformat() if place is None else place.clock_text(moment)

    def at(self, property_name: str, moment: datetime) -> Today:
        """Return a property as of a moment. Raises: Rejected if no approved version is in effect."""
        key = (property_name, moment)
        found = self._known.get(key)
        if found is None:
            place = place_for_command(self._places, property_name, moment)
            found = self._known[key] = Today(place, place.gaming_day(moment))
        return found
