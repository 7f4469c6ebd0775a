"""Entries as a service publishes them, for the tests of those who read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import shared.contracts.catalog  # noqa: F401 - declares the kinds
from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS


def published(
    kind: str,
    data: Mapping[str, Any],
    *,
    service: str,
    sequence: int,
    at: datetime,
    shard: int = 1,
    subject: str | None = None,
) -> dict[str, Any]:
    """Return the CloudEvent of an entry, the `sequence`-th of its shard."""
    return {
        "specversion": "1.0",
        "id": f"{shard}-{sequence}",
        "source": shard_source(service, shard),
        "sequence": sequence,
        "type": kind,
        "subject": subject or shard_source(service, shard),
        "time": at.isoformat(),
        "recordedat": at.isoformat(),
        "entryhash": sha256(b"%d" % sequence).hexdigest(),
        "movesmoney": KINDS[kind].moves_money,
        "datacontenttype": "application/json",
        "data": dict(data),
    }


@dataclass
class Journal:
    """Makes the entries of a shard of a service's journal: the `seq`-th is recorded so many seconds after `begun`."""

    service: str
    begun: datetime
    seq: int = 0

    def entry(self, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """The next entry."""
        self.seq += 1
        at = self.begun + timedelta(seconds=self.seq)
        return published(kind, data, service=self.service, sequence=self.seq, at=at)
