"""The state of a shard, sealed with a signature: access to the database is not enough to advance a shard.

Each transaction that appends to a shard, or advances its input position, signs the new state with the service's key,
which is not in the database. A state without a valid signature was not written by the service, which then appends
nothing to that shard.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cryptography.exceptions import InvalidSignature

from shared.journal.signed_batch import BatchVerifier, sign_batch
from shared.journal.signed_note import Signer, Verifier


class Unsealed(Exception):
    """A shard is not in the state that its service sealed."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The state of a shard: the next input offset, the next entry, and the head of the chain (32 bytes).

    `seal` is the service's signature of that state (Ed25519, 64 bytes); None if the service signs nothing.
    """

    shard: int
    name: str
    next_offset: int
    next_seq: int
    head: bytes
    seal: bytes | None = None

    def text(self, service_key: str) -> bytes:
        """Return the state as the text that is signed with the key named `service_key`."""
        stands = f"{self.next_offset} {self.next_seq} {self.head.hex()}"
        return f"pitledger-shard-v1\n{service_key}\n{self.name}\n{stands}\n".encode()


class Seals:
    """The key with which a service seals its shards, and the public keys that verify its current and former seals."""

    def __init__(self, name: str, verifiers: Iterable[Verifier], signer: Signer | None = None) -> None:
        """Seal with `signer`, if given; accept seals under this name by any of these verifiers."""
        self._name = name
        self._verifiers = [each for each in verifiers if each.name == name]
        self._signer = signer
        self._signed = BatchVerifier(self._verifiers)
        self._good: dict[str, Shard] = {}
        """Shard name -> the last state that was sealed or verified here."""

    def sealed(self, shard: Shard) -> Shard:
        """Return the shard with a seal on its state."""
        assert self._signer is not None, "only the service itself seals its shards"
        sealed = self._good[shard.name] = replace(shard, seal=self._signer.key.sign(shard.text(self._name)))
        return sealed

    def signatures(self, messages: Sequence[bytes]) -> list[bytes]:
        """Return the batch signature proof of each message; there must be at least one message."""
        assert self._signer is not None, "only the service itself signs"
        return sign_batch(self._signer, messages)

    def require_signed(self, message: bytes, proof: bytes | None) -> None:
        """Raise Unsigned unless `proof` shows that the service signed the message."""
        self._signed.require(self._name, message, proof)

    def require(self, shard: Shard) -> None:
        """Raise Unsealed unless the shard's seal matches its state."""
        if self._good.get(shard.name) == shard:
            return
        if not any(_signed(each, shard) for each in self._verifiers):
            stands = f"offset {shard.next_offset}, entry {shard.next_seq}, head {shard.head.hex()[:16]}…"
            raise Unsealed(
                f"shard {shard.name} stands at {stands}, which {self._name} did not sign: its position or its entries "
                "were changed without the service; keep the database as it is"
            )
        self._good[shard.name] = shard


def _signed(verifier: Verifier, shard: Shard) -> bool:
    if shard.seal is None:
        return False
    try:
        verifier.key.verify(shard.seal, shard.text(verifier.name))
    except InvalidSignature:
        return False
    return True
