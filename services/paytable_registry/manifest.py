"""The paytable registry: what a licensee plays under, filed, approved by somebody else, and published for ever."""

import json

from services.paytable_registry.api import APPROVE_SUBMISSIONS, FILE_SUBMISSIONS, READ_SUBMISSIONS, routes
from services.paytable_registry.commands import COMMANDS
from services.paytable_registry.projector import PROJECTOR
from services.paytable_registry.tables import journal
from shared.contracts.topics import SUBMISSIONS
from shared.runtime.service.manifest import Manifest


def message_key(kind: str, shard: int, seq: int, data: bytes) -> bytes:
    """Return `property/game/version/kind`, so that compaction of the topic never removes a version.

    What may be recorded more than once ends with the place of its entry: no two entries have the same key.
    """
    if not kind.startswith("submission."):
        return f"{kind}/{shard}/{seq}".encode()
    version = json.loads(data)
    return f"{version['property']}/{version['game']}/{version['version']}/{kind}".encode()


MANIFEST = Manifest(
    name="paytable-registry",
    title="Rules submissions: filed, approved, in effect",
    port=8101,
    roles=(APPROVE_SUBMISSIONS, FILE_SUBMISSIONS, READ_SUBMISSIONS),
    journal=journal,
    publishes=SUBMISSIONS,
    message_key=message_key,
    commands=COMMANDS,
    projector=PROJECTOR,
    routes=routes,
)
