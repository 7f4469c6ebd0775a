"""What was filed before. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.contracts.devices import DeviceKey


@dataclass(frozen=True, slots=True)
class History:
    """What there is of one document: the number of versions filed, and when the approved ones take effect.

    `keys` are those of devices and systems in approved versions of a property.
    """

    versions: int = 0
    approved: Sequence[datetime] = ()
    keys: Sequence[DeviceKey] = ()
