"""The devices of the floor: a terminal at each table, which signs its rounds, and the pit system."""

from collections.abc import Iterable
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.contracts.device_signatures import HEADER, encoded_key, sign
from shared.contracts.devices import DeviceKey, SigningSystem
from shared.contracts.properties import Device, PropertyDocument, PropertyTable
from shared.contracts.topics import PIT_EVENTS

PIT_SYSTEM: Final = "pit-system"


class Devices:
    """The devices of properties, each with a newly generated key.

    `documents` are the properties with these devices on file; they require signatures from the beginning.
    """

    def __init__(self, documents: Iterable[PropertyDocument]) -> None:
        self._keys: dict[tuple[str, str], Ed25519PrivateKey] = {}
        self.documents = [self._with_devices(document) for document in documents]

    def headers(self, topic: str, source: str, value: bytes) -> list[tuple[str, str | bytes | None]]:
        """Return the signature of an event, by its table's terminal or, for the pit, by its system."""
        _, _, property_name, _, table, *_ = source.split("/")
        kid = PIT_SYSTEM if topic == PIT_EVENTS.name else _terminal(table)
        return [(HEADER, sign(self._keys[property_name, kid], kid, topic, value))]

    def _with_devices(self, document: PropertyDocument) -> PropertyDocument:
        system = SigningSystem(
            system=PIT_SYSTEM, signs=("pit.events",), signing_keys=(self._new_key(document, PIT_SYSTEM),)
        )
        return document.model_copy(
            update={
                "tables": tuple(self._with_terminal(document, table) for table in document.tables),
                "systems": (system,),
                "signatures_required_from": document.effective_from,
            }
        )

    def _with_terminal(self, document: PropertyDocument, table: PropertyTable) -> PropertyTable:
        terminal = Device(
            kind="terminal",
            asset_number=f"D-{table.table}",
            signs=("table.events",),
            signing_keys=(self._new_key(document, _terminal(table.table)),),
        )
        return table.model_copy(update={"devices": (*table.devices, terminal)})

    def _new_key(self, document: PropertyDocument, kid: str) -> DeviceKey:
        key = self._keys[document.property, kid] = Ed25519PrivateKey.generate()
        public = encoded_key(key.public_key())
        return DeviceKey(kid=kid, public_key=public, valid_from=document.effective_from)


def _terminal(table: str) -> str:
    return f"{table}-terminal"
