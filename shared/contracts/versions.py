"""Versioned documents: one person files a version, another approves or returns it, and it never changes."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, Person, Reason, as_json, canonical
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected

VersionNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)


class Filed(Contract):
    """A version was filed. `hash` is its `version_hash`."""

    version: VersionNumber
    hash: Digest
    filed_by: Person
    filed_at: AwareDatetime


class Approved(AsShown):
    """A version was approved."""

    approved_by: Person
    approved_at: AwareDatetime


class Returned(Contract):
    """A version was returned to its filer, with the reason: it never takes effect."""

    version: VersionNumber
    hash: Digest
    returned_by: Person
    returned_at: AwareDatetime
    reason: Reason


Status = Literal["draft", "filed", "returned", "approved", "withdrawn"]


class Standing(Contract):
    """The status of a version: filed, then approved or returned, by whom and when."""

    status: Status
    approved_by: Person | None = None
    approved_at: AwareDatetime | None = None
    returned_by: Person | None = None
    returned_at: AwareDatetime | None = None
    return_reason: Reason | None = None


FactT = TypeVar("FactT", bound=Contract)


def about(model: type[FactT], version: Contract, **said: Any) -> FactT:
    """Return a fact about a version, made of the version's identifying fields and the given further fields."""
    named = {name: getattr(version, name) for name in _names(model) if name not in said}
    return model(**named, **said)


def returned(model: type[FactT], version: Contract, *, by: str, at: datetime, reason: str) -> FactT:
    """Return the fact that a person returned a version to its filer."""
    return about(model, version, returned_by=by, returned_at=at, reason=reason)


def standing(fact: Contract) -> dict[str, Any]:
    """Return the fields of `Standing` that a fact about a version changes."""
    match fact:
        case Approved():
            return {"status": "approved", "approved_by": fact.approved_by, "approved_at": fact.approved_at}
        case Returned():
            decided = {"returned_by": fact.returned_by, "returned_at": fact.returned_at}
            return {"status": "returned", **decided, "return_reason": fact.reason}
        case _:
            return {"status": "filed"}


def fields_of(said: object, model: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of a model, read from another object that has all of them."""
    return {name: getattr(said, name) for name in _names(model)}


@cache
def _names(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(model.model_fields)


def in_effect(versions: Iterable[Any], moment: datetime) -> Any | None:
    """Return the version in effect at a moment, among approved versions (with `effective_from` and `version`)."""
    found = None
    for version in versions:  # a plain loop, because it runs for every round, mostly over one version
        if version.effective_from <= moment and (found is None or _after(version, found)):
            found = version
    return found


def _after(version: Any, other: Any) -> bool:
    return (version.effective_from, version.version) > (other.effective_from, other.version)


def version_hash(wanted: Contract, model: type[Contract], version: int) -> str:
    """Return the SHA-256, in hexadecimal, of the fields of a model and the version, as canonical JSON."""
    document = {name: value for name, value in as_json(wanted).items() if name in model.model_fields}
    return sha256(canonical({**document, "version": version})).hexdigest()


def why_too_late(effective_from: datetime, approved: Sequence[datetime], at: datetime) -> str | None:
    """Return why a version with this beginning can no longer be approved at a moment, or None.

    Rounds settle forever under the version in effect when they were opened. So a version must begin after every
    `approved` one, and not in the past. Only the first version may begin in the past, because no round can have been
    settled before there was a version.
    """
    if not approved:
        return None
    last = max(approved)
    if effective_from <= last:
        return (
            f"'effective_from' {effective_from.isoformat()} is not after {last.isoformat()}, from which on an approved "
            "version is in effect; file a version that takes effect later"
        )
    if effective_from < at:
        return (
            f"'effective_from' {effective_from.isoformat()} has passed (it is {at.isoformat()}), and rounds have "
            "counted since; file a version that takes effect later"
        )
    return None


def beginning(effective_from: datetime) -> datetime:
    """Return the beginning of a version, in UTC. Raises: Rejected outside the supported range of dates."""
    if not _EARLIEST <= effective_from < _LATEST:
        raise Rejected(
            Why.NOT_ALLOWED,
            f"'effective_from' {effective_from.isoformat()}: must lie in the years {_EARLIEST.year} to "
            f"{_LATEST.year - 1}",
        )
    return effective_from.astimezone(UTC)
