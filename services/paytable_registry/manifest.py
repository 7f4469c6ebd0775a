"""The manifest of the paytable registry: rules submissions, properties, ledger mappings, approved by two people."""

import json
from typing import Final

from services.paytable_registry.api.access import ROLES
from services.paytable_registry.api.routes import routes
from services.paytable_registry.commands import ledger_mappings, properties, submissions
from services.paytable_registry.projector import PROJECTOR
from services.paytable_registry.tables import journal
from shared.contracts.submissions import SubmissionDrafted, WithdrawalRequested, WithdrawalReturned
from shared.contracts.topics import PROPERTIES, SUBMISSIONS
from shared.runtime.service.manifest import Manifest

_REPEATED: Final = {
    type_ for fact in (SubmissionDrafted, WithdrawalRequested, WithdrawalReturned) for type_ in fact.KIND.types
}
"""The types of facts that may be recorded more than once about a version."""


def message_key(kind: str, shard: int, seq: int, data: bytes) -> bytes:
    """Return a fact's Kafka key, `property/game/version/kind` (without game for a property): unique for each fact.

    The key of a kind that a version may have more than once ends with the entry's shard and sequence. With unique keys,
    compaction never removes a version.
    """
    if not kind.startswith(("submission.", "property.", "ledger_mapping.")):
        return f"{kind}/{shard}/{seq}".encode()
    said = json.loads(data)
    named = [str(said[name]) for name in ("property", "game", "version") if name in said]
    place = (f"{shard}", f"{seq}") if kind in _REPEATED else ()
    return "/".join((*named, kind, *place)).encode()


MANIFEST = Manifest(
    name="paytable-registry",
    title="Rules submissions and properties: filed, approved, in effect",
    port=8101,
    roles=ROLES,
    journal=journal,
    publishes=SUBMISSIONS,
    apart={PROPERTIES.name: PROPERTIES},
    message_key=message_key,
    commands=submissions.COMMANDS.extended_with(properties.COMMANDS).extended_with(ledger_mappings.COMMANDS),
    projector=PROJECTOR,
    routes=routes,
)
