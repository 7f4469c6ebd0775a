"""What the parts of a running service share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.signed_batch import BatchVerifier
from shared.journal.tables import JournalTables
from shared.runtime.clock import Clock, Step, no_step, utc_now
from shared.runtime.database import Pools
from shared.runtime.high_water import HighWater, HighWaterSource
from shared.runtime.metrics import Metrics
from shared.runtime.projector import Projector
from shared.runtime.settings import Settings
from shared.runtime.tracing import NO_TRACING, Tracing

Wake = Callable[[Sequence[Entry]], None]
"""Entries that were committed and may be published; what is not at hand is read from the database."""

Behind = Callable[[], Mapping[tuple[str, int], float]]
"""How far behind the partitions of topics are, seconds, by (topic, partition)."""


@dataclass(frozen=True, kw_only=True)
class RuntimeContext:
    """A service's name, settings, database connections, journal, read model, metrics and clock.

    `verifier` knows the keys with which services sign what they publish; without it nothing is verified. `wake` tells
    the relay that there is something to publish, with the entries where they are at hand; `step` is told each durable
    step. `behind` says of each partition of the topics that are read how old the oldest record is that waits, seconds;
    infinite where this process does not read it, or does not know yet. `tracing` takes notice of the work. `witness`
    knows from outside of the database how far the journal was.
    """

    service: str
    settings: Settings
    pools: Pools
    ledger: Ledger
    verifier: BatchVerifier | None = None
    projector: Projector = field(default_factory=Projector)
    metrics: Metrics = field(default_factory=Metrics)
    clock: Clock = utc_now
    wake: Wake = lambda _: None
    step: Step = no_step
    behind: Behind = dict
    tracing: Tracing = NO_TRACING
    witness: HighWaterSource | None = None

    @cached_property
    def high_water(self) -> HighWater:
        """Return how far the journal is known to be."""
        return HighWater(self.pools, self.tables, self.witness)

    def __post_init__(self) -> None:
        """Let whoever reads or writes signed rows on a connection of the service find what signs them."""
        self.pools.sign_by(self.ledger.seals)

    @property
    def tables(self) -> JournalTables:
        """Return the tables of the journal."""
        return self.ledger.tables
