"""A rebuild in the simulation: it comes to the same rows, or is refused where a topic does not hold what it needs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.ingest import topic_replay as rereading
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.projections.projection_replay import keepers_of
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.service.manifest import Manifest
from tests.simulation.log import Log
from tests.simulation.process import SETTINGS
from tests.simulation.world import World


async def check_rebuild(world: World, manifest: Manifest, engine: AsyncEngine) -> None:
    """Compare a read model with what a rebuild makes of it. Raises: AssertionError.

    A record may be deleted while a service that has fetched it records it. Then nobody can follow what it keeps from
    the topic any more: a rebuild must say so, and come to the same once the topic is restored, as it asks.
    """
    log = world.log
    if lost := _lost(world, manifest):
        said = await _refusal(log, manifest, engine)
        assert "deleted by retention" in said, f"{manifest.name}: of a rebuild without the first of {lost}: {said!r}"
        log = log.restored()
    with _rereading(log):
        comparison = await rebuild(engine, manifest, SETTINGS, check=True)
    different = [one for one in comparison.tables if one.different]
    assert not different, f"{manifest.name}: a rebuild comes to something else: {different}"
    assert not comparison.unfit, f"{manifest.name}: {comparison.unfit}"
    assert not comparison.uncompared, f"{manifest.name}: {comparison.uncompared}"


async def _refusal(log: Log, manifest: Manifest, engine: AsyncEngine) -> str:
    """Return why a rebuild cannot be made; nothing where it can."""
    with _rereading(log):
        comparison = await rebuild(engine, manifest, SETTINGS, check=True)
    return "; ".join(one.why for one in comparison.uncompared)


def _lost(world: World, manifest: Manifest) -> list[str]:
    """Return the partitions that a rebuild reads again and that have lost records which were read."""
    return [
        f"{keeper.topic}/{number}"
        for keeper in keepers_of(manifest)
        for number, partition in enumerate(world.log.topic(keeper.topic).partitions)
        if partition.begins and world.position(manifest, keeper.topic, number)
    ]


@contextmanager
def _rereading(log: Log) -> Iterator[None]:
    """Have a rebuild read topics of the simulated log again."""

    def batches(
        settings: Any,
        group: str,
        topic: str,
        begins: Mapping[int, int],
        ends: Mapping[int, int],
        ahead: int,
        reached: dict[int, int],
    ) -> Iterator[Sequence[InputRecord]]:
        del settings, group
        for number, end in ends.items():
            held = log.topic(topic).partitions[number].held(0)
            records = [one for one in held if begins.get(number, 0) <= one.offset < end + ahead]
            reached[number] = max(end, records[-1].offset + 1 if records else 0)
            if records:
                yield records

    with (
        patch.object(rereading, "topic_log", lambda _, topic: log.topic(topic).found()),
        patch.object(rereading, "_batches", batches),
    ):
        yield
