"""Approvals in tests: whoever approves looks first, and names the hash of what is there."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from threading import Lock
from typing import Any, Final

import httpx

from services.cli.subjects import HASH
from tests.support.openapi import approvals_of

NOTHING: Final = "0" * 64
"""The hash of no document: what somebody names who was shown nothing."""

Get = Callable[[str], httpx.Response]

_TRIES: Final = 20

_READING: Final = Lock()
"""Interfaces are described by one thread at a time: while FastAPI does, what it warns of is set for all threads."""


class Shown:
    """What people who approve were shown, by the key of the approval: sent again, it is the same approval."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._shown: dict[str, str] = {}
        self._looking = Lock()

    def with_subject(self, get: Get, path: str, body: Any, key: str) -> Any:
        """Return the body of a command; of an approval with the hash of what the person reads, unless it names one.

        `get` reads as that person does; who may read nothing, or finds nothing, names the hash of no document.
        """
        if body is not None and (not isinstance(body, Mapping) or HASH in body):
            return body
        with _READING:
            subject = approvals_of(self._service).subject_of(path, body)
        if subject is None:
            return body
        with self._looking:  # who sends the same to two processes at once has looked once
            if key not in self._shown and (found := _looked_at(get, subject)).is_success:
                self._shown[key] = found.json()["sha256"]
        return {**(body or {}), HASH: self._shown.get(key, NOTHING)}


def _looked_at(get: Get, subject: str) -> httpx.Response:
    """Look at a subject, again where a server does not answer at the moment."""
    found = get(subject)
    for _ in range(_TRIES):
        if found.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            break
        found = get(subject)
    return found
