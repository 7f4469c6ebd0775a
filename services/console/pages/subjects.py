"""The complete current document that a command acts on, so that approvers see what they approve."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.console.console import Person
from services.console.operations import Operation, filled_path
from services.console.pages.filings import Warned, why_not_erased, why_not_released
from services.console.services import ACCOUNTS, REGISTRY, Missing, or_missing

Given = Mapping[str, str]

_CHANGES: Final = "/properties/{property}/{version}/changes"
_MAPPING_CHANGES: Final = "/ledger-mappings/{property}/{version}/changes"
_PAYBACKS: Final = "/submissions/{property}/{game}/{version}/paybacks"

_BESIDE: Final[Mapping[tuple[str, str], str]] = {
    (REGISTRY, "approve-property"): _CHANGES,
    (REGISTRY, "return-property"): _CHANGES,
    (REGISTRY, "approve-ledger-mapping"): _MAPPING_CHANGES,
    (REGISTRY, "return-ledger-mapping"): _MAPPING_CHANGES,
    (REGISTRY, "approve-submission"): _PAYBACKS,
    (REGISTRY, "return-submission"): _PAYBACKS,
}
"""The path template of a document computed from the subject and shown beside it, by service and command."""

_WARNED: Final[Mapping[tuple[str, str], Callable[[Person, Mapping[str, Any]], Awaitable[Warned]]]] = {
    (ACCOUNTS, "release-filing"): why_not_released,
    (ACCOUNTS, "enter-erasure"): why_not_erased,
    (ACCOUNTS, "approve-erasure"): why_not_erased,
}
"""The function, by service and command, that returns a warning to show, or the reason to withhold the command."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A command's subject and the data shown beside it; `why` is a warning, or the reason why there is no record.

    `effects` are the command's effects: the `days` that it would restate, its `postings`, or why it is `refused`.
    """

    record: Mapping[str, Any] | None = None
    beside: Mapping[str, Any] | None = None
    effects: Mapping[str, Any] | None = None
    why: str = ""

    @property
    def sha256(self) -> str:
        """Return the SHA-256 by which an approval refers to the shown document; empty without a record."""
        return str((self.record or {}).get("sha256", ""))


async def subject_of(person: Person, operation: Operation, given: Given) -> Subject | None:
    """Return the subject of a command; None for a command that does not act on an existing document.

    The subject is read by its full key from its own route. If it cannot be read, is not identified yet, or does not
    allow the command, the result has no record, and the command is not offered.
    """
    if operation.subject is None:
        return None
    if not all(given.get(name) for name in operation.names_of_subject):
        return Subject()
    found = await or_missing(person.calls.get(operation.service, filled_path(operation.subject, given)))
    if isinstance(found, Missing):
        return Subject(why=found.why)
    path = _BESIDE.get((operation.service, operation.name))
    beside = None if path is None else await or_missing(person.calls.get(operation.service, filled_path(path, given)))
    warned = _WARNED.get((operation.service, operation.name))
    warning = Warned() if warned is None else await warned(person, found)
    if not warning.is_offered:
        return Subject(beside=found, why=warning.why)
    return Subject(found, None if isinstance(beside, Missing) else beside, why=warning.why)
