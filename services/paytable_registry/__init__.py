"""Paytable registry: what a licensee plays under, filed by one person, approved by another, and published for ever."""

import json
from typing import Any

from sqlalchemy import Row

from services.paytable_registry.routes import routes
from services.paytable_registry.tables import journal
from shared.contracts import submission_events
from shared.runtime.command.refusals import KIND as REFUSED
from shared.runtime.service.run import Service

__all__ = ["SERVICE"]


def _key(entry: Row[Any]) -> bytes:
    """`property/game/version/kind`, so that compaction of the topic never removes a version.

    What may be refused more than once ends with the entry's number: no two entries have the same key.
    """
    if entry.kind == REFUSED:
        return f"{entry.kind}/{entry.seq}".encode()
    data = json.loads(entry.data)
    key = f"{data['property']}/{data['game']}/{data['version']}/{entry.kind}"
    return (f"{key}/{entry.seq}" if entry.kind == "submission.approval_refused" else key).encode()


SERVICE = Service(name="paytable-registry", tables=journal, publishes=submission_events.TOPIC, key=_key, router=routes)
