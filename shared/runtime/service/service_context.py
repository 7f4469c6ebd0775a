"""The runtime's objects for a service's own code."""

from dataclasses import dataclass
from functools import cached_property

from shared.journal.signed_note import Signer
from shared.runtime.commands.command import Commands
from shared.runtime.commands.engine import Engine
from shared.runtime.commands.record_replay import ReplayOutbox
from shared.runtime.context import RuntimeContext


@dataclass(frozen=True, kw_only=True)
class ServiceContext(RuntimeContext):
    """The parts of a running service, with its commands.

    `outbox` sends records that are not entries, such as replays; `signer` signs these records.
    """

    handled: Commands
    outbox: ReplayOutbox
    signer: Signer | None = None

    @cached_property
    def commands(self) -> Engine:
        """Return the engine that executes the service's commands."""
        return Engine(self, self.handled)
