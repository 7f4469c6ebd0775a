"""The objects that the parts of a running service share."""

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
"""Wake the relay to publish committed entries. Entries that are not passed are read from the database."""

Behind = Callable[[], Mapping[tuple[str, int], float]]
"""Return the age of the oldest unread record, in seconds, by (topic, partition)."""


@dataclass(frozen=True, kw_only=True)
class RuntimeContext:
    """A service's name, settings, database connections, journal, read model, metrics and clock.

    `verifier` has the keys with which other services sign; without it, no signatures are verified. `wake` tells the
    relay that there are entries to publish. `step` is called at each durable step. `behind` returns the age of each
    partition's oldest unread record in seconds. The age is infinite if it is unknown, or if another process reads the
    partition. `tracing` records spans. `witness` tells, from sources outside the database, how many entries each shard
    has.
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
        """Return the high-water marks of this journal and the problems found in it."""
        return HighWater(self.pools, self.tables, self.witness)

    def __post_init__(self) -> None:
        """Provide the signing keys to all connections, which read and write signed rows."""
        self.pools.sign_by(self.ledger.seals)

    @property
    def tables(self) -> JournalTables:
        """Return the tables of the journal."""
        return self.ledger.tables
