"""The life cycle of a pool's terms: filed, then approved or returned by another person. Pure."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from services.progressive_meters.domain.rounds import Terms
from shared.contracts.meters import Feed, Movement, PoolApproved, PoolFiled, PoolReturned, PoolTerms
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import (
    Filed,
    Standing,
    beginning,
    fields_of,
    in_effect,
    returned,
    standing,
    version_hash,
    why_too_late,
)
from shared.jurisdictions import GamingPack, least_reset
from shared.runtime.commands.approval import POOL_TERMS, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject

FeedTerms = Callable[[str, Feed, datetime], Terms | None]
"""(property, feed, moment) -> the terms of the feed's meter in the submission in effect then, None if not offered."""


class PoolVersion(PoolTerms, Filed, Standing, ApprovalSubject):
    """A version of a pool's terms: its content, its status, and the person and time of the decision."""

    @property
    def label(self) -> str:
        """Return the name of the version to use in messages."""
        return f"version {self.version} of pool {self.pool} at {self.property}"

    @property
    def approval(self) -> Approval:
        """Return the approval step of the version, with its current decision."""
        return Approval(POOL_TERMS, self.label, self.filed_by, Decision.of(self.status))


class Pools:
    """The approved versions of all pools' terms, by pool and by feed."""

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
        """Return the approved versions of a pool, ordered by the time they take effect."""
        return self._versions.get((property_name, pool), ())

    def in_effect(self, property_name: str, pool: str, moment: datetime) -> PoolVersion | None:
        """Return the version of a pool in effect at a moment, or None."""
        return in_effect(self.versions(property_name, pool), moment)

    def current(self, property_name: str, pool: str, moment: datetime) -> PoolVersion:
        """Return the version of a pool in effect at a moment, or the first version if that is not in effect yet."""
        return self.in_effect(property_name, pool, moment) or self.versions(property_name, pool)[0]

    def fed_by(self, property_name: str, feed: Feed, moment: datetime) -> PoolVersion | None:
        """Return the terms of the pool that has the feed at a moment, or None if no pool has it."""
        for pool in self._pools_of.get((property_name, feed), ()):
            version = self.in_effect(property_name, pool, moment)
            if version is not None and feed in version.feeds:
                return version
        return None

    def taken(self, property_name: str, feed: Feed, since: datetime, *, besides: str) -> PoolVersion | None:
        """Return a version, of a pool other than `besides`, that has the feed at `since` or later; None without one."""
        for pool in sorted(self._pools_of.get((property_name, feed), set()) - {besides}):
            versions = self.versions(property_name, pool)
            ends = [version.effective_from for version in versions[1:]]
            for version, end in zip(versions, [*ends, None], strict=True):
                if feed in version.feeds and (end is None or end > since):
                    return version
        return None


def file(
    wanted: PoolTerms, versions: int, pools: Pools, place: PropertySnapshot, terms: FeedTerms, *, by: str, at: datetime
) -> PoolFiled:
    """Return the fact that records the filing of a pool's next terms; `versions` is the number of versions before.

    Raises: Rejected if the terms are invalid, or contradict the property or the rules submissions of the feeds.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    if wanted.gaming_day != place.gaming_day(wanted.effective_from):
        raise _not_allowed(place.other_day(wanted.gaming_day, wanted.effective_from))
    _check_feeds(wanted, place, terms)
    if wanted.base_cents < wanted.reset_cents:
        raise _not_allowed(f"'base_cents' {wanted.base_cents} is below the reset amount {wanted.reset_cents}")
    if wanted.limit_cents is not None and wanted.limit_cents < wanted.base_cents:
        raise _not_allowed(f"'limit_cents' {wanted.limit_cents} is below the base {wanted.base_cents}")
    wrong = why_not(wanted, pools, at)
    if wrong is not None:
        raise _not_allowed(wrong)
    version = versions + 1
    return PoolFiled(
        **fields_of(wanted, PoolTerms),
        version=version,
        hash=version_hash(wanted, PoolTerms, version),
        filed_by=by,
        filed_at=at,
    )


def check_approval(
    filed: PoolVersion, pools: Pools, place: PropertySnapshot, terms: FeedTerms, *, by: str, at: datetime
) -> None:
    """Raise Rejected unless a person may approve a version at a moment.

    A version cannot be approved if it was already decided, if the person filed it, if it can no longer take effect, or
    if the property or a rules submission now contradicts it.
    """
    filed.approval.approve(by)
    wrong = why_not(filed, pools, at)
    if wrong is not None:
        raise Rejected(Reason.TOO_LATE, f"{filed.label} cannot be approved any more: {wrong}")
    _check_feeds(filed, place, terms)


def check_limit(wanted: PoolTerms, shown_cents: int) -> None:
    """Raise Rejected if the new limit is below a pool's display, which it would reduce."""
    if wanted.limit_cents is not None and wanted.limit_cents < shown_cents:
        raise _not_allowed(
            f"'limit_cents' {wanted.limit_cents}: pool {wanted.pool} shows {shown_cents}; have the difference "
            "transferred or adjusted first"
        )


def approved(filed: PoolVersion, movement: Movement | None, *, by: str, at: datetime) -> PoolApproved:
    """Return the approval of a version. A first version's includes the movement of the base amount to the meter."""
    return PoolApproved(**fields_of(filed, PoolFiled), approved_by=by, approved_at=at, movement=movement)


def give_back(filed: PoolVersion, *, by: str, at: datetime, reason: str) -> PoolReturned:
    """Return the fact that records a version's return to its filer. Raises: Rejected if it is decided already."""
    filed.approval.reject()
    return returned(PoolReturned, filed, by=by, at=at, reason=reason)


def after(filed: PoolFiled | PoolVersion, fact: PoolFiled | PoolReturned) -> PoolVersion:
    """Return a version with the status that a fact gives it."""
    return PoolVersion(**fields_of(filed, PoolFiled), **standing(fact))


def why_not(wanted: PoolTerms, pools: Pools, at: datetime) -> str | None:
    """Return the reason why a version may not take effect at its `effective_from`, or None if it may.

    A feed belongs to one pool at a time. A pool's first version may take effect in the past: rounds whose meters feed
    no pool yet are in quarantine until then.
    """
    before = pools.versions(wanted.property, wanted.pool)
    too_late = why_too_late(wanted.effective_from, [version.effective_from for version in before], at)
    if too_late is not None:
        return too_late
    if before and wanted.base_cents != before[0].base_cents:
        return f"'base_cents' {wanted.base_cents}: the pool began with {before[0].base_cents}; leave it as it was"
    for feed in wanted.feeds:
        other = pools.taken(wanted.property, feed, wanted.effective_from, besides=wanted.pool)
        if other is not None:
            return (
                f"meter {feed.meter} of {feed.game} at {feed.table} feeds pool {other.pool}; "
                f"let that pool go without it from {wanted.effective_from.isoformat()} on first"
            )
    return None


def _check_feeds(wanted: PoolTerms, place: PropertySnapshot, terms: FeedTerms) -> None:
    seen: set[Feed] = set()
    for number, feed in enumerate(wanted.feeds):
        which = f"'feeds.{number}': meter {feed.meter} of {feed.game} at {feed.table}"
        if feed in seen:
            raise _not_allowed(f"{which} is listed twice; list each feed once")
        seen.add(feed)
        no_table = place.why_no_table(feed.table, place.gaming_day(wanted.effective_from))
        if no_table is not None:
            raise _not_allowed(f"{which}: {no_table}")
        found = terms(wanted.property, feed, wanted.effective_from)
        if found is None:
            raise _not_allowed(
                f"{which}: no approved rules submission offers it at {wanted.effective_from.isoformat()}; "
                "have one approved first"
            )
        _check_least(which, wanted, place.law, found)
        if found.reset_cents != wanted.reset_cents:
            raise _not_allowed(
                f"{which}: its rules submission has the reset amount {found.reset_cents}, "
                f"'reset_cents' is {wanted.reset_cents}"
            )


def _check_least(which: str, wanted: PoolTerms, law: GamingPack, terms: Terms) -> None:
    try:
        least = least_reset(law, terms.regulation, terms.meter)
    except LookupError as error:
        raise _not_allowed(f"{which}: {error}; have a rules submission approved under one of its own") from error
    for field, cents in (("reset_cents", wanted.reset_cents), ("base_cents", wanted.base_cents)):
        if least is not None and cents < least.cents:
            raise _not_allowed(
                f"{which}: '{field}' {cents} is below {least.cents}, the least initial and reset amount "
                f"({least.paragraph})",
                cites=least.paragraph,
            )


def _not_allowed(detail: str, *, cites: str | None = None) -> Rejected:
    return Rejected(Reason.NOT_ALLOWED, detail, cites=cites)
