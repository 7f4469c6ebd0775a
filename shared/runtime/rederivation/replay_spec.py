"""The definition of a service's re-derivation: the handler of each topic, and the source of its earlier state."""

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
    """A topic does not contain records that it contained earlier."""


class Topics(Protocol):
    """The records of a cluster. `independent_reader` implements it with a Kafka client that no service uses."""

    @property
    def cluster_id(self) -> str:
        """Return the id of the cluster."""

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        """Yield the records of a partition from offset `first` up to `end`, exclusive, in batches.

        Raises: TopicLacks if the topic begins later or ends earlier; ConnectionError.
        """


@dataclass(frozen=True, slots=True)
class Sources:
    """The inputs of a re-derivation: the journal, the topics up to the read positions, and the stored state.

    `logs` contains the name of each topic's log, as in shard names, by topic. `verifier` has the keys of the services
    that send replays; without it, replays are assumed to be authentic.
    """

    connection: AsyncConnection
    tables: JournalTables
    records: Topics
    memory: ReplayState
    logs: Mapping[str, str]
    verifier: BatchVerifier | None = None


class ReplaySpec(Generic[StateT]):
    """The re-derivation of the events of one topic. A handler whose `load` reads nothing needs no subclass.

    The read model contains only the current state, and may have been altered. Therefore `load` of a subclass uses only
    the topics, and the data that `learn` has stored from earlier entries.
    """

    def __init__(self, handler: Handler[StateT]) -> None:
        self.handler = handler

    async def prepare(self, sources: Sources) -> Sequence[VerificationProblem]:
        """Read the data needed from other topics; return the problems with the service's copies of those topics."""
        del sources
        return ()

    async def load(self, sources: Sources, events: Sequence[Event[Any]], at: datetime) -> StateT:
        """Return the state that the handler had for a batch of events that was recorded at the moment `at`."""
        del sources, events, at
        return None  # type: ignore[return-value]  # as `TopicHandler.load`

    def learn(self, memory: ReplayState, recorded: Sequence[Recorded]) -> None:
        """Store, in `memory`, the effects of these entries on which later events depend."""
