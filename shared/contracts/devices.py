"""The public keys of devices and systems that may sign for a table, as registered in the property's document."""

import base64
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints, model_validator

from shared.contracts.envelope import Contract, Identifier, Name

SignedTopic = Literal["table.events", "pit.events", "rating.events"]
"""A topic written by systems outside of Pitledger."""

_PRIME: Final = 2**255 - 19
_Y_OF_ORDER_8: Final = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_FEW_POINTS: Final = frozenset({0, 1, _PRIME - 1, _Y_OF_ORDER_8, _PRIME - _Y_OF_ORDER_8})
"""The y coordinates of Ed25519 points of small order: a signature by such a key proves nothing."""


def _proves(public_key: str) -> str:
    y = int.from_bytes(base64.urlsafe_b64decode(public_key + "="), "little") % 2**255
    if y % _PRIME in _FEW_POINTS:
        raise ValueError("no device has this key: whoever likes makes signatures that it verifies")
    return public_key


PublicKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"), AfterValidator(_proves)]
"""An Ed25519 public key: its 32 bytes in base64url without padding, the `x` of its JWK (RFC 8037)."""


class DeviceKey(Contract):
    """A public key. Its signatures are valid on records received at or after `valid_from` and before `valid_until`.

    From `revoked_at` on, no signature by it is valid, regardless of the other fields.
    """

    kid: Annotated[Identifier, Field(description="the key's id as named in signatures; unique in the property")]
    public_key: PublicKey
    valid_from: AwareDatetime
    valid_until: AwareDatetime | None = None
    revoked_at: AwareDatetime | None = None

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.valid_until is not None and self.valid_until <= self.valid_from:
            raise ValueError(
                f"key {self.kid} is valid until {self.valid_until}, not after it begins: until when is it?"
            )
        return self

    def is_valid_at(self, moment: datetime) -> bool:
        """Return whether the key is valid at a moment."""
        return self.valid_from <= moment and (self.valid_until is None or moment < self.valid_until)


class Signing(Contract):
    """A device or system that signs events of tables, on the topics in `signs`, with any of its valid keys."""

    signs: tuple[SignedTopic, ...] = Field(default=(), max_length=3)
    signing_keys: tuple[DeviceKey, ...] = Field(default=(), max_length=10)

    @model_validator(mode="after")
    def _signs_with_keys(self) -> Self:
        if bool(self.signs) != bool(self.signing_keys):
            raise ValueError("'signs' says on which topics its 'signing_keys' sign: give both, or neither")
        return self


class SigningSystem(Signing):
    """A system that signs for several tables, such as the gateway of the table systems.

    Without `tables` it signs for the whole property.
    """

    system: Name
    tables: tuple[Name, ...] = Field(default=(), max_length=10_000)
