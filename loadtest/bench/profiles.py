"""The load profiles: arrival rates, tables, services, and injected failures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from loadtest.traffic.arrivals import Stage

SPINE: Final = ("paytable-registry", "round-settlement", "reporting")
"""The services on the path of a round into the journal and the reports."""
WARM_UP_ROUNDS: Final = 600
"""The number of rounds played before measuring, so that every process has loaded what it needs."""
SETTLEMENT: Final = "round-settlement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A load profile, with `tables` tables at each of its properties.

    Empty `services` means all services. `killed` is a service that is killed after half of the rounds. `hot_share` is
    the share of all rounds that the first table plays. `partition` is the only partition that receives rounds, if set;
    `partitions` is the number of partitions of table events, if not the default. `processes` is the number of processes
    by service. With `together`, all services share one process.
    """

    about: str
    stages: tuple[Stage, ...]
    tables: int = 48
    properties: int = 1
    services: tuple[str, ...] = SPINE
    hot_share: float = 0.0
    partition: int | None = None
    partitions: int | None = None
    killed: str | None = None
    together: bool = False
    processes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def rounds(self) -> int:
        """Return the number of measured rounds."""
        return sum(stage.rounds for stage in self.stages)

    @property
    def paced(self) -> bool:
        """Return whether rounds arrive at a given rate rather than as fast as possible."""
        return any(stage.rate for stage in self.stages)


PROFILES: Final[Mapping[str, Profile]] = {
    "casino": Profile(
        about="a casino at its peak: 25 rounds/s",
        stages=(Stage(1500, 25),),
    ),
    "state": Profile(
        about="every casino of a state at its peak: 12 of 200 tables, 200 rounds/s",
        stages=(Stage(12_000, 200),),
        tables=200,
        properties=12,
    ),
    "world": Profile(
        about="more than this machine takes, as fast as it goes; two processes settle",
        stages=(Stage(20_000),),
        processes={SETTLEMENT: 2},
    ),
    "soak": Profile(
        about="a million rounds as fast as they go: memory, and what a round costs as the journal grows",
        stages=(Stage(1_000_000),),
    ),
    "spike": Profile(
        about="50 rounds/s, twenty times as many for ten seconds, and 50 again",
        stages=(Stage(500, 50), Stage(10_000, 1000), Stage(1500, 50)),
    ),
    "hot-table": Profile(
        about="one table of 48 plays half of all rounds, as fast as it goes",
        stages=(Stage(10_000),),
        hot_share=0.5,
    ),
    "one-shard": Profile(
        about="every round in one partition, as fast as it goes",
        stages=(Stage(10_000),),
        partition=0,
    ),
    "restart": Profile(
        about="100 rounds/s; round settlement is killed at half of them",
        stages=(Stage(3000, 100),),
        killed=SETTLEMENT,
    ),
    "all-services": Profile(
        about="every service, as fast as it goes",
        stages=(Stage(8000),),
        services=(),
    ),
    "all-services-25": Profile(
        about="every service, in one process: 25 rounds/s",
        stages=(Stage(1500, 25),),
        services=(),
        together=True,
    ),
    "spine": Profile(
        about="the path of a round alone, as fast as it goes",
        stages=(Stage(20_000),),
    ),
    "few-tables": Profile(about="ten tables, as fast as it goes", stages=(Stage(20_000),), tables=10),
    "many-tables": Profile(
        about="10,000 tables of 20 casinos, as fast as it goes",
        stages=(Stage(20_000),),
        tables=500,
        properties=20,
    ),
    "shards-1": Profile(about="one partition", stages=(Stage(12_800),), partitions=1),
    "shards-64": Profile(about="64 partitions, and so 64 shards", stages=(Stage(12_800),), tables=192, partitions=64),
}
"""The profiles by name, for `make loadtest PROFILE=`; the rates are for a machine with two CPUs."""
