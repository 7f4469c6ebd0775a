"""The clock of the property, as dated configuration, and what its jurisdiction's pack says of accounts."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import yaml
from pydantic import AwareDatetime, TypeAdapter

from shared.contracts.envelope import Contract
from shared.jurisdictions import gaming_day, gaming_pack

FILE: Final = Path(__file__).parents[1] / "configuration.yaml"
PACK: Final = "us-pa"
"""The pack of every property, until properties name theirs."""


class Clock(Contract):
    """The clock of the property, and the time at which its gaming day begins, from a moment on."""

    effective_from: AwareDatetime
    gaming_day_begins: time
    time_zone: str

    def gaming_day(self, moment: datetime) -> date:
        """Return the gaming day in which a moment lies."""
        return gaming_day(moment, ZoneInfo(self.time_zone), self.gaming_day_begins)


class Configuration(Clock):
    """What holds at a moment: the clock of the property, and the figures of the pack."""

    failed_codes_max: int
    lock_minutes: int
    loosening_hours: int


_items: TypeAdapter[tuple[Clock, ...]] = TypeAdapter(tuple[Clock, ...])


@lru_cache(maxsize=1024)
def _on(clock: Clock, day: date) -> Configuration:
    law = gaming_pack(PACK).accounts
    return Configuration(
        **dict(clock),
        failed_codes_max=law.failed_codes_max.on(day).value,
        lock_minutes=law.lock_minutes.on(day).value,
        loosening_hours=law.loosening_hours.on(day).value,
    )


class Configurations:
    """The configuration with its history."""

    def __init__(self, items: Sequence[Clock]) -> None:
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
        return _on(begun[-1], begun[-1].gaming_day(moment))


CONFIGURATIONS: Final = Configurations.load()
