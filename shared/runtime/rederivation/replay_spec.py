"""How a service's journal is re-derived: for each topic the handler, and the state it had at the time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.journal.recording import Recorded
from shared.journal.signed_batch import BatchVerifier
from shared.journal.tables import JournalTables
from shared.journal.verification import VerificationProblem
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.rederivation.replay_state import ReplayState

StateT = TypeVar("StateT")


class TopicLacks(Exception):
    """A topic no longer holds records that it once held."""


class Topics(Protocol):
    """The records of a cluster; `independent_reader` implements it with a client of its own."""

    @property
    def cluster_id(self) -> str:
        """Return the id of the cluster."""

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        """Yield the records of a partition from offset `first` up to but not including `end`, in batches.

        Raises: TopicLacks if the topic begins later or ends earlier; ConnectionError.
        """


@dataclass(frozen=True, slots=True)
class Sources:
    """The inputs of a re-derivation: the journal, the topics up to the read positions, and the stored state.

    `logs` maps topics to the log names in shard names. `verifier` has the keys of the services that send replays;
    without it, replays are taken as authentic.
    """

    connection: AsyncConnection
    tables: JournalTables
    records: Topics
    memory: ReplayState
    logs: Mapping[str, str]
    verifier: BatchVerifier | None = None


class ReplaySpec(Generic[StateT]):
    """How the events of one topic are derived again; used as is for handlers whose `load` reads nothing.

    The read model shows the current state only, and may have been altered. So a subclass's `load` uses only what it
    learned from earlier entries, and the topics.
    """

    def __init__(self, handler: Handler[StateT]) -> None:
        self.handler = handler

    async def prepare(self, sources: Sources) -> Sequence[VerificationProblem]:
        """Read what is needed from other topics; return the problems with the service's copies of them."""
        del sources
        return ()

    async def load(self, sources: Sources, events: Sequence[Event[Any]], at: datetime) -> StateT:
        """Return the state that the events of a batch recorded at this moment needed then."""
        del sources, events, at
        return None  # type: ignore[return-value]  # as `TopicHandler.load`

    def learn(self, memory: ReplayState, recorded: Sequence[Recorded]) -> None:
        """Remember what entries change for later events."""
