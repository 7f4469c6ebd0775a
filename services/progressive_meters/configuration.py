"""What becomes of a pool's terms: filed, then approved or rejected by somebody else. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, Literal

from pydantic import AwareDatetime

from services.progressive_meters.domain import Terms
from shared.contracts.envelope import Person, Reason, as_json, canonical
from shared.contracts.meters import Feed, Movement, PoolApproved, PoolFiled, PoolRejected, PoolTerms
from shared.rules.errors import Refused

Status = Literal["filed", "approved", "rejected"]

FeedTerms = Callable[[str, Feed, datetime], Terms | None]
"""(property, feed, moment) -> the meter's terms in the rules submission in effect then, if that table offers it."""

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)


class Contradicts(Exception):
    """The command contradicts what is recorded."""


class SamePerson(Exception):
    """One person would stand for both steps of what takes two."""


class PoolVersion(PoolFiled):
    """A version of a pool's terms as it stands: what was filed, and what has become of it."""

    status: Status
    approved_by: Person | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: Person | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: Reason | None = None


class Pools:
    """The approved versions of the terms of all pools: which pool a feed is for at a moment."""

    def __init__(self, approved: Iterable[PoolVersion] = ()) -> None:
        self._versions: dict[tuple[str, str], list[PoolVersion]] = {}
        self._pools_of: dict[tuple[str, Feed], set[str]] = {}
        for version in approved:
            self._versions.setdefault((version.property, version.pool), []).append(version)
            for feed in version.feeds:
                self._pools_of.setdefault((version.property, feed), set()).add(version.pool)
        for versions in self._versions.values():
            versions.sort(key=lambda version: version.effective_from)

    def versions(self, property_name: str, pool: str) -> Sequence[PoolVersion]:
        """The approved versions of a pool, in the order in which they take effect."""
        return self._versions.get((property_name, pool), ())

    def in_effect(self, property_name: str, pool: str, moment: datetime) -> PoolVersion | None:
        """The version of a pool in effect at a moment."""
        begun = [version for version in self.versions(property_name, pool) if version.effective_from <= moment]
        return begun[-1] if begun else None

    def fed_by(self, property_name: str, feed: Feed, moment: datetime) -> PoolVersion | None:
        """The version of the pool that a feed is for at a moment."""
        for pool in self._pools_of.get((property_name, feed), ()):
            version = self.in_effect(property_name, pool, moment)
            if version is not None and feed in version.feeds:
                return version
        return None

    def taken(self, property_name: str, feed: Feed, since: datetime, *, besides: str) -> PoolVersion | None:
        """A version of another pool that a feed is for at a moment or at any later one."""
        for pool in sorted(self._pools_of.get((property_name, feed), set()) - {besides}):
            versions = self.versions(property_name, pool)
            ends = [version.effective_from for version in versions[1:]]
            for version, end in zip(versions, [*ends, None], strict=True):
                if feed in version.feeds and (end is None or end > since):
                    return version
        return None


def file(wanted: PoolTerms, versions: int, pools: Pools, terms: FeedTerms, *, by: str, at: datetime) -> PoolFiled:
    """The next version of a pool's terms, as it is filed; `versions` were filed before.

    Raises: Refused for terms that cannot be, or that the rules submissions of the feeds contradict.
    """
    if not _EARLIEST <= wanted.effective_from < _LATEST:
        raise Refused(f"'effective_from' {wanted.effective_from.isoformat()}: must lie in the years 2000 to 2199")
    wanted = wanted.model_copy(update={"effective_from": wanted.effective_from.astimezone(UTC)})
    _check_amounts(wanted)
    _check_feeds(wanted, terms)
    wrong = why_not(wanted, pools, at)
    if wrong is not None:
        raise Refused(wrong)
    version = versions + 1
    return PoolFiled(
        **_fields(wanted, PoolTerms), version=version, hash=_hash(wanted, version), filed_by=by, filed_at=at
    )


def approve(filed: PoolVersion, pools: Pools, terms: FeedTerms, *, by: str, at: datetime) -> None:
    """Checks that a version may be approved by a person at a moment.

    Raises: SamePerson; Contradicts where it was decided before, or cannot take effect any more; Refused where a rules
    submission has changed meanwhile.
    """
    require_undecided(filed)
    if by == filed.filed_by:
        raise SamePerson(f"{by} filed {name_of(filed)}: somebody else must approve it")
    wrong = why_not(filed, pools, at)
    if wrong is not None:
        raise Contradicts(f"{name_of(filed)} cannot be approved any more: {wrong}")
    _check_feeds(filed, terms)


def approved(filed: PoolVersion, movement: Movement | None, *, by: str, at: datetime) -> PoolApproved:
    """The version as approved, with the movement that put in the base."""
    return PoolApproved(**_fields(filed, PoolFiled), approved_by=by, approved_at=at, movement=movement)


def reject(filed: PoolVersion, *, by: str, at: datetime, reason: str) -> PoolRejected:
    """The rejection of a version. Raises: Contradicts where it was decided before."""
    require_undecided(filed)
    return PoolRejected(
        property=filed.property,
        pool=filed.pool,
        version=filed.version,
        hash=filed.hash,
        rejected_by=by,
        rejected_at=at,
        reason=reason,
    )


def after(filed: PoolFiled, fact: PoolFiled | PoolRejected) -> PoolVersion:
    """The version as it stands once a fact about it is recorded."""
    values: dict[str, Any] = {"status": "filed"}
    match fact:
        case PoolApproved():
            values = {"status": "approved", "approved_by": fact.approved_by, "approved_at": fact.approved_at}
        case PoolRejected():
            values = {
                "status": "rejected",
                "rejected_by": fact.rejected_by,
                "rejected_at": fact.rejected_at,
                "rejection_reason": fact.reason,
            }
    return PoolVersion(**_fields(filed, PoolFiled), **values)


def why_not(wanted: PoolTerms, pools: Pools, at: datetime) -> str | None:
    """Why a version may not take effect when it says; None if it may.

    Rounds count under the version in effect when they were opened. The first version of a pool may begin in the past:
    rounds of feeds without a pool wait in quarantine. A feed is for one pool at a time.
    """
    before = pools.versions(wanted.property, wanted.pool)
    beginning = wanted.effective_from.isoformat()
    if before and wanted.effective_from <= before[-1].effective_from:
        return (
            f"'effective_from' {beginning} is not after {before[-1].effective_from.isoformat()}, from which on an "
            "approved version is in effect; file one that takes effect later"
        )
    if before and wanted.effective_from < at:
        return f"'effective_from' {beginning} has passed (it is {at.isoformat()}); file one that takes effect later"
    if before and wanted.base_cents != before[0].base_cents:
        return f"'base_cents' {wanted.base_cents}: the pool began with {before[0].base_cents}; leave it as it was"
    for feed in wanted.feeds:
        other = pools.taken(wanted.property, feed, wanted.effective_from, besides=wanted.pool)
        if other is not None:
            return (
                f"meter {feed.meter} of {feed.game} at {feed.table} feeds pool {other.pool}; "
                f"let that pool go without it from {beginning} on first"
            )
    return None


def _check_amounts(wanted: PoolTerms) -> None:
    if wanted.base_cents < wanted.reset_cents:
        raise Refused(f"'base_cents' {wanted.base_cents} is below the reset amount {wanted.reset_cents}")
    if wanted.limit_cents is not None and wanted.limit_cents < wanted.base_cents:
        raise Refused(f"'limit_cents' {wanted.limit_cents} is below the base {wanted.base_cents}")


def _check_feeds(wanted: PoolTerms, terms: FeedTerms) -> None:
    seen: set[Feed] = set()
    for number, feed in enumerate(wanted.feeds):
        which = f"'feeds.{number}': meter {feed.meter} of {feed.game} at {feed.table}"
        if feed in seen:
            raise Refused(f"{which} is listed twice; list each feed once")
        seen.add(feed)
        found = terms(wanted.property, feed, wanted.effective_from)
        if found is None:
            raise Refused(
                f"{which}: no approved rules submission offers it at {wanted.effective_from.isoformat()}; "
                "have one approved first"
            )
        if found.reset_cents != wanted.reset_cents:
            raise Refused(
                f"{which}: its rules submission has the reset amount {found.reset_cents}, "
                f"'reset_cents' is {wanted.reset_cents}"
            )


def require_undecided(version: PoolVersion) -> None:
    """Raise Contradicts where a version was decided before."""
    if version.status != "filed":
        raise Contradicts(f"{name_of(version)} was {version.status} already")


def name_of(version: PoolFiled) -> str:
    """A version in words."""
    return f"version {version.version} of pool {version.pool} at {version.property}"


def _fields(contract: PoolTerms, kind: type[PoolTerms]) -> Mapping[str, Any]:
    return {name: getattr(contract, name) for name in kind.model_fields}


def _hash(wanted: PoolTerms, version: int) -> str:
    document = {name: value for name, value in as_json(wanted).items() if name in PoolTerms.model_fields}
    return sha256(canonical({**document, "version": version})).hexdigest()
