"""Files rules submissions at the registry and has somebody else approve them, over HTTP."""

from collections.abc import Sequence
from typing import Any, Final

import httpx

from loadtest.target import Target
from shared.contracts.submissions import RulesSubmission

_SECONDS: Final = 10.0


class RegistryRefused(Exception):
    """The registry did not do what it was asked."""


def file_and_approve(target: Target, submissions: Sequence[RulesSubmission]) -> None:
    """File each submission as one person and approves it as another. Raises: RegistryRefused."""
    with httpx.Client(base_url=target.registry_url, timeout=_SECONDS, trust_env=False) as registry:
        for submission in submissions:
            key = f"{submission.property}.{submission.game}.{submission.effective_from:%Y%m%d%H%M}"
            document = submission.model_dump(mode="json", exclude_none=True)
            filed = _post(registry, "/submissions", target.filer_token, f"file.{key}", document)
            path = f"/submissions/{submission.property}/{submission.game}/{filed['version']}/approve"
            _post(registry, path, target.approver_token, f"approve.{key}", None)


def _post(registry: httpx.Client, path: str, token: str, key: str, document: object) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {token}", "idempotency-key": key}
    response = registry.post(path, headers=headers, json=document)
    if response.is_error:
        raise RegistryRefused(f"POST {path} answered {response.status_code}: {response.text}")
    answer: dict[str, Any] = response.json()
    return answer
