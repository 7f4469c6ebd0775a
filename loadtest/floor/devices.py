"""The floor's signing devices and systems: terminals sign rounds; card readers and systems sign all other events."""

from collections.abc import Iterable
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.contracts.device_signatures import HEADER, encoded_key, sign
from shared.contracts.devices import DeviceKey, SignedTopic, SigningSystem
from shared.contracts.properties import Device, PropertyDocument, PropertyTable

_SYSTEMS: Final[dict[str, SignedTopic]] = {"pit-system": "pit.events", "casino-management": "rating.events"}
"""The systems that sign for all tables, each with the topic that it signs."""
CARD_READER: Final = "card reader"
"""The kind of device that signs the ratings of its table, if the table has one."""


class Devices:
    """The devices and systems of properties, each with a newly generated key.

    `documents` are the property documents with these devices, which require signatures from the start.
    """

    def __init__(self, documents: Iterable[PropertyDocument]) -> None:
        self._keys: dict[tuple[str, str], Ed25519PrivateKey] = {}
        self.documents = [self._with_devices(document) for document in documents]

    def headers(self, topic: str, source: str, value: bytes) -> list[tuple[str, str | bytes | None]]:
        """Return the signature header of an event, signed by its table's device or by its topic's system."""
        _, _, property_name, _, table, *_ = source.split("/")
        kid = next((system for system, signs in _SYSTEMS.items() if signs == topic), _terminal(table))
        if topic == "rating.events" and (property_name, _reader(table)) in self._keys:
            kid = _reader(table)
        return [(HEADER, sign(self._keys[property_name, kid], kid, topic, value))]

    def _with_devices(self, document: PropertyDocument) -> PropertyDocument:
        systems = [
            SigningSystem(system=name, signs=(topic,), signing_keys=(self._new_key(document, name),))
            for name, topic in _SYSTEMS.items()
        ]
        return document.model_copy(
            update={
                "tables": tuple(self._with_keys(document, table) for table in document.tables),
                "systems": tuple(systems),
                "signatures_required_from": document.effective_from,
            }
        )

    def _with_keys(self, document: PropertyDocument, table: PropertyTable) -> PropertyTable:
        """Return the table with a terminal, which signs rounds, and a key for its card reader, which signs ratings."""
        terminal = Device(
            kind="terminal",
            asset_number=f"D-{table.table}",
            signs=("table.events",),
            signing_keys=(self._new_key(document, _terminal(table.table)),),
        )
        others = (
            one.model_copy(
                update={"signs": ("rating.events",), "signing_keys": (self._new_key(document, _reader(table.table)),)}
            )
            if one.kind == CARD_READER
            else one
            for one in table.devices
        )
        return table.model_copy(update={"devices": (*others, terminal)})

    def _new_key(self, document: PropertyDocument, kid: str) -> DeviceKey:
        key = self._keys[document.property, kid] = Ed25519PrivateKey.generate()
        public = encoded_key(key.public_key())
        return DeviceKey(kid=kid, public_key=public, valid_from=document.effective_from)


def _terminal(table: str) -> str:
    return f"{table}-terminal"


def _reader(table: str) -> str:
    return f"{table}-card-reader"
