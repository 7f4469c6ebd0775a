"""How a shard stands, and the seal on that: who can write to the database alone cannot move a shard.

Each transaction that appends to a shard, or reads its input further, signs with the key of the service where the shard
then stands. The key is with the service, not in the database. A shard that stands otherwise was not brought there by
its service, and the service appends nothing to it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cryptography.exceptions import InvalidSignature

from shared.journal.signed_batch import BatchVerifier, sign_batch
from shared.journal.signed_note import Signer, Verifier


class Unsealed(Exception):
    """A shard does not stand as its service left it."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard as it stands: the input offset to read next, the next entry, and the head of the chain (32 bytes).

    `seal` is the service's signature of that (Ed25519, 64 bytes); None where the service signs nothing.
    """

    shard: int
    name: str
    next_offset: int
    next_seq: int
    head: bytes
    seal: bytes | None = None

    def text(self, service_key: str) -> bytes:
        """Return what is signed, by the key of this name."""
        stands = f"{self.next_offset} {self.next_seq} {self.head.hex()}"
        return f"pitledger-shard-v1\n{service_key}\n{self.name}\n{stands}\n".encode()


class Seals:
    """The key with which a service seals its shards, and the public ones with which it does or did so."""

    def __init__(self, name: str, verifiers: Iterable[Verifier], signer: Signer | None = None) -> None:
        """Seal with the signer, if there is one; open what was signed by the holder of a key of this name."""
        self._name = name
        self._verifiers = [each for each in verifiers if each.name == name]
        self._signer = signer
        self._signed = BatchVerifier(self._verifiers)
        self._good: dict[str, Shard] = {}
        """How shards stood last, by their names, when they were sealed here or found sealed."""

    def sealed(self, shard: Shard) -> Shard:
        """Return the shard with a seal on how it stands."""
        assert self._signer is not None, "only the service itself seals its shards"
        sealed = self._good[shard.name] = replace(shard, seal=self._signer.key.sign(shard.text(self._name)))
        return sealed

    def signatures(self, messages: Sequence[bytes]) -> list[bytes]:
        """Return the proof for each message, of which there are some, that the service signed it."""
        assert self._signer is not None, "only the service itself signs"
        return sign_batch(self._signer, messages)

    def require_signed(self, message: bytes, proof: bytes | None) -> None:
        """Raise Unsigned where the service did not sign a message."""
        self._signed.require(self._name, message, proof)

    def require(self, shard: Shard) -> None:
        """Raise Unsealed where the shard does not stand as it was sealed."""
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
