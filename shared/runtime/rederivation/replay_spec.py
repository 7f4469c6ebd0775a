"""What a service gives so that its journal can be derived again: for each topic the handler, and what it knew then."""

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
    """A topic does not hold records that it once held."""


class Topics(Protocol):
    """The records of a cluster, which `independent_reader` reads with a client of its own."""

    @property
    def cluster_id(self) -> str:
        """Return the id of the cluster."""

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        """Give the records of a partition from offset `first` up to `end`, which is left out, some at a time.

        Raises: TopicLacks where the topic begins later or ends before; ConnectionError.
        """


@dataclass(frozen=True, slots=True)
class Sources:
    """From what is derived again: the journal, the topics up to where each partition was read, and what is remembered.

    `logs` name the log of each topic in the names of its shards. `verifier` knows the keys of
    the services that send records again; without it, what says that it was sent again is taken at its word.
    """

    connection: AsyncConnection
    tables: JournalTables
    records: Topics
    memory: ReplayState
    logs: Mapping[str, str]
    verifier: BatchVerifier | None = None


class ReplaySpec(Generic[StateT]):
    """How the events of one topic are derived again. This one is for a handler whose `load` reads nothing.

    The read model says how things stand now, and somebody may have altered it. So a subclass reads nothing of that in
    `load`, but what it has learned of the entries before, and what the topics say.
    """

    def __init__(self, handler: Handler[StateT]) -> None:
        self.handler = handler

    async def prepare(self, sources: Sources) -> Sequence[VerificationProblem]:
        """Read what is needed of other topics; return what is wrong with what the service knows of them."""
        del sources
        return ()

    async def load(self, sources: Sources, events: Sequence[Event[Any]], at: datetime) -> StateT:
        """Return what the events of a batch needed that was recorded at this moment."""
        del sources, events, at
        return None  # type: ignore[return-value]  # as `Handler.load`

    def learn(self, memory: ReplayState, recorded: Sequence[Recorded]) -> None:
        """Remember what entries change for the events after them."""
