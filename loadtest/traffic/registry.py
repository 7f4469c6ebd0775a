"""File properties and rules submissions with the registry over HTTP, and approve them as another person."""

from collections.abc import Sequence
from typing import Any, Final

import httpx

from loadtest.traffic.target import Target
from shared.contracts.envelope import as_json
from shared.contracts.properties import PropertyDocument
from shared.contracts.submissions import RulesSubmission

_SECONDS: Final = 10.0
_OVERRIDE: Final = "offered as the regulation prints it; the paytable is as it was submitted"
"""The reason entered for approving wagers with a payback above 100%, at a meter's reset or by regulation."""


class RegistryRefused(Exception):
    """The service refused a request."""


def file_and_approve(
    target: Target, properties: Sequence[PropertyDocument], submissions: Sequence[RulesSubmission]
) -> None:
    """File properties and their submissions as one person, and approve them as another.

    Raises: RegistryRefused.
    """
    with httpx.Client(base_url=target.registry_url, timeout=_SECONDS, trust_env=False) as registry:
        documents: list[tuple[str, str, PropertyDocument | RulesSubmission]]
        documents = [("/properties", each.property, each) for each in properties]
        documents += [("/submissions", f"{each.property}/{each.game}", each) for each in submissions]
        for path, name, document in documents:
            key = f"{path}/{name}/{document.effective_from:%Y%m%d%H%M}"
            filed = post(registry, path, target.filer_token, f"file:{key}", as_json(document))
            version = f"{path}/{name}/{filed['version']}"
            needed = isinstance(document, RulesSubmission) and _needs_override(registry, version, target.approver_token)
            approval = {"subject_sha256": filed["sha256"]} | ({"override": _OVERRIDE} if needed else {})
            post(registry, f"{version}/approve", target.approver_token, f"approve:{key}", approval)


def _needs_override(registry: httpx.Client, version: str, token: str) -> bool:
    """Return whether the paybacks of a version require an override for its approval. Raises: RegistryRefused."""
    path = f"{version}/paybacks"
    response = registry.get(path, headers={"authorization": f"Bearer {token}"})
    if response.is_error:
        raise RegistryRefused(f"GET {path} answered {response.status_code}: {response.text}")
    return any(one["findings"] for one in response.json()["wagers"])


def post(registry: httpx.Client, path: str, token: str, key: str, document: object) -> dict[str, Any]:
    """Return a service's response to a command. Raises: RegistryRefused."""
    headers = {"authorization": f"Bearer {token}", "idempotency-key": key}
    response = registry.post(path, headers=headers, json=document)
    if response.is_error:
        raise RegistryRefused(f"POST {path} answered {response.status_code}: {response.text}")
    answer: dict[str, Any] = response.json()
    return answer
