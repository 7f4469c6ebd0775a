"""The earlier versions of a document. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.contracts.devices import DeviceKey


@dataclass(frozen=True, slots=True)
class History:
    """The history of one document: the number of versions filed, and the beginnings of approved ones.

    `keys` are those of devices and systems in approved versions of a property.
    """

    versions: int = 0
    approved: Sequence[datetime] = ()
    keys: Sequence[DeviceKey] = ()
