"""What the regulations leave to internal controls, as dated configuration: access codes, limits, the gaming day."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import yaml
from pydantic import AwareDatetime, Field, TypeAdapter

from shared.contracts.envelope import Contract

FILE: Final = Path(__file__).parents[1] / "configuration.yaml"


class Configuration(Contract):
    """The figures that hold from a moment on."""

    effective_from: AwareDatetime
    failed_codes_max: Annotated[int, Field(ge=1)]
    lock_minutes: Annotated[int, Field(ge=1)]
    loosening_hours: Annotated[int, Field(ge=24)]
    gaming_day_begins: time
    time_zone: str

    def gaming_day(self, moment: datetime) -> date:
        """Return the gaming day in which a moment lies."""
        local = moment.astimezone(ZoneInfo(self.time_zone))
        return local.date() if local.time() >= self.gaming_day_begins else local.date() - timedelta(days=1)


_items: TypeAdapter[tuple[Configuration, ...]] = TypeAdapter(tuple[Configuration, ...])


class Configurations:
    """The configuration with its history."""

    def __init__(self, items: Sequence[Configuration]) -> None:
        self._items = sorted(items, key=lambda item: item.effective_from)

    @classmethod
    def load(cls, path: Path = FILE) -> "Configurations":
        """Return what a file says. Raises: ValueError where it is not what it should be."""
        return cls(_items.validate_python(yaml.safe_load(path.read_text())))

    def at(self, moment: datetime) -> Configuration:
        """Return what holds at a moment. Raises: LookupError before the first item."""
        begun = [item for item in self._items if item.effective_from <= moment]
        if not begun:
            raise LookupError(f"nothing holds at {moment.astimezone(UTC).isoformat()}: add an item that begins earlier")
        return begun[-1]


CONFIGURATIONS: Final = Configurations.load()
