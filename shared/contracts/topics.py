"""The Kafka topics, each with its content, publisher and message key.

Partitions and retention are in infra/topics.yaml. The manifests of services determine which topics each of them reads.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic. `publisher` is the service whose journal it carries, None if the messages come from outside.

    `outside` are systems other than Pitledger: the writers of a topic without a publisher, the readers of any other
    topic.
    """

    name: str
    title: str
    description: str
    publisher: str | None = None
    outside: tuple[str, ...] = ()
    key: str = ""
    cleanup_policy: str = "delete"

    @property
    def message_key(self) -> str:
        """Return a description of the messages' keys."""
        return self.key or f"The source: /{self.publisher}/shards/<shard>. All entries of a shard stay in order."


TABLE_EVENTS: Final = Topic(
    name="table.events",
    title="Events of the tables",
    description="Rounds completed, voided and corrected, as the table systems report them. The sequence of a table is "
    "dense: 1, 2, 3, without gaps.",
    outside=("table-system",),
    key="The source: /properties/<property>/tables/<table>. All events of a table stay in order.",
)
PIT_EVENTS: Final = Topic(
    name="pit.events",
    title="Events of the pit other than rounds",
    description="Counts, fills and credits on their way, chips sold, boxes, coupons, tips, vigorish, equipment: as the "
    "pit systems report them. The sequence of a table's pit stream is dense: 1, 2, 3, without gaps.",
    outside=("pit-system",),
    key="The source: /properties/<property>/tables/<table>/pit. All events of a table's pit stay in order.",
)
RATING_EVENTS: Final = Topic(
    name="rating.events",
    title="Ratings of patrons' play",
    description="Ratings opened, moved, paused, resumed and closed, average bets, buy-ins, amendments: as the casino "
    "management system or the pit reports them. The sequence of a table's rating stream is dense: 1, 2, 3, without a "
    "hole.",
    outside=("casino-management-system",),
    key="The source: /properties/<property>/tables/<table>/ratings. All ratings at a table stay in order.",
)
SUBMISSIONS: Final = Topic(
    name="submissions",
    title="Rules submissions",
    description="Every version of a rules submission as filed and decided, for ever; and rejected commands.",
    publisher="paytable-registry",
    key="property/game/version/type; of anything else, type/shard/number. No key has two contents.",
    cleanup_policy="compact",
)
PROPERTIES: Final = Topic(
    name="properties",
    title="Properties",
    description="The casinos with their law, clock, pits, tables and people: every version as filed and decided, for "
    "ever; and rejected commands.",
    publisher="paytable-registry",
    key="property/version/type; of anything else, type/shard/number. No key has two contents.",
    cleanup_policy="compact",
)
SETTLEMENTS: Final = Topic(
    name="settlements",
    title="The journal of round settlement",
    description="Every entry, in the order of its shard: rounds posted and reversed, gaps, quarantined records. An "
    "entry may be delivered twice; its sequence identifies it.",
    publisher="round-settlement",
)
INVENTORY: Final = Topic(
    name="inventory",
    title="The journal of the table-inventory ledger, except its rounds",
    description="Every entry, in the order of its shard: pit events recorded, slips, counts, variances, adjustments, "
    "gaming days closed, rejections. A count shows no figure before it is concluded.",
    publisher="table-inventory",
    outside=("casino-management-system",),
)
INVENTORY_ROUNDS: Final = Topic(
    name="inventory.rounds",
    title="The rounds in the journal of the table-inventory ledger",
    description="Every entry of the shards that follow from settled rounds: rounds counted, results noted, gaps, "
    "quarantined records. "
    "A topic of its own, so that readers of gaming days need not read a message for each round.",
    publisher="table-inventory",
    outside=("casino-management-system",),
)
RATINGS: Final = Topic(
    name="ratings",
    title="The ratings in the journal of the table-inventory ledger",
    description="Every entry of the shards of ratings: each step as recorded, and each closed rating with its "
    "theoretical win and its parts. Patrons are references. No money moves.",
    publisher="table-inventory",
    outside=("casino-management-system",),
)
VIGORISH: Final = Topic(
    name="vigorish",
    title="The journal of the vigorish ledger",
    description="Every entry, in the order of its shard: vigorish assessed, taken back, collected and waived.",
    publisher="vigorish",
    outside=("casino-management-system",),
)
ACCOUNTS: Final = Topic(
    name="accounts",
    title="The journal of the wagering accounts",
    description="Every entry, in the order of its shard: money in and out, wagers on hold and in play, results, "
    "adjustments, patrons, rejected commands. Never an access code.",
    publisher="wagering-accounts",
    outside=("casino-management-system",),
)
METERS: Final = Topic(
    name="meters",
    title="The journal of the progressive meters",
    description="Every entry, in the order of its shard: pools, rounds counted and taken back, changes, days "
    "reconciled, rejections. Entries that move a pool have its reading afterwards, numbered by pool, for signs.",
    publisher="progressive-meters",
    outside=("progressive-sign", "casino-management-system"),
)

SUSPICIONS: Final = Topic(
    name="suspicions",
    title="The journal of suspicious activity reports",
    description="Not a topic of any cluster: this journal is never published.",
    publisher="suspicious-activity",
)

CHECKPOINTS: Final = Topic(
    name="checkpoints",
    title="The signed checkpoints of all journals",
    description="The latest checkpoint of each log (shard): a C2SP signed note with the signature of its "
    "service and the cosignatures of witnesses. It carries no messages of the contracts.",
    key="The log: pitledger/<service>/<shard>.",
    cleanup_policy="compact",
)

NOTES: Final = (CHECKPOINTS,)
"""Topics on which every service publishes signed notes, verified with their signers' keys."""

TOPICS: Final = (
    TABLE_EVENTS,
    PIT_EVENTS,
    RATING_EVENTS,
    SUBMISSIONS,
    PROPERTIES,
    SETTLEMENTS,
    INVENTORY,
    INVENTORY_ROUNDS,
    RATINGS,
    VIGORISH,
    ACCOUNTS,
    METERS,
)


def publisher_of(topic: Topic) -> str:
    """Return the service whose journal a topic carries."""
    assert topic.publisher is not None, "a journal has a publisher"
    return topic.publisher
