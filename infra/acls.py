"""Derive the Kafka permissions (ACLs) of each service from its manifest, and set a cluster to exactly these.

A service is the principal `User:<its role>` (`User:round_settlement`). It reads the topics in its manifest, in consumer
groups of its own, and writes the topics that it publishes. It also reads the topics that it publishes, because their
ends show how many entries its journal had. It may write topics from outside that it reads, such as `table.events`, to
replay repaired records of its quarantine. Each service writes its checkpoint notes. No service can write to another
service's topics, change a topic, or see any other topic. Table systems, the pit's systems and the person who applies
topics are principals of the licensee.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.errors import NoError

from infra.topics import TopicsError, connected
from shared.contracts.topics import NOTES
from shared.runtime.service.manifest import Manifest

# kafka-python carries no types.
_Acl: Any = ACL
_Filter: Any = ACLFilter
_Pattern: Any = ResourcePattern
_PatternFilter: Any = ResourcePatternFilter

_TIMEOUT_SECONDS = 15.0
_PATTERNS = {"literal": ACLResourcePatternType.LITERAL, "prefixed": ACLResourcePatternType.PREFIXED}


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """A permission of a principal: an operation on a topic or on consumer groups, by name or prefix (`pattern`)."""

    principal: str
    resource: str
    name: str
    pattern: str
    operation: str

    def __str__(self) -> str:
        return f"{self.principal} {self.operation} {self.resource} {self.name} ({self.pattern})"


def principal_of(manifest: Manifest) -> str:
    """Return the Kafka principal of a service."""
    return f"User:{manifest.schema}"


def wanted(manifests: Iterable[Manifest], *, group_prefix: str) -> list[Grant]:
    """Return the grants of the services, sorted; `group_prefix` is the value of PITLEDGER_KAFKA_GROUP_PREFIX."""
    services, found = list(manifests), set[Grant]()
    from_services = {topic.name for one in services for topic in one.published}
    for one in services:
        who = principal_of(one)
        reads, published = {topic.name for topic in one.reads}, {topic.name for topic in one.published}
        found |= {
            Grant(who, "topic", name, "literal", what) for name in reads | published for what in ("describe", "read")
        }
        writes = published | (reads - from_services)
        found |= {Grant(who, "topic", name, "literal", what) for name in writes for what in ("describe", "write")}
        notes = () if one.confidential else NOTES
        found |= {Grant(who, "topic", topic.name, "literal", what) for topic in notes for what in ("describe", "write")}
        if reads:
            found.add(Grant(who, "group", f"{group_prefix}-{one.name}-", "prefixed", "read"))
    return sorted(found)


def apply(
    bootstrap_servers: str,
    grants: Sequence[Grant],
    *,
    principals: Iterable[str],
    client: Mapping[str, Any],
    dry_run: bool = False,
) -> tuple[list[Grant], list[Grant]]:
    """Set a cluster to allow these principals exactly these grants; return the added and the removed grants.

    `client` has kafka-python's connection settings for an administrator. With `dry_run` nothing is changed. Raises:
    TopicsError if the cluster has no authorizer or refuses; the errors of `infra.topics.connected`.
    """
    ours = set(principals)
    with connected(bootstrap_servers, _TIMEOUT_SECONDS, client) as admin:
        anything = _PatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY)
        acls, _ = admin.describe_acls(_Filter(None, None, ACLOperation.ANY, ACLPermissionType.ALLOW, anything))
        there = {grant for acl in acls if (grant := _grant(acl)).principal in ours}
        missing, surplus = sorted(set(grants) - there), sorted(there - set(grants))
        if missing and not dry_run:
            refused = admin.create_acls([_acl(grant, "*") for grant in missing])["failed"]
            _raise(bootstrap_servers, refused)
        if surplus and not dry_run:
            answers = admin.delete_acls([_acl(grant, None) for grant in surplus])
            _raise(bootstrap_servers, [error for _, _, error in answers if error is not NoError])
    return missing, surplus


def _raise(bootstrap_servers: str, refused: Sequence[type[Exception]]) -> None:
    if refused:
        raise TopicsError(f"Kafka at {bootstrap_servers}: {len(refused)} ACLs were refused: {refused[0].__name__}")


def _acl(grant: Grant, host: str | None) -> Any:
    """Return a grant as kafka-python's ACL. `host` is "*" for all hosts; in a deletion, None matches any host."""
    resource = _Pattern(ResourceType[grant.resource.upper()], grant.name, _PATTERNS[grant.pattern])
    return _Acl(grant.principal, host, ACLOperation[grant.operation.upper()], ACLPermissionType.ALLOW, resource)


def _grant(acl: Any) -> Grant:
    pattern = acl.resource_pattern
    return Grant(
        acl.principal,
        ResourceType(pattern.resource_type).name.lower(),
        pattern.resource_name,
        ACLResourcePatternType(pattern.pattern_type).name.lower(),
        ACLOperation(acl.operation).name.lower(),
    )
