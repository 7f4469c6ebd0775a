"""What a service is, and what happens to it in the story that every fault disturbs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.cli.services import load
from shared.contracts.facts import KINDS
from shared.contracts.topic_reader import Reader
from shared.journal.shard import Seals
from shared.runtime.database_names import role_of
from shared.runtime.service.manifest import Manifest

Message = Mapping[str, Any] | tuple[bytes | None, bytes]
"""An event, keyed by its source, or a raw key and value."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A command that a person sends over HTTP, and the status with which it is answered."""

    person: str
    path: str
    body: Any = None
    status: int = 200

    def headers(self, key: str, token: str | None = None) -> dict[str, str]:
        """The headers of the request, under an idempotency key; without a token, that of KnownTokens."""
        return {"Authorization": f"Bearer {token or f'token of {self.person}'}", "Idempotency-Key": key}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A service and its story: first the commands, one after the other, then the records of each topic in order.

    Among the records are a duplicate, a gap that is filled later, and some that are refused.
    """

    name: str
    references: Mapping[str, Sequence[Message]] = field(default_factory=dict)
    """By topic: what the service reads whole, and knows before all else."""
    records: Mapping[str, Sequence[Message]] = field(default_factory=dict)
    """By topic."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """The entries that follow from the records of an undisturbed run."""
    late: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """By topic: the indexes of records that may as well come at the very end, the last first."""
    figures: Sequence[str] = ()
    """Queries of what the order of arrival does not change, besides the money."""
    people: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Person -> roles."""
    commands: Sequence[Ask] = ()
    repeated: Ask | None = None
    """A command that may be given after the others, any number of times, under other keys."""
    identities: Mapping[str, str] = field(default_factory=dict)
    """What must hold in every state: each query finds what does not."""
    seals: Seals | None = None
    """What it seals with in the process of the test; the processes of the faults do not seal."""

    @property
    def manifest(self) -> Manifest:
        """Return the service itself."""
        return load(self.name)

    def decode(self, raw: bytes) -> Any:
        """Return an event that the service published."""
        topic = self.manifest.publishes
        assert topic is not None
        kinds = {kind.name: kind for published in self.manifest.published for kind in KINDS.on(published)}
        return Reader(topic, *(kind.model for kind in kinds.values())).decode(raw)

    @property
    def schema(self) -> str:
        """The service's schema and role."""
        return role_of(self.name)


def counted(kinds: Iterable[str]) -> dict[str, int]:
    """How often each comes."""
    found: dict[str, int] = {}
    for kind in kinds:
        found[kind] = found.get(kind, 0) + 1
    return found
