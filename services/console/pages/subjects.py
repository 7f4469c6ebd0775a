"""What a command is about, whole and as it stands now: whoever approves sees what they approve before they do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.console.console import Person
from services.console.operations import Operation, filled_path
from services.console.services import REGISTRY, Missing, or_missing

Given = Mapping[str, str]

_CHANGES: Final = "/properties/{property}/{version}/changes"
_PAYBACKS: Final = "/submissions/{property}/{game}/{version}/paybacks"

_BESIDE: Final[Mapping[tuple[str, str], str]] = {
    (REGISTRY, "approve-property"): _CHANGES,
    (REGISTRY, "return-property"): _CHANGES,
    (REGISTRY, "approve-submission"): _PAYBACKS,
    (REGISTRY, "return-submission"): _PAYBACKS,
}
"""What is worked out of a subject, and shown beside it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The document that a command is about, and what is shown beside it; without one, why there is none."""

    record: Mapping[str, Any] | None = None
    beside: Mapping[str, Any] | None = None
    why: str = ""

    @property
    def sha256(self) -> str:
        """Return the hash by which an approval names the document."""
        return str((self.record or {}).get("sha256", ""))


async def subject_of(person: Person, operation: Operation, given: Given) -> Subject | None:
    """Return what a command is about; None for one that is about nothing that is there already.

    It is read by its whole key, by its own route. A subject without a record stands for one that cannot be shown, or
    is not named yet: the command is not offered then.
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
    return Subject(found, None if isinstance(beside, Missing) else beside)
