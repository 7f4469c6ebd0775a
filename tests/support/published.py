"""Entries as a service publishes them, for the tests of those who read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

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
    """Return the CloudEvent of an entry, the `sequence`-th of its shard; a settlement is made whole."""
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
        "data": _settlement(kind, data, at.isoformat()) if kind.startswith("settlement.") else dict(data),
    }


CORRECTION: Final = {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"}
_LINE: Final = {"outcome": "lose", "stake": 0, "payout": 0, "stake_returned": 0, "paragraph": "§ 633a.7"}


def _settlement(kind: str, data: Mapping[str, Any], at: str) -> dict[str, Any]:
    """Return a settlement with the fields that a test has nothing to say of."""
    revision = {"revision": 1, "closed_at": at, "submission": {"version": 1, "hash": "a" * 64}, "totals": []}
    defaults: dict[str, dict[str, Any]] = {
        "settlement.posted": revision
        | {"regulation": "pa-633a-2024", "opened_at": at, "lines": [], "meters": {}, "record": {"seats": []}},
        "settlement.reversed": revision | {"reverses": 1, "lines": [], "correction": CORRECTION},
        "settlement.voided": {"correction": CORRECTION},
    }
    said = defaults.get(kind, {}) | dict(data)
    return said | ({"lines": [_LINE | dict(line) for line in said["lines"]]} if "lines" in said else {})


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
