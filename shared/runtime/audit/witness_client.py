"""Submit a service's checkpoints to witnesses, store their cosignatures, and publish each note on its topic.

This runs apart from signing and never delays it. A witness that was unavailable gets the latest checkpoint later, which
covers the earlier ones.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from ssl import SSLContext, create_default_context
from typing import Final, Protocol, Self

import httpx
import structlog
from confluent_kafka import KafkaException
from sqlalchemy import select

from shared.contracts.topics import CHECKPOINTS
from shared.journal.checkpoint import Checkpoint, read_unverified
from shared.journal.cosignature import WitnessKey, cosigned, lines_of
from shared.journal.merkle import EvidenceError, Frontier, consistency_proof
from shared.journal.shard import Shard
from shared.journal.signed_note import CheckpointError
from shared.journal.verification import read_shards
from shared.journal.witness import WitnessRequest
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import FatalServiceError
from shared.runtime.kafka import new_producer
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.settings import Settings

log = structlog.get_logger()

_ANSWER_SECONDS: Final = 5.0
_FLUSH_SECONDS: Final = 5.0
_LEAVES_AT_ONCE: Final = 10_000
_CONFLICT: Final = 409
_NOT_HERE: Final = (429, 500, 502, 503, 504)


class WitnessUnavailable(ConnectionError):
    """A witness does not answer, or its answer is that it is temporarily unavailable."""


@dataclass(frozen=True, slots=True)
class ListedWitness:
    """A configured witness: its keys (two during a key rotation) and its URL."""

    name: str
    url: str
    keys: Sequence[WitnessKey]


def read_witnesses(path: Path) -> list[ListedWitness]:
    """Return the witnesses in a file; each line has a key (`<name>+<id>+<key>`), a space, and a URL.

    A witness with two keys has two lines. Raises: CheckpointError for a malformed line; OSError.
    """
    found: dict[str, ListedWitness] = {}
    for line in path.read_text().splitlines():
        text, _, url = line.strip().partition(" ")
        if not text or text.startswith("#"):
            continue
        key = WitnessKey.from_string(text)
        url = url.strip().rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise CheckpointError(f"{path}: witness {key.name!r} needs a URL after its key, http:// or https://")
        before = found.get(key.name)
        if before is not None and before.url != url:
            raise CheckpointError(f"{path}: witness {key.name!r} has two URLs, {before.url} and {url}")
        found[key.name] = ListedWitness(key.name, url, [*(before.keys if before else ()), key])
    return list(found.values())


def witnesses_of(settings: Settings) -> list[ListedWitness]:
    """Return the configured witnesses. Raises: FatalServiceError if their file is malformed."""
    if settings.witnesses_file is None:
        return []
    try:
        return read_witnesses(settings.witnesses_file)
    except (CheckpointError, OSError, UnicodeDecodeError) as error:
        raise FatalServiceError(f"PITLEDGER_WITNESSES_FILE: {error}") from error


class AnnouncedCheckpoints(Protocol):
    """Publishes checkpoint notes."""

    def publish(self, notes: Mapping[str, str]) -> None:
        """Publish notes, keyed by log name; each replaces the log's previous note. Raises: ConnectionError."""


@dataclass(frozen=True, slots=True)
class CheckpointTopic:
    """Publishes notes on the topic `checkpoints`, keyed by log name, with a short-lived client: at most once a minute.

    A permanent client would cost half a megabyte and its threads for as long as the service runs.
    """

    settings: Settings
    service: str

    def publish(self, notes: Mapping[str, str]) -> None:
        """Publish notes; return after the cluster has acknowledged all of them. Raises: ConnectionError."""
        errors: list[object] = []
        producer = new_producer(self.settings, self.service)
        try:
            for origin, note in notes.items():
                producer.produce(
                    CHECKPOINTS.name,
                    key=origin.encode(),
                    value=note.encode(),
                    on_delivery=lambda error, _: errors.append(error),
                )
            producer.flush(_FLUSH_SECONDS)
        except (KafkaException, BufferError) as error:
            raise ConnectionError(f"{CHECKPOINTS.name}: {error}") from error
        if errors != [None] * len(notes):
            raise ConnectionError(f"{CHECKPOINTS.name}: {errors or 'the cluster does not answer'}")


@dataclass(slots=True)
class WitnessClient:
    """Submits the checkpoints of a service to its witnesses, and publishes them."""

    context: RuntimeContext
    notary: CheckpointSigner
    witnesses: Sequence[ListedWitness]
    topic: AnnouncedCheckpoints | None = None
    _since: datetime | None = None
    _complete_at: dict[str, datetime] = field(default_factory=dict)
    """When each witness was last found to have cosigned the latest checkpoints of all shards, by witness name."""
    _known: dict[tuple[str, str], Frontier] = field(default_factory=dict)
    """The tree that a witness last cosigned for this process, by (witness name, shard name)."""
    _published: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, context: RuntimeContext, notary: CheckpointSigner) -> Self:
        """Return the client for these settings. Raises: FatalServiceError."""
        topic = CheckpointTopic(context.settings, context.service)
        return cls(context, notary, witnesses_of(context.settings), topic)

    async def once(self) -> None:
        """Submit to each witness the checkpoints that it has not cosigned yet, and publish new notes."""
        self._since = self._since or self.context.clock()
        async with self.context.pools.background.connect() as connection:
            shards = await read_shards(connection, self.context.tables)
        if self.witnesses:
            authorities = await asyncio.to_thread(_authorities)
            async with httpx.AsyncClient(timeout=_ANSWER_SECONDS, verify=authorities) as client:
                for witness in self.witnesses:
                    await self._ask(client, witness, shards)
        await self._publish(shards)
        self.observe()

    async def _ask(self, client: httpx.AsyncClient, witness: ListedWitness, shards: Sequence[Shard]) -> None:
        """Have a witness cosign the latest checkpoint of each shard; stop if it does not answer."""
        complete = True
        for shard in shards:
            try:
                complete &= await self._cosigned(client, witness, shard)
            except WitnessUnavailable as error:
                log.warning("witness unavailable", witness=witness.name, error=str(error))
                return
            except EvidenceError as error:
                log.error("witness refused to cosign", witness=witness.name, shard=shard.name, error=str(error))
                complete = False
        if complete:
            self._complete_at[witness.name] = self.context.clock()

    async def _cosigned(self, client: httpx.AsyncClient, witness: ListedWitness, shard: Shard) -> bool:
        """Have a witness cosign a shard's latest checkpoint unless it already has; return whether it has cosigned.

        Return False if the witness has already cosigned a later checkpoint. Raises: WitnessUnavailable, EvidenceError.
        """
        store, origin = self.notary.store, self.notary.origin(shard.name)
        note = await asyncio.to_thread(store.latest, origin)
        if note is None or cosigned(note, witness.keys):
            return True
        checkpoint = read_unverified(note)
        known = self._known.get((witness.name, shard.name), Frontier())
        answer = await self._post(client, witness, shard, known, checkpoint, note)
        if answer.status_code == _CONFLICT:  # the witness last cosigned another size than is remembered here
            size = _size(answer.text)
            if size > checkpoint.size:
                log.info(
                    "witness has a later checkpoint, resubmitting", witness=witness.name, shard=shard.name, size=size
                )
                return False
            known = await self._frontier(shard, Frontier(), size)
            answer = await self._post(client, witness, shard, known, checkpoint, note)
        if answer.status_code in _NOT_HERE:
            raise WitnessUnavailable(f"{witness.url}: HTTP {answer.status_code}")
        if answer.status_code != httpx.codes.OK:
            raise CheckpointError(f"{witness.url}: HTTP {answer.status_code}: {answer.text.strip()[:500]}")
        lines = lines_of(answer.text, note, witness.keys)
        await asyncio.to_thread(store.add_cosignatures, note, witness.name, "".join(lines))
        self._known[witness.name, shard.name] = await self._frontier(shard, known, checkpoint.size)
        return True

    async def _post(
        self,
        client: httpx.AsyncClient,
        witness: ListedWitness,
        shard: Shard,
        known: Frontier,
        checkpoint: Checkpoint,
        note: str,
    ) -> httpx.Response:
        leaves: list[bytes] = []
        if known.size:
            async for part in self._leaves(shard, known.size, checkpoint.size):
                leaves.extend(part)
        proof = await asyncio.to_thread(consistency_proof, known, leaves)
        request = str(WitnessRequest(known.size, proof, note))
        try:
            return await client.post(f"{witness.url}/add-checkpoint", content=request.encode())
        except httpx.HTTPError as error:
            raise WitnessUnavailable(f"{witness.url}: {error or type(error).__name__}") from error

    async def _frontier(self, shard: Shard, known: Frontier, size: int) -> Frontier:
        async for leaves in self._leaves(shard, known.size, size):
            known = known.extend(leaves)
        return known

    async def _leaves(self, shard: Shard, after: int, size: int) -> AsyncIterator[list[bytes]]:
        """Yield the hashes of the entries after sequence `after` up to `size`, in batches. Raises: EvidenceError."""
        e = self.context.tables.entries.c
        while after < size:
            end = min(after + _LEAVES_AT_ONCE, size)
            query = select(e.hash).where(e.shard == shard.shard, e.seq > after, e.seq <= end).order_by(e.seq)
            async with self.context.pools.background.connect() as connection:
                part = [bytes(each) for each in (await connection.scalars(query)).all()]
            if len(part) != end - after:
                raise EvidenceError(f"entries {after + 1} to {end} are not all there; run: pitledger verify")
            yield part
            after = end

    async def _publish(self, shards: Sequence[Shard]) -> None:
        """Publish the latest notes of shards with their cosignatures, except notes that are already published."""
        notes = await asyncio.to_thread(self._unpublished, shards)
        if self.topic is None or not notes:
            return
        try:
            await asyncio.to_thread(self.topic.publish, notes)
        except ConnectionError as error:
            log.warning("checkpoints not published", logs=", ".join(notes), error=str(error))
        else:
            self._published |= notes

    def _unpublished(self, shards: Sequence[Shard]) -> dict[str, str]:
        origins = [self.notary.origin(shard.name) for shard in shards]
        latest = {origin: self.notary.store.latest(origin) for origin in origins}
        return {name: note for name, note in latest.items() if note is not None and note != self._published.get(name)}

    def observe(self) -> None:
        """Update the metric of each witness: the seconds since it last was up to date with all shards' checkpoints."""
        now = self.context.clock()
        for witness in self.witnesses:
            since = self._complete_at.get(witness.name, self._since or now)
            self.context.metrics.witness_age.labels(witness.name).set((now - since).total_seconds())


@cache
def _authorities() -> SSLContext:
    """Return the system's TLS trust store, cached because reading it takes a tenth of a second."""
    return create_default_context()


def _size(text: str) -> int:
    if not text.strip().isdecimal() or len(text) > 20:
        raise CheckpointError(f"the witness knows the size {text[:50]!r}, which is none")
    return int(text)
