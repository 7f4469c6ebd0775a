"""What the runtime gives to a service's own code while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from shared.journal.ledger import Ledger
from shared.runtime.clock import Clock
from shared.runtime.command.engine import Engine
from shared.runtime.command.replay import Outbox
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceContext:
    """The parts of a running service: settings, database, journal, metrics, clock, and the engine of its commands.

    `outbox` takes records to Kafka that are no entries: those that are replayed.
    """

    settings: Settings
    engine: AsyncEngine
    ledger: Ledger
    metrics: Metrics
    clock: Clock
    wake: Callable[[], None]
    """Tells the relay that there is something to publish."""
    commands: Engine
    outbox: Outbox
